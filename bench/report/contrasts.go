package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/bug"
)

// contrasted is a contrast on one task or in one run, or its average over them.
type contrasted struct {
	contrast.Contrast
	Of     string   // the task, or the label of the run
	Tasks  []string // on one task or in an average over several: these
	Pooled bool
	Paired *analysis.Paired // it is nil if it could not be tested
	Same   int              // the number of debates if its sides differ in none of them, else 0

	Untested string // why Paired is nil although there are questions, "" if that is not so

	why   reason
	words map[string]string // what conditions are, by their names; one that was told is taken out
}

// reason says why a report begins with a comparison that is no contrast of the run; 0 is one that is.
type reason int

const (
	byDefault reason = iota + 1 // nobody asked for contrasts
	beside                      // it was not asked for beside contrasts, and is significant
)

// conditions lists those of both sides.
func (k contrasted) conditions() []string { return slices.Concat(k.First, k.Second) }

// contrastsTable returns the contrasts of a run, nil if it has none.
func contrastsTable(s study) *table.Table {
	if len(s.Comparison.Contrasts) == 0 {
		return nil
	}
	rows := contrastsOf(s)
	t := table.New(contrastColumns(rows, ""), rows)
	t.Lead = []string{"difference"}
	t.Title, t.Caption = "Contrasts", sentence(s.Comparison.ContrastsMethod())
	return &t
}

// csvOf writes a table of contrasts as CSV, "" for none.
func csvOf(t *table.Table) string {
	if t == nil {
		return ""
	}
	return table.CSV("", nil, []table.Table{*t})
}

// sentence makes a sentence of clauses, which must not be empty and begin with an ASCII letter.
func sentence(clauses string) string {
	return strings.ToUpper(clauses[:1]) + clauses[1:] + "."
}

// contrastsOf returns the contrasts of a run in the order in which they were asked for. Each has either a test, or the
// number of debates in which its sides were the same, or neither where there are too few questions.
func contrastsOf(s study) (list []contrasted) {
	for _, k := range s.Comparison.Contrasts {
		list = append(list, contrasted{Contrast: k.Contrast, Of: s.Header.Task, Tasks: []string{s.Header.Task},
			Paired: k.Paired, Same: k.Same, Untested: k.Untested})
	}
	return list
}

// contrastColumns returns the columns of all tables of contrasts, so that CSV of one task, of several tasks and of
// several runs can be joined. Across tasks or runs, of is the name of the column that tells them apart; it is hidden if
// "".
func contrastColumns(rows []contrasted, of string) []table.Column[contrasted] {
	text := func(format func(analysis.Paired) string) func(contrasted) string {
		return func(k contrasted) string {
			if k.Paired == nil {
				return table.Absent
			}
			return format(*k.Paired)
		}
	}
	values := func(of func(analysis.Paired) []any) func(contrasted) []any {
		return func(k contrasted) []any {
			if k.Paired == nil {
				return nil
			}
			return of(*k.Paired)
		}
	}
	across := table.Words(of, func(k contrasted) string { return k.Of }, cmp.Or(of, "task"))
	across.Hidden = of == ""
	return []table.Column[contrasted]{
		table.Words("contrast", func(k contrasted) string { return k.Name }, "contrast"), across,
		{Name: "questions", Text: text(func(p analysis.Paired) string { return wording.Comma(p.Questions) }),
			Fields: []string{"questions"}, Values: values(func(p analysis.Paired) []any { return []any{p.Questions} })},
		{Name: "difference", Text: func(k contrasted) string {
			return cmp.Or(ifText(k.Same > 0, analysis.SameText), k.Untested,
				text(analysis.Paired.Signed)(k))
		}, Fields: []string{"difference"},
			Values: values(func(p analysis.Paired) []any { return []any{p.Difference} })},
		{Name: "95 % interval", Text: text(analysis.Paired.Between),
			Fields: []string{"low", "high"},
			Values: values(func(p analysis.Paired) []any { return []any{p.Interval.Low, p.Interval.High} })},
		{Name: "p", Text: text(analysis.Paired.Probability),
			Fields: []string{"p_holm", "p", "test"},
			Values: values(func(p analysis.Paired) []any { return p.Unmeasured.Values(p.Holm, p.P, p.Test) })},
		{Name: "equivalence", Text: text(analysis.Paired.EquivalenceWithin),
			Hidden: !slices.ContainsFunc(rows, func(k contrasted) bool { return k.Paired.TestsEquivalence() }),
			Fields: analysis.EquivalenceFields, Values: values(analysis.Paired.EquivalenceValues)},
	}
}

// experimentContrasts has each contrast of an experiment on each of its tasks and, with several, averaged over them. It
// returns them as a table and as a list in the same order, both nil if the runs have none.
func experimentContrasts(e experiment.Experiment, studies []study) (*table.Table, []contrasted) {
	pooled, left := pooledContrasts(e, studies)
	var rows []contrasted
	for _, s := range studies {
		rows = append(rows, contrastsOf(s)...)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	rows = append(rows, pooled...)
	var names []string // in the order of the tasks, so that the rows of a contrast stand together
	for _, r := range rows {
		names = appendNew(names, r.Name)
	}
	slices.SortStableFunc(rows, func(a, b contrasted) int {
		return cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name))
	})
	t := table.New(contrastColumns(rows, "task"), rows)
	for i, r := range rows {
		t.Lines[i].Apart = r.Pooled
	}
	t.Title, t.Lead = "Contrasts on all tasks", []string{"difference"}
	t.Caption = "p on a task is Holm-corrected for the contrasts of that task. "
	if len(pooled) > 0 {
		over := "questions"
		if slices.ContainsFunc(studies, func(s study) bool { return s.Comparison.Cluster != "" }) {
			over = "questions, or clusters of questions,"
		}
		t.Caption += fmt.Sprintf("Averages over tasks count each task the same, however many questions it has; p is "+
			"that of a permutation test over the %s of all of them, and never below that of the interval, "+
			"Holm-corrected for %s; the interval, from those of the tasks, is about other questions of these tasks. ",
			over, wording.Count(len(pooled), "average"))
	}
	if more := len(left) - mostLeft; more > 0 {
		left = append(left[:mostLeft], fmt.Sprintf("%d more", more))
	}
	if len(left) > 0 {
		t.Caption += "Averages leave out " + strings.Join(left, "; ") + ". "
	}
	if slices.ContainsFunc(studies, func(s study) bool { return !s.poolable() }) {
		t.Caption += "Tasks whose number of questions depends on the outcome are in no average."
	}
	t.Caption = strings.TrimSpace(t.Caption)
	return &t, rows
}

// mostLeft is how many contrasts on tasks a caption names that averages leave out.
const mostLeft = 6

// pooledContrasts averages each contrast over the tasks that have it. The p-values of the averages are adjusted among
// themselves: they are one family, and those of single tasks are families of their own.
//
// left names the tasks that a contrast has and its average has not, with the reason.
func pooledContrasts(e experiment.Experiment, studies []study) (list []contrasted, left []string) {
	var tested []*analysis.Paired
	for _, of := range e.ContrastsByTasks() {
		var names []string
		var tables []*outcome.Table
		for _, s := range studies {
			if slices.Contains(of.Tasks, s.Header.Task) && s.poolable() {
				names, tables = append(names, s.Header.Task), append(tables, s.Table())
			}
		}
		for _, k := range readIn(of.Text, tables) {
			k.Margin = k.MarginIn(e.Equivalence)
			paired, pooled, err := analysis.PoolContrast(k, tables)
			if errors.As(err, new(bug.Error)) {
				list = append(list, contrasted{Contrast: k, Pooled: true, Untested: err.Error(), Of: "average"})
			}
			if err == nil || len(tables) > 1 && !errors.As(err, new(bug.Error)) {
				left = append(left, leftOut(k, names, tables)...)
			}
			if err != nil {
				continue // too few tasks or questions for an average
			}
			var averaged []string
			for _, i := range pooled {
				averaged = append(averaged, names[i])
			}
			paired.Unmeasured = analysis.UnmeasuredIn(k, findings(studies)...)
			list = append(list, contrasted{Contrast: k, Pooled: true, Paired: paired, Tasks: averaged,
				Of: fmt.Sprintf("average of %d tasks: %s", len(averaged), wording.List(averaged))})
			tested = append(tested, paired)
		}
	}
	adjustPooled(tested)
	return list, left
}

// findings say of each study whether it measured anything.
func findings(studies []study) (list []validity.Finding) {
	for _, s := range studies {
		list = append(list, s.Comparison.Validity())
	}
	return list
}

// leftOut names the tasks that an average of a contrast leaves out, with the reasons.
func leftOut(k contrast.Contrast, names []string, tables []*outcome.Table) (left []string) {
	for i, t := range tables {
		if why := analysis.LeftOut(k, t); why != "" {
			left = append(left, fmt.Sprintf("%s on %s (%s)", k.Name, names[i], why))
		}
	}
	return left
}

// adjustPooled enters the p-values of averages, corrected for their number.
func adjustPooled(tested []*analysis.Paired) {
	var p []float64
	for _, one := range tested {
		p = append(p, one.P)
	}
	for i, holm := range stat.Holm(p) {
		tested[i].Holm = holm
	}
}

// poolable reports whether averages over tasks, whose test is for a fixed number of questions, may have the run.
func (s study) poolable() bool { return s.Comparison.Stopped == nil }

// readIn reads a contrast among the conditions of several tasks, several contrasts if it has stars. It returns none as
// long as a condition has not been run on any task: the report of an unfinished experiment has to be possible.
func readIn(text string, tables []*outcome.Table) []contrast.Contrast {
	var conditions []string
	for _, t := range tables {
		for _, name := range t.Conditions() {
			conditions = appendNew(conditions, name)
		}
	}
	list, err := contrast.Read([]string{text}, conditions)
	if err != nil {
		return nil
	}
	return list
}
