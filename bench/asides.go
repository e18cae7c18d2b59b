package bench

import (
	"fmt"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/table"
)

// asides are lines about what only some conditions have: sides that win, challenges, probes, votes that differ.
func asides(rows []Row) (text string) {
	for _, r := range rows {
		for _, line := range r.Course.asides() {
			text += fmt.Sprintf("  %-17s %s\n", r.Condition, line)
		}
	}
	return text
}

func (c *Course) asides() (lines []string) {
	if len(c.Sides) > 0 {
		lines = append(lines, "won by: "+counted(c.Sides, sides["won-by-"]))
		lines = append(lines, "the answer is the last one of: "+counted(c.Chosen, sides["chosen-"]))
	}
	if ch := c.Challenges; ch != nil {
		lines = append(lines, fmt.Sprintf("challenged by %d of %d agents: %d then have the right answer, %d lose it",
			ch.Disagreed, ch.Asked, ch.Won, ch.Lost))
	}
	if p := c.Probes; p != nil {
		lines = append(lines, fmt.Sprintf("swayed by the places of texts: %d of %d replies", p.Swayed, p.Probed))
	}
	if len(c.Coverage) > 0 {
		half, all := c.halfCovered(), c.Coverage[len(c.Coverage)-1]
		const points = "right: %.3f of all, %.3f of the %.0f %% with most votes (from %.2f); coverage area %.3f"
		lines = append(lines, fmt.Sprintf(points,
			all.Accuracy, half.Accuracy, 100*half.Coverage, half.Votes, c.CoverageArea))
	}
	return lines
}

// halfCovered is the first point of the curve with at least half of the questions.
func (c *Course) halfCovered() stat.Covered {
	return c.Coverage[slices.IndexFunc(c.Coverage, func(p stat.Covered) bool { return p.Coverage >= 0.5 })]
}

// counted are counts in the order of their names.
func counted(counts map[string]int, names []string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// RoleLine is one time of the puzzles of a condition.
type RoleLine struct {
	Condition string
	When      string // proposals, after player K, final, or AUC
	RoleRound
}

// RoleLines are the times of all conditions with puzzles, in their order.
func RoleLines(rows []Row) (lines []RoleLine) {
	for _, r := range rows {
		if r.Course == nil || r.Course.Roles == nil {
			continue
		}
		roles := r.Course.Roles
		lines = append(lines, RoleLine{r.Condition, "proposals", roles.Initial})
		for i, round := range roles.Rounds {
			lines = append(lines, RoleLine{r.Condition, fmt.Sprintf("after player %d", i+1), round})
		}
		lines = append(lines, RoleLine{r.Condition, "final", roles.Final}, RoleLine{r.Condition, "AUC", roles.AUC})
	}
	return lines
}

// rolesTable shows puzzles role by role, and what became of agents by where they stood.
func rolesTable(rows []Row) string {
	lines := RoleLines(rows)
	if lines == nil {
		return ""
	}
	of := func(name string, value func(RoleRound) float64) table.Column[RoleLine] {
		return table.Right(name, func(l RoleLine) string { return fmt.Sprintf("%.3f", value(l.RoleRound)) })
	}
	text := table.New([]table.Column[RoleLine]{
		table.Left("condition", func(l RoleLine) string { return l.Condition }),
		table.Right("solutions", func(l RoleLine) string { return l.When }),
		of("strict", func(r RoleRound) float64 { return r.Strict }),
		of("smooth", func(r RoleRound) float64 { return r.Smooth }),
		of("agents strict", func(r RoleRound) float64 { return r.AgentStrict }),
		of("agents smooth", func(r RoleRound) float64 { return r.AgentSmooth }),
		of("all agree", func(r RoleRound) float64 { return r.All }),
		of("majority", func(r RoleRound) float64 { return r.Major }),
	}, lines).Terminal()
	text += "\nof the vote on each player, and of agents; all agree, majority: share of players; " +
		"AUC: mean over the rounds after the proposals\n"
	for _, r := range rows {
		if r.Course.Roles != nil {
			shifts := shifted(r.Course.Roles.Shifts)
			text += fmt.Sprintf("  %-17s right after the debate on a player: %s\n", r.Condition, shifts)
		}
	}
	return text
}

// shifted says of each standing that occurred how many agents were right in the end.
func shifted(shifts stat.Shifts) string {
	var parts []string
	for standing, after := range shifts {
		if n := after[0] + after[1]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", stat.Standing(standing), after[1], n))
		}
	}
	if parts == nil {
		return "nobody was heard"
	}
	return strings.Join(parts, "; ")
}
