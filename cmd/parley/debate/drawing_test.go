package debate

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// TestStreamAround: what is printed while a round is shown comes to stand above it, and what was written of a round
// stays at the end only if it is to be kept.
func TestStreamAround(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint(keep), func(t *testing.T) {
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
			if diff := cmp.Diff(want, terminaltest.Standing(screen)); diff != "" {
				t.Errorf("lines kept %v: what is left on the terminal (-want +got):\n%s", keep, diff)
			}
		})
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
		t.Run(fmt.Sprintf("%v %.60s", c.columns, c.noColor), func(t *testing.T) {
			out, end := onConsole(t, c.columns)
			t.Setenv("NO_COLOR", c.noColor)
			tell := (&Options{}).shower(out, protocol.Protocol{}, nil)
			for _, round := range rounds {
				tell(round)
			}
			_, last, _ := strings.Cut(end(), "── round 1\n")
			if diff := cmp.Diff(c.want, last); diff != "" {
				t.Errorf("%d columns, NO_COLOR=%q: the second round (-want +got):\n%s", c.columns, c.noColor, diff)
			}
		})
	}
}

// TestVerdictInColour: whether the decision is right is in colour.
func TestVerdictInColour(t *testing.T) {
	a, b := answer.Answer{Text: "(A)", Parsed: true}, answer.Answer{Text: "(B)", Parsed: true}
	for _, c := range []struct {
		isRight func(answer.Answer) bool
		want    string
	}{{a.Equal, ", \x1b[1;32mright\x1b[m"}, {b.Equal, ", \x1b[1;31mwrong\x1b[m"}, {nil, ""}} {
		t.Run(fmt.Sprintf("%.60s", c.want), func(t *testing.T) {
			out, end := onConsole(t, 80)
			decided := debate.Transcript{Decision: debate.Decision{Answer: a, Rule: debate.OtherRule("r")}}
			if err := transcript.Conclude(out, decided, c.isRight); err != nil {
				t.Fatal(err)
			}
			if got := end(); got != "decision: (A) (r)"+c.want+"\n" {
				t.Errorf("the verdict is %q, want the decision with %q", got, c.want)
			}
		})
	}
}

// TestPicture: what is shown of a round fits the terminal, its height too, and ends with what was written last.
func TestPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &stream{role: debate.Transcript{}.Role}
		n := rapid.IntRange(1, 5).Draw(t, "agents")
		for i := range n {
			piece := s.ask(inference.Request{Agent: i})
			piece(inference.Piece{Text: strings.Repeat(terminaltest.Orders(t, "text")+" word ", rapid.IntRange(0,
				200).Draw(t,
				"times")), Tokens: 7})
			piece(inference.Piece{Text: " last", Tokens: 8})
		}
		width, height := rapid.IntRange(20, 250).Draw(t, "width"), rapid.IntRange(4, 60).Draw(t, "height")
		lines, fresh := s.picture(width, height)
		if _, again := s.picture(width, height); !fresh || again || len(lines) >= height {
			t.Errorf("%d lines of %d, fresh %v, then %v; want less than the height, fresh once", len(lines), height,
				fresh, again)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line.String()); w >= width {
				t.Errorf("a line of the picture has %d columns, want less than %d: %q", w, width, line)
			}
		}
		var all strings.Builder
		for _, line := range lines {
			all.WriteString(line.String() + "\n")
		}
		if columns := width/n >= 40; columns && strings.Count(all.String(), "last") != n ||
			columns == strings.HasPrefix(all.String(), fmt.Sprintf("round 0, %d tokens", 8*n)[:15]) {
			t.Errorf("%d agents on %d columns, want columns if each has 40, else a line of counts:\n%s", n, width,
				all.String())
		}
	})
}

// TestKindsAreNamed: a debate says what each turn is for, and complains of no answer where none was asked for. A reply
// that is its own answer is printed once. What was elected is shown although no answer can be read from it.
func TestKindsAreNamed(t *testing.T) {
	var out bytes.Buffer
	free := strings.Repeat("Paris is the capital of France. ", 4)
	turns := []debate.Turn{
		saidOf(0, 0, debate.KindPersona, `{"role": "expert"}`, answer.Unparsed),
		saidOf(0, 1, debate.KindMessage, "I propose Paris.", answer.Unparsed),
		saidOf(0, 1, debate.KindSolution, "Paris", answer.Answer{How: answer.Nothing}),
		saidOf(0, 1, debate.KindFinal, free, answer.Of(free)),
		saidOf(0, 2, debate.KindFinal, "Lyon", answer.Unparsed),
		saidOf(1, 2, debate.KindFinal, "The capital is Paris.", answer.Unparsed),
		saidOf(0, 2, debate.KindBallot, "1", answer.Of("1")),
	}
	show := (&Options{}).shower(&out, protocol.Protocol{}, nil)
	for _, turn := range turns {
		show([]debate.Turn{turn})
	}
	elected := debate.Transcript{Rounds: [][]debate.Turn{turns[:6]}, Records: []debate.Record{{}},
		Decision: debate.Decision{Rule: debate.Rule{Means: debate.MeansElection, Name: "simple", Turn: 1, Message: 1,
			Outcome: debate.OutcomeDecided},
			Tally: &debate.Tally{Scores: []float64{0, 0, 1}, Winner: 2, Rule: "simple"}}}
	if err := transcript.Conclude(&out, elected, nil); err != nil {
		t.Fatal(err)
	}
	terminaltest.Golden(t, filepath.Join("testdata", "kinds.golden"), out.String())
}

// saidOf is a turn with a reply to a question.
func saidOf(agent, round int, kind debate.Kind, text string, a answer.Answer) debate.Turn {
	return debate.Turn{Agent: agent, Round: round, Kind: kind, Answer: a,
		Messages: []inference.Message{{Role: "system", Content: "Be brief."},
			{Role: "user", Content: "Seven times six?"}},
		Reply: inference.Reply{Text: text, Tokens: len(strings.Fields(text)), Stop: inference.StopEnd}}
}
