package society

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/vote"
)

// Order is how the others' latest solutions are listed in the message of one agent. It is the whole of a strategy in
// source 0: agents speak at the same time, and only the places of the texts differ. The zero value is the fixed order.
type Order struct {
	Name    string // one of OrderNames
	Reading string // ReadingCode or ReadingPaper
	// how likely the order still holds in each later round than in the one before; else it is random. 0 and 1: always
	Decay float64
}

// floor is what an order looks at: the answers of all agents in the round before, how likely each agent holds each
// other's answer (where that was asked for), the round that is to come, and the right answer.
type floor struct {
	answers []answer.Answer
	silent  []bool
	beliefs [][]debate.Belief
	round   int
	truth   answer.Answer
}

// rank gives an agent its place among those who count: lower is listed earlier.
type rank func(agent int, agents []int, f floor) float64

// orders by name. A nil rank keeps the order of agents.
var orders = []struct {
	name, meaning string
	rank          rank
}{
	{"fixed", "as the agents are numbered", nil},
	{"random", "shuffled, for every receiver in the code's reading", nil},
	{"rotating", "as numbered, beginning with another agent in each round", nil},
	{"truth-first", "right answers first: an oracle",
		func(i int, _ []int, f floor) float64 { return -right(f.answers[i], f.truth) }},
	{"truth-last", "right answers last: an oracle",
		func(i int, _ []int, f floor) float64 { return right(f.answers[i], f.truth) }},
	{"most-frequent-first", "the answer that most give first",
		func(i int, agents []int, f floor) float64 { return -float64(frequency(i, agents, f.answers)) }},
	{"most-frequent-last", "the answer that most give last: MADC",
		func(i int, agents []int, f floor) float64 { return float64(frequency(i, agents, f.answers)) }},
	{"most-probable-first", "the answer first that the others hold with the highest probability, as the model " +
		"itself says", func(i int, agents []int, f floor) float64 { return -f.support(i, agents) }},
	{"most-probable-last", "the same last: MADC with the probability of its equation 2 instead of counts",
		func(i int, agents []int, f floor) float64 { return f.support(i, agents) }},
	{"truth-first" + mispaired,
		"truth-first with the error of source 0's code (I2): unparsed answers are dropped, their texts are not", nil},
	{"truth-last" + mispaired, "truth-last with the same error (I4)", nil},
	{"most-frequent-first" + mispaired, "most-frequent-first with the same error (I)", nil},
	{"most-frequent-last" + mispaired, "most-frequent-last with the same error (I6)", nil},
}

// mispaired ends the names of orders that attach answers to the wrong texts, as source 0's unmended code does.
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

// OrderNames lists the orders; most-frequent-last is MADC.
func OrderNames() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// ParseOrder checks the names of an order and its reading; empty names mean fixed and code.
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
			debate.ReadingCode,
			debate.ReadingPaper))
	}
	return o, nil
}

// OrderMeaning is what an order does, in words.
func OrderMeaning(name string) string {
	for _, o := range orders {
		if o.name == name {
			return o.meaning
		}
	}
	return ""
}

// right is 1 for the truth, 0 for anything else.
func right(a, truth answer.Answer) float64 {
	if a.Equal(truth) {
		return 1
	}
	return 0
}

// frequency is how many of agents give i's answer, i included. An unparsed reply is alone (variants I61 and I41 of
// source 0, which mend the mis-pairing of the others).
func frequency(i int, agents []int, answers []answer.Answer) int {
	n := 1
	for _, j := range agents {
		if j != i && answers[i].Equal(answers[j]) {
			n++
		}
	}
	return n
}

// labelled are answers in which all that could not be read are one answer: in source 0's exchangeI7 they support each
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

// everybody is the receiver of an order that is the same for all: nobody is left out.
const everybody = -1

// support is the mean probability with which the others hold i's answer (source 0, equation 2): the chance that two
// draws, one from i's own beliefs and one from another's, agree. An unparsed answer has none.
func (f floor) support(i int, agents []int) float64 {
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

// others lists whom the receiver hears, in order; silent agents are left out. In the code's reading, those who are not
// heard count for nothing. draw gives the random stream of a receiver, or of everybody.
func (o Order) others(receiver int, f floor, hears []bool, draw func(receiver int) *rand.Rand) []int {
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

func placesOf(agents []int, r rank, f floor) map[int]float64 {
	places := make(map[int]float64)
	for _, i := range agents {
		places[i] = r(i, agents, f)
	}
	return places
}

// decayed draws whether the order has lost its hold on a round; on the first exchange it has its full one.
func (o Order) decayed(round int, random *rand.Rand) bool {
	return o.Decay > 0 && o.Decay < 1 && random.Float64() >= math.Pow(o.Decay, float64(round-1))
}

// mispair orders agents as source 0's unmended code does: unparsed answers are dropped from the list of answers, not
// from that of texts, so that the k-th parsed answer ranks the k-th text, and the last texts disappear.
func mispair(agents []int, r rank, f floor) []int {
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

// bestLast moves the first of those with the highest place to the end: MADC's argmax is the last speaker, and the rest
// keep their sorted order.
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
