package analysis

import (
	"math"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
)

// answerIDs are the answers of debates as trial.Numbers, the same in all of these debates.
type answerIDs struct {
	numbers  trial.Numbers
	debates  []stat.Debate // by outcome: rounds as in its transcript; a round is empty if nobody answers the question
	standing [][]int       // by outcome: the last answer of every agent
}

// all are the ids of the answers of some turns.
func (ids *answerIDs) all(turns []debate.Turn) []int {
	list := make([]int, len(turns))
	for i, turn := range turns {
		list[i] = ids.numbers.Of(turn.Answer)
	}
	return list
}

// answered are the debates with those of the given rounds in which somebody answers; debates without any are left out.
func (ids *answerIDs) answered(rounds func(stat.Debate) [][]int) (debates []stat.Debate) {
	for _, d := range ids.debates {
		kept := stat.Debate{Key: d.Key}
		for _, answers := range rounds(d) {
			if len(answers) > 0 {
				kept.Rounds = append(kept.Rounds, answers)
			}
		}
		if kept.Rounds != nil {
			debates = append(debates, kept)
		}
	}
	return debates
}

// whole are the debates with all their rounds.
func (ids *answerIDs) whole() []stat.Debate {
	return ids.answered(func(d stat.Debate) [][]int { return d.Rounds })
}

// round are the debates as if they had had no round but r.
func (ids *answerIDs) round(r int) []stat.Debate {
	return ids.answered(func(d stat.Debate) [][]int { return d.Rounds[min(r, len(d.Rounds)):min(r+1, len(d.Rounds))] })
}

// Readings are a metric of source 0, in bits, as its paper and as its program compute it; see stat.Reading. Null is a
// metric of nothing: an entropy where no answer was read, a log-likelihood where nobody was right, or, by the paper,
// where nobody was right on some question, as that makes it minus infinity.
type Readings struct {
	Paper *float64 `json:"paper"`
	Code  *float64 `json:"code"`
}

// readings are the mean entropy of debates and their log-likelihood, which is summed over questions and averaged over
// repeats.
func readings(debates []stat.Debate, repeats float64) (entropy, likelihood Readings) {
	entropy = readBoth(func(r stat.Reading) (float64, bool) {
		read, _ := r.Counted(debates)
		return stat.MeanEntropy(debates, r), read
	})
	likelihood = readBoth(func(r stat.Reading) (float64, bool) {
		_, right := r.Counted(debates)
		return stat.LogLikelihood(debates, r) / max(1, repeats), right
	})
	return entropy, likelihood
}

func readBoth(value func(stat.Reading) (value float64, known bool)) Readings {
	read := func(r stat.Reading) *float64 {
		v, known := value(r)
		if !known || math.IsInf(v, -1) {
			return nil
		}
		return &v
	}
	return Readings{Paper: read(stat.ByPaper), Code: read(stat.ByCode)}
}
