// Package listing is the order in which an agent is shown the others' latest solutions: MADC's strategies, MADC
// among them. It knows answers and places, and no form; each form says which orders mean something to it.
package listing

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/unknown"
)

// Order is the sequence in which the others' latest solutions are listed in the message to one agent. It is all that a
// strategy of MADC consists of: agents speak at the same time, and only the places of the texts differ. The zero
// value is the fixed order.
//
// Where the readings differ, the code sorts for every receiver, from the answers of the others alone; the paper
// (Algorithm 1) has one order of all agents, from which each receiver leaves itself out. Both sorts are stable. In the
// paper's most-frequent-last the first agent with the most frequent answer is last, and the rest ascend.
type Order struct {
	Name    string // one of Names
	Reading string // debate.ReadingCode or debate.ReadingPaper
	// Decay is the probability that an order that holds in one round holds in the next one too; where it does not, the
	// order is random. 0 and 1 both mean that it always holds.
	Decay float64
}

// Standing is what an order looks at, by agent.
type Standing struct {
	Answers []answer.Answer   // in the round before
	Silent  []bool            // whether the agent cannot be heard
	Beliefs [][]debate.Belief // over the answers, if the order is Probable
	Round   int               // that is to come; 1 is the first in which somebody is heard
	Right   func(answer.Answer) bool
}

// rank returns the sort key of an agent among agents: lower is listed earlier.
type rank func(agent int, agents []int, f Standing) float64

// orders are listed with their names. A nil rank keeps the order of agents.
var orders = []struct {
	name, meaning string
	rank          rank
}{
	{"fixed", "by the numbers of the agents", nil},
	{"random", "shuffled; in the code's reading again for every receiver", nil},
	{"rotating", "by number, beginning with another agent in each round", nil},
	{"truth-first", "right answers first: an oracle",
		func(i int, _ []int, f Standing) float64 { return -f.right(i) }},
	{"truth-last", "right answers last: an oracle",
		func(i int, _ []int, f Standing) float64 { return f.right(i) }},
	{"most-frequent-first", "the answer that most agents give first",
		func(i int, agents []int, f Standing) float64 { return -float64(Frequency(i, agents, f.Answers)) }},
	{"most-frequent-last", "the answer that most agents give last: MADC",
		func(i int, agents []int, f Standing) float64 { return float64(Frequency(i, agents, f.Answers)) }},
	{"most-probable-first", "the answer that the others hold with the highest probability, by the model itself, " +
		"first", func(i int, agents []int, f Standing) float64 { return -f.support(i, agents) }},
	{"most-probable-last", "the same last: MADC with the probability of its equation 2 instead of counts",
		func(i int, agents []int, f Standing) float64 { return f.support(i, agents) }},
	{"truth-first" + Mispaired,
		"truth-first with the error of MADC's code (I2): unparsed answers are dropped, their texts are not", nil},
	{"truth-last" + Mispaired, "truth-last with the same error (I4)", nil},
	{"most-frequent-first" + Mispaired, "most-frequent-first with the same error (I)", nil},
	{"most-frequent-last" + Mispaired, "most-frequent-last with the same error (I6)", nil},
}

// Mispaired is the suffix of orders that attach answers to the wrong texts, as MADC's code did before it was
// corrected: see mispair.
const Mispaired = "-mispaired"

// rankOf returns how an order ranks; mispaired orders rank as the correct ones do.
func rankOf(name string) (rank, bool) {
	name = strings.TrimSuffix(name, Mispaired)
	for _, o := range orders {
		if o.name == name {
			return o.rank, true
		}
	}
	return nil, false
}

// Names returns the names of the orders; most-frequent-last is MADC.
func Names() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// Parse returns an order by its name and reading; empty names mean fixed and code.
func Parse(name, reading string) (Order, error) {
	o := Order{Name: name, Reading: reading}
	if name == "" {
		o.Name = "fixed"
	}
	if reading == "" {
		o.Reading = debate.ReadingCode
	}
	if !slices.Contains(Names(), o.Name) {
		return Order{}, unknown.Name("order", name, Names())
	}
	if o.Reading != debate.ReadingCode && o.Reading != debate.ReadingPaper {
		return Order{}, debate.Blame("reading", fmt.Errorf("no reading %q; there are %s and %s", reading,
			debate.ReadingCode, debate.ReadingPaper))
	}
	return o, nil
}

// Counted are the orders that every form can have which lists solutions: they look at nothing but the agents' numbers
// and answers.
var Counted = []string{"fixed", "random", "rotating", "most-frequent-first", "most-frequent-last"}

// ParseCounted is Parse for a form that has the orders of Counted.
func ParseCounted(name, reading, form string) (Order, error) {
	if name != "" && slices.Contains(Names(), name) && !slices.Contains(Counted, name) {
		return Order{}, fmt.Errorf("order %s means nothing to form %s, which has %s", name, form,
			strings.Join(Counted, ", "))
	}
	return Parse(name, reading)
}

// Unusual returns the name of an order as records have it: "" for the fixed one.
func (o Order) Unusual() string {
	if o.Name == Counted[0] {
		return ""
	}
	return o.Name
}

// Meaning says in words what an order does.
func Meaning(name string) string {
	for _, o := range orders {
		if o.name == name {
			return o.meaning
		}
	}
	return ""
}

// right returns 1 if an agent's answer is right, else 0.
func (f Standing) right(agent int) float64 {
	if f.Right(f.Answers[agent]) {
		return 1
	}
	return 0
}

// Frequency returns how many of agents give i's answer, including i. An unparsed reply counts 1 (variants I61 and I41
// of MADC, which correct the mispairing of the others).
func Frequency(i int, agents []int, answers []answer.Answer) int {
	n := 1
	for _, j := range agents {
		if j != i && answers[i].Equal(answers[j]) {
			n++
		}
	}
	return n
}

// Everybody stands for the receiver where the order is the same for all, and nobody is left out.
const Everybody = -1

// support returns the mean, over the others, of the probability that a draw from i's beliefs and one from theirs agree
// (MADC, equation 2). It is 0 for an unparsed answer.
func (f Standing) support(i int, agents []int) float64 {
	sum, n := 0.0, 0
	for _, j := range agents {
		if j != i {
			sum, n = sum+chance(f.Beliefs[i], f.Beliefs[j]), n+1
		}
	}
	if n == 0 || !f.Answers[i].Parsed {
		return 0
	}
	return vote.Round(sum / float64(n))
}

// Probable reports whether an order needs beliefs.
func (o Order) Probable() bool { return strings.HasPrefix(o.Name, "most-probable") }

// Others returns the agents that the receiver hears, in order; silent ones are left out. In the code's reading, agents
// that the receiver does not hear do not influence the order either. draw returns the random stream of a receiver, or
// of everybody.
func (o Order) Others(receiver int, f Standing, hears []bool, draw func(receiver int) *rand.Rand) []int {
	var all []int
	for i := range f.Answers {
		if !f.Silent[i] && (o.Reading == debate.ReadingPaper || i != receiver && hears[i]) {
			all = append(all, i)
		}
	}
	random := draw(receiver)
	if o.Reading == debate.ReadingPaper {
		random = draw(Everybody)
	}
	switch r, _ := rankOf(o.Name); {
	case o.Name == "random" || o.drawsDecay(f.Round, random):
		shuffle(all, random)
	case o.Name == "rotating" && len(all) > 0:
		k := f.Round % len(all)
		all = slices.Concat(all[k:], all[:k])
	case strings.HasSuffix(o.Name, Mispaired):
		all = mispair(all, r, f)
	case r != nil:
		places := placesOf(all, r, f)
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
		if o.Reading == debate.ReadingPaper && strings.HasPrefix(o.Name, "most-") &&
			strings.HasSuffix(o.Name, "-last") {
			bestLast(all, places)
		}
	}
	return slices.DeleteFunc(all, func(i int) bool { return i == receiver || !hears[i] })
}

// placesOf returns the sort key of each agent.
func placesOf(agents []int, r rank, f Standing) map[int]float64 {
	places := make(map[int]float64)
	for _, i := range agents {
		places[i] = r(i, agents, f)
	}
	return places
}

// drawsDecay draws whether the order no longer holds in a round. In the first exchange it always holds.
func (o Order) drawsDecay(round int, random *rand.Rand) bool {
	return o.Decay > 0 && o.Decay < 1 && random.Float64() >= math.Pow(o.Decay, float64(round-1))
}

// mispair orders agents as MADC's code did before it was corrected: unparsed answers are dropped from the list of
// answers but not from that of texts, so that the k-th parsed answer ranks the k-th text, and the last texts disappear.
func mispair(agents []int, r rank, f Standing) []int {
	var parsed []int
	for _, i := range agents {
		if f.Answers[i].Parsed {
			parsed = append(parsed, i)
		}
	}
	places := placesOf(parsed, r, f)
	texts := make(map[int]int) // whose answer ranks an agent's text
	for k, i := range parsed {
		texts[agents[k]] = i
	}
	shown := slices.Clone(agents[:len(parsed)])
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(places[texts[a]], places[texts[b]]) })
	return shown
}

// shuffle puts agents in a random order. It draws as often as rand.Shuffle does, which records depend on.
func shuffle(agents []int, random *rand.Rand) {
	random.Shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
}

// bestLast moves the first of the agents with the highest key to the end: MADC's argmax is listed last, and the rest
// stay sorted.
func bestLast(sorted []int, places map[int]float64) {
	if len(sorted) == 0 {
		return
	}
	highest := places[sorted[len(sorted)-1]]
	at := slices.IndexFunc(sorted, func(i int) bool { return places[i] == highest })
	best := sorted[at]
	copy(sorted[at:], sorted[at+1:])
	sorted[len(sorted)-1] = best
}

// chance returns the probability that a draw from each of two agents' beliefs gives the same answer.
func chance(a, b []debate.Belief) (p float64) {
	for _, x := range a {
		for _, y := range b {
			if x.Answer == y.Answer {
				p += x.Probability * y.Probability
			}
		}
	}
	return p
}
