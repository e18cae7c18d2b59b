package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/table"
	"parley/bench/task"
)

// Pair names a condition of a first run and one of a second.
type Pair struct{ First, Second string }

// ParsePairs reads pairs such as "mad=madc" by the conditions of two runs; "mad" is "mad=mad". Names of swept
// conditions have an = of their own: a text is cut where both parts are conditions, and refused where there is more
// than one such place, or none.
func ParsePairs(texts []string, first, second Run) (pairs []Pair, err error) {
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

// waysToCut are the pairs of conditions that a text can be.
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

// Diff is two runs side by side.
type Diff struct {
	Headers []Difference `json:"headers"`
	Pairs   []PairDiff   `json:"conditions"`
}

// PairDiff compares two conditions on the questions that both runs have asked.
type PairDiff struct {
	First      string        `json:"first"`
	Second     string        `json:"second"`
	N          int           `json:"n"` // debates that both could hold: questions, times repeats
	Questions  int           `json:"questions"`
	Failed     [2]int        `json:"failed"`  // debates of both runs that failed in one, by run: they are left out
	OnlyIn     [2]int        `json:"only_in"` // debates that one run has and the other has not, by run
	Accuracy   [2]Accuracy   `json:"accuracy"`
	Difference float64       `json:"difference"` // second minus first
	Interval   stat.Interval `json:"interval"`   // of the difference
	// questions that only the second got right; with repeats, that it got right more often
	Gained  int       `json:"gained"`
	Lost    int       `json:"lost"` // likewise, the first
	P       float64   `json:"p"`    // two-sided, not corrected for other comparisons
	Test    string    `json:"test"` // which one gives P
	Changed []Changed `json:"changed"`
}

// Accuracy is that of one side.
type Accuracy struct {
	Right    int           `json:"right"`
	Unparsed int           `json:"unparsed"`
	Accuracy float64       `json:"accuracy"`
	Interval stat.Interval `json:"interval"`
}

// Changed is a question that only one side got right.
type Changed struct {
	Question string        `json:"question"`
	Repeat   int           `json:"repeat,omitempty"`
	Target   string        `json:"target"`
	Scores   [2]task.Score `json:"scores"`
	Answers  [2]string     `json:"answers"` // empty if nothing could be read
}

// CompareRuns pairs two runs by question. Without pairs, each condition that both have is compared with itself.
func CompareRuns(first, second Run, pairs []Pair) (Diff, error) {
	d := Diff{Headers: append([]Difference{}, first.Header.Differences(second.Header)...)}
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
	}
	return d, nil
}

func common(first, second []string) (pairs []Pair) {
	for _, name := range first {
		if slices.Contains(second, name) {
			pairs = append(pairs, Pair{name, name})
		}
	}
	return pairs
}

func (p Pair) compare(first, second Run) (PairDiff, error) {
	one, err := first.under(p.First)
	if err != nil {
		return PairDiff{}, fmt.Errorf("first run: %w", err)
	}
	other, err := second.under(p.Second)
	if err != nil {
		return PairDiff{}, fmt.Errorf("second run: %w", err)
	}
	a, b := paired(one, other)
	if len(a) == 0 {
		return PairDiff{}, fmt.Errorf("conditions %s and %s: the runs have no question in common, of %d and %d",
			p.First, p.Second, len(one), len(other))
	}
	d := PairDiff{First: p.First, Second: p.Second, OnlyIn: [2]int{len(one) - len(a), len(other) - len(a)},
		Failed: [2]int{len(failures(a)), len(failures(b))}, Changed: []Changed{}}
	if a, b = heldByBoth(a, b); len(a) == 0 {
		return d, fmt.Errorf("conditions %s and %s: no debate could be held in both runs; %d failed in the first, "+
			"%d in the second",
			p.First, p.Second, d.Failed[0], d.Failed[1])
	}
	d.N = len(a)
	for i := range a {
		if a[i].Target != b[i].Target {
			return d, fmt.Errorf("question %s has target %q in the first run and %q in the second: they are not the "+
				"same questions", a[i].Question, a[i].Target, b[i].Target)
		}
		if (a[i].Score == task.Right) != (b[i].Score == task.Right) {
			d.Changed = append(d.Changed, changed(a[i], b[i]))
		}
	}
	s := contrast(b, a)
	d.Accuracy = [2]Accuracy{accuracyOf(a), accuracyOf(b)}
	d.Difference, d.Interval, d.Gained, d.Lost = s.Difference, s.Interval, s.OnlyFirst, s.OnlySecond
	d.P, d.Test, d.Questions = s.P, s.Test, s.Questions
	return d, nil
}

// under are the outcomes of one condition.
func (r Run) under(condition string) (outcomes []Outcome, err error) {
	if !slices.Contains(r.Header.Conditions, condition) {
		return nil, fmt.Errorf("no condition %q; there are %s", condition, strings.Join(r.Header.Conditions, ", "))
	}
	for _, o := range r.Outcomes {
		if o.Condition == condition {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, nil
}

func changed(a, b Outcome) Changed {
	return Changed{a.Question, a.Repeat, a.Target, [2]task.Score{a.Score, b.Score},
		[2]string{a.Transcript.Decision.Answer.Text, b.Transcript.Decision.Answer.Text}}
}

func accuracyOf(outcomes []Outcome) Accuracy {
	var r Row
	for _, o := range outcomes {
		r.add(o)
	}
	accuracy, interval := marksOf(outcomes).accuracy()
	return Accuracy{r.Right, r.Unparsed, accuracy, interval}
}

// Write prints what the headers say differently, the table, and with list the questions that changed.
func (d Diff) Write(w io.Writer, list bool) error {
	out := ""
	for _, h := range d.Headers {
		out += fmt.Sprintf("%s: %v | %v\n", h.Name, h.First, h.Second)
	}
	if len(d.Headers) == 0 {
		out = "the headers say the same\n"
	}
	out += d.table() + fmt.Sprintf("\ndifference: second minus first on the same questions, with its 95 %% "+
		"interval; p: %s (two-sided, uncorrected);\ngained: right in the second alone, lost: right in the first "+
		"alone; unparsed is never right\n", d.tests())
	for _, p := range d.Pairs {
		if p.Failed != [2]int{} {
			out += fmt.Sprintf("%s: %s failed in the first run and %d in the second: what could not be held in both "+
				"is left out\n",
				p.name(), count(p.Failed[0], "debate"), p.Failed[1])
		}
		if p.Questions == 1 {
			out += fmt.Sprintf("%s: %s\n", p.name(), aboutSamples(p.N))
		}
		if p.OnlyIn != [2]int{} {
			out += fmt.Sprintf("%s: %d debates are in the first run alone, %d in the second alone, and are left out\n",
				p.name(), p.OnlyIn[0], p.OnlyIn[1])
		}
		for _, c := range p.Changed {
			if list {
				out += fmt.Sprintf("%s  %s: %s (%q), then %s (%q); right is %s\n", caseID(c.Question, c.Repeat),
					p.name(), c.Scores[0], c.Answers[0], c.Scores[1], c.Answers[1], c.Target)
			}
		}
	}
	_, err := io.WriteString(w, out)
	return err
}

// tests names those that give p.
func (d Diff) tests() string {
	// of one question it is McNemar's, of its repeats
	if slices.ContainsFunc(d.Pairs, func(p PairDiff) bool { return p.Test == TestFlip }) {
		return "permutation test on questions with their repeats"
	}
	// of one that was not asked equally often
	if slices.ContainsFunc(d.Pairs, func(p PairDiff) bool { return p.Test == TestFisher }) {
		return "exact test of McNemar, or of Fisher where repeats do not pair"
	}
	return "exact McNemar test"
}

func (d Diff) table() string {
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
		table.Right("difference", func(p PairDiff) string { return fmt.Sprintf("%+.3f", p.Difference) }),
		table.Right("95 % interval", func(p PairDiff) string {
			return fmt.Sprintf("%+.3f – %+.3f", p.Interval.Low, p.Interval.High)
		}),
		table.Right("p", func(p PairDiff) string { return probability(p.P) }),
		count("gained", func(p PairDiff) int { return p.Gained }),
		count("lost", func(p PairDiff) int { return p.Lost }),
	}, d.Pairs).Terminal()
}

func (p PairDiff) name() string {
	if p.First == p.Second {
		return p.First
	}
	return p.First + "=" + p.Second
}
