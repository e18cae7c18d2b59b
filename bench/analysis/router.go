package analysis

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// Router chooses between two conditions by the first answers of the vote. It is fitted on one half of the questions and
// counted on the other one, both ways.
type Router struct {
	Accuracy float64 `json:"accuracy"`
	Tokens   float64 `json:"tokens"` // a question: those of what it chooses, at least those of the vote
	// Gain is by how much it is more often right than the condition that is best on the half on which it was fitted.
	Gain Chosen `json:"gain"`
	// Rules are what it does, fitted on each half.
	Rules [2]Rule `json:"rules"`
}

// Rule asks one condition where what is seen of the first answers is at most so much, and another one above.
type Rule struct {
	By    string  `json:"by"` // a name of signs
	Most  float64 `json:"most"`
	Below string  `json:"below"`
	Above string  `json:"above"`

	sign, below, above int
}

// signs are what a router sees of the first answers of a debate.
var signs = []struct {
	name string
	of   func(first []outcome.Turn) (value float64, known bool)
}{
	{"entropy", func(first []outcome.Turn) (float64, bool) {
		of := []agreement.Debate{{Rounds: [][]int{outcome.IDsOf(first)}}}
		return agreement.MeanEntropy(of, agreement.ByPaper), true
	}},
	{"improbability", func(first []outcome.Turn) (bits float64, known bool) { // of a token, in nats
		for _, t := range first {
			if t.Reply.Unscored || t.Reply.Tokens == 0 || t.Reply.LogProb == 0 {
				return 0, false
			}
			bits -= t.Reply.LogProb / float64(t.Reply.Tokens) / float64(len(first))
		}
		return bits, true
	}},
}

// leastRouted is how many clusters of questions a half has to have for a router to be fitted on it.
const leastRouted = 10

// route fits routers on halves of the questions, nil if they are too few or nothing can be seen.
func (f chosenFrom) route(vote int) *Router {
	if distinct(f.clusters) < 2*leastRouted {
		return nil
	}
	halves := f.halves()
	seen := make([][]float64, len(signs)) // of each case; nil if not known of all
	for s, sign := range signs {
		values := make([]float64, 0, len(f.cases))
		for _, k := range f.cases {
			if value, known := sign.of(k.debates[vote].FirstAlone()); known {
				values = append(values, value)
			}
		}
		if len(values) == len(f.cases) {
			seen[s] = values
		}
	}
	r := &Router{}
	var best [2]int
	for half := range best {
		best[half], r.Rules[half] = f.fit(seen, func(k chosenCase) bool { return halves[k.question] == half })
	}
	chosen := make([]int, len(f.cases)) // the condition, by case
	for i, k := range f.cases {
		rule := r.Rules[1-halves[k.question]]
		if chosen[i] = rule.below; seen[rule.sign] != nil && seen[rule.sign][i] > rule.Most {
			chosen[i] = rule.above
		}
		r.Tokens += max(f.tokens[vote], f.tokens[chosen[i]]) / float64(len(f.cases))
	}
	right := func(k chosenCase, condition int) float64 { return stat.One[float64](k.debates[condition].Solved()) }
	r.Accuracy = f.mean(func(i int, k chosenCase) float64 { return right(k, chosen[i]) }, 0).Value
	r.Gain = f.mean(func(i int, k chosenCase) float64 {
		return right(k, chosen[i]) - right(k, best[1-halves[k.question]])
	}, -1)
	return r
}

// halves are 0 or 1 for each question, in turns, so that the questions of a cluster are in one.
func (f chosenFrom) halves() (list []int) {
	place := make(map[string]int)
	for _, c := range f.clusters {
		if _, met := place[c]; !met {
			place[c] = len(place)
		}
		list = append(list, place[c]%2)
	}
	return list
}

// fit finds the best condition, and the rule that is right most often, on some cases; a rule is taken if it is better
// than any condition alone.
func (f chosenFrom) fit(seen [][]float64, of func(chosenCase) bool) (best int, rule Rule) {
	var fitted []int
	total := make([]float64, len(f.names))
	weight := func(k chosenCase, condition int) float64 { // so that questions count alike
		return stat.One[float64](k.debates[condition].Solved()) / float64(f.asked[k.question][0].Times)
	}
	for i, k := range f.cases {
		if !of(k) {
			continue
		}
		fitted = append(fitted, i)
		for c := range total {
			total[c] += weight(k, c)
		}
	}
	best = slices.Index(total, slices.Max(total))
	rule = Rule{By: signs[0].name, Below: f.names[best], Above: f.names[best], below: best, above: best}
	most := total[best]
	for s, values := range seen {
		if values == nil {
			continue
		}
		slices.SortStableFunc(fitted, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
		below := make([]float64, len(f.names)) // how often each is right up to here
		for n, i := range fitted {
			for c := range below {
				below[c] += weight(f.cases[i], c)
			}
			if n+1 == len(fitted) || values[fitted[n+1]] == values[i] {
				continue
			}
			rest := make([]float64, len(below))
			for c := range rest {
				rest[c] = total[c] - below[c]
			}
			a, b := slices.Index(below, slices.Max(below)), slices.Index(rest, slices.Max(rest))
			if sum := below[a] + rest[b]; sum > most+1e-9 {
				most = sum
				rule = Rule{signs[s].name, values[i], f.names[a], f.names[b], s, a, b}
			}
		}
	}
	return best, rule
}
