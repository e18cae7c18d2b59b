package show

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// said is a turn with a reply to a question.
func said(agent, round int, kind debate.Kind, text string, a answer.Answer) debate.Turn {
	return debate.Turn{Agent: agent, Round: round, Kind: kind, Answer: a,
		Messages: []inference.Message{{Role: "system", Content: "Be brief."},
			{Role: "user", Content: "Seven times six?"}},
		Reply: inference.Reply{Text: text, Tokens: len(strings.Fields(text)), Stop: inference.StopEnd}}
}

// ended is a turn whose reply ended for another reason.
func ended(t debate.Turn, stop inference.StopReason) debate.Turn {
	t.Reply.Stop = stop
	return t
}

// small is what replies of a small model look like: long, cut off, repeated, with a problem of its own, with letters of
// two columns, tabs and codes for the terminal.
func small() debate.Transcript {
	long := strings.Repeat("Let us think about this once more, step by step. ", 30)
	wide := strings.Repeat("七乘六等于四十二。🙂", 12)
	fallback := answer.Answer{Text: "42", Parsed: true, How: answer.Fallback}
	return debate.Transcript{Protocol: "small", Case: "q", Rounds: [][]debate.Turn{
		{said(0, 0, "", long+"The answer is 42.", answer.Of("42")),
			ended(said(1, 0, "", long, answer.Answer{How: answer.Cut}), inference.StopLength),
			said(2, 0, "", wide+"\tfour\tty-two\x1b[31m", fallback)},
		{ended(said(0, 1, "", strings.Repeat("A:\n\n", 40), answer.Answer{How: answer.Looped}), inference.StopLooped),
			ended(said(1, 1, "", "The answer is 42.\n\n### Instruction:\nA snail is", answer.Of("42")),
				inference.StopLength),
			{Agent: 2, Round: 1, Error: "no room"}},
	}, Decision: debate.Decision{Answer: answer.Of("42"), Rule: debate.OtherRule("majority"),
		Votes: []debate.Count{{Answer: "42", Agents: []int{1, 2}}}}}
}

// TestShowFitsItsWidth: no line is wider than was asked for, whatever replies contain; the ends of replies are there,
// and each is marked with how it ended.
func TestShowFitsItsWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var out bytes.Buffer
			if err := (&Options{width: width}).show(&out, small(), answer.Of("42").Equal, small().Asked()); err != nil {
				t.Fatal(err)
			}
			inTable := 0
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if !strings.ContainsRune("┌├│└", []rune(line + " ")[0]) {
					continue
				}
				if inTable++; ansi.StringWidth(line) > width {
					t.Errorf("a table's line has %d columns, want at most %d: %s", ansi.StringWidth(line), width, line)
				}
			}
			if inTable < 20 || !strings.Contains(out.String(), "question:\n    Seven times six?\n") {
				t.Errorf("%d lines are of a table, want at least 20, and the question whole: %s", inTable, &out)
			}
			if width == 120 {
				terminaltest.Golden(t, filepath.Join("testdata", "show120.golden"), out.String())
			}
		})
	}
}
