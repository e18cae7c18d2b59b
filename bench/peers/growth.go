package peers

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/parley-debate/parley/bench/stat/team"
)

// What teams are measured by: how much of a team of N is worth as much as independent agents.
const (
	ByAnswers = "answers" // the channels of their answers, over N
	ByErrors  = "errors"  // their effective size by the correlation of errors, over N
	ByTexts   = "texts"   // the channels of their whole texts by embeddings, over N
)

// pilotSize is the largest team of the pilot, which predicts what larger teams are worth (arXiv 2606.02646).
const pilotSize = 5

// Growth is how the worth of teams grows with their number of agents, in conditions that differ in that alone.
type Growth struct {
	Series string        `json:"series"` // the conditions' name without the number of agents
	By     string        `json:"by"`     // ByAnswers, ByErrors or ByTexts
	Sizes  []int         `json:"sizes"`
	Ratios []float64     `json:"ratios"`        // R of each size, 0 to 1
	Law    *team.Scaling `json:"law,omitempty"` // fitted to all sizes; nil with Why where none fits
	Regime string        `json:"regime,omitempty"`
	Why    string        `json:"no_law,omitempty"`
	// Pilot is fitted to the sizes up to 5; nil unless there are larger ones to predict.
	Pilot *team.Scaling `json:"pilot,omitempty"`
}

// Team is a condition with what its team is worth.
type Team struct {
	Condition string
	Worth     *Worth // it is nil where it is not known
}

// sized is where the name of a condition has its number of agents: of a sweep, or of a team such as mixed-of-3.
var sized = regexp.MustCompile(`/agents=[0-9]+|-of-[0-9]+$`)

// GrowthOf fits the Ringelmann law to the conditions of each sweep over agents, and to conditions that are called alike
// but for their number of agents: NAME-of-N. Series with fewer than two teams of two agents or more have none.
func GrowthOf(teams []Team) []Growth { return fitSeries(teams, ByAnswers, ByErrors) }

// GrowthOfTexts is GrowthOf by what the texts of teams are worth: Worth.Channels has K* of Agent-Scaling (arXiv
// 2602.03794) in the place of the channels of answers.
func GrowthOfTexts(teams []Team) []Growth { return fitSeries(teams, ByTexts) }

// fitSeries fits the law to each series by each measure.
func fitSeries(teams []Team, measures ...string) (all []Growth) {
	series := make(map[string][]Worth)
	for _, t := range teams {
		if t.Worth != nil && sized.MatchString(t.Condition) {
			name := sized.ReplaceAllString(t.Condition, "")
			series[name] = append(series[name], *t.Worth)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		worths := series[name]
		slices.SortStableFunc(worths, func(a, b Worth) int { return cmp.Compare(a.Agents, b.Agents) })
		for _, by := range measures {
			if g := growthOf(name, by, worths); len(g.Sizes) > 1 {
				all = append(all, g)
			}
		}
	}
	return all
}

func growthOf(name, by string, worths []Worth) Growth {
	g := Growth{Series: name, By: by}
	for _, w := range worths {
		worth := w.Channels
		if by == ByErrors && w.Errors != nil {
			worth = w.Errors.Effective
		}
		if worth == 0 || by == ByErrors && w.Errors == nil {
			continue
		}
		g.Sizes, g.Ratios = append(g.Sizes, w.Agents), append(g.Ratios, worth/float64(w.Agents))
	}
	law, err := fit(g.Sizes, g.Ratios)
	if err != nil {
		g.Why = err.Error()
		return g
	}
	g.Law, g.Regime = &law, law.Regime()
	small := 0
	for small < len(g.Sizes) && g.Sizes[small] <= pilotSize {
		small++
	}
	if pilot, err := fit(g.Sizes[:small], g.Ratios[:small]); err == nil && small < len(g.Sizes) {
		g.Pilot = &pilot
	}
	return g
}

// roundMillionths returns a parameter without the error of its fit, so that an exponent of 0 is the hard ceiling that
// it means.
func roundMillionths(x float64) float64 { return math.Round(x*1e6)/1e6 + 0 }

// fit is team.FitScaling of ratios of which a team whose errors cancel each other out may have one above 1: it counts
// as 1, the most that the law can say.
func fit(sizes []int, ratios []float64) (team.Scaling, error) {
	bounded := make([]float64, len(ratios))
	for i, r := range ratios {
		bounded[i] = min(1, r)
	}
	s, err := team.FitScaling(sizes, bounded)
	s.C, s.Beta = roundMillionths(s.C), roundMillionths(s.Beta)
	return s, err
}
