// Package terminal writes for people: it escapes what terminals obey, breaks lines where they end, colours text, and
// draws what changes in place. Where no terminal is, the same calls write plain text.
package terminal

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/internal/escape"
)

// Console is where commands write. All output passes through it, so that no control character in a reply, a file name
// or an error reaches a terminal; colours are added to text that is escaped already (styled). It remembers the first
// failed write; all later writes fail with it.
type Console struct {
	mu     sync.Mutex
	to     io.Writer
	shown  *escape.Writer
	live   *Overlay // on the same terminal; may be nil
	broken error    // the first error of a write; nothing is written after it
	stop   func()   // called on that error; may be nil
}

// NewConsole returns a console that writes to a file or a pipe. The first write that fails calls stop, which may be
// nil.
func NewConsole(to io.Writer, stop func()) *Console {
	return &Console{to: to, shown: escape.NewWriter(to), stop: stop}
}

// Write implements io.Writer.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return 0, c.broken
	}
	defer c.clear()()
	n, err := c.shown.Write(p)
	c.failed(err)
	return n, err
}

// paint writes a text with its colours, which only a terminal should get.
func (c *Console) paint(s Styled) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return c.broken
	}
	defer c.clear()()
	err := c.shown.Flush()
	if err == nil {
		_, err = io.WriteString(c.to, s.render(true))
	}
	c.failed(err)
	return err
}

// above has the console write above what is drawn on its terminal, or no longer if that is nil.
func (c *Console) above(l *Overlay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = l
}

// FreshLine erases the line of a terminal on which the cursor is, such as a bar of progress.
func (c *Console) FreshLine() {
	drawn := Of(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if drawn != nil && c.live == nil {
		_, err := io.WriteString(drawn, "\r\x1b[K")
		c.failed(err)
	}
}

// clear erases what is drawn on the terminal, and keeps it away until done is called.
func (c *Console) clear() (done func()) {
	if c.live == nil {
		return func() {}
	}
	c.live.mu.Lock()
	c.live.erase()
	return c.live.mu.Unlock
}

// Flush writes what is buffered, and returns the first error of any write.
func (c *Console) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.failed(c.shown.Flush())
	}
	return c.broken
}

// failed takes the error of a write, nil if it went well. The first error stops the program: nobody reads on. The
// caller has the lock.
func (c *Console) failed(err error) {
	if c.broken = err; err != nil && c.stop != nil {
		c.stop()
	}
}

// Of returns the terminal behind a console, nil if there is none. A caller that draws on it directly must escape what
// it draws.
func Of(w io.Writer) *os.File {
	c, ok := w.(*Console)
	if !ok {
		return nil
	}
	if f, ok := c.to.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// columns returns the width of a terminal, 80 where it does not say.
func columns(drawn *os.File) int {
	if width, _, err := term.GetSize(int(drawn.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// Show prints what is laid out in the columns of ColumnsOf.
func Show(out io.Writer, blocks ...table.Block) error {
	var b strings.Builder
	for _, line := range table.Document(blocks).Layout(ColumnsOf(out)) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// ColumnsOf returns how wide texts on a console may be: as many columns as $COLUMNS says, which shells do not pass on
// by themselves, or as the terminal has; 0, without a limit, for a file or a pipe and for another writer.
func ColumnsOf(out io.Writer) int {
	if _, ok := out.(*Console); !ok {
		return 0
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if drawn := Of(out); drawn != nil {
		return columns(drawn)
	}
	return 0
}

// Fitted returns the lines of a text in the columns of ColumnsOf.
func Fitted(out io.Writer, text string) string {
	return strings.Join(table.Text(text).Layout(ColumnsOf(out)), "\n")
}

// Fit has write print lines, which are shown as Show does.
func Fit(out io.Writer, write func(io.Writer) error) error {
	var whole strings.Builder
	failed := write(&whole)
	return errors.Join(failed, Show(out, table.Text(whole.String())))
}

// Printf prints lines as Show does.
func Printf(out io.Writer, format string, values ...any) error {
	return Show(out, table.Text(fmt.Sprintf(format, values...)))
}

// PageAddress is the address at which a browser opens a file.
func PageAddress(path string) (string, error) {
	path, err := filepath.Abs(path)
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), err
}

// Warn prints a warning.
func Warn(out io.Writer, warning string) { _ = Printf(out, "parley: warning: %s\n", warning) }

// WriteTabbed has write print lines with tabs between their columns, which are then as wide as their texts.
func WriteTabbed(out io.Writer, write func(w io.Writer)) error {
	return Fit(out, func(out io.Writer) error {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		write(w)
		return w.Flush()
	})
}

// Beginning returns the beginning of a text on one line.
func Beginning(text string) string {
	const letters = 100
	if line := []rune(strings.Join(strings.Fields(text), " ")); len(line) > letters {
		return string(line[:letters-1]) + "…"
	} else {
		return string(line)
	}
}
