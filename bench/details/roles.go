package details

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// asides are the lines about what only some conditions have, below the names of the rows.
func asides(rows []analysis.Row) (text string) {
	for _, r := range rows {
		for _, line := range r.Dynamics.Asides() {
			text += aside(rows, r, line)
		}
	}
	return text
}

// aside is a line about one of the rows, below their names.
func aside(rows []analysis.Row, of analysis.Row, line string) string {
	const usual = 17 // columns, which nearly all names of conditions need at most
	width := usual
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.Condition))
	}
	return fmt.Sprintf("  %-*s %s\n", width, of.Condition, line)
}

// RoleLine is what the solutions of a condition's puzzles come to at one time.
type RoleLine struct {
	Condition string
	When      string // "proposals", "after player K", "final", or "AUC", the mean over the rounds between these two
	roles.Round
}

// RoleLines lists all times of all conditions with puzzles, in their order.
func RoleLines(rows []analysis.Row) (lines []RoleLine) {
	for _, r := range rows {
		if r.Dynamics == nil || r.Dynamics.Roles == nil {
			continue
		}
		all := r.Dynamics.Roles
		lines = append(lines, RoleLine{r.Condition, "proposals", all.Initial})
		if len(all.Rounds) == 0 {
			continue // no debate followed
		}
		for i, round := range all.Rounds {
			lines = append(lines, RoleLine{r.Condition, fmt.Sprintf("after player %d", i+1), round})
		}
		lines = append(lines, RoleLine{r.Condition, "final", all.Final}, RoleLine{r.Condition, "AUC", all.AUC})
	}
	return lines
}

// rolesBlocks shows puzzles role by role, and how many agents were right after the debate on a player, by where they
// stood before it. It is empty if there are no puzzles.
func rolesBlocks(rows []analysis.Row) table.Document {
	lines := RoleLines(rows)
	if lines == nil {
		return nil
	}
	of := func(name string, value func(roles.Round) float64) table.Column[RoleLine] {
		return table.Right(name, func(l RoleLine) string { return fmt.Sprintf("%.3f", value(l.Round)) })
	}
	t := table.New([]table.Column[RoleLine]{
		table.Left("condition", func(l RoleLine) string { return l.Condition }),
		table.Right("solutions", func(l RoleLine) string { return l.When }),
		of("strict", func(r roles.Round) float64 { return r.Strict }),
		of("smooth", func(r roles.Round) float64 { return r.Smooth }),
		of("agents strict", func(r roles.Round) float64 { return r.AgentStrict }),
		of("agents smooth", func(r roles.Round) float64 { return r.AgentSmooth }),
		of("all agree", func(r roles.Round) float64 { return r.All }),
		of("majority", func(r roles.Round) float64 { return r.Major }),
	}, lines)
	text := `strict: all roles right, smooth: share of roles right; of the vote on each player, and mean over agents; all agree, majority:
share of players on whom all agents, or at least half of them, agree; AUC: mean over the rounds after the proposals
`
	for _, r := range rows {
		if r.Dynamics.Roles != nil && len(r.Dynamics.Roles.Rounds) > 0 {
			shifts := shiftsText(r.Dynamics.Roles.Shifts)
			text += aside(rows, r, "right after the debate on a player: "+shifts)
			for _, line := range slices.Concat(takenUp(r), byDepth(r), claimLines(r)) {
				text += aside(rows, r, line)
			}
		}
	}
	return table.Document{t, table.Text(text)}
}

// takenUp says whose roles for the player under debate were taken up, by where their holders stood before.
func takenUp(r analysis.Row) []string {
	var parts []string
	for _, h := range r.Dynamics.Roles.Opinions {
		parts = append(parts, fmt.Sprintf("%s %s", h.Of, of(h.Taken, h.Heard)))
	}
	if parts == nil {
		return nil
	}
	return []string{"taken up by agents with another role: " + strings.Join(parts, "; ")}
}

// byDepth says how accurate a condition is on puzzles of each difficulty.
func byDepth(r analysis.Row) (lines []string) {
	for _, d := range r.Dynamics.Roles.Depths {
		lines = append(lines, fmt.Sprintf("puzzles with %s at once (%d, %.1f refuted): strict %.3f, smooth %.3f",
			wording.Count(d.Depth, "supposition"), d.N, d.Refuted, d.Final.Strict, d.Final.Smooth))
	}
	return lines
}

// claimLines says what a program made of the claims of a condition, by phase.
func claimLines(r analysis.Row) (lines []string) {
	for _, c := range r.Dynamics.Roles.Claims {
		lines = append(lines, fmt.Sprintf("claims in %s: %d follow, %d fail, %d vacuous; %s replies have one that "+
			"fails", c.Of,
			c.Follow, c.Fail, c.Vacuous, of(c.Mistaken, c.Turns)))
	}
	return lines
}

// shiftsText says, for each standing that occurred before a debate on a player, how many of its agents were right after
// it.
func shiftsText(shifts agreement.Shifts) string {
	var parts []string
	for standing, after := range shifts {
		if n := after[0] + after[1]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", agreement.Standing(standing), after[1], n))
		}
	}
	if parts == nil {
		return "nobody was heard"
	}
	return strings.Join(parts, "; ")
}
