package report

import (
	"parley/bench/analysis"
	"parley/bench/stat"
	"parley/bench/table"
)

// rolesTables show puzzles of knights role by role, and what became of agents by where they stood; none without
// puzzles.
func rolesTables(rows []analysis.Row) []table.Table {
	lines := analysis.RoleLines(rows)
	if lines == nil {
		return nil
	}
	of := func(name string, value func(*analysis.RoleLine) *float64) table.Column[analysis.RoleLine] {
		return table.Decimals(name, func(l analysis.RoleLine) *float64 { return value(&l) })
	}
	rounds := table.New([]table.Column[analysis.RoleLine]{
		table.Words("condition", func(l analysis.RoleLine) string { return l.Condition }),
		table.Words("solutions", func(l analysis.RoleLine) string { return l.When }),
		of("strict", func(l *analysis.RoleLine) *float64 { return &l.Strict }),
		of("smooth", func(l *analysis.RoleLine) *float64 { return &l.Smooth }),
		of("agents, strict", func(l *analysis.RoleLine) *float64 { return &l.AgentStrict }),
		of("agents, smooth", func(l *analysis.RoleLine) *float64 { return &l.AgentSmooth }),
		of("all agree", func(l *analysis.RoleLine) *float64 { return &l.All }),
		of("majority", func(l *analysis.RoleLine) *float64 { return &l.Major }),
	}, lines)
	rounds.Title = "Puzzles, role by role"
	rounds.Caption = "Strict: share of puzzles with all roles right; smooth: share of players whose role is right; " +
		"both for the vote on each player and as a mean over agents. All agree, majority: share of players to whom " +
		"all agents, or at least half of them, assign the same role. AUC: mean over the rounds after the proposals " +
		"(source 2, appendix B)."
	return []table.Table{rounds, shiftsTable(rows)}
}

// stood are the agents of a condition that stood at one place before a player was debated.
type stood struct {
	condition string
	stat.Standing
	after [2]int // who gave the wrong and the right role afterwards
}

func shiftsTable(rows []analysis.Row) table.Table {
	var all []stood
	for _, r := range rows {
		if r.Dynamics == nil || r.Dynamics.Roles == nil {
			continue
		}
		for standing, after := range r.Dynamics.Roles.Shifts {
			all = append(all, stood{r.Condition, stat.Standing(standing), after})
		}
	}
	t := table.New([]table.Column[stood]{
		table.Words("condition", func(s stood) string { return s.condition }),
		table.Words("before", func(s stood) string { return s.String() }),
		table.Counts("agents", func(s stood) int { return s.after[0] + s.after[1] }),
		table.Counts("right after", func(s stood) int { return s.after[1] }),
		table.Ratios("share", "", func(s stood) (int, int) { return s.after[1], s.after[0] + s.after[1] }),
	}, all)
	t.Title = "Role assignments by earlier standing"
	t.Caption = "How each agent stood on a player before the debate on that player: with the majority, against it, " +
		"or in chaos if there was none; and how many assigned the right role in the solutions after it (source 2, " +
		"Figures 4 and 5)."
	return t
}
