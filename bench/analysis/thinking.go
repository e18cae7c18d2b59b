package analysis

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
)

// Thinking are conditions that differ in nothing but how long their agents may reason, such as votes: a curve.
type Thinking struct {
	Name   string // what their names begin with
	Points []Thought
}

// Thought is what a condition achieves with its reasoning.
type Thought struct {
	Row
	Tokens float64 // of reasoning for a question, drawn by all its agents together
}

// Thinking returns the curves of accuracy over reasoning, each by its tokens. Conditions whose answers were not
// measured are in none.
func (c Comparison) Thinking() (curves []Thinking) {
	measured := c.Validity()
	var kinds []string
	for _, r := range c.Rows {
		if r.Unbounded == "" || r.N == 0 || r.Bound || r.Again || !measured.Comparable(r.Condition) {
			continue
		}
		i := slices.Index(kinds, r.Unbounded)
		if i < 0 {
			i, kinds = len(kinds), append(kinds, r.Unbounded)
			curves = append(curves, Thinking{Name: r.Condition})
		}
		curves[i].Name = begin(curves[i].Name, r.Condition)
		curves[i].Points = append(curves[i].Points, Thought{r, stat.Share(r.ReasoningTokens, r.N+r.Failed)})
	}
	curves = slices.DeleteFunc(curves, func(t Thinking) bool { return len(t.Points) < 2 })
	for i := range curves {
		curves[i].Name = strings.TrimRight(curves[i].Name, "-/=")
		slices.SortStableFunc(curves[i].Points, func(a, b Thought) int { return cmp.Compare(a.Tokens, b.Tokens) })
	}
	return curves
}

// begin returns what two texts begin with.
func begin(a, b string) string {
	for !strings.HasPrefix(b, a) {
		_, last := utf8.DecodeLastRuneInString(a)
		a = a[:len(a)-last]
	}
	return a
}

// unboundedOf names what a condition has in common with those that differ only in how long agents may reason: its
// settings without these bounds. It is "" where no agent has one.
func unboundedOf(c trial.Condition) string {
	if c.Protocol == nil {
		return ""
	}
	team, bounds := slices.Clone(c.Protocol.Team()), 0
	for i := range team {
		if team[i].ReasoningTokens != nil {
			team[i].ReasoningTokens = nil
			bounds++
		}
	}
	settings, err := json.Marshal(c.Protocol.With("team", team))
	if err != nil || bounds == 0 {
		return ""
	}
	return string(settings)
}

// ThinkingTable has a row for each point of the curves; it has no lines without any.
func (c Comparison) ThinkingTable() table.Table {
	type point struct {
		of string
		Thought
	}
	var points []point
	for _, t := range c.Thinking() {
		for _, p := range t.Points {
			points = append(points, point{t.Name, p})
		}
	}
	t := table.New([]table.Column[point]{
		table.Words("series", func(p point) string { return p.of }),
		table.Words("condition", func(p point) string { return p.Condition }),
		{Name: "reasoning a question", Text: func(p point) string { return wording.Comma(int(math.Round(p.Tokens))) },
			Values: func(p point) []any { return []any{p.Tokens} }},
		table.Decimals("accuracy", func(p point) *float64 { return &p.Accuracy }),
		table.Right("95 % interval", func(p point) string {
			return table.Span("%.3f", p.Interval.Low, p.Interval.High)
		}),
	}, points)
	t.Title = "Accuracy over reasoning"
	t.Caption = "Reasoning: tokens that all agents of a condition drew for a question before their answers, at most " +
		"what they were allowed. A series differs in nothing but that bound."
	return t
}
