package society

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
)

// Order is the sequence in which the others' latest solutions are listed in the message to one agent. It is all that a
// strategy of source 0 consists of: agents speak at the same time, and only the places of the texts differ. The zero
// value is the fixed order.
//
// Where the readings differ, the code sorts for every receiver, from the answers of the others alone; the paper
// (Algorithm 1) has one order of all agents, from which each receiver leaves itself out. Both sorts are stable. In the
// paper's most-frequent-last the first agent with the most frequent answer is last, and the rest ascend.
type Order struct {
	Name    string // one of OrderNames
	Reading string // debate.ReadingCode or debate.ReadingPaper
	// Decay is the probability that an order that holds in one round holds in the next one too; where it does not, the
	// order is random. 0 and 1 both mean that it always holds.
	Decay float64
}

// standing is what an order looks at, by agent.
type standing struct {
	answers []answer.Answer   // in the round before
	silent  []bool            // whether the agent cannot be heard
	beliefs [][]debate.Belief // over the answers, if the order needs them
	round   int               // that is to come
	truth   answer.Answer
}

// rank returns the sort key of an agent among agents: lower is listed earlier.
type rank func(agent int, agents []int, f standing) float64

// orders are listed with their names. A nil rank keeps the order of agents.
var orders = []struct {
	name, meaning string
	rank          rank
}{
	{"fixed", "by the numbers of the agents", nil},
	{"random", "shuffled; in the code's reading again for every receiver", nil},
	{"rotating", "by number, beginning with another agent in each round", nil},
	{"truth-first", "right answers first: an oracle",
		func(i int, _ []int, f standing) float64 { return -right(f.answers[i], f.truth) }},
	{"truth-last", "right answers last: an oracle",
		func(i int, _ []int, f standing) float64 { return right(f.answers[i], f.truth) }},
	{"most-frequent-first", "the answer that most agents give first",
		func(i int, agents []int, f standing) float64 { return -float64(frequency(i, agents, f.answers)) }},
	{"most-frequent-last", "the answer that most agents give last: MADC",
		func(i int, agents []int, f standing) float64 { return float64(frequency(i, agents, f.answers)) }},
	{"most-probable-first", "the answer that the others hold with the highest probability, by the model itself, " +
		"first", func(i int, agents []int, f standing) float64 { return -f.support(i, agents) }},
	{"most-probable-last", "the same last: MADC with the probability of its equation 2 instead of counts",
		func(i int, agents []int, f standing) float64 { return f.support(i, agents) }},
	{"truth-first" + mispaired,
		"truth-first with the error of source 0's code (I2): unparsed answers are dropped, their texts are not", nil},
	{"truth-last" + mispaired, "truth-last with the same error (I4)", nil},
	{"most-frequent-first" + mispaired, "most-frequent-first with the same error (I)", nil},
	{"most-frequent-last" + mispaired, "most-frequent-last with the same error (I6)", nil},
}

// mispaired is the suffix of orders that attach answers to the wrong texts, as source 0's code did before it was
// corrected: see mispair.
const mispaired = "-mispaired"

func rankOf(name string) (rank, bool) {
	name = strings.TrimSuffix(name, mispaired)
	for _, o := range orders {
		if o.name == name {
			return o.rank, true
		}
	}
	return nil, false
}

// OrderNames returns the names of the orders; most-frequent-last is MADC.
func OrderNames() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// ParseOrder returns an order by its name and reading; empty names mean fixed and code.
func ParseOrder(name, reading string) (Order, error) {
	o := Order{Name: name, Reading: reading}
	if name == "" {
		o.Name = "fixed"
	}
	if reading == "" {
		o.Reading = debate.ReadingCode
	}
	if !slices.Contains(OrderNames(), o.Name) {
		return Order{}, fmt.Errorf("no order %q; there are %s", name, strings.Join(OrderNames(), ", "))
	}
	if o.Reading != debate.ReadingCode && o.Reading != debate.ReadingPaper {
		return Order{}, debate.Blame("reading", fmt.Errorf("no reading %q; there are %s and %s", reading,
			debate.ReadingCode, debate.ReadingPaper))
	}
	return o, nil
}

// OrderMeaning says in words what an order does.
func OrderMeaning(name string) string {
	for _, o := range orders {
		if o.name == name {
			return o.meaning
		}
	}
	return ""
}

// right returns 1 for the right answer and 0 for any other.
func right(a, truth answer.Answer) float64 {
	if a.Equal(truth) {
		return 1
	}
	return 0
}

// frequency returns how many of agents give i's answer, including i. An unparsed reply counts 1 (variants I61 and I41
// of source 0, which correct the mispairing of the others).
func frequency(i int, agents []int, answers []answer.Answer) int {
	n := 1
	for _, j := range agents {
		if j != i && answers[i].Equal(answers[j]) {
			n++
		}
	}
	return n
}

// labelled returns answers in which all unparsed ones are the same answer: in source 0's exchangeI7 they support each
// other.
func labelled(answers []answer.Answer) []answer.Answer {
	labels := slices.Clone(answers)
	for i, a := range labels {
		if !a.Parsed {
			labels[i] = answer.Of("(None)")
		}
	}
	return labels
}

// everybody stands for the receiver where the order is the same for all, and nobody is left out.
const everybody = -1

// support returns the mean, over the others, of the probability that a draw from i's beliefs and one from theirs agree
// (source 0, equation 2). It is 0 for an unparsed answer.
func (f standing) support(i int, agents []int) float64 {
	sum, n := 0.0, 0
	for _, j := range agents {
		if j != i {
			sum, n = sum+chance(f.beliefs[i], f.beliefs[j]), n+1
		}
	}
	if n == 0 || !f.answers[i].Parsed {
		return 0
	}
	return vote.Rounded(sum / float64(n))
}

// probable reports whether an order needs beliefs.
func (o Order) probable() bool { return strings.HasPrefix(o.Name, "most-probable") }

// others returns the agents that the receiver hears, in order; silent ones are left out. In the code's reading, agents
// that the receiver does not hear do not influence the order either. draw returns the random stream of a receiver, or
// of everybody.
func (o Order) others(receiver int, f standing, hears []bool, draw func(receiver int) *rand.Rand) []int {
	var all []int
	for i := range f.answers {
		if !f.silent[i] && (o.Reading == debate.ReadingPaper || i != receiver && hears[i]) {
			all = append(all, i)
		}
	}
	random := draw(receiver)
	if o.Reading == debate.ReadingPaper {
		random = draw(everybody)
	}
	switch r, _ := rankOf(o.Name); {
	case o.Name == "random" || o.decayed(f.round, random):
		shuffle(all, random)
	case o.Name == "rotating" && len(all) > 0:
		k := f.round % len(all)
		all = slices.Concat(all[k:], all[:k])
	case strings.HasSuffix(o.Name, mispaired):
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
func placesOf(agents []int, r rank, f standing) map[int]float64 {
	places := make(map[int]float64)
	for _, i := range agents {
		places[i] = r(i, agents, f)
	}
	return places
}

// decayed draws whether the order no longer holds in a round. In the first exchange it always holds.
func (o Order) decayed(round int, random *rand.Rand) bool {
	return o.Decay > 0 && o.Decay < 1 && random.Float64() >= math.Pow(o.Decay, float64(round-1))
}

// mispair orders agents as source 0's code did before it was corrected: unparsed answers are dropped from the list of
// answers but not from that of texts, so that the k-th parsed answer ranks the k-th text, and the last texts disappear.
func mispair(agents []int, r rank, f standing) []int {
	var parsed []int
	for _, i := range agents {
		if f.answers[i].Parsed {
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
