package analysis

import (
	"math"

	"parley/bench/stat"
	"parley/debate"
	"parley/debate/answer"
)

// answerIDs are the answers of some debates as the numbers of package stat: equal answers have equal numbers, in all of
// the debates.
type answerIDs struct {
	numbers  map[string]int
	debates  []stat.Debate // of each outcome; rounds as in its transcript, and empty where nobody answers the question
	standing [][]int       // of each outcome, the last answer of every agent
}

func (c *answerIDs) all(turns []debate.Turn) []int {
	list := make([]int, len(turns))
	for i, turn := range turns {
		list[i] = stat.Unparsed
		if turn.Answer.Parsed {
			list[i] = c.number("answer " + turn.Answer.Text)
		}
	}
	return list
}

// truth is a number even where it cannot be read: that of no answer.
func (c *answerIDs) truth(a answer.Answer) int {
	if !a.Parsed {
		return c.number("")
	}
	return c.number("answer " + a.Text)
}

func (c *answerIDs) number(text string) int {
	if _, known := c.numbers[text]; !known {
		c.numbers[text] = len(c.numbers)
	}
	return c.numbers[text]
}

// answered are the debates with the rounds in which somebody answers; those without any are left out.
func (c *answerIDs) answered(rounds func(stat.Debate) [][]int) (debates []stat.Debate) {
	for _, d := range c.debates {
		kept := stat.Debate{Truth: d.Truth}
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
func (c *answerIDs) whole() []stat.Debate {
	return c.answered(func(d stat.Debate) [][]int { return d.Rounds })
}

// round are the debates as if round r had been all.
func (c *answerIDs) round(r int) []stat.Debate {
	return c.answered(func(d stat.Debate) [][]int { return d.Rounds[min(r, len(d.Rounds)):min(r+1, len(d.Rounds))] })
}

// Readings are a metric of source 0 as its paper and as its program compute it, in bits; see stat.Reading.
type Readings struct {
	Paper *float64 `json:"paper"` // null is minus infinity: of a log-likelihood where nobody was right on some question
	Code  float64  `json:"code"`
}

// readings are the mean entropy of debates, and their log-likelihood summed over questions, on average over repeats.
func readings(debates []stat.Debate, repeats float64) (entropy, likelihood Readings) {
	read := func(value func(stat.Reading) float64) Readings {
		r := Readings{Code: value(stat.ByCode)}
		if paper := value(stat.ByPaper); !math.IsInf(paper, -1) {
			r.Paper = &paper
		}
		return r
	}
	entropy = read(func(r stat.Reading) float64 { return stat.MeanEntropy(debates, r) })
	likelihood = read(func(r stat.Reading) float64 { return stat.LogLikelihood(debates, r) / max(1, repeats) })
	return entropy, likelihood
}
