package bench

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/bench/stat"
	"parley/bench/task"
)

// asked are outcomes: a string a question, with r for right and w for wrong in each repeat.
func asked(questions ...string) (outcomes []Outcome) {
	for q, repeats := range questions {
		for repeat, mark := range repeats {
			o := Outcome{Question: string(rune('a' + q)), Repeat: repeat, Score: task.Wrong}
			if mark == 'r' {
				o.Score = task.Right
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// TestContrastOnce is exact McNemar: six questions that one wins have 2 of 64 ways. Those that all fall differently find 0.927 with power
// 0.8, as 0.9635 to the sixth is 0.8.
func TestContrastOnce(t *testing.T) {
	got := contrast(asked("r", "r", "r", "r", "r", "r"), asked("w", "w", "w", "w", "w", "w", "r"))
	if got.Test != TestMcNemar || math.Abs(got.P-2.0/64) > 1e-12 || got.OnlyFirst != 6 || got.OnlySecond != 0 || got.Difference != 1 {
		t.Errorf("%+v", got)
	}
	about(t, "detectable", got.Detectable, 0.927)
	if got := contrast(asked("r"), asked("w")); got.Detectable != nil || got.P != 1 {
		t.Errorf("one question: %+v", got)
	}
	if got := contrast(asked("r"), nil); got != nil {
		t.Errorf("no question in common: %+v", got)
	}
}

// TestContrastRepeats is worked by hand: the questions differ by 1, 1/2 and 0, and of the four ways to choose the signs of the first two, two
// are as far from zero.
func TestContrastRepeats(t *testing.T) {
	got := contrast(asked("rr", "rw", "ww"), asked("ww", "ww", "ww"))
	if got.Test != TestFlip || got.P != 0.5 || got.Difference != 0.5 || got.OnlyFirst != 2 || got.OnlySecond != 0 {
		t.Errorf("%+v", got)
	}
	if i := got.Interval; i.Low < 0 || i.Low > 0.5 || i.High < 0.5 || i.High > 1 {
		t.Errorf("%+v", i)
	}
	about(t, "detectable", got.Detectable, (1.959963984540054+0.8416212335729143)*0.5/math.Sqrt(3)) // they deviate by 1/2
	one := contrast(asked("rr"), asked("ww"))
	if one.Interval != (stat.Interval{Low: -1, High: 1}) || one.P != 1 {
		t.Errorf("one question says nothing of others: %+v", one)
	}
	// Who was held once is compared with the mean of the others' repeats.
	if got := contrast(asked("rw", "rr"), asked("r", "r")); got.Difference != -0.25 || got.Test != TestFlip {
		t.Errorf("%+v", got)
	}
}

// TestAdjust has p-values whose correction is known: 0.01, 0.03 and 0.04.
func TestAdjust(t *testing.T) {
	rows := []Row{{Paired: &Paired{Paired: stat.Paired{P: 0.01}}}, {}, {Paired: &Paired{Paired: stat.Paired{P: 0.04}}}, {Paired: &Paired{Paired: stat.Paired{P: 0.03}}}}
	adjust(rows)
	for i, want := range map[int][2]float64{0: {0.03, 0.03}, 2: {0.06, 0.04}, 3: {0.06, 0.04}} {
		about(t, "Holm", &rows[i].Paired.Holm, want[0])
		about(t, "Benjamini and Hochberg", &rows[i].Paired.FalseDiscovery, want[1])
	}
}

// TestIntervals: repeats do not make questions more, and where all questions are alike they are as one.
func TestIntervals(t *testing.T) {
	if got := marksOf(asked("r", "r", "w", "r")).interval(); got != stat.Wilson(3, 4, level) {
		t.Errorf("%+v", got)
	}
	for _, same := range [][]Outcome{asked("rrrr", "rrrr", "rrrr"), asked("rrrr")} {
		n := len(marksOf(same).questions)
		if got := marksOf(same).interval(); got != stat.Wilson(n, n, level) {
			t.Errorf("%d questions, four times right: %+v", n, got)
		}
	}
	once, often := marksOf(asked("r", "r", "w", "w")).interval(), marksOf(asked("rrrr", "rrrr", "wwww", "wwww")).interval()
	if often.High-often.Low < once.High-once.Low {
		t.Errorf("repeats that all agree made %+v of %+v", often, once)
	}
	got := overRepeats(asked("rrw", "wrw"))
	if got.N != 3 || got.Mean != 0.5 || got.Deviation != 0.5 { // accuracies 1/2, 1 and 0
		t.Errorf("%+v", got)
	}
	if overRepeats(asked("r", "w")) != nil {
		t.Error("one repeat deviates")
	}
}

// TestRepeatsEverywhere holds a run of three repeats and reads it back: the result, its recount, the tables and a run against itself agree.
func TestRepeatsEverywhere(t *testing.T) {
	questions, conditions := setup(t, 3, 2)
	questions = questions.Subset(6, 1)
	conditions, err := Select(conditions, []string{"single", "vote", "madc"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run")
	if err := recordIn(t, path, Options{Task: questions, Conditions: conditions, Repeats: 3, Engine: crowd(questions)}); err != nil {
		t.Fatal(err)
	}
	run, err := ReadRun(path)
	if err != nil || !run.Finished || len(run.Outcomes) != 6*3*4 {
		t.Fatalf("%d outcomes, finished: %t, %v", len(run.Outcomes), run.Finished, err)
	}
	single := row(t, run.Comparison, "single")
	if single.N != 18 || single.Repeats.N != 3 || single.Paired.Test != TestFlip || math.Abs(single.Repeats.Mean-single.Accuracy) > 1e-12 {
		t.Errorf("%+v, repeats %+v, against the reference %+v", single, single.Repeats, single.Paired)
	}
	again, err := run.Score(Rescoring{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run.Comparison.Rows, again.Rows); diff != "" {
		t.Error(diff)
	}
	d, err := CompareRuns(run, run, []Pair{{"mad", "single"}})
	if p := d.Pairs[0]; err != nil || p.N != 18 || p.Test != TestFlip || p.P != single.Paired.P || p.Difference != single.Paired.Difference || p.OnlyIn != [2]int{} {
		t.Errorf("%+v, %v; the table has %+v", p, err, single.Paired)
	}
	changed := make(map[string]bool)
	for _, c := range d.Pairs[0].Changed {
		changed[caseID(c.Question, c.Repeat)] = true
	}
	if len(changed) != len(d.Pairs[0].Changed) || len(changed) <= d.Pairs[0].Lost {
		t.Errorf("%d cases changed in %d places, %d questions are lost", len(changed), len(d.Pairs[0].Changed), d.Pairs[0].Lost)
	}
	_, decisions, err := run.Tables()
	if err != nil || decisions[4].Repeat != 1 || decisions[4].Question != decisions[0].Question {
		t.Errorf("%+v, %v", decisions[4], err)
	}
}
