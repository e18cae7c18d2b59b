package parleytest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// OnTerminal runs a command on a terminal of some width, on which typed, if not empty, is typed once said is there. It
// returns what was written, and the terminal after that.
func OnTerminal(t *testing.T, columns int, said, typed string, args ...string) (raw string, screen vt10x.Terminal,
	code int) {
	t.Helper()
	WarmCache(t)
	const rows = 160 // so that nothing scrolls out of sight
	cmd := exec.Command("parley", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	screen = vt10x.New(vt10x.WithSize(columns, rows))
	var all strings.Builder
	for buffer := make([]byte, 4096); ; {
		n, err := tty.Read(buffer)
		all.Write(buffer[:n])
		if typed != "" && strings.Contains(all.String(), said) {
			if _, err := tty.Write([]byte(typed)); err != nil {
				t.Fatal(err)
			}
			typed = ""
		}
		if err != nil { // the program has ended
			screen.Write([]byte(all.String())) // at once: a character may be cut between two reads
			return all.String(), screen, ExitCode(cmd.Wait())
		}
	}
}
