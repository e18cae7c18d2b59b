package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
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
		var out bytes.Buffer
		if err := (&showCommand{width: width}).show(&out, small(), answer.Of("42").Equal, small().Asked()); err != nil {
			t.Fatal(err)
		}
		inTable := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.ContainsRune("┌├│└", []rune(line + " ")[0]) {
				continue
			}
			if inTable++; ansi.StringWidth(line) > width {
				t.Errorf("%d columns in %d: %s", ansi.StringWidth(line), width, line)
			}
		}
		if inTable < 20 || !strings.Contains(out.String(), "question:\n    Seven times six?\n") {
			t.Errorf("%d lines of a table: %s", inTable, &out)
		}
		if width == 120 {
			sameScreen(t, filepath.Join("testdata", "show120.golden"), out.String())
		}
	}
}

// TestOlderRecords: where a record does not have what tells right answers, commands say how to know them.
func TestOlderRecords(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "log.json"), filepath.Join(dir, "run")
	text := `{"source": "他很有趣", "correct_reference": "He is fun.", "incorrect_reference": "He plays.",
		"debate_translation": "He is fun.", "rounds": [{"affirmative": "He plays.", "negative": "He is fun.",
		"moderator": "He is fun."}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := importer.Read("liang", []string{file})
	if err != nil {
		t.Fatal(err)
	}
	held, err := log.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	held.Outcomes[0].Key = nil // as before keys were recorded
	d, err := rundir.OpenDirectory(out)
	if err == nil {
		err = errors.Join(importer.Save(d, held), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{0, []string{"show", out, "--case", "log/1"}, "does not tell which replies are right: parley score --task"},
		{exit.CodeInput, []string{"score", out}, "import the logs again (" + file + ")"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.args, nil, &stdout, &stderr); code != c.code ||
			!strings.Contains(stdout.String()+stderr.String(), c.says) {
			t.Errorf("%s: exit %d\n%s%s", c.args[0], code, stdout.String(), stderr.String())
		}
	}
}

// TestKindsAreNamed: a debate says what each turn is for, and complains of no answer where none was asked for. A reply
// that is its own answer is printed once. What was elected is shown although no answer can be read from it.
func TestKindsAreNamed(t *testing.T) {
	var out bytes.Buffer
	free := strings.Repeat("Paris is the capital of France. ", 4)
	turns := []debate.Turn{
		said(0, 0, debate.KindPersona, `{"role": "expert"}`, answer.Unparsed),
		said(0, 1, debate.KindMessage, "I propose Paris.", answer.Unparsed),
		said(0, 1, debate.KindSolution, "Paris", answer.Answer{How: answer.Nothing}),
		said(0, 1, debate.KindFinal, free, answer.Of(free)),
		said(0, 2, debate.KindFinal, "Lyon", answer.Unparsed),
		said(1, 2, debate.KindFinal, "The capital is Paris.", answer.Unparsed),
		said(0, 2, debate.KindBallot, "1", answer.Of("1")),
	}
	show := (&debateCommand{}).shower(&out, protocol.Protocol{}, nil)
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
	sameScreen(t, filepath.Join("testdata", "kinds.golden"), out.String())
}
