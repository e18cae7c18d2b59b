package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/internal/escape"
)

// look says what a part of a text looks like on a terminal with colours.
type look int

const (
	normal  look = iota
	Changed      // an answer that is not the agent's last one
	Right        // a decision that is the truth
	Wrong
)

var colours = map[look]ansi.Style{
	Changed: ansi.NewStyle().Bold().ForegroundColor(ansi.Yellow),
	Right:   ansi.NewStyle().Bold().ForegroundColor(ansi.Green),
	Wrong:   ansi.NewStyle().Bold().ForegroundColor(ansi.Red),
}

// Span is a part of a text that looks the same throughout. The text may come from anywhere.
type Span struct {
	Text string
	Look look
}

// Styled is a text with colours. The colours stay apart from the text until render has escaped it: whatever control
// characters the text of a model has, they colour nothing and end no colour.
type Styled []Span

// String is the text without colours, not escaped.
func (s Styled) String() string {
	var b strings.Builder
	for _, part := range s {
		b.WriteString(part.Text)
	}
	return b.String()
}

// render is the text as a terminal may get it: each part escaped, with the sequences of its look around it.
func (s Styled) render(coloured bool) string {
	var b strings.Builder
	for _, part := range s {
		text := escape.Text(part.Text)
		if colour, ok := colours[part.Look]; ok && coloured && text != "" {
			text = colour.Styled(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Print writes the text, with colours where out is a terminal that may have them.
func (s Styled) Print(out io.Writer) error {
	if c, ok := out.(*Console); ok && inColour(out) {
		return c.paint(s)
	}
	_, err := io.WriteString(out, s.String())
	return err
}

// inColour reports whether out is a terminal that obeys sequences and whose user has not set NO_COLOR.
func inColour(out io.Writer) bool { return drawable(out) && os.Getenv("NO_COLOR") == "" }

// drawable reports whether out is a terminal on which the cursor can be moved.
func drawable(out io.Writer) bool { return Of(out) != nil && os.Getenv("TERM") != "dumb" }
