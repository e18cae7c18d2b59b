package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// publishedComparison has the published numbers next to those of the runs. A published number is compared, with a
// difference, only if study.comparable holds: the model has the same name, and the questions come from a file of the
// benchmark. All other numbers stand side by side, because a difference would suggest a comparison that means nothing.
type publishedComparison struct {
	Says   []string     // what can be compared, and what cannot
	Same   *table.Table // numbers that are compared, with differences; nil if there are none
	Others *table.Table // numbers for other models or questions; nil if there are none
	N      int          // how many numbers are in Others

	Figures []chart.Figure // of all that the runs have, those that are not compared hollow

	compared, apart []pair // the numbers of Same and Others

	short *table.Table // Same without its last column, for the terminal
}

// pair is a published number and what the run measured in its place.
type pair struct {
	experiment.Number
	Ours     measured
	Replaced bool // ours is of questions that the user had asked in place of the benchmark's
}

// measured is a number of a run; Known is false if the run has none for that condition and measure.
type measured struct {
	N        int
	Value    float64
	Interval *stat.Interval
	Known    bool
}

// comparePublished pairs all published numbers of an experiment with what was measured, those of contrasts with the
// contrasts on its tasks and their averages; the result is nil if there are none.
func comparePublished(e experiment.Experiment, studies []study, contrasts []contrasted) (b *publishedComparison,
	err error) {
	var same, others []pair
	// our models, other models, and tasks whose questions are not those of the paper: what caveats names
	var ours, theirs, elsewhere []string
	for _, n := range e.Numbers() {
		of := publishedOn(n, studies)
		if of == nil {
			others = append(others, pair{Number: n})
			continue
		}
		s := of[0]
		model, p := s.Header.Model.Name, pair{n, s.measure(n), s.Header.Replaces != ""}
		if n.Contrast != "" {
			p.Ours = measuredContrast(n, of, contrasts)
		}
		if ours = appendNew(ours, model); !slices.ContainsFunc(of, func(s study) bool { return !s.comparable(n) }) {
			same = append(same, p)
			continue
		}
		if others = append(others, p); p.Replaced || sameModel(n.Model, model) {
			elsewhere = appendNew(elsewhere, n.Task)
		} else {
			theirs = appendNew(theirs, n.Model)
		}
	}
	if len(same)+len(others) == 0 {
		return nil, nil
	}
	b = &publishedComparison{Says: caveats(ours, theirs, elsewhere, len(same) > 0), N: len(others),
		compared: same, apart: others}
	if len(same) > 0 {
		t := table.New(sameColumns, same)
		t.Title, b.Same = "Published for a model with the name of this run's model", &t
		short := table.New(sameColumns[:len(sameColumns)-1], same)
		b.short = &short
	}
	if len(others) > 0 {
		t := sideBySide(others)
		t.Title, b.Others = "Published for other models or other questions: side by side, not compared", &t
	}
	b.Figures, err = forests(same, others)
	return b, err
}

// publishedOn returns the runs that a number is of: that of its task or, of an average, those of all of its tasks; nil
// if one of them is missing.
func publishedOn(n experiment.Number, studies []study) (of []study) {
	tasks := []string{n.Task}
	if n.Contrast != "" {
		tasks = strings.Split(n.Task, ", ")
	}
	for _, task := range tasks {
		i := slices.IndexFunc(studies, func(s study) bool { return s.Header.Task == task })
		if i < 0 {
			return nil
		}
		of = append(of, studies[i])
	}
	return of
}

// measuredContrast returns the difference that a contrast has in a run or, of several, in their average. An average
// that could not be of all of them, as one has too few questions, is none.
func measuredContrast(n experiment.Number, of []study, contrasts []contrasted) (m measured) {
	var tasks []string
	for _, s := range of {
		tasks = append(tasks, s.Header.Task)
	}
	for _, k := range contrasts {
		if k.Name == n.Contrast && k.Paired != nil && slices.Equal(k.Tasks, tasks) {
			if m = (measured{k.Paired.Questions, k.Paired.Difference, nil, true}); k.Paired.Interval.Known() {
				m.Interval = &k.Paired.Interval
			}
		}
	}
	return m
}

// terminal returns what parley run prints at its end: the first numbers that are compared or, if there are none, how
// many numbers stand side by side in the report.
func (b *publishedComparison) terminal() table.Document {
	const most = 30
	switch {
	case b == nil:
		return nil
	case b.short == nil:
		return table.Document{table.Text(fmt.Sprintf("the report has %s next to ours, none for this model on these "+
			"questions", wording.Count(b.N, "published number")))}
	}
	shown, rest := *b.short, ""
	if n := len(shown.Lines); n > most {
		shown.Lines, rest = shown.Lines[:most], fmt.Sprintf("and %s more in the report\n", wording.Comma(n-most))
	}
	return table.Document{table.Text("compared with the published numbers:"), shown, table.Text(rest)}
}

// verdict says how many published numbers agree with ours.
func (b *publishedComparison) verdict() []string {
	if b == nil {
		return nil
	}
	return publishedWithin(b.compared, len(b.apart))
}

// caveats state what the published numbers can be compared with.
func caveats(ours, theirs, elsewhere []string, compared bool) (says []string) {
	if len(theirs) > 0 {
		says = append(says, fmt.Sprintf("Published for %s; this run used %s. Numbers for different models stand "+
			"side by side and are not compared.", wording.List(theirs), wording.List(ours)))
	}
	if len(elsewhere) > 0 {
		says = append(says, fmt.Sprintf("The questions of %s are not those of the paper: they were generated, or "+
			"come from the experiment file or from another file than the benchmark's. Their numbers are not compared.",
			wording.List(elsewhere)))
	}
	if compared {
		says = append(says, "Differences are to numbers published for a model with the same name. Quantization, "+
			"prompts, sampling and the number of questions may still differ, and each published number has an "+
			"uncertainty of its own that papers rarely give.")
	}
	return says
}

// measure returns the number of the run for the same condition and measure as a published one. A name of several
// conditions, such as all points of a sweep, is looked up first: no row has such a name.
func (s study) measure(n experiment.Number) (m measured) {
	if group := experiment.MeanOf(n.Condition, s.Points); group != nil {
		return s.meanOf(group, n)
	}
	if n.Measure == analysis.MeasureSimilarity {
		return s.alike(n.Condition)
	}
	i := slices.IndexFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Condition == n.Condition })
	if i < 0 {
		return m
	}
	r := s.Comparison.Rows[i]
	if m.Value, m.Known = r.Number(n.Measure); !m.Known {
		return m
	}
	if m.N = r.N; n.Measure == analysis.MeasureAccuracy {
		m.Interval = &r.Interval
	}
	return m
}

// meanOf returns the mean of the numbers of several conditions. It is not known unless all of them are. Only the mean
// of accuracies has an interval, computed over questions: the conditions share them and are not independent.
func (s study) meanOf(conditions []string, n experiment.Number) (m measured) {
	for _, n.Condition = range conditions {
		one := s.measure(n)
		if !one.Known {
			return measured{}
		}
		m.Value, m.N = m.Value+one.Value/float64(len(conditions)), m.N+one.N
	}
	if m.Known = true; n.Measure == analysis.MeasureAccuracy {
		value, interval, questions := analysis.GroupMean(s.Table(), conditions, s.Comparison.Cluster)
		if m.Known = questions > 0; m.Known {
			m.Value, m.Interval = value, &interval
		}
	}
	return m
}

// alike returns how similar the last answers of a condition are. It is unknown until parley similarity has run, since
// no debate computes embeddings.
func (s study) alike(condition string) (m measured) {
	if s.Similarity == nil {
		return m
	}
	for _, c := range s.Similarity.Conditions {
		if c.Condition == condition && c.Last.N > 0 {
			m = measured{c.Last.N, c.Last.Similarity, c.Last.Interval, true}
		}
	}
	return m
}

// sameColumns are the columns of the numbers that are compared. comparePublished drops the last one for the terminal,
// which has no room for it: keep it last.
var sameColumns = []table.Column[pair]{
	table.Words("task", func(p pair) string { return p.Task }, "task"),
	table.Words("condition", func(p pair) string { return p.Condition }, "condition"),
	table.Words("measure", func(p pair) string { return p.Measure }, "measure"),
	{Name: "published", Left: true, Text: func(p pair) string { return publishedText(p.Number) },
		Note: func(p pair) string { return p.From }, Hint: func(p pair) string { return p.Model },
		Fields: []string{"published", "from"}, Values: func(p pair) []any { return []any{p.Value, p.From} }},
	{Name: "this run", Text: func(p pair) string { return p.Ours.text() }, Fields: []string{"ours"},
		Values: func(p pair) []any { return p.Ours.ifKnown(p.Ours.Value) }},
	{Name: "95 % interval", Text: func(p pair) string { return p.Ours.interval() }},
	{Name: "n", Text: func(p pair) string { return ifText(p.Ours.Known, wording.Comma(p.Ours.N)) },
		Fields: []string{"n"},
		Values: func(p pair) []any { return p.Ours.ifKnown(p.Ours.N) }},
	{Name: "difference",
		Text:   func(p pair) string { return ifText(p.Ours.Known, table.Signed(p.Ours.Value-p.Value)) },
		Fields: []string{"difference"}, Values: func(p pair) []any { return p.Ours.ifKnown(p.Ours.Value - p.Value) }},
	{Name: "published within our interval", Left: true, Text: pair.within},
}

// within says whether the published number lies in the interval of ours, "" if ours has none. The ends count as inside.
// publishedWithin counts these words, so that the sentence and the table cannot disagree.
func (p pair) within() string {
	i := p.Ours.Interval
	switch {
	case i == nil:
		return ""
	case i.Low <= p.Value && p.Value <= i.High:
		return "yes"
	}
	return "no"
}

// text shows a number that is not known as absent, never as 0: a condition that was not run is not one that failed.
func (m measured) text() string {
	if !m.Known {
		return table.Absent
	}
	return fmt.Sprintf("%.3f", m.Value)
}

// interval is empty where none is known.
func (m measured) interval() string {
	if m.Interval == nil {
		return ""
	}
	return between("%.3f", *m.Interval)
}

// ifKnown is the value in CSV and JSON, where an unknown one is missing, as in text.
func (m measured) ifKnown(value any) []any {
	if !m.Known {
		return nil
	}
	return []any{value}
}

// publishedText formats a published number, with its standard deviation if the paper gives one.
func publishedText(n experiment.Number) string {
	text := fmt.Sprintf("%.3f", n.Value)
	if n.Deviation != nil {
		text += fmt.Sprintf(" ± %.3f", *n.Deviation)
	}
	return text
}

// sideBySide has a row for each thing that is published, and a column for each model.
func sideBySide(numbers []pair) table.Table {
	type thing struct{ task, condition, measure string }
	var things []thing
	var models []string
	of := make(map[thing][]pair)
	for _, p := range numbers {
		t := thing{p.Task, p.Condition, p.Measure}
		if of[t] == nil {
			things = append(things, t)
		}
		of[t], models = append(of[t], p), appendNew(models, p.Model)
	}
	columns := []table.Column[thing]{
		table.Words("task", func(t thing) string { return t.task }),
		table.Words("condition", func(t thing) string { return t.condition }),
		table.Words("measure", func(t thing) string { return t.measure }),
		{Name: "this run", Left: true, Text: func(t thing) string { return of[t][0].Ours.text() },
			Note:   func(t thing) string { return of[t][0].Ours.interval() },
			Values: func(t thing) []any { return of[t][0].Ours.ifKnown(of[t][0].Ours.Value) }},
	}
	for _, model := range models {
		columns = append(columns, modelColumn(model, func(t thing) []pair { return of[t] }))
	}
	return table.New(columns, things)
}

// modelColumn returns a column with what is published for one model. Where a paper gives a number twice, the first one
// of the experiment's file is shown.
func modelColumn[T any](model string, numbers func(T) []pair) table.Column[T] {
	of := func(t T) []pair {
		return slices.DeleteFunc(slices.Clone(numbers(t)), func(p pair) bool { return p.Model != model })
	}
	return table.Column[T]{Name: model, Left: true,
		Text: func(t T) string {
			if p := of(t); len(p) > 0 {
				return publishedText(p[0].Number)
			}
			return ""
		},
		Note: func(t T) string {
			if p := of(t); len(p) > 0 {
				return p[0].From
			}
			return ""
		}}
}

// appendNew appends a text to a list unless the list has it. It keeps the order of first appearance, which a map would
// lose; the lists are short enough for a linear search.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// Published is an accuracy that a paper gives for a condition, from 0 to 1.
type Published struct {
	Condition string  `json:"condition"`
	Accuracy  float64 `json:"accuracy"`
}

// ReadPublished reads published numbers: CSV with the columns condition and accuracy, or a JSON list of objects with
// these fields.
func ReadPublished(text []byte) (numbers []Published, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &numbers)
	} else {
		numbers, err = readPublishedCSV(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("published numbers: %w", err)
	}
	for _, n := range numbers {
		// The condition is negated, because a NaN compares as false with both bounds.
		if !(n.Accuracy >= 0 && n.Accuracy <= 1) {
			return nil, fmt.Errorf("published numbers: accuracy %g of %q is not between 0 and 1", n.Accuracy,
				n.Condition)
		}
	}
	return numbers, nil
}

// readPublishedCSV reads columns by their names, so that tables with further columns can be used as they are. The
// reader refuses lines of unequal length, so no index is out of range.
func readPublishedCSV(r io.Reader) (numbers []Published, err error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("the file is empty")
	}
	condition, accuracy := slices.Index(records[0], "condition"), slices.Index(records[0], "accuracy")
	if condition < 0 || accuracy < 0 {
		return nil, fmt.Errorf("the first line is %q; it must name the columns condition and accuracy", records[0])
	}
	for _, record := range records[1:] {
		number, err := strconv.ParseFloat(record[accuracy], 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, Published{record[condition], number})
	}
	return numbers, nil
}
