// Package terminaltest has terminals for tests, and texts that a terminal must not get.
package terminaltest

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/bug"
)

// orders are what terminals obey, and what hides or turns text.
var orders = []string{
	"\x1b[31m", "\x1b]0;title\a", "\x1b]8;;http://example.com\x1b\\", "\x1b[2J\x1b[H", "\x1bc", "\r", "\b\b", "\a",
	"\x7f", "\u009b2J", "\u009d0;x\u009c", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff",
	"\U000e0041", "a", "(A)", "語", "%s", "\n", "\t", "[red]",
}

// Orders draws a text with what terminals obey.
func Orders(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(orders), 1, 4).Draw(t, name), "")
}

// Obeyed returns what a terminal would do with an output, "" if nothing.
func Obeyed(output string) string {
	if !utf8.ValidString(output) {
		return "bytes that are no text"
	}
	for _, r := range strings.ReplaceAll(output, "\r\n", "\n") {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return string(r)
		}
	}
	return ""
}

// Open returns a terminal of some width, and a function that closes it and returns what was written.
func Open(t *testing.T, columns uint16) (tty *os.File, end func() string) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 30, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go bug.Lone(func() {
		var all bytes.Buffer
		io.Copy(&all, master) // ends with an error, when tty is closed
		written <- strings.ReplaceAll(all.String(), "\r\n", "\n")
	})()
	return tty, func() string {
		tty.Close()
		defer master.Close()
		return <-written
	}
}

// Golden compares what stands on a terminal with a golden file, which UPDATE=1 writes.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}

// Standing returns what stands on a terminal, with the places that are in colour in braces.
func Standing(screen vt10x.Terminal) string {
	names := map[vt10x.Color]string{vt10x.Green: "green", vt10x.Yellow: "yellow", vt10x.Red: "red",
		vt10x.LightGreen: "green", vt10x.LightYellow: "yellow", vt10x.LightRed: "red"}
	columns, rows := screen.Size()
	var b strings.Builder
	for y := range rows {
		line, colour := "", vt10x.DefaultFG
		for x := range columns {
			g := screen.Cell(x, y)
			if g.FG != colour && colour != vt10x.DefaultFG {
				line += "}"
			}
			if g.FG != colour && g.FG != vt10x.DefaultFG {
				line += "{" + names[g.FG] + " "
			}
			line, colour = line+string(g.Char), g.FG
		}
		b.WriteString(strings.TrimRight(line, " \x00") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
