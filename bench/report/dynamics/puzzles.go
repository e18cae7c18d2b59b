package dynamics

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
)

// PuzzleTables show puzzles of knights role by role, and how many agents were right after a debate on a player, by
// where they stood before it. There are none without puzzles.
func PuzzleTables(c analysis.Comparison) []table.Table {
	rows := c.Rows
	lines := roleLines(rows)
	if lines == nil {
		return nil
	}
	of := func(name string, value func(*roleLine) *float64) table.Column[roleLine] {
		return table.Decimals(name, func(l roleLine) *float64 { return value(&l) })
	}
	rounds := table.New([]table.Column[roleLine]{
		table.Words("condition", func(l roleLine) string { return l.condition }),
		table.Words("solutions", func(l roleLine) string { return l.when }),
		of("strict", func(l *roleLine) *float64 { return &l.Strict }),
		of("smooth", func(l *roleLine) *float64 { return &l.Smooth }),
		of("agents, strict", func(l *roleLine) *float64 { return &l.AgentStrict }),
		of("agents, smooth", func(l *roleLine) *float64 { return &l.AgentSmooth }),
		of("all agree", func(l *roleLine) *float64 { return &l.All }),
		of("majority", func(l *roleLine) *float64 { return &l.Major }),
	}, lines)
	rounds.Title = "Puzzles, role by role"
	rounds.Caption = "Strict: share of puzzles with all roles right; smooth: share of players whose role is right; " +
		"both for the vote on each player and as a mean over agents. All agree, majority: share of players to whom " +
		"all agents, or at least half of them, assign the same role. AUC: mean over the rounds after the proposals " +
		"(Wu et al., appendix B)."
	tables, held := []table.Table{rounds}, withRounds(c)
	for _, t := range []table.Table{shiftsTable(held.Rows), correctionsTable(held), opinionsTable(held),
		sizesTable(held.Rows), depthsTable(rows), aloneTable(c), confidenceTable(c), claimsTable(c), ratingsTable(rows),
		behavioursTable(c), reasonsTable(rows)} {
		if len(t.Lines) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// roleLine is what the solutions of a condition's puzzles come to at one time.
type roleLine struct {
	condition string
	when      string // "proposals", "after player K", "final", or "AUC", the mean over the rounds between these two
	roles.Round
}

// roleLines lists all times of all conditions with puzzles, in their order.
func roleLines(rows []analysis.Row) (lines []roleLine) {
	for _, r := range rows {
		if r.Dynamics == nil || r.Dynamics.Roles == nil {
			continue
		}
		all := r.Dynamics.Roles
		lines = append(lines, roleLine{r.Condition, "proposals", all.Initial})
		if len(all.Rounds) == 0 {
			continue // no debate followed
		}
		for i, round := range all.Rounds {
			lines = append(lines, roleLine{r.Condition, fmt.Sprintf("after player %d", i+1), round})
		}
		lines = append(lines, roleLine{r.Condition, "final", all.Final}, roleLine{r.Condition, "AUC", all.AUC})
	}
	return lines
}

// agent is one agent of a condition.
type agent struct {
	condition, model string
	roles.Agent
}

// linesOf has the lines of all conditions with puzzles, in their order.
func linesOf[L any](rows []analysis.Row, of func(condition string, all *roles.Summary) []L) (lines []L) {
	for _, r := range withPuzzles(rows) {
		lines = append(lines, of(r.Condition, r.Dynamics.Roles)...)
	}
	return lines
}

// eachOf is a line for each of some entries.
func eachOf[E, L any](entries []E, line func(E) L) []L {
	lines := make([]L, len(entries))
	for i, e := range entries {
		lines[i] = line(e)
	}
	return lines
}

// agentsOf are the agents that debated puzzles, with the names of their models.
func agentsOf(c analysis.Comparison) []agent {
	return linesOf(c.Rows, func(condition string, all *roles.Summary) []agent {
		return eachOf(all.Agents, func(a roles.Agent) agent { return agent{condition, modelNamed(c, a.Model), a} })
	})
}

// modelNamed is the name of a model by its hash; that of the run if there is one for all.
func modelNamed(c analysis.Comparison, hash string) string {
	for _, m := range c.Model.All() {
		if m.Hash == hash {
			return m.Name
		}
	}
	return c.Model.Name
}

// agentNamed tells an agent from the others of its condition.
func agentNamed(c analysis.Comparison, a roles.Agent) string {
	return fmt.Sprintf("agent %d, %s", a.Agent+1, modelNamed(c, a.Model))
}

// withPuzzles returns the rows of debates on puzzles, in a list of its own: callers delete from it in place.
func withPuzzles(rows []analysis.Row) []analysis.Row {
	return slices.DeleteFunc(slices.Clone(rows),
		func(r analysis.Row) bool { return r.Dynamics == nil || r.Dynamics.Roles == nil })
}

// withRounds has the rows whose puzzles were debated, and not only solved.
func withRounds(c analysis.Comparison) analysis.Comparison {
	c.Rows = slices.DeleteFunc(withPuzzles(c.Rows),
		func(r analysis.Row) bool { return len(r.Dynamics.Roles.Rounds) == 0 })
	return c
}

// agentColumns name an agent.
var agentColumns = []table.Column[agent]{
	table.Words("condition", func(a agent) string { return a.condition }),
	table.Counts("agent", func(a agent) int { return a.Agent.Agent + 1 }),
	table.Words("model", func(a agent) string { return a.model }),
}

// correctionsTable is the heat map of Wu et al.'s Figure 4 in numbers.
func correctionsTable(c analysis.Comparison) table.Table {
	columns := slices.Clone(agentColumns)
	for standing := range (agreement.Shifts{}) {
		columns = append(columns, table.Ratios(agreement.Standing(standing).String(), "", func(a agent) (int, int) {
			after := a.Shifts[standing]
			return after[1], after[0] + after[1]
		}))
	}
	t := table.New(columns, agentsOf(c))
	t.Title = "Right roles after the debate on a player, by agent"
	t.Caption = "Share of an agent's roles for the player under debate that are right afterwards, by where the agent " +
		"stood before (Wu et al., Figure 4)."
	return t
}

// stood are the agents of a condition that had one standing before the debate on a player.
type stood struct {
	condition string
	agreement.Standing
	after [2]int // who gave the wrong and the right role afterwards
}

// shiftsTable has a row for each condition and each standing of agents on a player, before the debate on that player:
// whether they are right, and with the majority, against one, or in chaos.
func shiftsTable(rows []analysis.Row) table.Table {
	lines := linesOf(rows, func(condition string, all *roles.Summary) (lines []stood) {
		for standing, after := range all.Shifts {
			lines = append(lines, stood{condition, agreement.Standing(standing), after})
		}
		return lines
	})
	t := table.New([]table.Column[stood]{
		table.Words("condition", func(s stood) string { return s.condition }),
		table.Words("before", func(s stood) string { return s.String() }),
		table.Counts("agents", func(s stood) int { return s.after[0] + s.after[1] }),
		table.Counts("right after", func(s stood) int { return s.after[1] }),
		table.Ratios("share", "", func(s stood) (int, int) { return s.after[1], s.after[0] + s.after[1] }),
	}, lines)
	t.Title = "Role assignments by earlier standing"
	t.Caption = "How each agent stood on a player before the debate on that player: with the majority, against it, " +
		"or in chaos if there was none; and how many assigned the right role in the solutions after it (Wu et al., " +
		"Figures 4 and 5)."
	return t
}
