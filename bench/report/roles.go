package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// rolesTables show puzzles of knights role by role, and how many agents were right after a debate on a player, by where
// they stood before it. There are none without puzzles.
func rolesTables(c analysis.Comparison) []table.Table {
	rows := c.Rows
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
	tables := []table.Table{rounds, shiftsTable(rows)}
	for _, t := range []table.Table{correctionsTable(c), opinionsTable(c), sizesTable(c.Rows), depthsTable(c.Rows),
		confidenceTable(c), claimsTable(c), ratingsTable(c.Rows)} {
		if len(t.Lines) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// agent is one agent of a condition.
type agent struct {
	condition, model string
	roles.Agent
}

// agentsOf are the agents that debated puzzles, with the names of their models.
func agentsOf(c analysis.Comparison) (agents []agent) {
	for _, r := range puzzled(c.Rows) {
		for _, a := range r.Dynamics.Roles.Agents {
			agents = append(agents, agent{r.Condition, modelNamed(c, a.Model), a})
		}
	}
	return agents
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

// puzzled are the rows of debates on puzzles.
func puzzled(rows []analysis.Row) []analysis.Row {
	return slices.DeleteFunc(slices.Clone(rows),
		func(r analysis.Row) bool { return r.Dynamics == nil || r.Dynamics.Roles == nil })
}

// agentColumns name an agent.
var agentColumns = []table.Column[agent]{
	table.Words("condition", func(a agent) string { return a.condition }),
	table.Counts("agent", func(a agent) int { return a.Agent.Agent + 1 }),
	table.Words("model", func(a agent) string { return a.model }),
}

// correctionsTable is the heat map of source 2's Figure 4 in numbers.
func correctionsTable(c analysis.Comparison) table.Table {
	columns := slices.Clone(agentColumns)
	for standing := range (stat.Shifts{}) {
		columns = append(columns, table.Ratios(stat.Standing(standing).String(), "", func(a agent) (int, int) {
			after := a.Shifts[standing]
			return after[1], after[0] + after[1]
		}))
	}
	t := table.New(columns, agentsOf(c))
	t.Title = "Right roles after the debate on a player, by agent"
	t.Caption = "Share of an agent's roles for the player under debate that are right afterwards, by where the agent " +
		"stood before (source 2, Figure 4)."
	return t
}

// heard are opinions of a condition.
type heard struct {
	condition, of string
	roles.Opinions
}

// opinionsTable says whose opinions were taken up, by standing and by agent.
func opinionsTable(c analysis.Comparison) table.Table {
	var lines []heard
	for _, r := range puzzled(c.Rows) {
		for _, h := range r.Dynamics.Roles.Opinions {
			lines = append(lines, heard{r.Condition, h.Of, h.Opinions})
		}
		for _, a := range r.Dynamics.Roles.Agents {
			if a.Opinions.Heard > 0 {
				lines = append(lines, heard{r.Condition, fmt.Sprintf("agent %d, %s", a.Agent+1,
					modelNamed(c, a.Model)), a.Opinions})
			}
		}
	}
	t := table.New([]table.Column[heard]{
		table.Words("condition", func(h heard) string { return h.condition }),
		table.Words("opinions of", func(h heard) string { return h.of }),
		table.Counts("heard", func(h heard) int { return h.Heard }),
		table.Counts("taken up", func(h heard) int { return h.Taken }),
		table.Ratios("share", "", func(h heard) (int, int) { return h.Taken, h.Heard }),
		table.Ratios("right, of those taken up", "", func(h heard) (int, int) { return h.Right, h.Taken }),
	}, lines)
	t.Title = "Whose opinion was taken up"
	t.Caption = "Heard: how often an agent that gave the player under debate another role, or none, heard this one; " +
		"taken up: it then gave the player that role. By where the holder stood before the debate on the player, " +
		"and by agent (source 2, Figure 6)."
	return t
}

// sized is one size of puzzles of a condition.
type sized struct {
	condition string
	roles.Size
}

// sizesTable has the twelve transitions of each size.
func sizesTable(rows []analysis.Row) table.Table {
	var sizes []sized
	for _, r := range puzzled(rows) {
		for _, z := range r.Dynamics.Roles.Sizes {
			sizes = append(sizes, sized{r.Condition, z})
		}
	}
	columns := []table.Column[sized]{
		table.Words("condition", func(z sized) string { return z.condition }),
		table.Counts("players", func(z sized) int { return z.Players }),
		table.Counts("debates", func(z sized) int { return z.N }),
	}
	for standing := range (stat.Shifts{}) {
		for after, word := range []string{"wrong", "right"} {
			columns = append(columns, table.Counts(fmt.Sprintf("%s → %s", stat.Standing(standing), word),
				func(z sized) int { return z.Shifts[standing][after] }))
		}
	}
	t := table.New(columns, sizes)
	t.Title = "Twelve transitions by size of the puzzle"
	t.Caption = "Number of agents by where they stood on a player before the debate on that player, and whether they " +
		"assigned the right role afterwards (source 2, Figure 5)."
	return t
}

// deep is one difficulty of puzzles of a condition.
type deep struct {
	condition string
	roles.Depth
}

// depthsTable has the accuracy by the difficulty of puzzles.
func depthsTable(rows []analysis.Row) table.Table {
	var lines []deep
	for _, r := range puzzled(rows) {
		for _, d := range r.Dynamics.Roles.Depths {
			lines = append(lines, deep{r.Condition, d})
		}
	}
	of := func(name string, value func(*deep) *float64) table.Column[deep] {
		return table.Decimals(name, func(d deep) *float64 { return value(&d) })
	}
	t := table.New([]table.Column[deep]{
		table.Words("condition", func(d deep) string { return d.condition }),
		table.Counts("depth", func(d deep) int { return d.Depth.Depth }),
		table.Counts("debates", func(d deep) int { return d.N }),
		of("refuted", func(d *deep) *float64 { return &d.Refuted }),
		of("strict, proposals", func(d *deep) *float64 { return &d.Initial.Strict }),
		of("strict, final", func(d *deep) *float64 { return &d.Final.Strict }),
		of("smooth, proposals", func(d *deep) *float64 { return &d.Initial.Smooth }),
		of("smooth, final", func(d *deep) *float64 { return &d.Final.Smooth }),
	}, lines)
	t.Title = "Accuracy by the difficulty of the puzzle"
	t.Caption = "Depth: how many suppositions have to be held at once to solve a puzzle without trying all " +
		"assignments; refuted: mean number of suppositions that have to be refuted in it. Strict and smooth are of " +
		"the vote on each player. Puzzles that cannot be read or have several solutions are left out."
	return t
}

// confident is one bin of an agent's proposals.
type confident struct {
	agent
	roles.Bin
}

func confidenceTable(c analysis.Comparison) table.Table {
	var bins []confident
	for _, a := range agentsOf(c) {
		for _, b := range a.Confidence {
			bins = append(bins, confident{a, b})
		}
	}
	t := table.New([]table.Column[confident]{
		table.Words("condition", func(b confident) string { return b.condition }),
		table.Counts("agent", func(b confident) int { return b.Agent.Agent + 1 }),
		table.Words("model", func(b confident) string { return b.model }),
		table.Counts("confidence", func(b confident) int { return b.Bin.Confidence }),
		table.Counts("proposals", func(b confident) int { return b.N }),
		{Name: "smooth", Text: func(b confident) string { return fmt.Sprintf("%.3f", b.Smooth) },
			Note: func(b confident) string {
				if b.Interval == nil {
					return ""
				}
				return between("%.3f", *b.Interval)
			}, Values: func(b confident) []any { return []any{b.Smooth} }},
	}, bins)
	t.Title = "Accuracy by stated confidence"
	t.Caption = "Mean share of players whose role is right in the proposals of an agent, by its confidence in them " +
		"from 1 to 10, with a 95 % t interval (source 2, Figure 2)."
	return t
}

// rating has the ratings of the agents of a condition with one outcome.
type rating struct {
	condition string
	roles.Rated
}

func ratingsTable(rows []analysis.Row) table.Table {
	var lines []rating
	for _, r := range puzzled(rows) {
		for _, of := range r.Dynamics.Roles.Ratings {
			lines = append(lines, rating{r.Condition, of})
		}
	}
	columns := []table.Column[rating]{
		table.Words("condition", func(r rating) string { return r.condition }),
		table.Words("agents whose solution", func(r rating) string { return r.Of }),
	}
	for n := range (roles.Rated{}).Ratings {
		columns = append(columns,
			table.Counts(fmt.Sprintf("rated %d", n+1), func(r rating) int { return r.Ratings[n] }))
	}
	columns = append(columns, table.Counts("unread", func(r rating) int { return r.Unread }))
	t := table.New(columns, lines)
	t.Title = "Soundness of arguments, rated by a judge"
	t.Caption = "Agents by what became of the smooth accuracy of their solutions from the proposal to the end, and " +
		"by the rating of their arguments, from 1, no reasons, to 4, everything follows (source 2, Figure 6)."
	return t
}

// claiming are the claims of some turns of a condition.
type claiming struct {
	condition, of string
	roles.Claims
}

// claimsTable has the claims by phase, by change and by agent.
func claimsTable(c analysis.Comparison) table.Table {
	var lines []claiming
	for _, r := range puzzled(c.Rows) {
		for _, of := range r.Dynamics.Roles.Claims {
			lines = append(lines, claiming{r.Condition, of.Of, of.Claims})
		}
		for _, of := range r.Dynamics.Roles.Changes {
			lines = append(lines, claiming{r.Condition, "adjustment, " + of.Of, of.Claims})
		}
		for _, a := range r.Dynamics.Roles.Agents {
			if a.Claims.Turns > 0 {
				lines = append(lines, claiming{r.Condition, fmt.Sprintf("agent %d, %s", a.Agent+1,
					modelNamed(c, a.Model)), a.Claims})
			}
		}
	}
	t := table.New([]table.Column[claiming]{
		table.Words("condition", func(l claiming) string { return l.condition }),
		table.Words("replies of", func(l claiming) string { return l.of }),
		table.Counts("replies", func(l claiming) int { return l.Turns }),
		table.Counts("claims", func(l claiming) int { return l.N }),
		table.Ratios("follow", "", func(l claiming) (int, int) { return l.Follow, l.N }),
		table.Ratios("fail", "", func(l claiming) (int, int) { return l.Fail, l.N }),
		table.Ratios("vacuous", "", func(l claiming) (int, int) { return l.Vacuous, l.N }),
		table.Ratios("replies with a failed claim", "", func(l claiming) (int, int) { return l.Mistaken, l.Turns }),
	}, lines)
	t.Title = "Claims, checked by program"
	t.Caption = "Claims about players that can be read in explanations and reasons, and whether they follow from the " +
		"puzzle; vacuous: drawn from suppositions that no solution allows. Many claims are of no form that is read."
	return t
}

// stood are the agents of a condition that had one standing before the debate on a player.
type stood struct {
	condition string
	stat.Standing
	after [2]int // who gave the wrong and the right role afterwards
}

func shiftsTable(rows []analysis.Row) table.Table {
	var all []stood
	for _, r := range puzzled(rows) {
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

// regressionTables are source 2's tables 4 and 5 and the weights of its Figure 5, over the debates on puzzles of all
// tasks. What cannot be fitted, as with few debates, has none.
func regressionTables(studies []study) (tables []table.Table) {
	var cases []roles.Case
	for _, s := range studies {
		cases = append(cases, roles.Cases(s.Table().Outcomes)...)
	}
	for _, of := range []struct {
		title   string
		outcome func(roles.Case) float64
	}{
		{"Regression of the final smooth accuracy", func(k roles.Case) float64 { return k.FinalSmooth }},
		{"Regression of agreement in a majority", func(k roles.Case) float64 { return k.AgreementMajor }},
	} {
		if r, err := roles.Regress(cases, of.outcome); err == nil {
			tables = append(tables, regressionTable(of.title, r))
		}
	}
	if t := weightsTable(cases); len(t.Lines) > 0 {
		tables = append(tables, t)
	}
	return tables
}

func regressionTable(title string, r roles.Regression) table.Table {
	places := make([]int, len(r.Coefficients))
	for i := range places {
		places[i] = i
	}
	t := table.New([]table.Column[int]{
		table.Words("predictor", func(i int) string { return r.Coefficients[i].Name }),
		table.Decimals("coefficient", func(i int) *float64 { return &r.Coefficients[i].Estimate }),
		table.Words("p", func(i int) string { return r.Coefficients[i].Stars() }),
		table.Decimals("error", func(i int) *float64 { return &r.Coefficients[i].Error }),
		table.Decimals("error, by question", func(i int) *float64 { return &r.Clustered[i].Error }),
	}, places)
	t.Title = title
	t.Caption = fmt.Sprintf("Ordinary least squares over %s, R² %.3f, adjusted %.3f (source 2, Tables 4 and 5). The "+
		"strong agent of a condition is the one with the best proposals, the weak one that with the worst; since they "+
		"are chosen after the fact, by the debates that the line is fitted to, the p of strong_* and weak_* are too "+
		"small. *, **, ***: p below 0.05, 0.01, 0.001 by the first error; the second allows for debates on the same question.",
		wording.Count(r.N, "debate"), r.R2, r.Adjusted)
	if len(r.LeftOut) > 0 {
		t.Caption += " Left out, because they do not vary or follow from those above: " +
			strings.Join(r.LeftOut, ", ") + "."
	}
	return t
}

// weighed is the weight of one transition in puzzles of one size.
type weighed struct {
	players, debates int
	alpha            float64
	regression.Weight
}

func weightsTable(cases []roles.Case) table.Table {
	bySize := make(map[int][]roles.Case)
	for _, k := range cases {
		bySize[k.Players] = append(bySize[k.Players], k)
	}
	var lines []weighed
	for _, players := range slices.Sorted(maps.Keys(bySize)) {
		fit, err := roles.Weights(bySize[players])
		if err != nil {
			continue
		}
		for _, w := range fit.Weights {
			lines = append(lines, weighed{players, len(bySize[players]), fit.Alpha, w})
		}
	}
	t := table.New([]table.Column[weighed]{
		table.Counts("players", func(w weighed) int { return w.players }),
		table.Counts("debates", func(w weighed) int { return w.debates }),
		table.Words("transition", func(w weighed) string { return w.Name }),
		table.Decimals("weight", func(w weighed) *float64 { return &w.Weight.Weight }),
		table.Decimals("alpha", func(w weighed) *float64 { return &w.alpha }),
	}, lines)
	t.Title = "Weights of the transitions"
	t.Caption = "Ridge regression of a debate's final smooth accuracy on how often each transition occurs in it, by " +
		"size of the puzzle (source 2, Figure 5). A weight is what one standard deviation more adds; alpha, the " +
		"penalty, is chosen by leaving out one debate at a time."
	return t
}
