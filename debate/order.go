package debate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/debate/answer"
)

// Order is how the others' latest solutions are listed in the message of one agent. It is the whole of a strategy in
// source 0: agents speak at the same time, and only the places of the texts differ. The zero value is the fixed order.
type Order struct {
	Name    string // one of OrderNames
	Reading string // ReadingCode or ReadingPaper
}

// The readings of source 0 where its paper and its code differ: the code orders anew for every receiver, from the answers
// of the others alone, with a stable sort; the paper (Algorithm 1) has one order of all agents, and each receiver leaves
// itself out. In the paper's most-frequent-last the first agent with the most frequent answer is last and the rest ascend.
const (
	ReadingCode  = "code"
	ReadingPaper = "paper"
)

// rank gives an agent its place: lower is listed earlier. It sees the answers that count and the truth.
type rank func(agent int, agents []int, answers []answer.Answer, truth answer.Answer) int

// ranks of the orders by name; nil keeps the order of agents.
var ranks = map[string]rank{
	"fixed":               nil,
	"random":              nil,
	"truth-first":         func(i int, _ []int, a []answer.Answer, truth answer.Answer) int { return -right(a[i], truth) },
	"truth-last":          func(i int, _ []int, a []answer.Answer, truth answer.Answer) int { return right(a[i], truth) },
	"most-frequent-first": func(i int, agents []int, a []answer.Answer, _ answer.Answer) int { return -frequency(i, agents, a) },
	"most-frequent-last":  func(i int, agents []int, a []answer.Answer, _ answer.Answer) int { return frequency(i, agents, a) },
}

// OrderNames lists the orders; most-frequent-last is MADC.
func OrderNames() []string {
	return []string{"fixed", "random", "truth-first", "truth-last", "most-frequent-first", "most-frequent-last"}
}

// ParseOrder checks the names of an order and its reading; empty names mean fixed and code.
func ParseOrder(name, reading string) (Order, error) {
	o := Order{Name: name, Reading: reading}
	if name == "" {
		o.Name = "fixed"
	}
	if reading == "" {
		o.Reading = ReadingCode
	}
	if _, ok := ranks[o.Name]; !ok {
		return Order{}, fmt.Errorf("no order %q; there are %s", name, strings.Join(OrderNames(), ", "))
	}
	if o.Reading != ReadingCode && o.Reading != ReadingPaper {
		return Order{}, fmt.Errorf("no reading %q; there are %s and %s", reading, ReadingCode, ReadingPaper)
	}
	return o, nil
}

// right is 1 for the truth, 0 for anything else.
func right(a, truth answer.Answer) int {
	if a.Equal(truth) {
		return 1
	}
	return 0
}

// frequency is how many of agents give i's answer, i included. An unparsed reply is alone (variants I61 and I41 of source
// 0, which mend the mis-pairing of the others).
func frequency(i int, agents []int, answers []answer.Answer) int {
	n := 1
	for _, j := range agents {
		if j != i && answers[i].Equal(answers[j]) {
			n++
		}
	}
	return n
}

// everybody is the receiver of an order that is the same for all: nobody is left out.
const everybody = -1

// others lists whom the receiver hears, in order. answers are those of all agents in the round before; silent agents are
// left out. In the code's reading, those who are not heard count for nothing. draw gives the random stream of a receiver, or of everybody.
func (o Order) others(receiver int, answers []answer.Answer, silent, hears []bool, truth answer.Answer, draw func(receiver int) *rand.Rand) []int {
	var all []int
	for i := range answers {
		if !silent[i] && (o.Reading == ReadingPaper || i != receiver && hears[i]) {
			all = append(all, i)
		}
	}
	switch r := ranks[o.Name]; {
	case o.Name == "random" && o.Reading == ReadingPaper:
		shuffle(all, draw(everybody))
	case o.Name == "random":
		shuffle(all, draw(receiver))
	case r != nil:
		places := make(map[int]int)
		for _, i := range all {
			places[i] = r(i, all, answers, truth)
		}
		slices.SortStableFunc(all, func(a, b int) int { return places[a] - places[b] })
		if o.Reading == ReadingPaper && o.Name == "most-frequent-last" {
			bestLast(all, places)
		}
	}
	return slices.DeleteFunc(all, func(i int) bool { return i == receiver || !hears[i] })
}

func shuffle(agents []int, random *rand.Rand) {
	random.Shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
}

// bestLast moves the first of those with the highest place to the end: MADC's argmax is the last speaker, and the rest
// keep their sorted order.
func bestLast(sorted []int, places map[int]int) {
	if len(sorted) == 0 {
		return
	}
	highest := places[sorted[len(sorted)-1]]
	at := slices.IndexFunc(sorted, func(i int) bool { return places[i] == highest })
	best := sorted[at]
	copy(sorted[at:], sorted[at+1:])
	sorted[len(sorted)-1] = best
}
