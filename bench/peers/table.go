package peers

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/bench/table"
)

// Measures is a condition with what its agents made of each other; each part is nil where it does not have it.
type Measures struct {
	Condition string
	Values    relation.Values
	Worth     *Worth
	Flips     *Flips
	Conflict  *Conflict
	Identity  *Identity
}

func keepConditions(conditions []Measures, has func(Measures) bool) (kept []Measures) {
	for _, c := range conditions {
		if has(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// InfluenceTable says how agents were influenced, and what their teams are worth.
func InfluenceTable(conditions []Measures) table.Table {
	measured, says := relation.Columns(relation.AmongAgents, func(c Measures) relation.Values {
		return c.Values
	})
	rows := keepConditions(conditions, func(c Measures) bool {
		_, again := c.Values.Number("flips")
		return again || c.Worth != nil
	})
	t := table.New(slices.Concat([]table.Column[Measures]{
		table.Words("condition", func(c Measures) string { return c.Condition }, "condition"),
	}, measured, []table.Column[Measures]{
		table.Right("agents", func(c Measures) string {
			if c.Worth == nil {
				return table.Absent
			}
			return fmt.Sprint(c.Worth.Agents)
		}),
		table.Decimals("effective size", func(c Measures) *float64 {
			if c.Worth == nil || c.Worth.Errors == nil {
				return nil
			}
			return &c.Worth.Errors.Effective
		}),
		table.Decimals("voices", func(c Measures) *float64 {
			if c.Worth == nil || c.Worth.Channels == 0 {
				return nil
			}
			return &c.Worth.Channels
		}),
	}), rows)
	t.Title, t.Lead = relation.AmongAgents, []string{"flips", "voices"}
	t.Caption = "From the first answer of an agent to its last." + says + " An isolated team shows what all this is " +
		"without hearing anybody. Effective size: how many agents that err independently vary as much in their mean " +
		"error. Voices: exp of the entropy of the eigenvalues of the matrix of how often two agents' last " +
		"answers are equal, 1 where all always agree; Agent-Scaling's K* is the same of the texts' embeddings, which " +
		"parley similarity has. Most of the others: of those whom the agent heard, or of all where nobody hears " +
		"anybody."
	return t
}

// FlipsTable says what changed answers, in shares of the agents that are paired.
func FlipsTable(conditions []Measures) table.Table {
	rows := keepConditions(conditions, func(c Measures) bool { return c.Flips != nil })
	part := func(name string, of func(*Flips) int) table.Column[Measures] {
		return table.Ratios(name, "", func(c Measures) (int, int) { return of(c.Flips), c.Flips.Sources.N })
	}
	empty := func(name string, of func(*Flips) int) table.Column[Measures] {
		return table.Ratios(name, "", func(c Measures) (int, int) {
			if c.Flips.Empty == nil {
				return 0, 0
			}
			return of(c.Flips), c.Flips.Empty.N
		})
	}
	t := table.New([]table.Column[Measures]{
		table.Words("condition", func(c Measures) string { return c.Condition }),
		table.Counts("agents", func(c Measures) int { return c.Flips.Sources.N }),
		part("spontaneous", func(f *Flips) int { return f.Sources.Spontaneous }),
		part("stance", func(f *Flips) int { return f.Sources.Stance }),
		part("reasoning", func(f *Flips) int { return f.Sources.Reasoning }),
		part("otherwise", func(f *Flips) int { return f.Sources.Otherwise }),
		part("stable", func(f *Flips) int { return f.Sources.Stable }),
		empty("empty reasoning", func(f *Flips) int { return f.Empty.Reasoning }),
		empty("of reasoning, empty too", func(f *Flips) int { return f.Both }),
		table.Counts("unpaired", func(c Measures) int { return c.Flips.Unpaired }),
	}, rows)
	t.Title = "What changed answers"
	t.Caption = "Each agent is paired with itself in the conditions in which it was told less after the same first " +
		"answer, and counted once, by the least that changes its answer. Spontaneous: checking it alone does. " +
		"Stance: the others' answers without reasons do, towards that of most of them; reasoning: only their " +
		"reasons do. Otherwise: what they said does, but not towards it. Empty reasoning: agents that neither " +
		"checking nor stance changes, and that arguments without content move to the answer of most; of reasoning, " +
		"empty too: agents that both reasons and empty arguments move. Shares of all paired agents."
	return t
}

// point is a team in a Growth.
type point struct {
	Growth
	at int
}

// GrowthTable says what teams of each size are worth, and what the law and its pilot say of them.
func GrowthTable(all []Growth) table.Table {
	var rows []point
	for _, g := range all {
		for i := range g.Sizes {
			rows = append(rows, point{g, i})
		}
	}
	by := func(law func(point) *team.Scaling) func(point) *float64 {
		return func(p point) *float64 {
			l := law(p)
			if l == nil {
				return nil
			}
			value := l.Ratio(p.Sizes[p.at])
			return &value
		}
	}
	t := table.New([]table.Column[point]{
		table.Words("series", func(p point) string { return p.Series }),
		table.Words("by", func(p point) string { return p.By }),
		table.Counts("agents", func(p point) int { return p.Sizes[p.at] }),
		table.Decimals("R", func(p point) *float64 { return &p.Ratios[p.at] }),
		table.Decimals("law", by(func(p point) *team.Scaling { return p.Law })),
		table.Decimals("pilot", by(func(p point) *team.Scaling { return p.Pilot })),
		table.Words("regime", func(p point) string { return p.law() }),
	}, rows)
	t.Title = "What larger teams are worth"
	t.Caption = fmt.Sprintf("R: share of a team that is worth as much as independent agents, by its answers "+
		"(voices), errors (effective size) or texts (K* of embeddings). Law: 1 / (1 + c (N-1) N^-beta), "+
		"fitted to all sizes of the series, with the share R² of the variance of R between sizes that it "+
		"explains; pilot: fitted to the teams of up to %d, so that larger ones are predicted. A series is a "+
		"sweep over agents, or conditions NAME-of-N.", pilotSize)
	return t
}

// law describes the law of a series, or why there is none.
func (g Growth) law() string {
	if g.Law == nil {
		return g.Why
	}
	explained := ""
	if g.Law.Explained != nil {
		explained = fmt.Sprintf(", R² %.3f", *g.Law.Explained)
	}
	return fmt.Sprintf("%s (c %.3f, beta %.2f%s)", g.Regime, g.Law.C, g.Law.Beta, explained)
}
