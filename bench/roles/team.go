package roles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/inference"
)

// Team is which models argued in a debate, however many agents each had: with the strongest agent once more, it is the
// same team (Wu et al., C1).
type Team struct {
	Name string // of the models, in the order of their agents
	key  string // hashes of the models, sorted
}

// team is that of a debate in a run with this model or, in its Team, these models.
func (c *dynamics) team(model inference.ModelInfo) Team {
	var names, hashes []string
	for _, agent := range c.agents {
		hash := c.models[agent]
		if hash == "" {
			hash = model.Hash
		}
		if slices.Contains(hashes, hash) {
			continue
		}
		name := hash
		for _, m := range model.All() {
			if m.Hash == hash {
				name = strings.TrimSpace(m.Name + " " + m.Quantization)
			}
		}
		names, hashes = append(names, name), append(hashes, hash)
	}
	slices.Sort(hashes)
	return Team{strings.Join(names, " + "), strings.Join(hashes, " ")}
}

// teamTerms are a predictor for each team but the first, which is 1 in its debates and 0 in others, by case.
func teamTerms(cases []Case) (names []string, terms [][]float64) {
	var teams []Team
	for _, k := range cases {
		if !slices.ContainsFunc(teams, k.Team.is) {
			teams = append(teams, k.Team)
		}
	}
	terms = make([][]float64, len(cases))
	for i, team := range teams {
		if i == 0 {
			continue
		}
		name := "team " + team.Name
		if slices.Contains(names, name) || team.Name == teams[0].Name {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names = append(names, name)
		for c, k := range cases {
			terms[c] = append(terms[c], stat.One[float64](k.Team.is(team)))
		}
	}
	return names, terms
}

func (t Team) is(other Team) bool { return t.key == other.key }
