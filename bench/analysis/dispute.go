package analysis

import (
	"parley/bench/stat"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
)

// Challenges counts what panelists said when they were shown the decision once more (source 4).
type Challenges struct {
	Asked     int `json:"asked"`
	Disagreed int `json:"disagreed"` // challenged it
	Unread    int `json:"unread"`    // neither agreed nor disagreed
	Won       int `json:"won"`       // of those who challenged: gave the right answer instead of a wrong one
	Lost      int `json:"lost"`      // the other way round
}

func challengesOf(outcomes []trial.Outcome) *Challenges {
	var c Challenges
	for _, o := range outcomes {
		for _, said := range o.Transcript.Challenges {
			c.add(said, o.Transcript.Decision.Answer, o.Truth)
		}
	}
	if c.Asked == 0 {
		return nil
	}
	return &c
}

func (c *Challenges) add(said debate.Challenged, decision, truth answer.Answer) {
	c.Asked++
	switch {
	case said.Agrees == nil:
		c.Unread++
	case !*said.Agrees:
		c.Disagreed++
		if was, is := decision.Equal(truth), said.Answer.Equal(truth); is && !was {
			c.Won++
		} else if was && !is {
			c.Lost++
		}
	}
}

// Probes counts turns that were asked again with the others listed in other ways.
type Probes struct {
	Probed int `json:"probed"`
	Swayed int `json:"swayed"` // of them, whose answer another listing changes
}

func probesOf(outcomes []trial.Outcome) *Probes {
	var p Probes
	for _, o := range outcomes {
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if len(turn.Probes) == 0 {
					continue
				}
				p.Probed++
				if turn.Swayed() {
					p.Swayed++
				}
			}
		}
	}
	if p.Probed == 0 {
		return nil
	}
	return &p
}

// disagreement is the share of pairs of agents whose answers differ, on average over the rounds of a debate in
// which there are pairs, and then over debates; nil if there are none. Source 3 reports it by the level of tit for
// tat.
func disagreement(debates []stat.Debate) *float64 {
	var means []float64
	for _, d := range debates {
		var shares []float64
		for _, answers := range d.Rounds {
			if same, known := stat.PairAgreement(answers); known {
				shares = append(shares, 1-same)
			}
		}
		if len(shares) > 0 {
			means = append(means, stat.Mean(shares))
		}
	}
	if len(means) == 0 {
		return nil
	}
	all := stat.Mean(means)
	return &all
}

// cover draws what answering only with enough votes would achieve (setting abstain), where debates differ in the
// share that the decision has. An answer that was withheld counts with the votes that it had.
func (c *Dynamics) cover(outcomes []trial.Outcome) {
	var votes []float64
	var right []bool
	for _, o := range outcomes {
		if len(o.Transcript.Voters()) < 2 {
			continue // it could not be held, or there is nobody to agree with
		}
		d, isRight := o.Transcript.Decision, o.Score == task.Right
		if d.Withheld != "" {
			d.Answer = answer.Of(d.Withheld)
			isRight = d.Answer.Equal(o.Truth)
		}
		votes, right = append(votes, min(max(d.Share(), 0), 1)), append(right, isRight)
	}
	if curve := stat.Coverage(votes, right); len(curve) > 1 {
		c.Coverage, c.CoverageArea = curve, stat.CoverageArea(curve)
	}
}
