package relation

import (
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// martingale is the source of the question whether debating moves beliefs towards the truth at all.
const martingale = "Debate or Vote (arXiv 2508.17536)"

// leastTold is the least that all answers together must have for a place to count. Below it the model would write
// something else there, and how they compare says nothing.
const leastTold = 0.01

const (
	noBeliefs = "beliefs were not measured, or the model would write something else than an answer"
	noDrift   = "no agent has beliefs behind two messages"
)

// believed is one agent's beliefs around its messages, in their order.
type believed []*debate.Turn

// place is where beliefs are looked at; nil where there are none.
type place func(believed) []float64

func atLast(b believed) []float64 { return b[len(b)-1].Held.After }

// at is before an agent's messages and behind them, in turn: 0 is before the first, 1 behind it.
func at(k int) place {
	return func(b believed) []float64 {
		switch {
		case k/2 >= len(b):
			return nil
		case k%2 == 0:
			return b[k/2].Held.Before
		}
		return b[k/2].Held.After
	}
}

// Trajectory is the mean probability of the right answer over agents, before their messages and behind them in turn: 0
// is before the first, 1 behind it. It ends with the last place that any agent reached.
func Trajectory(rows []Debate, level float64) (places []Value) {
	for k := 0; ; k++ {
		m := Measure{Unit: Share, Judged: true, None: noBeliefs, count: held(at(k), inRight)}
		v := m.Over(rows, level)
		if v.State != Known {
			return places
		}
		places = append(places, v)
	}
}

// believed has the beliefs of agents that answered, by agent.
func (d Debate) believed() (all []believed) {
	by := make(map[int]int)
	for _, round := range d.Rounds() {
		for _, turn := range round.Turns {
			if turn.Held == nil || len(turn.Held.Before) == 0 || len(turn.Held.After) == 0 {
				continue
			}
			i, met := by[turn.Agent]
			if !met {
				i, by[turn.Agent] = len(all), len(all)
				all = append(all, nil)
			}
			all[i] = append(all[i], turn.Turn)
		}
	}
	return all
}

// rightAnswers are the places of right ones among the answers whose probabilities were measured.
func (d Debate) rightAnswers() (places []int) {
	for i, text := range d.Transcript.Beliefs.Answers {
		if d.IsRight(answer.Of(text)) {
			places = append(places, i)
		}
	}
	return places
}

// told is how probable it is that one of the answers follows.
func told(logs []float64) (sum float64) {
	for _, l := range logs {
		sum += math.Exp(l)
	}
	return sum
}

// distribution has the probabilities of the answers among each other; nil where hardly any of them would follow.
func distribution(logs []float64) []float64 {
	if len(logs) == 0 || told(logs) < leastTold {
		return nil
	}
	return vote.Softmax(logs)
}

// held is a mean over agents of a number of their beliefs at a place.
func held(here place, number func(p []float64, right []int) float64) func(Debate) Tally {
	return func(d Debate) (t Tally) {
		if d.Transcript.Beliefs == nil {
			return t
		}
		right := d.rightAnswers()
		for _, b := range d.believed() {
			if p := distribution(here(b)); p != nil {
				t.Part, t.Of = t.Part+number(p, right), t.Of+1
			}
		}
		return t
	}
}

// moved is a mean over agents of how far their belief in the right answer moved from one place to another, counted from
// that before a message (see at), all messages but the first together; of agents whose beliefs are known at each place.
func moved(from, to int) func(Debate) Tally {
	return func(d Debate) (t Tally) {
		if d.Transcript.Beliefs == nil {
			return t
		}
		right := d.rightAnswers()
	agents:
		for _, b := range d.believed() {
			if len(b) < 2 {
				continue
			}
			sum := 0.0
			for k := 1; k < len(b); k++ {
				p, q := distribution(at(2*k+from)(b)), distribution(at(2*k+to)(b))
				if p == nil || q == nil {
					continue agents
				}
				sum += inRight(q, right) - inRight(p, right)
			}
			t.Part, t.Of = t.Part+sum, t.Of+1
		}
		return t
	}
}

// inRight is the probability of right answers.
func inRight(p []float64, right []int) (sum float64) {
	for _, i := range right {
		sum += p[i]
	}
	return sum
}

// brier is the sum of squared differences from 1 for right answers and 0 for others (Brier 1950), from 0 to 2 where one
// is right.
func brier(p []float64, right []int) (sum float64) {
	for i, x := range p {
		off := x - stat.One[float64](slices.Contains(right, i))
		sum += off * off
	}
	return sum
}

// surprise is minus the natural logarithm of the probability of right answers, at most that of the least float.
func surprise(p []float64, right []int) float64 {
	return -math.Log(max(inRight(p, right), math.SmallestNonzeroFloat64))
}

// bits is the entropy.
func bits(p []float64, _ []int) float64 { return agreement.Bits(p) }

// allTold is how probable it is, in the mean of all places, that one of the answers follows.
func allTold(d Debate) (t Tally) {
	for _, b := range d.believed() {
		for _, turn := range b {
			t.Part += min(1, told(turn.Held.Before)) + min(1, told(turn.Held.After))
			t.Of += 2
		}
	}
	return t
}

// otherwise counts messages that state another answer than the one that is most probable behind them.
func otherwise(d Debate) (t Tally) {
	if d.Transcript.Beliefs == nil {
		return t
	}
	for _, b := range d.believed() {
		for _, turn := range b {
			p := distribution(turn.Held.After)
			if p == nil || !turn.Answer.Parsed {
				continue
			}
			t.Of++
			stated := slices.IndexFunc(d.Transcript.Beliefs.Answers, func(text string) bool {
				return turn.Answer.Equal(answer.Of(text))
			})
			t.Part += stat.One[float64](stated < 0 || p[stated] < slices.Max(p))
		}
	}
	return t
}

var ofBeliefs = []Measure{
	{Name: "belief-before", Head: "before", Table: InBeliefs, Unit: Share, Of: "agents", Judged: true, Better: true,
		Says: "Before: probability of the right answer before an agent's first message, among the answers.",
		None: noBeliefs, Optional: true, count: held(at(0), inRight)},
	{Name: "belief-first", Head: "first", Table: InBeliefs, Unit: Share, Of: "agents", Judged: true, Better: true,
		Says: "First: the same behind its first message.", None: noBeliefs, Optional: true,
		count: held(at(1), inRight)},
	{Name: "belief-last", Head: "last", Table: InBeliefs, Unit: Share, Of: "agents", Judged: true, Better: true,
		Says: "Last: behind its last one.", None: noBeliefs, Optional: true, count: held(atLast, inRight)},
	{Name: "belief-drift", Head: "drift", Table: InBeliefs, Unit: Difference, Of: "agents", Judged: true,
		Better: true, Source: martingale, Tested: true, Says: "Drift: from behind the first to behind the last " +
			"message, of agents that wrote several. p: of a martingale, which has none, by turning the signs of " +
			"questions, two-sided and not corrected for the number of conditions.",
		None: noDrift, Optional: true, count: moved(-1, 1)},
	{Name: "belief-read", Head: "by reading", Table: InBeliefs, Unit: Difference, Of: "agents", Judged: true,
		Better: true, Says: "By reading: the part of the drift between a message and the next prompt.", None: noDrift,
		Optional: true, count: moved(-1, 0)},
	{Name: "belief-wrote", Head: "by writing", Table: InBeliefs, Unit: Difference, Of: "agents", Judged: true,
		Better: true, Says: "By writing: the rest, between a prompt and the message.", None: noDrift, Optional: true,
		count: moved(0, 1)},
	{Name: "brier", Head: "Brier", Table: InBeliefs, Unit: Count, Of: "agents", Judged: true,
		Source: "Brier 1950", Says: "Brier: squared error of the probabilities behind the last message, summed over " +
			"the answers.", None: noBeliefs, Optional: true, count: held(atLast, brier)},
	{Name: "log-score", Head: "log score", Table: InBeliefs, Unit: Count, Of: "agents", Judged: true,
		Says: "Log score: there, minus the natural logarithm of the probability of the right answer.",
		None: noBeliefs, Optional: true, count: held(atLast, surprise)},
	{Name: "belief-entropy", Head: "entropy", Table: InBeliefs, Unit: Count, Of: "agents", Source: madc,
		Says: "Entropy: there, in bits.", None: noBeliefs, Optional: true, count: held(atLast, bits)},
	{Name: "belief-otherwise", Head: "says otherwise", Table: InBeliefs, Unit: Share, Of: "messages",
		Says: "Says otherwise: share of messages whose answer is not the most probable one behind them.",
		None: noBeliefs, Optional: true, count: otherwise},
	{Name: "belief-told", Head: "told", Table: InBeliefs, Unit: Share, Of: "places",
		Says: "Told: probability that one of the answers follows at all; places below 0.01 count in this column " +
			"alone.", None: noBeliefs, Optional: true, count: allTold},
}
