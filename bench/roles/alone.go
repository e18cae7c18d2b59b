package roles

import "github.com/parley-debate/parley/bench/stat"

// Alone is what the solutions of an agent come to that debated with nobody: a model alone, as in Figure 2 of Wu et al.
type Alone struct {
	N          int     `json:"n"`
	Strict     float64 `json:"strict"`     // share with all roles right
	Smooth     float64 `json:"smooth"`     // mean share of players whose role is right
	Sure       int     `json:"sure"`       // how many state a confidence
	Confidence float64 `json:"confidence"` // its mean, from 1 to 10; 0 if none does

	strict, smooth, sure []float64 // one by one, while they are counted
}

// alone counts the solutions of a debate that ended with the proposals.
func (s *Summary) alone(c *dynamics) {
	for i, agent := range c.agents {
		a := s.agent(agent, c.models[agent])
		if a.Alone == nil {
			a.Alone = &Alone{}
		}
		strict, smooth := c.score(c.latest[i])
		a.Alone.strict, a.Alone.smooth = append(a.Alone.strict, strict), append(a.Alone.smooth, smooth)
	}
	for _, p := range c.proposals {
		a := s.agent(p.agent, c.models[p.agent]).Alone
		a.sure = append(a.sure, float64(p.confidence))
	}
}

// finish computes the means; of nil, nothing.
func (a *Alone) finish() {
	if a == nil {
		return
	}
	a.N, a.Strict, a.Smooth, a.Sure = len(a.strict), stat.Mean(a.strict), stat.Mean(a.smooth), len(a.sure)
	if a.Sure > 0 {
		a.Confidence = stat.Mean(a.sure)
	}
	a.strict, a.smooth, a.sure = nil, nil, nil
}
