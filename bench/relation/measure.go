package relation

import (
	"cmp"
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
)

// Measure is a number that debates have: an entry of the list in measures.go.
type Measure struct {
	Name   string // in experiments, contrasts, results and exports; it never changes its meaning
	Head   string // of its column
	Table  string // the title of the table that has this column
	Unit   Unit
	Format string // of its numbers in tables; with three decimals where it is empty
	Of     string // what it counts, such as agents
	Says   string // what it is, in a sentence of the table's caption
	None   string // why a debate, or all of a condition, may have none
	Source string // who defines it so
	Judged bool   // it takes which answers are right, so that it is unknown where the records do not tell that
	Better bool   // more of it is better
	// ByQuestion says that questions count alike, however much each of them adds.
	ByQuestion bool
	// OverRepeats says that the repeats of a question have one number together.
	OverRepeats bool
	// Optional says that a run has to ask for it: results of others do not name it.
	Optional bool
	// Tested says that zero is what chance alone would give: its table has p.
	Tested bool

	count func(Debate) Tally
}

// Unit is what the numbers of a measure are.
type Unit string

// The units of measures.
const (
	Share      Unit = "share"      // from 0 to 1
	Difference Unit = "difference" // of two shares, from -1 to 1
	Count      Unit = "count"      // from 0, without an upper bound
)

// bounds are the least and the largest number.
func (u Unit) bounds() (low, high float64) {
	switch u {
	case Share:
		return 0, 1
	case Difference:
		return -1, 1
	}
	return 0, math.Inf(1)
}

// Differences are the least and the largest difference of two such numbers.
func (u Unit) Differences() stat.Bounds {
	low, high := u.bounds()
	return stat.Bounds{Low: low - high, High: high - low}
}

// unmarked is why a measure is unknown.
const unmarked = "the records do not tell which answers are right"

// In is what a debate adds to the measure.
func (m Measure) In(d Debate) Tally {
	if m.Judged && !d.Marked() {
		return Tally{Unknown: true}
	}
	return m.count(d)
}

// Number is the measure of a debate by itself, where it has one.
func (m Measure) Number(d *outcome.Debate) (number float64, known bool) {
	return m.In(Of(d)).Number()
}

// Measures are the measures of debates: those that every task has, and the degrees that some tasks have.
func Measures() []Measure {
	all := slices.Clone(measures)
	for _, degree := range task.Degrees() {
		all = append(all, Measure{Name: degree, Head: degree, Table: InDebates, Unit: Share, Of: "debates",
			Better: true, ByQuestion: true,
			Says: degree + ": how right the decision is, by the degrees of the task's measure.",
			None: "the task's measure has no such degree", count: degreeOf(degree)})
	}
	return all
}

// MeasuresOf are those that debates have which are scored by the measure of a task.
func MeasuresOf(scoredBy string) []Measure {
	return slices.DeleteFunc(Measures(), func(m Measure) bool { return !HasMeasure(scoredBy, m.Name) })
}

// MeasureOf returns a measure by its name, one of MeasureNames.
func MeasureOf(name string) (m Measure, known bool) {
	all := Measures()
	i := slices.IndexFunc(all, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return m, false
	}
	return all[i], true
}

// MeasureNames lists the names of the measures of debates, sorted.
func MeasureNames() (names []string) {
	for _, m := range Measures() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// HasMeasure reports whether debates that are scored by the measure of a task have one of MeasureNames: a degree such
// as f1 belongs to some tasks alone.
func HasMeasure(scoredBy, name string) bool {
	return !slices.Contains(task.Degrees(), name) || task.Degree(scoredBy) == name
}

// Columns are those of the measures of a table, and says is what they are.
func Columns[T any](title string, values func(T) Values) (columns []table.Column[T], says string) {
	return columnsIf(values, func(m Measure) bool { return m.Table == title })
}

// Filled are Columns of the measures that some row has, without some of them.
func Filled[T any](title string, rows []T, values func(T) Values, without ...string) (columns []table.Column[T],
	says string) {
	return columnsIf(values, func(m Measure) bool {
		return m.Table == title && !slices.Contains(without, m.Name) &&
			slices.ContainsFunc(rows, func(r T) bool { return values(r)[m.Name].Number != nil })
	})
}

func columnsIf[T any](values func(T) Values, shown func(Measure) bool) (columns []table.Column[T], says string) {
	for _, m := range Measures() {
		if shown(m) {
			columns, says = append(columns, column(m, values)), says+" "+m.Says
			if m.Tested {
				columns = append(columns, tested(m, values))
			}
		}
	}
	return columns, says
}

// percent is the format of shares in percent.
const percent = "%.1f %%"

// Percent is a column of a measure by its name under another head, in percent.
func Percent[T any](head, name string, values func(T) Values) table.Column[T] {
	m, _ := MeasureOf(name)
	m.Head, m.Format = head, percent
	c := column(m, values)
	c.Fields = nil
	return c
}

// tested is the column of p beside a measure.
func tested[T any](m Measure, values func(T) Values) table.Column[T] {
	c := table.Decimals("p", func(r T) *float64 { return values(r)[m.Name].P })
	c.Fields = []string{m.Name + "_p"}
	return c
}

// column has the ends of intervals beside the numbers in CSV, and on the page where the pointer rests on a cell.
func column[T any](m Measure, values func(T) Values) table.Column[T] {
	value := func(r T) Value { return values(r)[m.Name] }
	return table.Column[T]{Name: m.Head, Fields: []string{m.Name, m.Name + "_low", m.Name + "_high"},
		Text: func(r T) string {
			switch x := value(r).Number; {
			case x == nil:
				return table.Absent
			case m.Format == percent:
				return table.Number(percent, 100**x)
			default:
				return table.Number(cmp.Or(m.Format, "%.3f"), *x)
			}
		},
		Values: func(r T) []any {
			if i := value(r).Interval; i != nil {
				return append(table.NumberValues(value(r).Number), i.Low, i.High)
			}
			return table.NumberValues(value(r).Number)
		},
		Hint: func(r T) string { return value(r).hint(m) }}
}
