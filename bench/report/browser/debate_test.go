package browser

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// TestApart: where nothing was read, nobody is known to disagree.
func TestApart(t *testing.T) {
	a, b := answer.Of("A"), answer.Of("B")
	for number, c := range []struct {
		answers []answer.Answer
		want    bool
	}{
		{nil, false}, {[]answer.Answer{a, a}, false}, {[]answer.Answer{a, b}, true},
		{[]answer.Answer{a, {}}, true}, {[]answer.Answer{{}, {}}, false},
	} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			last := make(map[int]outcome.Turn)
			for i, given := range c.answers {
				last[i] = outcome.Turn{Turn: &debate.Turn{Agent: i, Answer: given}}
			}
			if got := apart(last); got != c.want {
				t.Errorf("answers %v are apart: got %t, want %t", c.answers, got, c.want)
			}
		})
	}
}

// TestAnswersOfOthers: an answer comes from another agent only if both state it, not if a reader found the same in
// both, and not from a closing turn, which no other agent hears.
func TestAnswersOfOthers(t *testing.T) {
	for how, want := range map[answer.How]int{"": 1, answer.Explicit: 1, answer.ByClosing: 0, answer.Fallback: 0} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			is := answer.Answer{Text: "1", Parsed: true, How: how}
			held := debate.Transcript{Rounds: [][]debate.Turn{
				{{Answer: answer.Of("2")}, {Agent: 1, Answer: is}},
				{{Round: 1, Answer: is, Heard: []int{1}}, {Round: 1, Agent: 1, Answer: is, Heard: []int{0}}},
			}}
			last, rounds := make(map[int]outcome.Turn), columnsOf(trial.Outcome{Transcript: held}).Rounds()
			changes(held, rounds[0], last)
			if got := changes(held, rounds[1], last)[0]; got.was == nil || len(got.from) != want {
				t.Errorf("an answer that was read as %q comes from %d agents, and was another: got %+v",
					how, want, got)
			}
		})
	}
}

// columnsOf is a debate in a table of its own.
func columnsOf(o trial.Outcome) *outcome.Debate {
	return outcome.NewTable([]trial.Outcome{o}).Debates()[0]
}
