package relation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// debateOf is a debate of this transcript with a letter for each agent's answer in each round.
func debateOf(t debate.Transcript, rounds ...string) *outcome.Debate {
	for r, letters := range rounds {
		turns := debatetest.TurnsOf(letters)
		for i := range turns {
			turns[i].Round = r
		}
		t.Rounds = append(t.Rounds, turns)
	}
	return outcome.NewTable([]trial.Outcome{{Question: "q", Truth: answer.Of("A"), Transcript: t}}).Debates()[0]
}

// assigned is a debate with a side for each agent, a letter, that is decided right or wrong.
func assigned(letters string, right bool, rounds ...string) *outcome.Debate {
	decided, score := "B", task.Wrong
	if right {
		decided, score = "A", task.Right
	}
	d := debateOf(debate.Transcript{Assigned: strings.Split(letters, ""),
		Decision: debate.Decision{Answer: answer.Of(decided)}}, rounds...)
	d.Score = score
	return d
}

// TestCostOfCalls: calls and tokens are those of the tables. A call that failed costs nothing, and a closing turn has
// tokens but is no call.
func TestCostOfCalls(t *testing.T) {
	asked := []inference.Message{{Content: "q"}}
	closing := debate.Turn{Kind: debate.KindClosing, Messages: asked, Reply: inference.Reply{Tokens: 3}}
	d := debateOf(debate.Transcript{Rounds: [][]debate.Turn{{{Messages: asked, Reply: inference.Reply{Tokens: 10}},
		{Agent: 1, Messages: asked, Error: "no room", Reply: inference.Reply{Tokens: 100}}, closing}}})
	for name, want := range map[string]float64{"calls": 1, "tokens": 13, "rounds": 1} {
		t.Run(name, func(t *testing.T) {
			m, _ := relation.MeasureOf(name)
			if got, known := m.Number(d); !known || got != want {
				t.Errorf("the cost of calls is %g: got %g, known %t", want, got, known)
			}
		})
	}
}

// TestMeasuresOfDebates: flips are of those who answer again, challenges of those who were asked, and only debates with
// sides are won by one.
func TestMeasuresOfDebates(t *testing.T) {
	yes, no := true, false
	asked := []debate.Challenged{{Agrees: &yes}, {Agrees: &no}, {}, {Agrees: &no}}
	sides := debate.Transcript{Roles: []string{debate.RoleAffirmative, debate.RoleNegative, debate.RoleModerator},
		Decision: debate.Decision{Side: " Negative"}}
	for name, test := range map[string]struct {
		of    string
		held  *outcome.Debate
		want  float64
		known bool
	}{
		"one of two is corrected":     {"majority-corrected", debateOf(debate.Transcript{}, "BBA", "ABA"), 0.5, true},
		"no majority to correct":      {"majority-corrected", debateOf(debate.Transcript{}, "BBAA", "AAAA"), 0, false},
		"the minority gives in":       {"minority-kept", debateOf(debate.Transcript{}, "BBA", "BBB"), 0, true},
		"one of three stays":          {"minority-kept", debateOf(debate.Transcript{}, "BBBA", "BBBA"), 1, true},
		"a wrong minority":            {"minority-kept", debateOf(debate.Transcript{}, "AAB", "AAB"), 0, false},
		"one of two flips":            {"flips", debateOf(debate.Transcript{}, "AA", "AB"), 0.5, true},
		"who answers once is out":     {"flips", debateOf(debate.Transcript{}, "AA", "B"), 1, true},
		"unread is an answer":         {"flips", debateOf(debate.Transcript{}, "A.", ".."), 0.5, true},
		"nobody answers again":        {"flips", debateOf(debate.Transcript{}, "AB"), 0, false},
		"nobody answers":              {"flips", debateOf(debate.Transcript{}), 0, false},
		"two of four challenge":       {"challenged", debateOf(debate.Transcript{Challenges: asked}), 0.5, true},
		"nobody is asked":             {"challenged", debateOf(debate.Transcript{}), 0, false},
		"the other side won":          {"won-by-affirmative", debateOf(sides), 0, true},
		"a side won":                  {"won-by-negative", debateOf(sides), 1, true},
		"a debate without two sides":  {"won-by-negative", debateOf(debate.Transcript{}), 0, false},
		"a right side in vain":        {"judged-with-right", assigned("BA", false), 0, true},
		"a right side, believed":      {"judged-with-right", assigned("A", true), 1, true},
		"right sides are not wrong":   {"judged-without-right", assigned("BA", true), 0, false},
		"a wrong side, not believed":  {"judged-without-right", assigned("B", true), 1, true},
		"free sides are none":         {"judged-without-right", debateOf(debate.Transcript{}, "B"), 0, false},
		"three of four keep a side":   {"sides-kept", assigned("BA", true, "BA", "BB"), 0.75, true},
		"who says nothing keeps none": {"sides-kept", assigned("B", true, "."), 0, true},
		"nobody has a side to keep":   {"sides-kept", debateOf(debate.Transcript{}, "AA"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, known := relation.MeasureOf(test.of)
			if got, has := m.Number(test.held); !known || got != test.want || has != test.known {
				t.Errorf("%s is %g, %t, want %g, %t", test.of, got, has, test.want, test.known)
			}
		})
	}
}

// TestMeasuresOfPuzzles is worked by hand: at first two of three agents call Ann, who is a spy, a knight, and all three
// have other roles for Bob, a knave. Her debate turns one of them; his makes two of them right. All are right at last.
func TestMeasuresOfPuzzles(t *testing.T) {
	held := debate.Transcript{Roles: []string{"Agent 1", "Agent 2", "Agent 3", "supervisor"},
		Decision: debate.Decision{Answer: answer.Of("Ann: spy, Bob: knave"), Rule: debate.OtherRule("by player")}}
	for _, phase := range []struct {
		name      string
		solutions []string
	}{
		{"proposal", []string{"Ann: knight, Bob: knave", "Ann: knight, Bob: knight", "Ann: spy, Bob: spy"}},
		{"debate Ann", nil},
		{"adjustment after Ann", []string{"Ann: knight, Bob: knave", "Ann: spy, Bob: knight", ""}},
		{"debate Bob", nil},
		{"adjustment after Bob", []string{"Ann: spy, Bob: knave", "Ann: spy, Bob: knight", "Ann: spy, Bob: knave"}},
		{"final", slices.Repeat([]string{"Ann: spy, Bob: knave"}, 3)},
	} {
		var turns []debate.Turn
		for i, text := range phase.solutions {
			turn := debate.Turn{Agent: i, Round: len(held.Rounds)}
			if text != "" {
				turn.Answer = answer.Of(text)
			}
			turns = append(turns, turn)
		}
		held.Phases, held.Rounds = append(held.Phases, debate.Phase(phase.name)), append(held.Rounds, turns)
	}
	outcomes := []trial.Outcome{{Question: "q", Truth: answer.Of("Ann: spy, Bob: knave"), Transcript: held},
		{Question: "other", Truth: answer.Of("A")}}
	values := relation.ValuesOf(relation.Rows(outcome.NewTable(outcomes).Debates()), "", 0.95)
	for name, want := range map[string]float64{"initial-strict": 0, "initial-smooth": 0.5, "initial-agent": 0,
		"auc-strict": 1, "auc-smooth": 1, "auc-agreement-all": 0.25, "auc-agreement-major": 0.75, "final-agent": 1} {
		t.Run(name, func(t *testing.T) {
			if got, known := values.Number(name); !known || got != want || values[name].Of != 1 {
				t.Errorf("%s is %g, %t, of %g; want %g of the one puzzle", name, got, known, values[name].Of, want)
			}
		})
	}
}
