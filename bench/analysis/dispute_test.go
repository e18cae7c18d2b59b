package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// TestDisagreement is worked by hand: two of three pairs differ in the first round and none in the second; a round
// of one agent has no pairs.
func TestDisagreement(t *testing.T) {
	first := decidedBy("1", "A", said("A", "A", "B"), said("A", "A", "A"), said("A"))
	second := decidedBy("2", "A", said("A", "B"))
	about(t, "disagreement", dynamicsOf(trial.Condition{}, []trial.Outcome{first, second}).Disagreement, (1.0/3+1)/2)
	if got := dynamicsOf(trial.Condition{}, []trial.Outcome{decidedBy("3", "A", said("A"))}).Disagreement; got != nil {
		t.Errorf("one agent has no disagreement, want it unknown: got %g", *got)
	}
}

// TestSides: who won by the moderator's word, and whose last answer it was, are both counted and both shown.
func TestSides(t *testing.T) {
	debateOf := func(side, decided string) trial.Outcome {
		o := decidedBy("q", "A", []debate.Turn{{Agent: 0, Answer: answer.Of("A")}, {Agent: 1, Answer: answer.Of("B")},
			{Agent: 2}})
		o.Transcript.Roles = []string{"affirmative", "negative", "moderator"}
		o.Transcript.Decision = debate.Decision{Answer: answer.Of(decided), Side: side}
		return o
	}
	row := rowHeld(trial.Condition{Name: "sides"}, []trial.Outcome{debateOf(" Negative", "B"), debateOf("", "A"),
		debateOf("", "C")})
	got := row.Dynamics
	if diff := cmp.Diff(map[string]int{"affirmative": 1, "negative": 1, "neither": 1}, got.Chosen); diff != "" {
		t.Errorf("winners are counted by the moderator's word (-want +got):\n%s", diff)
	}
	for name, want := range map[string]float64{"won-by-negative": 1.0 / 3, "won-by-neither": 2.0 / 3,
		"chosen-affirmative": 1.0 / 3, "chosen-tie": 0} {
		t.Run(name, func(t *testing.T) {
			if value, known := row.Number(name); !known || value != want {
				t.Errorf("%s is %g, %v; want %g", name, value, known, want)
			}
		})
	}
	if lines := got.Asides(); !slices.Contains(lines, "won by: affirmative 0, negative 1, neither 2") ||
		!slices.Contains(lines, "the decision is the last answer of: affirmative 1, negative 1, tie 0, neither 1") {
		t.Errorf("asides: %q, want who won and whose answer was decided for", lines)
	}
}

// TestChallenges: a wrong decision that one of three challenges rightly, and a right one that one gives up. Where a
// wrong answer was shown in the place of a right decision, who returns to the right one has won; who is shown a right
// answer in the place of a wrong decision, and gives another wrong one, has lost.
func TestChallenges(t *testing.T) {
	yes, no := true, false
	wrong := decidedBy("1", "A", said("B", "B", "B"))
	wrong.Transcript.Challenges = []debate.Challenged{{Agent: 0, Agrees: &yes, Answer: answer.Of("B")},
		{Agent: 1, Agrees: &no, Answer: answer.Of("A")}, {Agent: 2}}
	right := decidedBy("2", "A", said("A"))
	right.Transcript.Challenges = []debate.Challenged{{Agent: 0, Agrees: &no, Answer: answer.Of("C")}}
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{wrong, right})
	if diff := cmp.Diff(&Challenges{Asked: 4, Agreed: 1, Disagreed: 2, Unread: 1, Won: 1, Lost: 1},
		got.Challenges); diff != "" {
		t.Errorf("challenges are counted as by hand (-want +got):\n%s", diff)
	}
	shown := func(text string) *answer.Answer { a := answer.Of(text); return &a }
	right.Transcript.Challenges = []debate.Challenged{{Agrees: &no, Shown: shown("B"), Answer: answer.Of("A")},
		{Agrees: &no, Shown: shown("B"), Answer: answer.Of("C")}, {Agrees: &no, Shown: &answer.Answer{Text: "Bamboo"},
			Answer: answer.Of("A")}}
	wrong.Transcript.Challenges = []debate.Challenged{{Agrees: &no, Shown: shown("A"), Answer: answer.Of("D")}}
	row := rowHeld(trial.Condition{}, []trial.Outcome{wrong, right})
	got = row.Dynamics
	if diff := cmp.Diff(&Challenges{Asked: 4, Disagreed: 4, Won: 2, Lost: 1}, got.Challenges); diff != "" {
		t.Errorf("challenges of all are counted as by hand (-want +got):\n%s", diff)
	}
	if text := strings.Join(got.Asides(), "\n"); !strings.Contains(text, "challenged by 4 of 4 agents, accepted by "+
		"0: 2 of those who challenge then give the right answer, 1 give it up") {
		t.Errorf("the aside counts 4 of 4 who challenge, 2 then right and 1 who gives it up: got\n%s", text)
	}
	for name, want := range map[string]float64{"challenged-then-right": 0.5,
		"challenged-then-wrong": 0.25} {
		t.Run(name, func(t *testing.T) {
			if value, known := row.Number(name); !known || value != want {
				t.Errorf("%s is %g, want %g (known %v)", name, value, want, known)
			}
		})
	}
	nobody := rowHeld(trial.Condition{}, []trial.Outcome{{Question: "3", Transcript: debate.Transcript{
		Challenges: []debate.Challenged{{Agrees: &yes}}}}})
	if _, known := nobody.Number("challenged-then-right"); known {
		t.Error("a share of nobody is known, want it unknown")
	}
}

// TestProbes: of three turns that were asked again, one gives another answer.
func TestProbes(t *testing.T) {
	turns := said("A", "A", "B", "B")
	for i, text := range []string{"A", "C", "B"} {
		turns[i].Probes = []debate.Turn{{Agent: i, Answer: answer.Of(text)}}
	}
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{decidedBy("1", "A", turns)})
	if got.Probes == nil || *got.Probes != (Probes{3, 1}) ||
		!slices.Contains(got.Asides(), "changed by the order of the others' texts: 1 of 3 replies") {
		t.Errorf("the order of texts changed 1 of 3 replies, and that is told: got %+v, %q", got.Probes, got.Asides())
	}
}

// TestCoverOutcomes: of four debates, the unanimous ones are right and the others are not; what was withheld counts
// with its votes.
func TestCoverOutcomes(t *testing.T) {
	withheld := decidedBy("4", "A", said("B", "C", "A"))
	withheld.Transcript.Decision.Withheld, withheld.Transcript.Decision.Answer = "B", answer.Unparsed
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{
		decidedBy("1", "A", said("A", "A", "A")), decidedBy("2", "A", said("A", "A", "A")),
		decidedBy("3", "A", said("B", "B", "A")), withheld, {Question: "5"},
	})
	want := []stat.Covered{{Votes: 1, Coverage: 0.5, Accuracy: 1}, {Votes: 2.0 / 3, Coverage: 0.75, Accuracy: 2.0 / 3},
		{Votes: 1.0 / 3, Coverage: 1, Accuracy: 0.5}}
	if diff := cmp.Diff(want, got.Coverage); diff != "" || got.CoverageArea <= 0.5 {
		t.Errorf("the curve of coverage is as wanted, with an area above 0.5: got %g, (-want +got):\n%s",
			got.CoverageArea, diff)
	}
	if alike := dynamicsOf(trial.Condition{}, []trial.Outcome{decidedBy("1", "A",
		said("A", "A"))}); alike.Coverage != nil {
		t.Error("debates with equal votes have a curve, want none")
	}
	for until, curve := range map[string]bool{"certain": false, "settled": false, "agreement": true} {
		one, two := decidedBy("1", "A", said("A", "A", "A")), decidedBy("2", "A", said("B", "B", "A"))
		s := debate.Settings{Form: "society"}.With("until", until)
		one.Transcript.Settings, two.Transcript.Settings = &s, &s
		if got := dynamicsOf(trial.Condition{}, []trial.Outcome{one, two}); (got.Coverage != nil) != curve {
			t.Errorf("until %s, which may spare votes, there is a curve: got %t, want %t",
				until, got.Coverage != nil, curve)
		}
	}
}

// TestMeasureNames: every name is one that a published number may have, and nothing else is.
func TestMeasureNames(t *testing.T) {
	for _, name := range append(MeasureNames(), "decided-in-turn-12") {
		if name != "decided-in-turn-K" && !IsMeasure(name) {
			t.Errorf("%s, which a row can have, is the name of a measure: it was refused", name)
		}
	}
	for _, name := range []string{"", "Accuracy", "decided-in-turn-K", "decided-in-turn-0", "won-by-tie", "chosen-",
		"smoothness"} {
		t.Run(fmt.Sprintf("%.60s", name), func(t *testing.T) {
			if IsMeasure(name) {
				t.Errorf("%q was taken for a measure, want it refused", name)
			}
		})
	}
}

// TestPersonaDiversity, worked by hand: "a b c" and "C, D!" share one word of four, "a b c" and "e" none of four, "C,
// D!" and "e" none of three: the mean is (3/4 + 1 + 1) / 3. Two personas alike have no diversity. Those of a team count
// where a debate has none of its own, and one persona alone says nothing.
func TestPersonaDiversity(t *testing.T) {
	of := func(personas ...string) trial.Outcome {
		return trial.Outcome{Question: "1", Transcript: debate.Transcript{Personas: personas}}
	}
	team := trial.Outcome{Question: "2", Transcript: debate.Transcript{
		Settings: new(debate.Settings{}.With("team", []debate.Member{{Persona: "a poet"}, {}, {Persona: "a clerk"}}))}}
	mixed := []trial.Outcome{of("", "a b c", "C, D!", "e"), of("x Y", "y x"), of("alone"), of()}
	for _, test := range []struct {
		outcomes []trial.Outcome
		want     float64
	}{{mixed[:1], 2.75 / 3}, {mixed[1:2], 0}, {mixed, 2.75 / 6}, {[]trial.Outcome{team}, 2.0 / 3}} {
		t.Run(fmt.Sprintf("%v", test.want), func(t *testing.T) {
			about(t, "persona diversity", dynamicsOf(trial.Condition{}, test.outcomes).PersonaDiversity, test.want)
		})
	}
	if dynamicsOf(trial.Condition{}, mixed[2:]).PersonaDiversity != nil {
		t.Error("a team of one persona has a diversity, want it unknown")
	}
	row := rowHeld(trial.Condition{}, mixed[:2])
	got := row.Dynamics
	if value, known := row.Number("persona-diversity"); !known ||
		!strings.Contains(strings.Join(got.Asides(), ""), "persona diversity 0.458") {
		t.Errorf("persona diversity is known and told as 0.458: got %g, %v, %q", value, known, got.Asides())
	}
}
