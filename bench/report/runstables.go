package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
)

// section returns the tables and the figure of the runs on one task. contrasts is nil if there are none; asked has the
// rows with which the report begins.
func (j joint) section() (s section, contrasts *table.Table, asked []contrasted, err error) {
	s = section{Name: j.Task, Finished: true, Tables: []table.Table{j.runsTable()}}
	if t := j.differences(); len(t.Lines) > 0 {
		s.Tables = append(s.Tables, t)
	}
	s.Tables = append(s.Tables, j.accuracyTable())
	if contrasts, asked = j.contrastsTable(); contrasts != nil {
		s.Tables = append(s.Tables, *contrasts)
	}
	for _, of := range j.Studies {
		for _, failed := range of.Comparison.Failed {
			s.Failed = append(s.Failed, of.Label+": "+failed)
		}
	}
	f, err := j.figure()
	s.Figures = append(s.Figures, f)
	return s, contrasts, asked, err
}

// conditions returns the conditions of all runs, in the order in which they are first met.
func (j joint) conditions() (names []string) {
	for _, s := range j.Studies {
		for _, r := range s.Comparison.Rows {
			names = appendNew(names, r.Condition)
		}
	}
	return names
}

// rowOf returns the row of a condition; it is false if the run has none, or has held no debate under it.
func (s study) rowOf(condition string) (analysis.Row, bool) {
	i := slices.IndexFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Condition == condition && r.N > 0 })
	if i < 0 {
		return analysis.Row{}, false
	}
	return s.Comparison.Rows[i], true
}

// runsTable says what each run is.
func (j joint) runsTable() table.Table {
	hash := table.Words("SHA-256 of the model", func(s study) string {
		return fmt.Sprintf("%.12s", s.Header.Model.Hash)
	})
	hash.Hint = func(s study) string { return s.Header.Model.Hash }
	t := table.New([]table.Column[study]{
		table.Words("run", func(s study) string { return s.Label }),
		table.Words("model", func(s study) string { return s.Header.Model.Name }),
		table.Words("quantization", func(s study) string { return s.Header.Model.Quantization }), hash,
		table.Counts("questions", func(s study) int { return s.Comparison.Questions }),
		table.Counts("debates", func(s study) int { return len(s.Outcomes) }),
		table.Words("state", func(s study) string {
			if !s.Finished {
				return "not ended: counted as far as it is recorded"
			}
			return "finished"
		}),
	}, j.Studies)
	t.Title = "Runs"
	return t
}

// differing is one thing that runs do not share, with its value in each run.
type differing struct {
	name   string
	values []string
}

// differences returns what the runs do not share, except what runsTable says. A setting that a run has several times,
// such as the models of a team, becomes one line with its values joined.
func (j joint) differences() table.Table {
	_, rest := splitProvenance(j.Studies)
	var list []differing
	for i, of := range rest {
		for _, p := range of {
			if slices.Contains([]string{"quantization", "SHA-256 of the model"}, p.Name) {
				continue
			}
			at := slices.IndexFunc(list, func(d differing) bool { return d.name == p.Name })
			if at < 0 {
				at, list = len(list), append(list, differing{p.Name, make([]string, len(rest))})
			}
			list[at].values[i] = strings.TrimPrefix(list[at].values[i]+"; "+p.Value, "; ")
		}
	}
	runs := make([]spec.Run, len(j.Studies))
	for i, s := range j.Studies {
		runs[i] = s.Header.Run
	}
	for _, s := range spec.Unlike(runs...) {
		list = append(list, differing{s.Name, s.Values})
	}
	columns := []table.Column[differing]{table.Words("setting", func(d differing) string { return d.name })}
	for i, s := range j.Studies {
		columns = append(columns, table.Column[differing]{Name: s.Label, Left: true,
			Text: func(d differing) string { return shorten(d.values[i]) },
			Hint: func(d differing) string { return d.values[i] }})
	}
	t := table.New(columns, list)
	t.Title = "Settings that differ between the runs"
	return t
}

// shorten cuts a value to what fits into one line of a table; the whole of it shows when the pointer rests on it. It
// cuts runes and not bytes, because half a character would be shown as a code.
func shorten(value string) string {
	const most = 48
	runes := []rune(value)
	switch {
	case value == "":
		return table.Absent
	case len(runes) > most:
		return string(runes[:most-1]) + "…"
	}
	return value
}

// accuracyTable has a row for each condition and a column for each run.
func (j joint) accuracyTable() table.Table {
	columns := []table.Column[string]{table.Words("condition", func(c string) string { return c })}
	for _, s := range j.Studies {
		column := s.accuracyColumn()
		column.Name = s.Label
		columns = append(columns, column)
	}
	conditions := j.conditions()
	t := table.New(columns, conditions)
	for i, c := range conditions {
		kind := j.Studies[0].kindOf(c)
		t.Lines[i].Apart = kind != "" && kind != kindReference
	}
	t.Title = "Accuracy by condition and run"
	t.Caption = "Accuracy with its 95 % interval." + onlySamples(j.Studies[:1])
	if names := j.unlike(); len(names) > 0 {
		t.Caption += fmt.Sprintf(" Not the same protocol in all runs, as agents, rounds or settings differ: %s.",
			wording.List(names))
	}
	return t
}

// result is a condition in a run.
type result struct {
	study
	row analysis.Row
}

// records returns the accuracies as CSV has them, a line for each condition and run. A run that held no debate under a
// condition has no line, because its zeros would be read as results.
func (j joint) records() table.Table {
	var rows []result
	for _, condition := range j.conditions() {
		for _, s := range j.Studies {
			if r, held := s.rowOf(condition); held {
				rows = append(rows, result{s, r})
			}
		}
	}
	return table.New([]table.Column[result]{{Hidden: true,
		Fields: []string{"task_hash", "condition", "run", "model", "quantization", "model_hash", "seed", "n",
			"questions", "right", "unparsed", "failed", "accuracy", "low", "high"},
		Values: func(r result) []any {
			m := r.Header.Model
			return []any{r.Header.TaskHash, r.row.Condition, r.Label, m.Name, m.Quantization, m.Hash, r.Header.Seed,
				r.row.N, r.row.Questions, r.row.Right, r.row.Unparsed, r.row.Failed, r.row.Accuracy, r.row.Interval.Low,
				r.row.Interval.High}
		}}}, rows)
}

// unlike returns the conditions that are not the same protocol in all runs that have them. Their accuracies may stand
// side by side, but pool leaves their contrasts out: their average would be about no protocol.
func (j joint) unlike() (names []string) {
	for _, condition := range j.conditions() {
		var first *study
		for _, s := range j.Studies {
			if _, held := s.rowOf(condition); !held {
				continue
			}
			if first == nil {
				first = &s
			} else if !first.holdsAs(s, condition) {
				names = appendNew(names, condition)
			}
		}
	}
	return names
}

// holdsAs reports whether a condition is the same protocol in another run.
func (s study) holdsAs(other study, condition string) bool {
	a, _ := s.rowOf(condition)
	b, _ := other.rowOf(condition)
	return a.Agents == b.Agents && a.Rounds == b.Rounds && s.Header.Reading == other.Header.Reading &&
		s.point(condition).Protocol.Equal(other.point(condition).Protocol)
}

// runsCaption says by which rule contrasts are pooled over runs.
func runsCaption(pooled int, cluster string) string {
	over := "questions"
	switch cluster {
	case "":
	case task.EqualQuestions:
		over = "different questions"
	default:
		over = "clusters of questions by " + cluster
	}
	return fmt.Sprintf("Each run counts the same in the pooled contrasts: the questions are those of all runs, so the "+
		"differences of a question are averaged over the runs first. Their 95 %% intervals and p, of a permutation "+
		"test, Holm-corrected for %s, are then over %s. They are about other questions for these runs, not about "+
		"other models.", wording.Count(pooled, "pooled contrast"), over)
}
