package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// onTerminal runs a command on a terminal of some width, on which typed, if not empty, is typed once said is there. It
// returns what was written, and the terminal after that.
func onTerminal(t *testing.T, columns int, said, typed string, args ...string) (raw string, screen vt10x.Terminal,
	code int) {
	t.Helper()
	warmCache(t)
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
			return all.String(), screen, exitCode(cmd.Wait())
		}
	}
}

// standing is what stands on a terminal, with the places that are in colour in braces.
func standing(screen vt10x.Terminal) string {
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

// sameScreen compares what stands on a terminal with a golden file, which UPDATE=1 writes.
func sameScreen(t *testing.T, file, got string) {
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

// TestDebateOnTerminal compares what stands on a terminal after a debate: one reply after the other where it is narrow,
// agents side by side where it is wide. What was shown meanwhile is gone. Without a terminal the output is as ever.
func TestDebateOnTerminal(t *testing.T) {
	debate := []string{"debate", "--puzzle", "--seed", "4", "--temperature", "0", "--max-tokens", "120"}
	for columns, meanwhile := range map[int]string{80: "round 0, 0 tokens: agent 0 0 tokens …, agent 1",
		140: "agent 0: 0 tokens …"} {
		raw, screen, code := onTerminal(t, columns, "", "", debate...)
		if code != 0 || !strings.Contains(raw, meanwhile) || !strings.Contains(raw, ansi.EraseScreenBelow) {
			t.Errorf("%d columns: exit %d: %q", columns, code, raw)
		}
		sameScreen(t, filepath.Join("testdata", fmt.Sprintf("terminal%d.golden", columns)), standing(screen))
	}
	raw, _, _ := onTerminal(t, 140, "", "", append(debate, "--json")...)
	if strings.Contains(raw, "\x1b") || !strings.Contains(raw, `{"agent":0,"round":0,`) {
		t.Errorf("--json on a terminal: %q", raw)
	}
	t.Setenv("NO_COLOR", "1")
	if raw, _, _ := onTerminal(t, 80, "", "", debate...); strings.Contains(raw, "\x1b[1;") ||
		!strings.Contains(raw, ansi.EraseScreenBelow) {
		t.Errorf("with NO_COLOR: %q", raw)
	}
	code, stdout, _ := ran(debate...)
	if code != 0 || strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, "agent 0 says (B):\n    Step 1") {
		t.Errorf("off a terminal: exit %d: %q", code, stdout)
	}
}

// TestInterruptOnTerminal: the key for it ends a debate that is being shown, and a shell can go on at the beginning of
// a line, with its cursor.
func TestInterruptOnTerminal(t *testing.T) {
	raw, screen, code := onTerminal(t, 140, "agent 0: 0 tokens …", "\x03", "debate", "--puzzle", "--rounds", "6")
	if code != exit.CodeInterrupted || !strings.Contains(raw, "interrupted; finishing the current step") {
		t.Errorf("exit %d: %q", code, raw)
	}
	text := standing(screen)
	if cursor := screen.Cursor(); !screen.CursorVisible() || cursor.X != 0 || cursor.Y < strings.Count(text, "\n") ||
		strings.Contains(raw, "\x1b[?25l") {
		t.Errorf("cursor %+v below\n%s", cursor, text)
	}
}

// TestStreamAround: what is printed while a round is shown comes to stand above it, and what was written of a round
// stays at the end only if it is to be kept.
func TestStreamAround(t *testing.T) {
	for _, keep := range []bool{false, true} {
		out, end := onConsole(t, 100)
		s := newStream(out, io.Discard, debate.Transcript{}.Role)
		s.ask(inference.Request{Agent: 0})(inference.Piece{Text: "red \x1b[31m", Tokens: 2})
		s.ask(inference.Request{Agent: 1})(inference.Piece{Text: "green", Tokens: 1, Done: true})
		s.frame()
		fmt.Fprintln(out, "a warning")
		s.ask(inference.Request{Agent: 2})
		s.frame()
		s.close(keep)
		screen := vt10x.New(vt10x.WithSize(100, 30))
		screen.Write([]byte(strings.ReplaceAll(end(), "\n", "\r\n")))
		want := "a warning\n"
		if keep {
			want += "round 0, 3 tokens: agent 0 2 tokens …, agent 1 1 token, done, agent 2 0 tokens …\n"
		}
		if diff := cmp.Diff(want, standing(screen)); diff != "" {
			t.Errorf("keep %v: %s", keep, diff)
		}
	}
}

// onConsole returns a console on a terminal of some width, and a function that ends it and returns what was written.
func onConsole(t *testing.T, columns uint16) (*terminal.Console, func() string) {
	t.Helper()
	tty, end := terminaltest.Open(t, columns)
	c := terminal.NewConsole(tty, nil)
	return c, func() string {
		c.Flush()
		return end()
	}
}

// TestChangedAnswer: the heading of an agent that changes its answer is in colour, whatever it says stays inside, and
// with NO_COLOR nothing is in colour.
func TestChangedAnswer(t *testing.T) {
	hostile := "x\x1b[0m\x1b[31m\u009b2J"
	said := func(round, agent int, text string) debate.Turn {
		return debate.Turn{Round: round, Agent: agent, Answer: answer.Answer{Text: text, Parsed: true},
			Reply: inference.Reply{Text: "I say " + text, Stop: inference.StopEnd}}
	}
	rounds := [][]debate.Turn{{said(0, 0, "(A)"), said(0, 1, "(B)")}, {said(1, 0, hostile), said(1, 1, "(B)")}}
	const escaped = `x\u001b[0m\u001b[31m\u009b2J`
	yellow := func(s string) string { return "\x1b[1;33m" + s + "\x1b[m" }
	for _, c := range []struct {
		columns uint16
		noColor string
		want    string
	}{
		{79, "", yellow("agent 0 says "+escaped+" (changed from (A))") + ":\n    I say " + escaped +
			"\nagent 1 says (B):\n    I say (B)\n\n"},
		{79, "1", "agent 0 says " + escaped + " (changed from (A)):\n    I say " + escaped +
			"\nagent 1 says (B):\n    I say (B)\n\n"},
		{180, "", yellow("agent 0 says "+escaped+" (changed from (A))") + strings.Repeat(" ", 87-60) +
			" │ agent 1 says (B)\n" + "I say " + escaped + strings.Repeat(" ", 87-34) + " │ I say (B)\n\n"},
	} {
		out, end := onConsole(t, c.columns)
		t.Setenv("NO_COLOR", c.noColor)
		tell := (&debateCommand{}).shower(out, protocol.Protocol{}, nil)
		for _, round := range rounds {
			tell(round)
		}
		_, last, _ := strings.Cut(end(), "── round 1\n")
		if diff := cmp.Diff(c.want, last); diff != "" {
			t.Errorf("%d columns, NO_COLOR=%q: %s", c.columns, c.noColor, diff)
		}
	}
}

// TestVerdictInColour: whether the decision is right is in colour.
func TestVerdictInColour(t *testing.T) {
	a, b := answer.Answer{Text: "(A)", Parsed: true}, answer.Answer{Text: "(B)", Parsed: true}
	for _, c := range []struct {
		isRight func(answer.Answer) bool
		want    string
	}{{a.Equal, ", \x1b[1;32mright\x1b[m"}, {b.Equal, ", \x1b[1;31mwrong\x1b[m"}, {nil, ""}} {
		out, end := onConsole(t, 80)
		decided := debate.Transcript{Decision: debate.Decision{Answer: a, Rule: debate.OtherRule("r")}}
		if err := transcript.Conclude(out, decided, c.isRight); err != nil {
			t.Fatal(err)
		}
		if got := end(); got != "decision: (A) (r)"+c.want+"\n" {
			t.Errorf("got %q", got)
		}
	}
}

// TestPicture: what is shown of a round fits the terminal, its height too, and ends with what was written last.
func TestPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &stream{role: debate.Transcript{}.Role}
		n := rapid.IntRange(1, 5).Draw(t, "agents")
		for i := range n {
			piece := s.ask(inference.Request{Agent: i})
			piece(inference.Piece{Text: strings.Repeat(terminaltest.Orders(t, "text")+" word ", rapid.IntRange(0, 200).Draw(t,
				"times")), Tokens: 7})
			piece(inference.Piece{Text: " last", Tokens: 8})
		}
		width, height := rapid.IntRange(20, 250).Draw(t, "width"), rapid.IntRange(4, 60).Draw(t, "height")
		lines, fresh := s.picture(width, height)
		if _, again := s.picture(width, height); !fresh || again || len(lines) >= height {
			t.Errorf("%d lines of %d, fresh %v, then %v", len(lines), height, fresh, again)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line.String()); w >= width {
				t.Errorf("%d columns of %d: %q", w, width, line)
			}
		}
		var all strings.Builder
		for _, line := range lines {
			all.WriteString(line.String() + "\n")
		}
		if columns := width/n >= 40; columns && strings.Count(all.String(), "last") != n ||
			columns == strings.HasPrefix(all.String(), fmt.Sprintf("round 0, %d tokens", 8*n)[:15]) {
			t.Errorf("%d agents on %d columns:\n%s", n, width, all.String())
		}
	})
}
