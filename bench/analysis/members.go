package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// Member is an agent of a team whose agents differ, with what its own answers are worth. Shares are means over
// questions.
type Member struct {
	Agent    int           `json:"agent"`
	Name     string        `json:"name,omitempty"`  // what the team calls it
	Model    string        `json:"model,omitempty"` // SHA-256 of its model, in a run with several
	Own      float64       `json:"own"`             // share of its first answers that are right
	Interval stat.Interval `json:"interval"`        // 95 %, of Own
	Last     float64       `json:"last"`            // share of its last answers that are right
	Gain     float64       `json:"gain"`            // the team's accuracy less Own
	GainIn   stat.Interval `json:"gain_interval"`   // 95 %, of Gain
}

// membersIn returns the members of a condition's team. There are none where all agents are alike, where debates differ
// in who answers, or where it is not known which answers are right.
func (c *Comparison) membersIn(p *outcome.Debates) (members []Member) {
	held := p.Held()
	if len(held.All) == 0 {
		return nil
	}
	members = c.membersOf(held.All[0])
	alike := func(a, b Member) bool { return a.unnumbered() == b.unnumbered() && a.Model == b.Model }
	if len(members) < 2 || !slices.ContainsFunc(members, func(m Member) bool { return !alike(m, members[0]) }) {
		return nil // as of most conditions: the other debates need not be looked at
	}
	for _, d := range held.All {
		if !d.Marked() || !slices.Equal(c.membersOf(d), members) {
			return nil
		}
	}
	for i := range members {
		members[i].enter(held, i, c.Cluster != "")
	}
	return members
}

// unnumbered is what a member is called, without the number that alone tells "Participant 1" from "Participant 2".
func (m Member) unnumbered() string { return strings.TrimSuffix(m.Name, fmt.Sprint(m.Agent+1)) }

// membersOf returns who answered in a debate, without what the answers are worth.
func (c *Comparison) membersOf(d *outcome.Debate) (members []Member) {
	for _, a := range d.Agents() {
		m := Member{Agent: a.Number, Name: d.Transcript.Named(a.Number)}
		if len(c.Model.Team) > 0 {
			m.Model = a.First.Reply.Model
		}
		members = append(members, m)
	}
	return members
}

// enter compares the team, whose debates are held, with the first answers of the agent at a place among its members.
func (m *Member) enter(held *outcome.Debates, place int, clustered bool) {
	first, last := make(map[string]stat.Asked), make(map[string]stat.Asked)
	for _, d := range held.All {
		a := d.Agents()[place]
		first[d.Question] = first[d.Question].With(a.First.IsRight())
		last[d.Question] = last[d.Question].With(a.Last.IsRight())
	}
	var s versus
	var own, after []stat.Asked
	for _, q := range held.Correct.Questions {
		if held.Correct.Of[q] == nil {
			continue
		}
		own, after = append(own, first[q]), append(after, last[q])
		s.asked[0] = append(s.asked[0], held.CountOf(q))
		s.questions, s.clusters = append(s.questions, q), append(s.clusters, held.Clusters[q])
	}
	s.asked[1] = own
	s.shares = [2][]float64{shares(s.asked[0]), shares(own)}
	s.differences = differencesOf(s.asked[0], own)
	m.Last, m.Gain = stat.Mean(shares(after)), stat.Mean(s.differences)
	if clustered {
		m.Own, m.Interval = stat.ShareByCluster(s.shares[1], s.clusters, Level)
		m.GainIn = s.at(s.clusters)(Level)
		return
	}
	m.Own, m.Interval = stat.Accuracy(own, Level)
	m.GainIn = s.at(nil)(Level)
}

// BestMember returns the member whose own answers are right most often, the first of several; nil if the agents of the
// condition do not differ.
func (r Row) BestMember() (best *Member) {
	for i := range r.Members {
		if m := &r.Members[i]; best == nil || m.Own > best.Own {
			best = m
		}
	}
	return best
}

// memberName is what the team calls a member, or else its number, with its model where there are several.
func (c Comparison) memberName(m Member) string {
	names := []string{cmp.Or(m.Name, fmt.Sprintf("agent %d", m.Agent))}
	for _, model := range c.Model.All() {
		if m.Model != "" && m.Model == model.Hash {
			names = append(names, model.Name)
		}
	}
	return strings.Join(names, ", ")
}

// hasMembers reports whether the agents of a condition differ.
func (c Comparison) hasMembers() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return len(r.Members) > 0 })
}

// bestMember is the best member of a row as the table of conditions has it.
func (c Comparison) bestMember(r Row) string {
	if m := r.BestMember(); m != nil {
		return fmt.Sprintf("%.3f %s", m.Own, c.memberName(*m))
	}
	return ""
}

// memberOf is a member with its condition.
type memberOf struct {
	Member
	row Row
}

// MembersTable has a row for each member of the teams whose members differ; it has no lines if there are none.
func (c Comparison) MembersTable() table.Table {
	var rows []memberOf
	for _, r := range c.Rows {
		for _, m := range r.Members {
			rows = append(rows, memberOf{m, r})
		}
	}
	t := table.New([]table.Column[memberOf]{
		table.Words("condition", func(m memberOf) string { return m.row.Condition }),
		table.Words("member", func(m memberOf) string { return c.memberName(m.Member) }),
		table.Decimals("own", func(m memberOf) *float64 { return &m.Own }),
		table.Right("95 % interval", func(m memberOf) string {
			return table.Between("%.3f", m.Interval.Low, m.Interval.High)
		}),
		table.Decimals("last", func(m memberOf) *float64 { return &m.Last }),
		table.Decimals("team", func(m memberOf) *float64 { return &m.row.Accuracy }),
		{Name: "team less own", Text: func(m memberOf) string { return table.Signed(m.Gain) },
			Values: func(m memberOf) []any { return []any{m.Gain} }},
		table.Right("its 95 % interval", func(m memberOf) string {
			return table.Between("%+.3f", m.GainIn.Low, m.GainIn.High)
		}),
		table.Left("", func(m memberOf) string {
			if m.row.BestMember().Agent == m.Agent {
				return "best"
			}
			return ""
		}),
	}, rows)
	t.Title = "Members of teams"
	t.Caption = "Of teams whose members differ in model or role. Own: share of a member's first answers that are " +
		"right, before it heard the others if all answer at once; last: of its last answers. Team less own: accuracy " +
		"of the decision less own, on the same questions. Best: the member whose own answers are right most often. " +
		"It is chosen by the same answers, which flatters it, the more so the fewer the questions and the more the " +
		"members. Wu et al. conclude that the strongest member bounds its team: then no team is above its best."
	return t
}
