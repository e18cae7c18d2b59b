package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
)

// experimentContents fills the contents of the report of an experiment. The runs are sorted by the tasks first and get
// what the experiment says of them; all that follows relies on both.
//
// The verdict comes last, since it needs the contrasts of all tasks and the published numbers. Its sentences stand in
// the order of their weight: which runs measure nothing, the contrasts, what the source's own measures say (before
// comparisons of accuracy where no contrast is named), treatments that were never applied, published numbers, and runs
// that have not ended.
func experimentContents(e experiment.Experiment, studies []study, o Options) (c contents, err error) {
	points, err := e.Points()
	if err != nil {
		return c, err
	}
	studies = inOrderOf(e.Tasks, studies)
	c = contents{Title: o.Title, Lead: leads(e, studies), Notes: slices.Concat(e.Notes, notesOf(studies)), Many: true}
	if c.Title == "" {
		c.Title = e.Name
	}
	for i := range studies {
		studies[i].attach(e, points)
	}
	common, rest := splitProvenance(studies)
	c.Provenance = common
	c.addTasks(e, studies, rest)
	c.Overview = overview(studies)
	t, asked := experimentContrasts(e, studies)
	if c.Published, err = comparePublished(e, studies, asked); err != nil {
		return c, err
	}
	if c.Across, c.Drawn, err = dynamics.Regressions(casesOf(studies), e.Fits()); err != nil {
		return c, err
	}
	var names []string
	for _, s := range studies {
		names = append(names, s.Header.Task)
	}
	c.CSV = table.CSV("task", names, c.conditions())
	c.GroupsCSV, c.RoundsCSV = groupsCSV(studies, true), roundsCSV("task", names, studies)
	if t != nil {
		c.Across, c.ContrastsCSV = append([]table.Table{*t}, c.Across...), csvOf(t)
	}
	for _, s := range studies {
		for _, k := range s.headlineContrasts() {
			if t == nil || k.why == beside {
				asked = append(asked, k)
			}
		}
	}
	says, comparable := sound(asked, studies)
	comparable = averagedFirst(comparable)
	compared, worth := conclude(comparable, len(studies) > 1, studies...), settled(studies)
	measured := explainMeasures(e, studies, comparable, t != nil || len(worth) > 0)
	if t == nil {
		compared, measured = measured, compared
	}
	c.Verdict = slices.Concat(worth, says, compared, measured, neverApplied(studies), c.Published.verdict(),
		departed(studies), warnUnended(studies))
	return c, c.finish(studies, o)
}

// explainMeasures says what its source measures to answer the question of an experiment, where that is not accuracy, or
// else, of one that is not answered by contrasts or budgets, that comparisons of accuracy, which said has, may not
// answer it. Bounds are left out, since they are no answer to a question about methods.
func explainMeasures(e experiment.Experiment, studies []study, said []contrasted, answered bool) []string {
	if e.Meaning == "" {
		return nil
	}
	const most = 6
	var parts []string
	for _, measure := range otherMeasures(e) {
		for _, s := range studies {
			for _, r := range s.Comparison.Rows {
				if value, known := r.Number(measure); known && s.kindOf(r.Condition) != kindBound {
					parts = append(parts, fmt.Sprintf("%s %s %.3f", measure, r.Condition, value))
				}
			}
		}
	}
	switch {
	case len(parts) > most:
		parts = append(parts[:most], fmt.Sprintf("and %d more, which are in the tables", len(parts)-most))
		fallthrough
	case len(parts) > 0:
		return []string{fmt.Sprintf("What its source measures to answer its question: %s.", strings.Join(parts, "; "))}
	case len(said) == 0 || answered:
		return nil
	}
	return []string{"The experiment names no contrast that answers its question; its tables and figures may. What " +
		"follows is about accuracy."}
}

// otherMeasures returns the measures of the published numbers that are not of how often, or how far, decisions are
// right.
func otherMeasures(e experiment.Experiment) (measures []string) {
	for _, n := range e.Numbers() {
		ofRight := []string{analysis.MeasureAccuracy, analysis.MeasurePeople, analysis.MeasureSimilarity}
		if !slices.Contains(append(ofRight, task.Degrees()...), n.Measure) {
			measures = appendNew(measures, n.Measure)
		}
	}
	return measures
}

// notesOf returns the notes of all runs, each once, with the tasks that have it.
func notesOf(studies []study) (notes []string) {
	tasks := make(map[string][]string)
	var order []string
	for _, s := range studies {
		for _, note := range s.Header.Notes {
			order = appendNew(order, note)
			tasks[note] = append(tasks[note], s.Header.Task)
		}
	}
	for _, note := range order {
		notes = append(notes, wording.List(tasks[note])+": "+note)
	}
	return notes
}

// casesOf returns the debates on puzzles of all runs whose answers were measured. Runs on other tasks have none and
// need no exception.
func casesOf(studies []study) (cases []roles.Case) {
	for _, s := range studies {
		found := s.Comparison.Validity()
		debates := slices.DeleteFunc(slices.Clone(s.Table().Debates()), func(d *outcome.Debate) bool {
			return !found.Measured(d.Condition)
		})
		cases = append(cases, roles.Cases(debates, s.Header.Model)...)
	}
	return cases
}

// inOrderOf returns the runs in the order of their tasks. A run whose task the experiment no longer has is dropped.
func inOrderOf(tasks []experiment.Task, studies []study) (sorted []study) {
	for _, t := range tasks {
		for _, s := range studies {
			if s.Header.Task == t.Name {
				sorted = append(sorted, s)
			}
		}
	}
	return sorted
}

// addTasks adds a section for each task, also for those that have not been run. rest has the provenance of each run
// that the runs do not share.
func (c *contents) addTasks(e experiment.Experiment, studies []study, rest [][]property) {
	for _, t := range e.Tasks {
		i := slices.IndexFunc(studies, func(s study) bool { return s.Header.Task == t.Name })
		if i < 0 {
			c.Sections = append(c.Sections, section{Name: t.Name, Missing: true})
			continue
		}
		c.add(studies[i])
		c.Sections[len(c.Sections)-1].Provenance = rest[i]
	}
}

// attach gives a run what its experiment says of it. Published numbers for other models or other questions are not
// attached, so that no figure compares what cannot be compared.
func (s *study) attach(e experiment.Experiment, points []experiment.Point) {
	s.Points = points
	for _, t := range e.Tasks {
		if t.Name == s.Header.Task {
			s.Task = t
		}
	}
	for _, n := range e.Numbers() {
		switch {
		case n.Contrast != "" || n.Task != s.Header.Task || n.Measure != analysis.MeasureAccuracy:
		case s.comparable(n):
			s.Published, s.From = append(s.Published, Published{n.Condition, n.Value}), appendNew(s.From, n.From)
		default:
			s.For = appendNew(s.For, n.Model)
		}
	}
}

// leads returns the opening sentences: the question of the experiment, its size, and its source.
func leads(e experiment.Experiment, studies []study) (leads []string) {
	if e.Meaning != "" {
		leads = append(leads, e.Meaning)
	}
	questions, debates, models := 0, 0, []string{}
	for _, s := range studies {
		questions, debates, models = questions+s.Comparison.Questions, debates+len(s.Outcomes),
			appendNew(models, s.Header.Model.Name)
	}
	if len(studies) > 0 {
		leads = append(leads, fmt.Sprintf("%s on %s of %s: %s.", wording.List(models),
			wording.Count(questions, "question"),
			wording.Count(len(studies), "task"), wording.Count(debates, "debate")))
	}
	if e.Source != "" {
		leads = append(leads, "After "+e.Source+".")
	}
	return leads
}

// overview has a row for each condition and a column for each task, or nil if there is only one task.
func overview(studies []study) *table.Table {
	if len(studies) < 2 {
		return nil
	}
	var conditions []string
	for _, s := range studies {
		for _, r := range s.Comparison.Rows {
			conditions = appendNew(conditions, r.Condition)
		}
	}
	columns := []table.Column[string]{table.Words("condition", func(c string) string { return c })}
	for _, s := range studies {
		columns = append(columns, s.accuracyColumn())
	}
	t := table.New(columns, conditions)
	for i, c := range conditions {
		kind := studies[0].kindOf(c)
		t.Lines[i].Apart = kind != "" && kind != kindReference
	}
	t.Title = "Accuracy on all tasks"
	t.Caption = "Accuracy with its 95 % interval, followed by the published number if the paper has a model of the " +
		"same name." + onlySamples(studies)
	return &t
}

// onlySamples names the tasks with a single question, whose intervals are about its samples.
func onlySamples(studies []study) string {
	var names []string
	for _, s := range studies {
		if s.Comparison.Samples() > 0 {
			names = append(names, s.Header.Task)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" There is only one question of %s: its intervals are over samples, not over questions.",
		wording.List(names))
}

// accuracyColumn returns a column with the accuracy of each condition on the task of the run. A condition without
// debates has an empty cell: the tasks of an experiment need not have the same conditions.
func (s study) accuracyColumn() table.Column[string] {
	of := func(condition string) (r analysis.Row, found bool) {
		i := slices.IndexFunc(s.Comparison.Rows,
			func(r analysis.Row) bool { return r.Condition == condition && r.N > 0 })
		if i < 0 {
			return r, false
		}
		return s.Comparison.Rows[i], true
	}
	return table.Column[string]{Name: s.Header.Task, Left: true,
		Text: func(c string) string { r, found := of(c); return ifText(found, fmt.Sprintf("%.3f", r.Accuracy)) },
		Note: func(c string) string {
			r, found := of(c)
			note := ifText(found, between("%.3f", r.Interval))
			for _, n := range s.Published {
				if n.Condition == c {
					note += fmt.Sprintf("; published %.3f", n.Accuracy)
				}
			}
			return note
		},
		Values: func(c string) []any {
			r, found := of(c)
			if !found {
				return nil
			}
			return []any{r.Accuracy}
		}}
}
