package validity_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// replied is a debate of one round with these turns.
func replied(turns ...debate.Turn) trial.Outcome {
	for i := range turns {
		turns[i].Agent = i
	}
	return trial.Outcome{Transcript: debate.Transcript{Rounds: [][]debate.Turn{turns}}}
}

func readAs(how answer.How, stop inference.StopReason) debate.Turn {
	parsed := how == answer.Explicit || how == answer.Fallback || how == answer.ByClosing
	return debate.Turn{Answer: answer.Answer{Parsed: parsed, How: how}, Reply: inference.Reply{Stop: stop}}
}

// readingOf counts the replies of debates.
func readingOf(outcomes ...trial.Outcome) (r validity.Reading) {
	for _, d := range outcome.NewTable(outcomes).Debates() {
		r.Add(d)
	}
	return r
}

// TestReadingOf: what a reader guesses from a reply, or a closing turn rescues, does not count as measured; rules of
// papers do not tell, so that all that they read counts.
func TestReadingOf(t *testing.T) {
	told := readingOf(
		replied(readAs(answer.Explicit, inference.StopEnd), readAs(answer.Explicit, inference.StopLength),
			readAs(answer.Cut, inference.StopLength)),
		replied(readAs(answer.ByClosing, inference.StopLooped), readAs(answer.Fallback, inference.StopEnd),
			readAs(answer.Nothing, inference.StopEnd), debate.Turn{Error: "no room"}))
	if told.Answers != 6 || told.UnparsedReplies != 2 || told.Told() != 6 || told.AtLimit != 2 || told.Looped != 1 ||
		told.How[answer.Explicit] != 2 || told.Share(answer.Fallback) != 1.0/6 {
		t.Errorf("of 6 answers 2 are unread, 2 at the limit and 1 looped, 2 are explicit and a sixth read by the "+
			"fallback: got %+v", told)
	}
	if n, of := told.Measured(); n != 2 || of != 6 {
		t.Errorf("%d of %d measured, want 2 and 6", n, of)
	}
	paper := readingOf(replied(debate.Turn{Answer: answer.Of("7")}, debate.Turn{}))
	if n, of := paper.Measured(); n != 1 || of != 2 || paper.How != nil || paper.Share(answer.Explicit) != 0 {
		t.Errorf("of 2 replies 1 could be measured, without how it was read: got %d of %d, %+v", n, of, paper)
	}
}

// TestExplicitRight: of the replies that state their answer, those that are right are counted, and none for which a
// closing turn or a guess answers.
func TestExplicitRight(t *testing.T) {
	said := func(how answer.How, text string) debate.Turn {
		return debate.Turn{Answer: answer.Answer{Text: text, Parsed: true, How: how}}
	}
	d := replied(said(answer.Explicit, "7"), said(answer.Explicit, "8"), said(answer.Explicit, "7"),
		said(answer.ByClosing, "7"), said(answer.Fallback, "7"))
	d.Truth = answer.Of("7")
	if r := readingOf(d); r.ExplicitRight != 2 || r.How[answer.Explicit] != 3 {
		t.Errorf("%d of %d explicit answers are right, want 2 of 3", r.ExplicitRight, r.How[answer.Explicit])
	}
}

// TestReadingOfOrders counts the orders of options in which a closing turn was asked, and those that say another one;
// older records knew one order.
func TestReadingOfOrders(t *testing.T) {
	closed, before := readAs(answer.ByClosing, inference.StopEnd), readAs(answer.ByClosing, inference.StopEnd)
	closed.Answer.Text = "(B)"
	for _, alone := range []string{"(A)", "(B)", "(C)"} {
		closed.After = append(closed.After, debate.Turn{Kind: debate.KindClosing, Answer: answer.Of(alone)})
	}
	before.After = closed.After[:1]
	r := readingOf(replied(closed, before))
	if r.Orders != 3 || r.OtherOrders != 2 {
		t.Errorf("%d of %d orders say another option, want 2 of 3", r.OtherOrders, r.Orders)
	}
	says := validity.Of([]validity.Condition{{Name: "mad", Reading: r, N: 1}}, 0).Says
	if text := strings.Join(says, " "); !strings.Contains(text, "(67 % of their orders of the options alone would say "+
		"another one)") {
		t.Errorf("the head says that 67 %% of the orders alone would say another option: got %q", text)
	}
	made := validity.Table([]validity.Named{{Name: "mad", Reading: r}})
	if text := made.Markdown(); !strings.Contains(text, "other by order |") || !strings.Contains(text, "| 66.7 % |") {
		t.Errorf("the table has 66.7 %% as other by order: got %s", text)
	}
}
