package analysis

import (
	"math"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// debatesWithAnswers returns the answers of debates in those rounds in which somebody answers, and leaves out debates
// without any.
func debatesWithAnswers(debates []*outcome.Debate, rounds func(agreement.Debate) [][]int) (list []agreement.Debate) {
	for _, d := range debates {
		ids := d.IDs()
		if kept := (agreement.Debate{Key: ids.Key, Rounds: rounds(ids)}).Answered(); len(kept.Rounds) > 0 {
			list = append(list, kept)
		}
	}
	return list
}

// inAllRounds returns the answers of debates with all their rounds.
func inAllRounds(debates []*outcome.Debate) []agreement.Debate {
	return debatesWithAnswers(debates, func(d agreement.Debate) [][]int { return d.Rounds })
}

// inRound returns the answers of debates as if they had had no round but r. Debates that ended before r have none.
func inRound(debates []*outcome.Debate, r int) []agreement.Debate {
	return debatesWithAnswers(debates, func(d agreement.Debate) [][]int {
		return d.Rounds[min(r, len(d.Rounds)):min(r+1, len(d.Rounds))]
	})
}

// Readings are a metric of MADC, in bits, as its paper and as its program compute it; see agreement.Reading.
// Null is a metric of nothing: an entropy where no answer was read, a log-likelihood where nobody was right, or, by the
// paper, where nobody was right on some question, as that makes it minus infinity.
type Readings struct {
	Paper *float64 `json:"paper"`
	Code  *float64 `json:"code"`
}

// readings are the mean entropy of debates and their log-likelihood. In a round, let p(a) be the share of agents that
// give the answer a: its entropy is -sum over a of p(a) log2 p(a), its log-likelihood log2 of the share of right
// answers. The paper's reading takes the last round, the code's adds up all rounds (see agreement.Reading); the entropy
// is then averaged over debates and the log-likelihood summed over questions. repeats is how often a question was asked
// on average: divided by it, the sum over questions does not grow with repeats.
func readings(debates []agreement.Debate, repeats float64) (entropy, likelihood Readings) {
	entropy = readBoth(func(r agreement.Reading) (float64, bool) {
		read, _ := r.Counted(debates)
		return agreement.MeanEntropy(debates, r), read
	})
	likelihood = readBoth(func(r agreement.Reading) (float64, bool) {
		_, right := r.Counted(debates)
		return agreement.LogLikelihood(debates, r) / max(1, repeats), right
	})
	return entropy, likelihood
}

// readBoth computes a value by the paper's and by the code's reading. A value of nothing, or minus infinity where no
// agent is right, is nil: JSON has no infinity.
func readBoth(value func(agreement.Reading) (value float64, known bool)) Readings {
	read := func(r agreement.Reading) *float64 {
		v, known := value(r)
		if !known || math.IsInf(v, -1) {
			return nil
		}
		return &v
	}
	return Readings{Paper: read(agreement.ByPaper), Code: read(agreement.ByCode)}
}
