package pairs

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// tooMany reports whether more of some tests find what is not there than 6 % and chance explain.
func tooMany(found, tests int) bool {
	n := float64(tests)
	return float64(found) > 0.06*n+4*math.Sqrt(0.06*0.94*n)
}

// TestAgreesWithStatsmodels compares with tools/fixtures/statistics.py.
func TestAgreesWithStatsmodels(t *testing.T) {
	data := datatest.Read(t, "testdata/reference.json")
	var reference struct {
		TOST []struct {
			First, Second []float64
			Low, High     float64
			Above, Below  [2]float64 // t and p
			Degrees       float64
		}
		Tango []struct {
			OnlyFirst  int `json:"only_first"`
			OnlySecond int `json:"only_second"`
			N          int
			Low, High  float64
			PLow       float64 `json:"p_low"`
			PHigh      float64 `json:"p_high"`
		}
		Repeats []struct {
			Scores          [][]float64
			Within, Between float64
		}
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	for _, c := range reference.TOST {
		got := TOST(minus(c.First, c.Second), nil, anything, stat.Bounds{Low: c.Low, High: c.High})
		agree(t, "above the lower bound", got.Low, c.Above[1])
		agree(t, "below the upper bound", got.High, c.Below[1])
	}
	for _, c := range reference.Tango {
		got := Tango(c.OnlyFirst, c.OnlySecond, c.N, stat.Bounds{Low: c.Low, High: c.High})
		if math.Abs(got.Low-c.PLow) > 1e-7 || math.Abs(got.High-c.PHigh) > 1e-7 { // the minimum is no closer
			t.Errorf("%+v: the interval of statsmodels is %g to %g, got %+v", c, c.PLow, c.PHigh, got)
		}
	}
	for _, c := range reference.Repeats {
		got, err := SplitVariance(c.Scores)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, "within", got.Within, c.Within)
		agree(t, "between", got.Between, c.Between)
	}
}

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

var tenth, anything = stat.Bounds{Low: -0.1, High: 0.1}, stat.Bounds{Low: -100, High: 100}

func minus(first, second []float64) []float64 {
	differences := make([]float64, len(first))
	for i := range first {
		differences[i] = first[i] - second[i]
	}
	return differences
}

// TestVerdicts: the 90 % interval and the p-values say the same, in either of the two tests.
func TestVerdicts(t *testing.T) {
	random, verdicts := rand.New(rand.NewPCG(1, 9)), map[string]int{}
	for i := range 400 {
		n := 10 + i
		var differences []float64
		onlyFirst, onlySecond := 0, 0
		for range n {
			differences = append(differences, 0.3*random.NormFloat64()+float64(i%5-2)*0.05)
			switch chance := random.Float64(); {
			case chance < 0.05+float64(i%3)*0.04:
				onlyFirst++
			case chance > 0.9+float64(i%2)*0.05:
				onlySecond++
			}
		}
		score := Tango(onlyFirst, onlySecond, n, tenth)
		for _, e := range []Equivalence{score, TOST(differences, nil, anything, tenth)} {
			want := NotShown
			switch {
			case e.Interval.Low > -0.1 && e.Interval.High < 0.1:
				want = Equivalent
			case e.Interval.Low > -0.1:
				want = NotInferior
			}
			if e.Verdict != want {
				t.Errorf("%+v: want %s", e, want)
			}
			verdicts[e.Verdict]++
		}
	}
	if len(verdicts) != 3 {
		t.Errorf("all 3 verdicts are met: got %v", verdicts)
	}
}

// TestTangoInvariance: with the conditions changed, the test is its mirror image, and the interval holds the
// difference.
func TestTangoInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "questions")
		first := rapid.IntRange(0, n).Draw(t, "only first")
		second := rapid.IntRange(0, n-first).Draw(t, "only second")
		e, turned := Tango(first, second, n, tenth), Tango(second, first, n, tenth)
		if math.Abs(e.Low-turned.High) > 1e-9 || math.Abs(e.Interval.Low+turned.Interval.High) > 1e-9 {
			t.Errorf("the sides exchanged turn an equivalence round: got %+v, and turned %+v", e, turned)
		}
		if d := float64(first-second) / float64(n); e.Interval.Low > d+1e-9 || e.Interval.High < d-1e-9 ||
			e.Interval.High-e.Interval.Low < 1e-3 || !(e.Low >= 0 && e.Low <= 1) {
			t.Errorf("the interval has the difference %g in it, has a width, and is of a p from 0 to 1: got %+v", d, e)
		}
	})
}

// TestEquivalenceIsFoundWronglySeldom: where one condition is right on 0.1 fewer questions, which is just not
// equivalent, Tango finds that it is not inferior in at most about 5 % of the samples, t more often.
func TestEquivalenceIsFoundWronglySeldom(t *testing.T) {
	const samples, questions = 1000, 50
	random := rand.New(rand.NewPCG(2, 2))
	for _, both := range []float64{0, 0.1} {
		// both is the share of questions that come out differently besides, either way
		t.Run(fmt.Sprint(both), func(t *testing.T) {
			byScore, byT := 0, 0
			for range samples {
				differences := make([]float64, questions)
				var only [2]int
				for q := range differences {
					switch chance := random.Float64(); {
					case chance < 0.1+both/2:
						differences[q] = -1
						only[1]++
					case chance < 0.1+both:
						differences[q] = 1
						only[0]++
					}
				}
				if Tango(only[0], only[1], questions, tenth).Low <= 0.05 {
					byScore++
				}
				if TOST(differences, nil, stat.Bounds{Low: -1, High: 1}, tenth).Low <= 0.05 {
					byT++
				}
			}
			t.Logf("of %d: %d by score, %d by t", samples, byScore, byT)
			if byScore > 70 || byT < byScore {
				t.Errorf("of %d tests at most 70 find an equivalence that is none by score, and no fewer by t: "+
					"got %d and %d", samples, byScore, byT)
			}
		})
	}
}

// TestTangoOfFew: of two to nine questions, the chance to show that a difference is above a bound which it is at is at
// most 5 %, whatever else comes out differently. Three that come out alike were said to differ by less than 0.5.
func TestTangoOfFew(t *testing.T) {
	most := 0.0
	for n := 1; n < fewPairs; n++ {
		for _, bound := range []float64{0.1, 0.3, 0.5, 0.6, 0.8} {
			var shown [][2]int
			for a := range n + 1 {
				for b := range n + 1 - a {
					e := Tango(a, b, n, stat.Bounds{Low: -bound, High: bound})
					if e.Low <= equivalenceAlpha {
						shown = append(shown, [2]int{a, b})
					}
					if (e.Low <= equivalenceAlpha) != (e.Interval.Low >= -bound-1e-9) {
						t.Errorf("%d and %d of %d: p is at most %g just where the interval keeps above the bound "+
							"%g: got %+v", a, b, n, equivalenceAlpha, -bound, e)
					}
				}
			}
			for i := range 8 {
				size, chance := 0.0, (1-bound)/2*float64(i)/8 // that only the first is right
				for _, x := range shown {
					size += float64(combin.Binomial(n, x[0])*combin.Binomial(n-x[0], x[1])) *
						math.Pow(chance, float64(x[0])) * math.Pow(chance+bound, float64(x[1])) *
						math.Pow(1-bound-2*chance, float64(n-x[0]-x[1]))
				}
				if most = math.Max(most, size); size > 0.055 {
					t.Errorf("%d questions, bound %g: %.3f; want at most 0.055", n, bound, size)
				}
			}
		}
	}
	if most < 0.03 {
		t.Errorf("at most %.3f: nothing is ever shown, want at least 0.03", most)
	}
}

// TestEqualAnswers: that all questions come out alike shows equivalence only from as many questions on that others
// would have been met, by either test, and the interval says so too.
func TestEqualAnswers(t *testing.T) {
	for questions, want := range map[int]string{0: NotShown, 10: NotShown, 100: Equivalent} {
		t.Run(fmt.Sprint(questions), func(t *testing.T) {
			if got := Tango(0, 0, questions, tenth); got.Verdict != want {
				t.Errorf("%d questions: %+v, want %s", questions, got, want)
			}
			got := TOST(make([]float64, questions), nil, stat.Bounds{Low: -1, High: 1}, tenth)
			if got.Verdict != want || got.Interval.Low > -0.1 != (want == Equivalent) || !(got.Interval.Low < 0) {
				t.Errorf("%d questions: %+v, want %s", questions, got, want)
			}
			for i := range 200 { // the p that is 0.05 is that at which the interval reaches the bound
				bounds := stat.Bounds{Low: -0.005 * float64(i+1), High: 1}
				e := TOST(make([]float64, questions), nil, stat.Bounds{Low: -1, High: 1}, bounds)
				if (e.Low <= 0.05) != (e.Interval.Low >= bounds.Low) && questions > 1 {
					t.Errorf("p of %d questions is at most 0.05 just where the interval keeps within %g: got %+v",
						questions, bounds.Low, e)
				}
			}
		})
	}
}

func TestCannotBeCompared(t *testing.T) {
	nan := math.NaN()
	split := func(scores [][]float64) error { _, err := SplitVariance(scores); return err }
	repeats := func(first, second [][]float64) error {
		_, err := CompareRepeats(first, second, nil, stat.Bounds{Low: -4, High: 4}, 100, 1, 0.95)
		return err
	}
	groups := func(differences ...[]float64) error {
		var tasks []Task
		for _, d := range differences {
			tasks = append(tasks, taskOf(d...))
		}
		_, err := CompareGroups(tasks, shares, EqualTasks, 100, 1, 0.95)
		return err
	}
	good := [][]float64{{1, 2}, {3, 4}}
	for want, err := range map[string]error{
		"0 questions":                                    split(nil),
		"1 questions":                                    split([][]float64{{1, 0}}),
		"question 2 has no scores":                       split([][]float64{{1, 0}, {}}),
		"question 1 has the score NaN":                   split([][]float64{{nan}, {1}}),
		"no question was asked twice":                    split([][]float64{{1}, {1}}),
		"1 questions cannot be compared with 2":          repeats(good[:1], good),
		"1 questions cannot be compared with 1":          repeats(good[:1], good[:1]),
		"second condition: question 2 has 1 repeats":     repeats(good, [][]float64{{1, 2}, {1}}),
		"question 2 differs by 9":                        repeats([][]float64{{1}, {9}}, [][]float64{{1}, {0}}),
		"first condition: question 2 has the score -Inf": repeats([][]float64{{1, 2}, {1, math.Inf(-1)}}, good),
		"there is no task":                               groups(),
		"task 2 has 1 questions":                         groups([]float64{0, 1}, []float64{1}),
		"task 1, question 2: a difference of NaN":        groups([]float64{0, nan}),
		"task 1, question 1: a difference of 2":          groups([]float64{2, 0}),
	} {
		t.Run(want, func(t *testing.T) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("what cannot be compared is refused with %q: got %v", want, err)
			}
		})
	}
}

// TestSplitVariance: the variance of scores is split into that between questions and that within them.
func TestSplitVariance(t *testing.T) {
	v, err := SplitVariance([][]float64{{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}})
	if err != nil || v.Within != 0 {
		t.Fatalf("questions that are always right or always wrong have no variance within them: got %+v, %v", v, err)
	}
	agree(t, "between", v.Between, 1./3)
	agree(t, "error", v.Error(100), math.Sqrt(1./12))
	if v, err = SplitVariance([][]float64{{1, 0}, {0, 1}, {1, 0}}); err != nil || v.Between != 0 || v.Error(4) !=
		v.Error(1)/2 {
		t.Errorf("questions that are alike have no variance between them, and half the error with 4 times the "+
			"repeats: got %+v, %v", v, err)
	}
}

// TestErrorOfRepeats: the standard error for other numbers of repeats is that of runs that have as many.
func TestErrorOfRepeats(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const questions, runs = 60, 600
	chances := func() (list []float64) {
		for range questions {
			list = append(list, random.Float64())
		}
		return list
	}
	ask := func(chances []float64, repeats int) (scores [][]float64) {
		for _, c := range chances {
			row := make([]float64, repeats)
			for r := range row {
				if random.Float64() < c {
					row[r] = 1
				}
			}
			scores = append(scores, row)
		}
		return scores
	}
	expected := 0.0
	for range 50 {
		v, err := SplitVariance(ask(chances(), 3))
		if err != nil {
			t.Fatal(err)
		}
		expected += v.Error(8) / 50
	}
	var means []float64
	for range runs {
		total := 0.0
		for _, row := range ask(chances(), 8) {
			total += stat.Mean(row) / questions
		}
		means = append(means, total)
	}
	if got := stat.Seeds(means, 0.95).Deviation; math.Abs(got/expected-1) > 0.08 {
		t.Errorf("runs of 8 repeats deviate by %g, those of 3 expect %g", got, expected)
	}
}

// TestCompareRepeats: the difference of two conditions is that of their means over repeats.
func TestCompareRepeats(t *testing.T) {
	first := [][]float64{{1, 2, 3}, {2, 3, 4}, {0, 1, 2}}
	second := [][]float64{{1}, {1}, {1}}
	got, err := CompareRepeats(first, second, nil, stat.Bounds{Low: -4, High: 4}, 100, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if got.Difference != 1 || got.Second != nil || got.First == nil || got.First.Mean != 2 || got.First.Deviation != 1 {
		t.Errorf("repeats of the first condition vary (mean 2, deviation 1), the other has one, and the difference "+
			"is 1: got %+v", got)
	}
	agree(t, "p", got.P, 0.5)              // of the signs of 1 and 2, with a 0
	missed := stat.Wilson(0, 3, 0.95).High // of three questions, more than half
	agree(t, "low", got.Interval.Low, 1-5*missed)
	agree(t, "high", got.Interval.High, stat.Seeds([]float64{1, 2, 0}, 0.95).Interval.High)
	half := [][]float64{{0.5}, {0.5}, {0.5}}
	alike, err := CompareRepeats(half, second, nil, stat.Bounds{Low: -1, High: 1}, 100, 1, 0.95)
	if err != nil || math.Abs(alike.Interval.Low-(-0.5-0.5*missed)) > 1e-9 ||
		math.Abs(alike.Interval.High-(-0.5+1.5*missed)) > 1e-9 {
		t.Errorf("the interval of questions that differ alike is %g to %g: got %+v, %v",
			-0.5-0.5*missed, -0.5+1.5*missed, alike, err)
	}
}

// TestSteadyRepeats: of two conditions whose entropies are equal on average, one the same in all repeats of a question
// and one that differs between them, at most about 5 % of the tests find a difference, with few questions and many
// repeats; t finds a quarter. A difference that is there is found.
func TestSteadyRepeats(t *testing.T) {
	samples := 250
	if soak.On() {
		samples = 10_000
	}
	most := math.Log2(3)
	random := rand.New(rand.NewPCG(8, 3))
	draw := func(questions, repeats int, value float64, often float64, steady bool) (list [][]float64) {
		for range questions {
			row, always := make([]float64, repeats), random.Float64() < often
			for r := range row {
				if steady && always || !steady && random.Float64() < often {
					row[r] = value
				}
			}
			list = append(list, row)
		}
		return list
	}
	for _, c := range []struct {
		questions, repeats int
		value, often       float64
		off                float64 // by how much less often under the second condition
	}{{5, 20, most, 0.15, 0}, {8, 20, most, 0.15, 0}, {8, 20, 0.918, 0.85, 0}, {12, 20, 0.918, 0.9, 0},
		{20, 20, most, 0.05, 0}, {40, 2, most, 0.5, 0}, {40, 20, most, 0.7, 0.5}} {
		found, byT := 0, 0
		for range samples {
			first, second := draw(c.questions, c.repeats, c.value, c.often, true), draw(c.questions, c.repeats, c.value,
				c.often-c.off, false)
			d, err := CompareRepeats(first, second, nil, stat.Bounds{Low: -most, High: most}, 200, 1, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if d.P <= 0.05 {
				found++
			}
			var differences []float64
			for q := range first {
				differences = append(differences, stat.Mean(first[q])-stat.Mean(second[q]))
			}
			if i := stat.Seeds(differences, 0.95).Interval; i.Low > 0 || i.High < 0 {
				byT++
			}
			if outside := d.Interval.Low > 0 || d.Interval.High < 0; d.P <= 0.05 && !outside {
				t.Fatalf("p %g is at most 0.05, so that the interval leaves out 0: got %+v", d.P, d.Interval)
			}
		}
		t.Logf("%+v: of %d, %d are found, %d by t", c, samples, found, byT)
		if c.off == 0 && tooMany(found, samples) || c.off > 0 && found < samples*9/10 {
			t.Errorf("%+v: a difference is found in 0.9 of tests or more, and one that is none in 0.05: got %d "+
				"of %d", c, found, samples)
		}
	}
}

// taskOf has differences as if each were one of marks, with the t interval of their mean.
func taskOf(differences ...float64) Task {
	return Task{Differences: differences, At: func(level float64) stat.Interval {
		return stat.Bounded(differences, -1, 1, level)
	}}
}

// TestCompareGroups is worked by hand: tasks of unlike sizes, and both weightings.
var shares = stat.Bounds{Low: -1, High: 1}

// TestCompareGroups: a difference over several tasks is a weighted mean, with an interval as skewed as those of the
// tasks.
func TestCompareGroups(t *testing.T) {
	tasks := []Task{taskOf(1, 0), taskOf(-0.5, 0, 0, -0.5)}
	byTask, err := CompareGroups(tasks, shares, EqualTasks, 2000, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	byQuestion, err := CompareGroups(tasks, shares, EqualQuestions, 2000, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "by task", byTask.Estimate, (0.5-0.25)/2)
	agree(t, "by question", byQuestion.Estimate, 0)
	// of the signs of 1/4, -1/16 and -1/16, six of eight leave the sum as far from zero as 1/8
	agree(t, "p by task", byTask.P, 1)
	same, err := CompareGroups([]Task{taskOf(0.2, 0.2), taskOf(0.2, 0.2, 0.2)}, shares, EqualTasks, 100, 1, 0.95)
	if err != nil || !(same.Interval.Low < 0 && same.Interval.High > 0.4) {
		t.Errorf("the interval of differences that are all alike has a width, from below 0 to above 0.4: got "+
			"%+v, %v", same, err)
	}
	skewed := Task{Differences: []float64{0.2, 0.2, 0.2, 0.2}, At: func(level float64) stat.Interval {
		return stat.Interval{Low: 0.2 - level, High: 0.2 + level/10} // leaves out zero at levels below 0.2
	}}
	// halves of two distances are their root's half: zero is left out below a level of 0.2 √2
	if got, err := CompareGroups([]Task{skewed, skewed}, shares, EqualTasks, 100, 1, 0.95); err != nil ||
		math.Abs(got.P-(1-0.2*math.Sqrt2)) > 1e-6 ||
		math.Abs(got.Interval.Low-(0.2-0.95/math.Sqrt2)) > 1e-9 ||
		math.Abs(got.Interval.High-(0.2+0.095/math.Sqrt2)) > 1e-9 {
		t.Errorf("two skewed tasks have p %g and the interval %g to %g: got %+v, %v",
			1-0.2*math.Sqrt2, 0.2-0.95/math.Sqrt2, 0.2+0.095/math.Sqrt2, got, err)
	} else {
		// the ends are 0.2 - level/√2 and 0.2 + level/(10 √2), and each p half of 1 - level
		near := got.Equivalence(stat.Bounds{Low: -0.25, High: 0.25})
		agree(t, "p of the lower bound", near.Low, (1-0.45*math.Sqrt2)/2)
		agree(t, "p of the upper bound", near.High, (1-0.5*math.Sqrt2)/2)
		agree(t, "90 % interval", near.Interval.Low, 0.2-0.9/math.Sqrt2)
		far := got.Equivalence(stat.Bounds{Low: -0.5, High: 0.5})
		if agree(t, "p of a far bound", far.Low, (1-0.7*math.Sqrt2)/2); near.Verdict != NotShown ||
			far.Verdict != Equivalent {
			t.Errorf("%+v and %+v, want not shown within ±0.25, and equivalent within ±0.5", near, far)
		}
	}
}

// asked are questions whose chances have a mean: each is always right or always wrong if they are steady.
func asked(random *rand.Rand, questions, repeats int, mean float64, steady bool) (list []stat.Asked) {
	for range questions {
		q := stat.Asked{Times: repeats}
		certain := random.Float64() < mean
		for range repeats {
			if steady && certain || !steady && random.Float64() < mean {
				q.Right++
			}
		}
		list = append(list, q)
	}
	return list
}

func taskBetween(first, second []stat.Asked) (t Task) {
	for i := range first {
		t.Differences = append(t.Differences, stat.Share(first[i].Right, first[i].Times)-
			stat.Share(second[i].Right, second[i].Times))
	}
	_, t.At = stat.DifferenceAt(first, second)
	return t
}

// TestCompareGroupsInvariance: neither the order of tasks nor that of questions nor which group is called the first
// change the test, and the interval holds the estimate.
func TestCompareGroupsInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]stat.Asked {
			times := rapid.IntRange(1, 3).Draw(t, "times")
			right := rapid.IntRange(0, times)
			return [2]stat.Asked{{Right: right.Draw(t, "first"), Times: times},
				{Right: right.Draw(t, "second"), Times: times}}
		}), 2, 6)
		drawn := rapid.SliceOfN(counts, 1, 3).Draw(t, "tasks")
		w := rapid.SampledFrom([]Weighting{EqualTasks, EqualQuestions}).Draw(t, "weighting")
		compare := func(turned bool) GroupDifference {
			var tasks []Task
			for _, task := range drawn {
				var sides [2][]stat.Asked
				for _, q := range task {
					sides[0], sides[1] = append(sides[0], q[0]), append(sides[1], q[1])
				}
				if turned {
					slices.Reverse(sides[0])
					slices.Reverse(sides[1])
					sides[0], sides[1] = sides[1], sides[0]
				}
				tasks = append(tasks, taskBetween(sides[0], sides[1]))
			}
			if turned {
				slices.Reverse(tasks)
			}
			d, err := CompareGroups(tasks, shares, w, 200, 1, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		one, other := compare(false), compare(true)
		if math.Abs(one.Estimate+other.Estimate) > 1e-12 || math.Abs(one.P-other.P) > 1e-6 ||
			math.Abs(one.Interval.Low+other.Interval.High) > 1e-9 {
			t.Errorf("the sides exchanged turn estimate and interval round and keep p: got %+v, and turned %+v",
				one, other)
		}
		if i := one.Interval; !(i.Low <= one.Estimate+1e-9 && one.Estimate-1e-9 <= i.High && i.Low < i.High) ||
			one.P <= 0 || one.P < 0.05 && i.Low <= 0 && i.High >= 0 {
			t.Errorf("the interval has the estimate in it, and 0 only where p is at least 0.05: got %+v", one)
		}
	})
}

// TestGroupIntervalsHold: 93 % and more of the intervals hold the mean of tasks that differ, and at most about 5 % of
// the tests find a difference that is none, also where one group is steadier than the other: in the extreme, it is
// right in all repeats of a question or in none.
func TestGroupIntervalsHold(t *testing.T) {
	samples := 150
	if soak.On() {
		samples = 3000
	}
	random := rand.New(rand.NewPCG(6, 1))
	held, found := 0, make(map[int]int) // by repeats
	for range samples {
		d, err := CompareGroups([]Task{
			taskBetween(asked(random, 8, 3, 0.7, false), asked(random, 8, 3, 0.6, true)),
			taskBetween(asked(random, 20, 3, 0.5, false), asked(random, 20, 3, 0.6, false)),
			taskBetween(asked(random, 30, 1, 0.8, false), asked(random, 30, 1, 0.5, false)),
		}, shares, EqualTasks, 400, 1, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if d.Interval.Low <= 0.1 && 0.1 <= d.Interval.High {
			held++
		}
		for _, repeats := range []int{1, 3, 20} {
			task := func() Task {
				return taskBetween(asked(random, 5, repeats, 0.85, repeats > 1), asked(random, 5, repeats, 0.85, false))
			}
			if d, err = CompareGroups([]Task{task(), task()}, shares, EqualQuestions, 200, 1, 0.95); err != nil {
				t.Fatal(err)
			}
			if d.P <= 0.05 {
				found[repeats]++
			}
		}
	}
	t.Logf("of %d: %d held, found %v", samples, held, found)
	if held < samples*7/8 {
		t.Errorf("7/8 of %d intervals or more hold the difference: got %d", samples, held)
	}
	for repeats, n := range found {
		if tooMany(n, samples) {
			t.Errorf("%d repeats: 0.05 or fewer of tests find a difference that is none: got %d of %d",
				repeats, n, samples)
		}
	}
}

// TestSteadyEquivalence: where a steady condition is worse by 0.1 than one that is not, which is just not equivalent,
// at most about 5 % of the tests find that it is not inferior; t finds up to 14 %.
func TestSteadyEquivalence(t *testing.T) {
	samples := 200
	if soak.On() {
		samples = 4000
	}
	random := rand.New(rand.NewPCG(9, 2))
	byT, all := 0, 0
	for _, c := range []struct {
		questions, repeats int
		mean               float64
	}{{8, 5, 0.9}, {8, 20, 0.9}, {12, 20, 0.85}, {20, 20, 0.9}} {
		found := 0
		for range samples {
			task := taskBetween(asked(random, c.questions, c.repeats, c.mean-0.1, true),
				asked(random, c.questions, c.repeats, c.mean, false))
			e := TOST(task.Differences, nil, stat.Bounds{Low: -1, High: 1}, tenth)
			if e.Low <= 0.05 {
				byT++
			}
			b := e.Bounded(task.At)
			if b.Low <= 0.05 {
				found++
			}
			if all++; b.Low < e.Low || b.High < e.High || b.Interval.Low > e.Interval.Low ||
				(b.Low <= 0.05) != (b.Verdict != NotShown) || b.Low < 0.05 && b.Interval.Low <= tenth.Low {
				t.Fatalf("a bounded test has no smaller p and no narrower interval than t, and its verdict "+
					"follows from p: got %+v, by t %+v", b, e)
			}
		}
		t.Logf("%+v: %d of %d", c, found, samples)
		if tooMany(found, samples) {
			t.Errorf("%+v: 0.05 or fewer of tests find a condition not inferior that is: got %d of %d",
				c, found, samples)
		}
	}
	sure := taskOf(make([]float64, 400)...)
	sure.Differences[0] = 0.1 // so that t is surer than any level is near 1
	_, sure.At = stat.DifferenceAt(slices.Repeat([]stat.Asked{{Right: 1, Times: 2}}, 400),
		slices.Repeat([]stat.Asked{{Right: 1, Times: 2}}, 400))
	if e := TOST(sure.Differences, nil, stat.Bounds{Low: -1, High: 1}, tenth); e.Low > 1e-16 ||
		e.Bounded(sure.At).Verdict != Equivalent || e.Bounded(sure.At).Low <= e.Low {
		t.Errorf("%+v, and %+v; want Low at most 1e-16, Verdict %v and Low more than %v",
			e, e.Bounded(sure.At), Equivalent, e.Low)
	}
	if byT < all/12 {
		t.Errorf("t finds more than 1/12 of %d tests, or this tests nothing: got %d", all, byT)
	}
}
