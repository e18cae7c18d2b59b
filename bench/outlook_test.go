package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/reversal"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// TestShortReplies: with short replies a debate between two sides ends after its first round, whatever its prompts call
// the fields of a verdict and whichever verdict ends it.
func TestShortReplies(t *testing.T) {
	for _, prompts := range []string{"topic", "translation"} {
		t.Run(prompts, func(t *testing.T) {
			for _, reading := range []string{debate.ReadingCode, debate.ReadingPaper} {
				p := protocol.Protocol{Settings: debate.Settings{Form: "tit-for-tat"}.With("prompts", prompts).
					With("reading", reading)}
				d, err := p.Compose(debate.Asking{})
				if err != nil {
					t.Fatal(err)
				}
				reply := shortReplies(d, func(int) string { return "" })
				transcript, err := d.Run(t.Context(), inference.NewScript(reply).Join(0),
					debate.Case{ID: "q", Question: "Q?", Extract: answer.Raw})
				if err != nil || transcript.RoundsHeld() != 1 ||
					transcript.Decision.Rule.String() != "the answer of the moderator" {
					t.Errorf("%s, %s: %d rounds, %q, %v; want 1, \"the answer of the moderator\" and no error",
						prompts, reading, transcript.RoundsHeld(), transcript.Decision.Rule.String(), err)
				}
			}
		})
	}
	d, err := protocol.Protocol{Settings: debate.Settings{Form: "society"}}.Compose(debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	if got := shortReplies(d, func(int) string { return "(A)" })(inference.Request{Agent: 2}); got != "(A)" {
		t.Errorf("an agent of a society says %q, want \"(A)\"", got)
	}
}

// TestLongAnswersAreReadOnce: what is read of the answers to a question does not grow with the replies of a debate, nor
// with the debates on it.
func TestLongAnswersAreReadOnce(t *testing.T) {
	read := 0
	long := strings.Repeat("of a long text ", 1000)
	c := debate.Case{ID: "q", Question: "Q?", Truth: answer.Of(long), Extract: func(text string) answer.Answer {
		read += len(text)
		return answer.Of(text)
	}}
	f := new(Forecaster)
	for range 100 {
		write := writer(f.givenAnswers(c), lengths{letters: shownLetters, cut: new(bool), follows: new(bool)})
		for agent := range 100 {
			text := write(inference.Request{Agent: agent, MaxTokens: 10}, func(string) bool { return true })
			if right := strings.HasSuffix(text, long); right != (agent%3 == 0) {
				t.Fatalf("of three agents the first gives the right answer (want %t of agent %d): it says %.100q",
					agent%3 == 0, agent, text)
			}
		}
	}
	if read > 2*len(long) {
		t.Errorf("%d characters were read, want at most twice the %d of the answer", read, len(long))
	}
	c.ID, c.Truth = "another", answer.Of("another")
	if got := f.givenAnswers(c).of(0); got != "another" {
		t.Errorf("the answer to another question is %q, want \"another\"", got)
	}
}

// TestLookAheadEnds: a check of what fits tells how far it is, and ends with its context, with the context's cause.
func TestLookAheadEnds(t *testing.T) {
	o := arguments(t, 1, 1)
	survey, used := tiny(t).Survey(), errors.New("the time is over")
	var checked []int
	if _, err := ForeseeRun(t.Context(), o, survey, func(n int) { checked = append(checked, n) }); err != nil {
		t.Fatal(err)
	}
	if len(checked) != len(o.Conditions) || checked[0] != 0 || checked[len(checked)-1] != len(checked)-1 {
		t.Errorf("what a look ahead tells goes over all %d conditions, from 0 to %d: got %v",
			len(o.Conditions), len(o.Conditions)-1, checked)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	_, err := ForeseeRun(ctx, o, survey, func(n int) {
		if checked = append(checked[:n], n); n == 2 {
			stop(used)
		}
	})
	if err != used || len(checked) != 3 {
		t.Errorf("%v after %v, want %v and 3 of them", err, checked, used)
	}
}

// TestShortPool: what is certain to be too long is so with the shortest replies in the debate before, too.
func TestShortPool(t *testing.T) {
	const heard = 40
	f, o := NewForecaster(tiny(t).Survey()), arguments(t, 1, 1)
	q := o.Task.Questions[0]
	c := debate.Case{ID: q.ID, Question: q.Text, Extract: o.Task.Reader(q), Truth: q.Truth}
	set := debatetest.Load(t, "tiny")
	pool := society.Society{Agents: 2 * heard, Rounds: 1, Prompts: set, Asking: debate.Asking{MaxTokens: 1000}}
	drawn, err := f.Foresee(t.Context(), pool, c)
	if err != nil || !f.Fits(drawn) {
		t.Fatalf("a pool of %d agents fits into the context: got %v, %v", 2*heard, drawn, err)
	}
	c.Prior = &drawn.transcript
	listening := reversal.Reversal{MostSolutions: heard / 2, Prompts: set, Asking: debate.Asking{MaxTokens: 3000}}
	heardAll, err := f.Foresee(t.Context(), listening, c)
	if what, sure := f.Says(heardAll); err != nil || sure || !strings.Contains(what, "long replies can lead to") {
		t.Errorf(`long replies alone do not fit, which is not certain: got %q (certain: %t), %v; want "long replies can `+
			`lead to" in it`, what, sure, err)
	}
}

// TestCrowds: debates in which replies of a few words cannot fit are refused before anybody is asked, whatever their
// form, and those are not that fit if agents are shown less, say little, or agree once they have heard each other.
func TestCrowds(t *testing.T) {
	f, o := NewForecaster(tiny(t).Survey()), arguments(t, 1, 1)
	q := o.Task.Questions[0]
	society := debate.Settings{Form: "society"}.With("prompts", "tiny")
	crowd, long := society.With("agents", 80), society.With("rounds", 40)
	for name, c := range map[string]struct {
		settings debate.Settings
		most     int // tokens of a reply
		refused  bool
		terse    bool // what fits is said
	}{
		"crowd":           {crowd, 128, true, true},
		"little":          {crowd.With("agents", 30), 128, false, false},
		"short":           {crowd, 8, false, false},
		"answers":         {crowd.With("show", "answers"), 128, false, false},
		"summary":         {crowd.With("show", "summary"), 128, true, false},
		"ring":            {crowd.With("topology", "ring"), 128, false, false},
		"shared":          {crowd.With("layout", "shared"), 128, true, false}, // which sends all solutions whole
		"in turn":         {crowd.With("speak", "one-by-one"), 128, true, true},
		"one round":       {crowd.With("rounds", 1), 128, false, false},
		"until agreement": {crowd.With("until", "agreement"), 128, true, true},
		"rounds":          {long, 128, true, false},
		"agreed":          {long.With("until", "agreement"), 128, false, false},
		"lesson":          {debate.Settings{Form: "lesson"}.With("agents", 80), 128, true, false},
		"discussion":      {debate.Settings{Form: "discussion"}.With("agents", 80), 128, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := protocol.Protocol{Settings: c.settings}.Compose(debate.Asking{MaxTokens: c.most})
			if err != nil {
				t.Fatal(err)
			}
			about := debate.Case{ID: q.ID, Question: q.Text, Extract: o.Task.Reader(q), Truth: q.Truth}
			seen, err := f.Foresee(t.Context(), d, about)
			if err != nil {
				t.Fatal(err)
			}
			what, sure := f.Says(seen)
			if terse := f.terse(t.Context(), d, about); sure != c.refused || sure && (terse != "") != c.terse {
				t.Errorf("%q, refused %v, %q; want refused %v and terse %v", what, sure, terse, c.refused, c.terse)
			}
		})
	}
}

// TestEchoes: conditions whose agents reply the same are named, and those are not whose agents draw, speak in turn or
// are alone.
func TestEchoes(t *testing.T) {
	var o Options
	for _, c := range []struct {
		name        string
		settings    debate.Settings
		temperature float32
	}{
		{"cold", debate.Settings{Form: "society"}, 0}, {"warm", debate.Settings{Form: "society"}, 1},
		{"lesson", debate.Settings{Form: "lesson"}.With("abstain", 0.5), 0},
		{"alone", debate.Settings{Form: "lesson"}.With("agents", 1), 0},
		{"in-turn", debate.Settings{Form: "society"}.With("speak", "one-by-one"), 0},
		{"pair", debate.Settings{Form: "society"}.With("agents", 2), 0},
		{"scripted", debate.Settings{Form: "society"}.With("agents", 2).With("confederate", "next"), 0},
	} {
		d, err := protocol.Protocol{Settings: c.settings}.Compose(debate.Asking{
			Sampling: inference.Sampling{Temperature: c.temperature}})
		if err != nil {
			t.Fatal(err)
		}
		o.Conditions = append(o.Conditions, trial.Condition{Name: c.name, Debate: d})
	}
	got := echoes(o)
	if len(got) != 2 || !strings.HasPrefix(got[0], "cold, lesson: 3 of 3 agents are asked the same") ||
		!strings.HasPrefix(got[1], "pair: 2 of 2 agents") {
		t.Errorf(`warnings %q, want two that begin with "cold, lesson: 3 of 3 agents are asked the same" and `+
			`"pair: 2 of 2 agents"`, got)
	}
}

// TestForeseenWork: a run generates no more than is foreseen of it, and what is foreseen is not far from it. Repeats
// and questions multiply the work, and what is recorded takes nothing.
func TestForeseenWork(t *testing.T) {
	foresee := func(o Options) Foreseen {
		t.Helper()
		known, err := ForeseeRun(t.Context(), o, o.Engine.(*inference.Local).Survey(), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	o := arguments(t, 1, 1)
	o.Engine = tiny(t)
	known := foresee(o)
	if _, err := Compare(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	did := o.Engine.Stats().Generations
	if known.Replies < did || known.Replies > 3*did {
		t.Errorf("no fewer generations are foreseen than are made, %d, and at most three times as many: got %d",
			did, known.Replies)
	}
	o.Run.Repeats = 3
	if thrice := foresee(o); thrice.Replies < 2*known.Replies || thrice.Replies > 3*known.Replies {
		t.Errorf("three repeats have 2 to 3 times the %d generations of one: got %d", known.Replies, thrice.Replies)
	}
}

// TestForeseen says what is left of a run.
func TestForeseen(t *testing.T) {
	whole := Foreseen{Replies: 1200, Most: 10 * time.Minute}
	for want, f := range map[string]Foreseen{
		"at most 1,200 generations, in at most about 10m0s": whole,
		"at most 300 generations, in at most about 2m30s":   whole.Without(900),
		"at most 1 generation":                              {Replies: 1},
		"":                                                  whole.Without(1300),
	} {
		t.Run(want, func(t *testing.T) {
			if got := f.String(); got != want {
				t.Errorf("the outlook is told as %q: got %q", want, got)
			}
		})
	}
	if got := (Foreseen{}).Without(5).String(); got != "" {
		t.Errorf("%q of nothing, want an empty text", got)
	}
}
