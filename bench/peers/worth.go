package peers

import (
	"slices"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/debate/vote"
)

// Worth is how many independent agents a team is worth, by the last answers of its agents.
type Worth struct {
	Agents int `json:"agents"`
	// Channels is team.Channels, 1 to Agents, of the agreement matrix: its entry for two agents is the share of debates
	// in which their last answers are equal; an answer that cannot be read equals not even itself, and adds no channel.
	// It is the Gram matrix of answers as vectors, where K* of Agent-Scaling has cosines of embeddings, as
	// offline.Similarity does: it is about what is answered, not about how. It is 0 if nobody's answer can be read.
	Channels float64 `json:"channels,omitempty"`
	// Errors is the effective size by the correlation of errors; nil with Why where there is none.
	Errors *team.Size `json:"errors,omitempty"`
	Why    string     `json:"no_size,omitempty"`
}

// mostAgents bounds the teams that are measured: the work grows with the third power of their size.
const mostAgents = 200

// WorthOf measures the team of a condition; nil of a single agent, where debates differ in who answers, and of teams of
// more than 200.
func WorthOf(debates []relation.Debate) *Worth {
	var agents []int
	var equal [][]float64
	var wrong [][]bool
	for q, d := range debates {
		if q == 0 {
			if agents = numbers(d.Agents); len(agents) < 2 || len(agents) > mostAgents {
				return nil
			}
			equal = make([][]float64, len(agents))
			for i := range equal {
				equal[i] = make([]float64, len(agents))
			}
		}
		if !slices.Equal(agents, numbers(d.Agents)) {
			return nil
		}
		errs := make([]bool, len(agents))
		for i, a := range d.Agents {
			errs[i] = !a.Last.Right
			for j, b := range d.Agents {
				if a.Last == b.Last && a.Last.Read() {
					equal[i][j]++
				}
			}
		}
		wrong = append(wrong, errs)
	}
	if agents == nil {
		return nil
	}
	for _, row := range equal {
		for j := range row {
			row[j] /= float64(len(debates))
		}
	}
	w := &Worth{Agents: len(agents)}
	if channels, err := team.Channels(equal); err == nil { // else no answer could be read
		w.Channels = vote.Round(channels)
	}
	if size, err := team.EffectiveSize(wrong); !marked(debates) {
		w.Why = "it is not known which answers are right"
	} else if err == nil {
		w.Errors = &size
	} else {
		w.Why = err.Error()
	}
	return w
}

func numbers(agents []relation.Agent) (list []int) {
	for _, a := range agents {
		list = append(list, a.Number)
	}
	return list
}
