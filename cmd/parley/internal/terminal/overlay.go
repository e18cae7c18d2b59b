package terminal

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Overlay is what stands on a terminal below all that was printed, and is drawn anew as it changes. The consoles that
// write to the terminal know of it (console.above) and erase it before they print.
//
// The cursor stays visible, and is at the beginning of the line below the last one between any two writes. So a program
// that is killed at any time leaves a terminal on which a shell can go on.
type Overlay struct {
	to       *os.File
	coloured bool
	consoles []*Console // that print above it

	mu    sync.Mutex // guards what follows; taken after that of a console
	lines int        // that stand there
}

// NewOverlay begins to draw on the terminal behind the first of the writers. What is printed on any of them meanwhile
// comes to stand above. It returns nil if the first is no terminal that can be drawn on.
func NewOverlay(outs ...io.Writer) *Overlay {
	if !drawable(outs[0]) {
		return nil
	}
	l := &Overlay{to: Of(outs[0]), coloured: inColour(outs[0])}
	for _, w := range outs {
		if c, ok := w.(*Console); ok {
			c.above(l)
			l.consoles = append(l.consoles, c)
		}
	}
	return l
}

// Size returns the columns and lines of the terminal.
func (l *Overlay) Size() (width, height int, err error) { return term.GetSize(int(l.to.Fd())) }

// End leaves on the terminal what stands there; what is printed from now on follows it.
func (l *Overlay) End() {
	for _, c := range l.consoles {
		c.above(nil)
	}
}

// Draw replaces the lines, which must be narrower than the terminal.
func (l *Overlay) Draw(lines []Styled) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.back()
	for _, line := range lines {
		text += line.render(l.coloured) + "\n"
	}
	l.lines = len(lines)
	l.write(text)
}

// erase removes the lines. The caller holds the lock.
func (l *Overlay) erase() {
	text := l.back()
	l.lines = 0
	l.write(text)
}

// back is what moves the cursor to the first line and erases all of them.
func (l *Overlay) back() string {
	if l.lines == 0 {
		return ""
	}
	return "\r" + ansi.CursorUp(l.lines) + ansi.EraseScreenBelow
}

// write ignores errors: that the terminal is gone shows with the next line that a console prints.
func (l *Overlay) write(text string) {
	if text != "" {
		_, _ = io.Copy(l.to, strings.NewReader(text))
	}
}
