package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
)

// Pair names a condition of a first run and one of a second.
type Pair struct{ First, Second string }

// ParsePairs reads pairs such as "mad=madc", a condition of the first run and one of the second; "mad" is "mad=mad".
// The names of swept conditions contain "=" themselves, so a text is cut where both parts are conditions. It is refused
// if there is no such place, or more than one.
func ParsePairs(texts []string, first, second rundir.Run) (pairs []Pair, err error) {
	for _, text := range texts {
		ways := waysToCut(text, first.Header.Conditions, second.Header.Conditions)
		switch len(ways) {
		case 1:
			pairs = append(pairs, ways[0])
		case 0:
			const wrong = "conditions %q: name one of each run, as in mad=madc; the first run has %s, the second %s"
			return nil, fmt.Errorf(wrong, text, strings.Join(first.Header.Conditions, ", "),
				strings.Join(second.Header.Conditions, ", "))
		default:
			return nil, fmt.Errorf("conditions %q can be read as %s with %s and as %s with %s", text, ways[0].First,
				ways[0].Second, ways[1].First, ways[1].Second)
		}
	}
	return pairs, nil
}

// waysToCut returns the pairs of conditions that a text can mean.
func waysToCut(text string, first, second []string) (ways []Pair) {
	try := func(one, other string) {
		if slices.Contains(first, one) && slices.Contains(second, other) {
			ways = append(ways, Pair{one, other})
		}
	}
	try(text, text)
	for i, char := range text {
		if char == '=' {
			try(text[:i], text[i+1:])
		}
	}
	return ways
}

// Diff compares two runs.
type Diff struct {
	Headers []rundir.Difference `json:"headers"`
	Pairs   []PairDiff          `json:"conditions"`
}

// PairDiff compares two conditions on the questions that both runs have asked.
type PairDiff struct {
	First     string `json:"first"`
	Second    string `json:"second"`
	N         int    `json:"n"`         // debates that both runs held: questions times repeats
	Questions int    `json:"questions"` // of these debates
	// debates that both runs have and that failed, by run; they are left out
	Failed     [2]int               `json:"failed"`
	OnlyIn     [2]int               `json:"only_in"` // debates that only one run has, by run
	Accuracy   [2]analysis.Accuracy `json:"accuracy"`
	Difference float64              `json:"difference"` // second minus first
	Interval   stat.Interval        `json:"interval"`   // of the difference, 95 %
	// Gained counts the questions that only the second run got right or, with repeats, got right more often; Lost those
	// of the first run.
	Gained int     `json:"gained"`
	Lost   int     `json:"lost"`
	P      float64 `json:"p"`    // two-sided, not corrected for other comparisons
	Test   string  `json:"test"` // the test that gives P
	// Unmeasured is whether one of the runs did not measure the answers, or nobody was right in either.
	Unmeasured validity.Unmeasured `json:"unmeasured,omitempty"`
	Changed    []Changed           `json:"changed"`
}

// Changed is a debate that only one side decided rightly.
type Changed struct {
	Question string        `json:"question"`
	Repeat   int           `json:"repeat,omitempty"`
	Target   string        `json:"target"`
	Scores   [2]task.Score `json:"scores"`
	Answers  [2]string     `json:"answers"` // "" if unparsed
}

// CompareRuns pairs two runs by question and repeat. Without pairs, each condition of both runs is compared with
// itself.
func CompareRuns(first, second rundir.Run, pairs []Pair) (Diff, error) {
	d := Diff{Headers: append([]rundir.Difference{}, first.Header.Differences(second.Header)...)}
	if len(pairs) == 0 {
		pairs = common(first.Header.Conditions, second.Header.Conditions)
	}
	if len(pairs) == 0 {
		return d, fmt.Errorf("no condition is in both runs: the first has %s, the second %s; pair some with "+
			"--conditions a=b",
			strings.Join(first.Header.Conditions, ", "), strings.Join(second.Header.Conditions, ", "))
	}
	for _, p := range pairs {
		one, err := p.compare(first, second)
		if err != nil {
			return d, err
		}
		d.Pairs = append(d.Pairs, one)
		d.Headers = append(d.Headers, p.unlike(first, second)...)
	}
	return d, nil
}

// unlike lists in what two conditions of different names differ: what the headers say of conditions of one name is
// listed anyway.
func (p Pair) unlike(first, second rundir.Run) (differences []rundir.Difference) {
	if p.First == p.Second {
		return nil
	}
	name := p.First + "=" + p.Second
	for _, s := range spec.UnlikePair(name, first.Header.Run, p.First, second.Header.Run, p.Second) {
		differences = append(differences, rundir.Difference{Name: s.Name, First: s.Values[0], Second: s.Values[1]})
	}
	a, b := meaning(first, p.First), meaning(second, p.Second)
	if a != b {
		differences = append(differences, rundir.Difference{Name: name + ": meaning", First: a, Second: b})
	}
	return differences
}

// meaning is what a run says of a condition.
func meaning(r rundir.Run, condition string) string {
	for _, row := range r.Comparison.Rows {
		if row.Condition == condition {
			return row.Meaning
		}
	}
	return ""
}

// common pairs the conditions that both runs have.
func common(first, second []string) (pairs []Pair) {
	for _, name := range first {
		if slices.Contains(second, name) {
			pairs = append(pairs, Pair{name, name})
		}
	}
	return pairs
}

// compare pairs the debates of two conditions.
func (p Pair) compare(first, second rundir.Run) (PairDiff, error) {
	one, err := under(first, p.First)
	if err != nil {
		return PairDiff{}, fmt.Errorf("first run: %w", err)
	}
	other, err := under(second, p.Second)
	if err != nil {
		return PairDiff{}, fmt.Errorf("second run: %w", err)
	}
	a, b := outcome.SameCases(one, other)
	cases, all := len(a.All), [2]int{len(one.All), len(other.All)}
	if cases == 0 {
		return PairDiff{}, fmt.Errorf("conditions %s and %s: the runs have no question in common, of %d and %d",
			p.First, p.Second, all[0], all[1])
	}
	d := PairDiff{First: p.First, Second: p.Second, OnlyIn: [2]int{all[0] - cases, all[1] - cases},
		Failed: [2]int{cases - len(a.Held().All), cases - len(b.Held().All)}, Changed: []Changed{}}
	a, b = analysis.HeldByBoth(a, b)
	if d.N = len(a.All); d.N == 0 {
		return d, fmt.Errorf("conditions %s and %s: no debate could be held in both runs; %d failed in the first, "+
			"%d in the second",
			p.First, p.Second, d.Failed[0], d.Failed[1])
	}
	if d.Changed, err = changes(a.All, b.All); err != nil {
		return d, err
	}
	s := analysis.PairedTest(b, a)
	d.Accuracy = [2]analysis.Accuracy{analysis.AccuracyOf(a), analysis.AccuracyOf(b)}
	d.Difference, d.Interval, d.Gained, d.Lost = s.Difference, s.Interval, s.OnlyFirst, s.OnlySecond
	d.P, d.Test, d.Questions = s.P, s.Test, s.Questions
	d.Unmeasured = p.unmeasured(first.Comparison.Validity(), second.Comparison.Validity())
	return d, nil
}

// unmeasured is PairDiff.Unmeasured, by what two runs found.
func (p Pair) unmeasured(first, second validity.Finding) validity.Unmeasured {
	return validity.Unmeasured(!first.Measured(p.First) || !second.Measured(p.Second) ||
		first.NobodyIs && second.NobodyIs)
}

// under returns the debates of one condition of a run.
func under(r rundir.Run, condition string) (*outcome.Debates, error) {
	if !slices.Contains(r.Header.Conditions, condition) {
		return nil, fmt.Errorf("no condition %q; there are %s", condition, strings.Join(r.Header.Conditions, ", "))
	}
	return r.Table().Under(condition), nil
}

// changes returns the debates that only one side decided rightly. It refuses questions of one name with two targets.
func changes(a, b []*outcome.Debate) ([]Changed, error) {
	list := []Changed{}
	for i := range a {
		if a[i].Target != b[i].Target {
			return list, fmt.Errorf("question %s has target %q in the first run and %q in the second: they are not "+
				"the same questions", a[i].Question, a[i].Target, b[i].Target)
		}
		if (a[i].Score == task.Right) != (b[i].Score == task.Right) {
			list = append(list, changeOf(a[i], b[i]))
		}
	}
	return list, nil
}

func changeOf(a, b *outcome.Debate) Changed {
	return Changed{a.Question, a.Repeat, a.Target, [2]task.Score{a.Score, b.Score},
		[2]string{a.Transcript.Decision.Answer.Text, b.Transcript.Decision.Answer.Text}}
}

// Document is the differences of the headers, the table and, with list, the debates that changed.
func (d Diff) Document(list bool) table.Document {
	var above, out strings.Builder
	for _, h := range d.Headers {
		fmt.Fprintf(&above, "%s: %s | %s\n", h.Name, cmp.Or(fmt.Sprint(h.First), "–"),
			cmp.Or(fmt.Sprint(h.Second), "–"))
	}
	if len(d.Headers) == 0 {
		above.WriteString("the headers agree\n")
	}
	fmt.Fprintf(&out, "difference: second minus first on the same questions, with its 95 %% "+
		"interval; p: %s (two-sided, uncorrected);\ngained: right only in the second run, lost: right only in the "+
		"first; unparsed is never right\n", d.tests())
	for _, p := range d.Pairs {
		if p.Failed != [2]int{} {
			fmt.Fprintf(&out, "%s: %s failed in the first run and %d in the second; only debates held in both are "+
				"compared\n", p.name(), wording.Count(p.Failed[0], "debate"), p.Failed[1])
		}
		if p.Unmeasured {
			fmt.Fprintf(&out, "%s: no p, as the answers were not measured\n", p.name())
		}
		if p.Questions == 1 {
			fmt.Fprintf(&out, "%s: %s\n", p.name(), wording.AboutSamples(p.N))
		}
		if p.OnlyIn != [2]int{} {
			fmt.Fprintf(&out, "%s: left out: %s only in the first run, %d only in the second\n",
				p.name(), wording.Count(p.OnlyIn[0], "debate"), p.OnlyIn[1])
		}
		for _, c := range p.Changed {
			if list {
				fmt.Fprintf(&out, "%s  %s: %s (%q), then %s (%q); right is %s\n", trial.CaseID(c.Question, c.Repeat),
					p.name(), c.Scores[0], c.Answers[0], c.Scores[1], c.Answers[1], c.Target)
			}
		}
	}
	return table.Document{table.Text(above.String()), d.table(), table.Text(out.String())}
}

// tests names the tests that give p. A single question uses McNemar's test over its repeats, or Fisher's if it was not
// asked equally often on both sides.
func (d Diff) tests() string {
	if slices.ContainsFunc(d.Pairs, func(p PairDiff) bool { return p.Test == analysis.TestFlip }) {
		return "permutation test on questions with their repeats"
	}
	if slices.ContainsFunc(d.Pairs, func(p PairDiff) bool { return p.Test == analysis.TestFisher }) {
		return "exact test of McNemar, or of Fisher where repeats do not pair"
	}
	return "exact McNemar test"
}

func (d Diff) table() table.Table {
	accuracy := func(name string, run int) table.Column[PairDiff] {
		return table.Right(name, func(p PairDiff) string { return fmt.Sprintf("%.3f", p.Accuracy[run].Accuracy) })
	}
	count := func(name string, n func(PairDiff) int) table.Column[PairDiff] {
		return table.Right(name, func(p PairDiff) string { return fmt.Sprint(n(p)) })
	}
	return table.New([]table.Column[PairDiff]{
		table.Left("condition", PairDiff.name),
		count("n", func(p PairDiff) int { return p.N }),
		accuracy("first", 0), accuracy("second", 1),
		table.Right("difference", func(p PairDiff) string { return p.Unmeasured.Text(table.Signed(p.Difference)) }),
		table.Right("95 % interval", func(p PairDiff) string {
			return p.Unmeasured.Text(table.Span("%+.3f", p.Interval.Low, p.Interval.High))
		}),
		table.Right("p", func(p PairDiff) string { return p.Unmeasured.Probability(p.P) }),
		count("gained", func(p PairDiff) int { return p.Gained }),
		count("lost", func(p PairDiff) int { return p.Lost }),
	}, d.Pairs)
}

func (p PairDiff) name() string {
	if p.First == p.Second {
		return p.First
	}
	return p.First + "=" + p.Second
}
