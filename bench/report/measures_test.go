package report

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/task"
)

// TestMeasuresAreEverywhere walks the list of package relation: each measure that a condition has is in the terminal's
// tables, on the page, in Markdown, CSV and LaTeX, in the JSON of a result, in the export and among the contrasts.
// Nothing but its entry names it.
func TestMeasuresAreEverywhere(t *testing.T) {
	_, run := benchtest.Finished(t)
	places, hits := walkedRun(t, run.Comparison.Rows[0].Condition, func(rows []analysis.Row) study {
		run.Comparison.Rows = rows
		return study{Run: run}
	}, run.Comparison), 0
	exported := make(map[string]bool)
	for row := range offline.Measures(run) {
		exported[row.Measure] = true
	}
	a, b := run.Comparison.Rows[0].Condition, run.Comparison.Rows[1].Condition
	for _, m := range relation.Measures() {
		t.Run(m.Name, func(t *testing.T) {
			for place, text := range places {
				want := map[string]string{"terminal": strings.ToUpper(m.Head), "CSV": m.Name + ",",
					"JSON": fmt.Sprintf("%q:{\"state\":\"known\"", m.Name)}[place]
				if want == "" {
					want = m.Head
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s has no %q", place, want)
				}
				hits++
			}
			scoredBy := ""
			if !relation.HasMeasure("", m.Name) { // a degree: of tasks that are scored by a measure that has it
				scoredBy = scoredWith(t, m.Name)
			} else if hits++; !exported[m.Name] {
				t.Errorf("the export has the measure %s: it has not", m.Name)
			}
			hits++
			if _, err := analysis.ReadContrasts([]string{a + " - " + b + " by " + m.Name}, []string{a, b}, scoredBy,
				nil); err != nil {
				t.Error(err)
			}
			if !analysis.IsMeasure(m.Name) {
				t.Errorf("%s is a measure that a published number can have: it is refused", m.Name)
			}
		})
	}
	if least := 7 * len(relation.Measures()); hits < least || len(places) != 6 {
		t.Errorf("%d hits in %d places and two lists, want %d in 6", hits, len(places), least)
	}
}

// scoredWith is the measure of a task whose degree this is.
func scoredWith(t *testing.T, degree string) string {
	t.Helper()
	for _, measure := range []string{"squad", "lexical", "facts", "roles", "math", task.LoggedPartly} {
		if relation.HasMeasure(measure, degree) {
			return measure
		}
	}
	t.Fatalf("a measure of a task has the degree %s: there is none", degree)
	return ""
}

// walkedRun has, by place, what is written of a run whose first condition has all measures.
func walkedRun(t *testing.T, condition string, with func([]analysis.Row) study,
	c analysis.Comparison) map[string]string {
	t.Helper()
	half := 0.5
	for i := range c.Rows {
		if c.Rows[i].Condition != condition {
			continue
		}
		c.Rows[i].Measures = make(relation.Values)
		for _, m := range relation.Measures() {
			c.Rows[i].Measures[m.Name] = relation.Value{State: relation.Known, Number: &half, Of: 2}
		}
	}
	s := with(c.Rows)
	contents, err := runContents(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := contents.write(&page); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(s.Comparison)
	if err != nil {
		t.Fatal(err)
	}
	var sheets, latex strings.Builder
	for _, section := range contents.Sections {
		for _, tab := range section.Tables {
			sheets.WriteString(tab.AllCSV())
			latex.WriteString(tab.LaTeX("label"))
		}
	}
	return map[string]string{"terminal": Details(s.Comparison).String(),
		"page": html.UnescapeString(page.String()), "Markdown": contents.text(), "CSV": sheets.String(),
		"LaTeX": strings.NewReplacer(`\\`, ` `, `\textasciicircum{}`, "^").Replace(latex.String()),
		"JSON":  string(written)}
}
