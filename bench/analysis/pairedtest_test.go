package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// asked are outcomes: a string a question, with r for right and w for wrong in each repeat.
func asked(questions ...string) (outcomes []trial.Outcome) {
	for q, repeats := range questions {
		for repeat, mark := range repeats {
			o := trial.Outcome{Question: string(rune('a' + q)), Repeat: repeat, Score: task.Wrong}
			if mark == 'r' {
				o.Score = task.Right
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// TestContrastOnce is exact McNemar: six questions that one wins have 2 of 64 ways. Those that all fall differently
// find 0.927 with power 0.8, as 0.9635 to the sixth is 0.8.
func TestContrastOnce(t *testing.T) {
	got := pairedTest(asked("r", "r", "r", "r", "r", "r"), asked("w", "w", "w", "w", "w", "w", "r"))
	if got.Test != TestMcNemar || math.Abs(got.P-2.0/64) > 1e-12 || got.OnlyFirst != 6 || got.OnlySecond != 0 ||
		got.Difference != 1 {
		t.Errorf("asked once, 6 pairs in one direction are tested by McNemar with p 2/64: got %+v", got)
	}
	about(t, "detectable", got.Detectable, 0.927)
	if got := pairedTest(asked("r"), asked("w")); got.Detectable != nil || got.P != 1 {
		t.Errorf("one question has p 1 and no detectable difference: got %+v", got)
	}
	if got := pairedTest(asked("r"), nil); got != nil {
		t.Errorf("without a question in common there is no test: got %+v, want none", got)
	}
}

// TestContrastRepeats is worked by hand: the questions differ by 1, 1/2 and 0, and of the four ways to choose the signs
// of the first two, two are as far from zero.
func TestContrastRepeats(t *testing.T) {
	got := pairedTest(asked("rr", "rw", "ww"), asked("ww", "ww", "ww"))
	if got.Test != TestFlip || got.P != 0.5 || got.Difference != 0.5 || got.OnlyFirst != 2 || got.OnlySecond != 0 {
		t.Errorf("repeats are tested by flipping signs of their means, here with p 0.5: got %+v", got)
	}
	if i := got.Interval; i.Low > 0 || i.High < 0.7 || i.High > 1 {
		t.Errorf("the interval of few repeats is wide, from 0 or less to 0.7 or more: got %+v", i)
	}
	if got.Detectable != nil {
		t.Errorf("three questions find no difference, want nothing detectable: got %g", *got.Detectable)
	}
	ten := pairedTest(asked(slices.Repeat([]string{"rr", "ww"}, 5)...), asked(slices.Repeat([]string{"rw"}, 10)...))
	// the standard error is a sixth; noncentral t asks for 3.15 of them where the spread is known
	if d := ten.Detectable; d == nil || *d < 3.15/6 || *d > 3.6/6 {
		t.Errorf("10 repeats of 6 questions detect some 3.15/6 to 3.6/6: got %+v", ten)
	}
	// Who was held once is compared with the mean of the others' repeats.
	if got := pairedTest(asked("rw", "rr"), asked("r", "r")); got.Difference != -0.25 || got.Test != TestFlip {
		t.Errorf("the condition that is right less often has a negative difference, -0.25: got %+v", got)
	}
}

// TestSteadier: the first condition gets all questions right in all repeats, and the second most. So few questions do
// not tell a better condition from a steadier one, which may get some other questions right in no repeat, though all
// signs are alike; sixty do.
func TestSteadier(t *testing.T) {
	for n, found := range map[int]bool{8: false, 12: false, 20: false, 60: true} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			first, second := make([]string, n), make([]string, n)
			for i := range n {
				first[i], second[i] = strings.Repeat("r", 20), strings.Repeat("r", 16+i%3)+strings.Repeat("w", 4-i%3)
			}
			got := pairedTest(asked(first...), asked(second...))
			if got.OnlyFirst != n || (got.P <= 0.05) != found || (got.Interval.Low > 0) != found {
				t.Errorf("%d questions that differ are a difference with p up to 0.05 and an interval above 0 "+
					"(%t): got %+v", n, found, got)
			}
		})
	}
}

// TestPAndInterval: p is above 0.05 wherever the interval beside it holds zero.
func TestPAndInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 24).Draw(t, "questions"), rapid.IntRange(2, 6).Draw(t, "repeats")
		condition := func(name string) []trial.Outcome {
			texts := make([]string, n)
			for i := range texts {
				right := rapid.IntRange(0, m).Draw(t, name)
				texts[i] = strings.Repeat("r", right) + strings.Repeat("w", m-right)
			}
			return asked(texts...)
		}
		got := pairedTest(condition("first"), condition("second"))
		if got.Interval.Low <= 0 && got.Interval.High >= 0 && got.P <= 0.05 {
			t.Fatalf("an interval with 0 in it has p above 0.05: got %+v", got)
		}
		if got.P <= 0 || got.P > 1 {
			t.Fatalf("p is above 0 and at most 1: got %g", got.P)
		}
	})
}

// TestAdjust has p-values whose correction is known: 0.01, 0.03 and 0.04.
func TestAdjust(t *testing.T) {
	comparisons := []*Paired{{Paired: stat.Paired{P: 0.01}}, nil, {Paired: stat.Paired{P: 0.04}},
		{Paired: stat.Paired{P: 0.03}}}
	adjust(comparisons)
	for i, want := range map[int][2]float64{0: {0.03, 0.03}, 2: {0.06, 0.04}, 3: {0.06, 0.04}} {
		t.Run(fmt.Sprintf("p %g", comparisons[i].P), func(t *testing.T) {
			about(t, "Holm", &comparisons[i].Holm, want[0])
			about(t, "Benjamini and Hochberg", &comparisons[i].FalseDiscovery, want[1])
		})
	}
}

// TestContrastSample: of one question the repeats are paired, by their numbers, and the test is about them.
func TestContrastSample(t *testing.T) {
	got := pairedTest(asked(strings.Repeat("r", 39)+"w"), asked(strings.Repeat("rrrrrrrwww", 4)))
	if got.Test != TestSamples || got.Questions != 1 || got.OnlyFirst != 11 || got.OnlySecond != 0 || got.P > 0.01 ||
		math.Abs(got.Difference-0.275) > 1e-12 {
		t.Errorf("one question with many samples is tested as samples, difference 0.275 and p up to 0.01: got %+v",
			got)
	}
	if i := got.Interval; i.Low < 0.05 || i.High > 0.5 {
		t.Errorf("its interval is within 0.05 to 0.5: got %+v", i)
	}
	first, second := asked("rrw"), asked("wwr")
	if got := pairedTest([]trial.Outcome{first[2], first[0]},
		[]trial.Outcome{second[0], second[2]}); got.Difference != 0 ||
		got.OnlyFirst != 1 || got.OnlySecond != 1 {
		t.Errorf("samples in another order are the same: difference 0, one question for each side: got %+v", got)
	}
	once := pairedTest(asked(strings.Repeat("w", 50)), asked("r"))
	if once.Test != TestFisher || once.Difference != -1 || math.Abs(once.P-1.0/51) > 1e-9 || once.Interval.High > -0.1 {
		t.Errorf("a pool that was sampled once is tested by Fisher, with difference -1 and p 1/51: got %+v", once)
	}
}

// TestContrastFailures: what one of two conditions could not hold counts for neither.
func TestContrastFailures(t *testing.T) {
	a, b := asked("r", "r", "w", "r"), asked("w", "w", "w", "r")
	a[0].Score, b[3].Score = task.Failed, task.Failed
	if got := pairedTest(a, b); got.Questions != 2 || got.Difference != 0.5 || got.OnlyFirst != 1 {
		t.Errorf("failed debates are left out of pairs: 2 questions, 1 only of the first, difference 0.5: got %+v",
			got)
	}
	for i := range b {
		b[i].Score = task.Failed
	}
	if got := pairedTest(a, b); got != nil {
		t.Errorf("where no question was held by both there is no test: got %+v", got)
	}
	row := rowOf(trial.Condition{Name: "x"}, debatesOf(b))
	if row.N != 0 || row.Failed != 4 || row.Unparsed != 0 || row.Interval != (stat.Interval{Low: 0, High: 1}) {
		t.Errorf("failed debates are counted apart (4), and nothing is known of the accuracy: got %+v", row)
	}
}

// TestContrastAlike: three questions whose differences are all zero do not show that there is none.
func TestContrastAlike(t *testing.T) {
	for i, alike := range [][]trial.Outcome{asked("rr", "rr", "rr"), asked("rw", "rw", "rw"), asked("rr", "ww", "rw"),
		asked("rr", "rr", "ww")} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			got := pairedTest(alike, alike)
			if got.Difference != 0 || got.P != 1 || got.Interval.Low > -0.2 || got.Interval.High < 0.2 {
				t.Errorf("equal conditions have p 1 and an interval around 0: got %+v", got)
			}
		})
	}
}

// outcomesOf draws a table of outcomes: questions, repeats, and scores with failures.
func outcomesOf(t *rapid.T, condition string, questions, repeats int) (outcomes []trial.Outcome) {
	scores := []task.Score{task.Right, task.Right, task.Wrong, task.Wrong, task.Unparsed, task.Failed}
	for q := range questions {
		for repeat := range repeats {
			o := trial.Outcome{Question: fmt.Sprint("q", q), Repeat: repeat, Condition: condition,
				Score: rapid.SampledFrom(scores).Draw(t, "score")}
			if o.Score == task.Unparsed {
				o.Transcript.Rounds = make([][]debate.Turn, 1) // somebody spoke
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// TestTableProperties: whatever the outcomes, an accuracy and a difference are in their intervals, which have a width
// and are in their bounds; p is above 0 and at most 1; failures count as failures and nothing else; and the order of
// the outcomes decides nothing.
func TestTableProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		questions, repeats := rapid.SampledFrom([]int{1, 2, 3, 7, 21}).Draw(t,
			"questions"), rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "repeats")
		outcomes := append(outcomesOf(t, "mad", questions, repeats), outcomesOf(t, "vote", questions, repeats)...)
		c := Comparison{Run: spec.Run{Reference: "mad", Questions: questions}}
		conditions := []trial.Condition{{Name: "mad"}, {Name: "vote"}}
		c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
		failed := 0
		for _, r := range c.Rows {
			checkRow(t, r, questions*repeats)
			failed += r.Failed
		}
		if len(c.Failed) != failed {
			t.Fatalf("all failures that are counted are listed: got %d, want %d", len(c.Failed), failed)
		}
		shuffled := rapid.Permutation(outcomes).Draw(t, "order")
		other := Comparison{Run: spec.Run{Reference: "mad", Questions: questions}}
		other.Tabulate(conditions, outcome.NewTable(shuffled), nil)
		if diff := cmp.Diff(c.Rows, other.Rows, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Fatalf("the order of the debates changes no row (-want +got):\n%s", diff)
		}
		without := Comparison{Run: spec.Run{Reference: "mad", Questions: questions}}
		held := slices.DeleteFunc(slices.Clone(outcomes), trial.Outcome.Failed)
		without.Tabulate(conditions, outcome.NewTable(held), nil)
		for i, r := range without.Rows {
			if r.Accuracy != c.Rows[i].Accuracy || r.Interval != c.Rows[i].Interval || r.N != c.Rows[i].N ||
				r.Unparsed != c.Rows[i].Unparsed {
				t.Fatalf("failures leave accuracy, interval and counts of a row as they are: got %+v, without "+
					"failures %+v", c.Rows[i], r)
			}
		}
	})
}

func checkRow(t *rapid.T, r Row, debates int) {
	t.Helper()
	i := r.Interval
	if r.N+r.Failed != debates || r.Right+r.Unparsed > r.N || i.Low < 0 || i.High > 1 || i.High-i.Low < 0.01 ||
		i.Low > r.Accuracy || i.High < r.Accuracy {
		t.Fatalf("a row counts all %d debates, and its interval has a width and its accuracy in it: got %+v", debates,
			r)
	}
	p := r.Paired
	if p == nil {
		return
	}
	if i := p.Interval; !(p.P > 0 && p.P <= 1) || p.Holm < p.P || i.Low < -1 || i.High > 1 || i.High-i.Low < 0.01 ||
		i.Low > p.Difference+1e-9 || i.High < p.Difference-1e-9 {
		t.Fatalf("p is in (0, 1] and not above Holm's, and the interval has a width and the difference in it: got "+
			"%+v", *p)
	}
}

// TestOverRepeats is the deviation of the accuracies of repeats.
func TestOverRepeats(t *testing.T) {
	got := overRepeats(debatesOf(asked("rrw", "wrw")).Correct)
	if got.N != 3 || got.Mean != 0.5 || got.Deviation != 0.5 { // accuracies 1/2, 1 and 0
		t.Errorf("3 repeats have a mean and a deviation of 0.5: got %+v", got)
	}
	if overRepeats(debatesOf(asked("r", "w")).Correct) != nil {
		t.Error("one repeat has a deviation, want none")
	}
}

func pairedTest(first, second []trial.Outcome) *Paired {
	return PairedTest(debatesOf(first), debatesOf(second))
}

// TestNotComparedInVain: a condition whose agents never state the confidence that they are asked for is not compared
// with one that does without, whatever their accuracies, but by what its debates cost; both are if neither has any.
func TestNotComparedInVain(t *testing.T) {
	compared := func(asked ...bool) Comparison {
		var outcomes []trial.Outcome
		for q := range 40 {
			for i, condition := range []string{"mad", "sure", "other"} {
				turn := debate.Turn{Messages: []inference.Message{{Content: condition}}, Answer: answer.Of("a")}
				o := trial.Outcome{Question: fmt.Sprint(q), Condition: condition, Score: task.Right}
				if i > 0 {
					o.Score = task.Wrong
				}
				settings := debate.Settings{}
				if asked[i] {
					settings = settings.With("confidence", "asked")
				}
				o.Transcript.Settings, o.Transcript.Rounds = &settings, [][]debate.Turn{{turn}}
				outcomes = append(outcomes, o)
			}
		}
		contrasts, err := ReadContrasts([]string{"(mad, sure) - other", "mad - sure by calls"},
			[]string{"mad", "sure", "other"}, "equal", nil)
		if err != nil {
			t.Fatal(err)
		}
		c := Comparison{Run: spec.Run{Reference: "mad", Questions: 40}, Contrasts: contrasts}
		c.Tabulate([]trial.Condition{{Name: "mad"}, {Name: "sure"}, {Name: "other"}}, outcome.NewTable(outcomes), nil)
		return c
	}
	some := compared(false, true, false)
	const none = "0 of 40 confidences arrived"
	if r := some.Rows[1]; r.Paired != nil || r.Untested != none {
		t.Errorf("a row: %+v, %q, want none", r.Paired, r.Untested)
	}
	if r := some.Rows[2]; r.Paired == nil || r.Paired.Holm > 1e-6 {
		t.Errorf("a row beside it: %+v, want the only comparison", r.Paired)
	}
	if k := some.Contrasts[0]; k.Paired != nil || k.Untested != none {
		t.Errorf("a group: %+v, %q, want none", k.Paired, k.Untested)
	}
	if k := some.Contrasts[1]; strings.Contains(k.Untested, "arrived") {
		t.Errorf("a contrast of a condition that has its calls is tested by calls: got %q", k.Untested)
	}
	b := some.Document().String()
	const first = "No confidences arrived under sure (0 of 40)"
	if !strings.HasPrefix(b, first) {
		t.Errorf("the table begins with what is not compared, %q: got\n%s", first, b)
	}
	if all := compared(true, true, true); all.Rows[1].Paired == nil || all.Contrasts[0].Paired == nil {
		t.Errorf("where all conditions lack what is compared, they are compared with one another: got rows %+v",
			all.Rows)
	}
}

// TestNothingCompared: where nothing is compared, there are no columns of differences; CSV keeps their fields.
func TestNothingCompared(t *testing.T) {
	c := Comparison{Rows: []Row{{Condition: "mad", N: 1}, {Condition: "vote", N: 1}}}
	c.Reference = "mad"
	heads := func() (names string) {
		for _, h := range c.Table(true).Heads {
			names += h.Name + "; "
		}
		return names
	}
	if got := heads(); strings.Contains(got, "vs mad") || strings.Contains(got, "; p;") {
		t.Errorf("columns %s; want no difference and no p", got)
	}
	fields := strings.Join(c.Table(true).Records[0], " ")
	c.Rows[1].Paired = &Paired{Against: "mad"}
	if got := heads(); !strings.Contains(got, "vs mad; ") || !strings.Contains(got, "; p;") {
		t.Errorf("columns %s; want a difference and p", got)
	}
	if got := strings.Join(c.Table(true).Records[0], " "); got != fields {
		t.Errorf("fields of CSV %s; want %s", fields, got)
	}
}
