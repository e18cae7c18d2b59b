package stat

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// TestWilson has the worked examples of Newcombe (Statistics in Medicine 17, 1998, 857-872, Table I, method 3).
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, n  int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1}, {0, 0, 0, 1}} {
		t.Run(fmt.Sprintf("%v %v", c.right, c.n), func(t *testing.T) {
			if got := Wilson(c.right, c.n, 0.95); !near(got.Low, c.low, 5e-5) || !near(got.High, c.high, 5e-5) {
				t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.right, c.n, got.Low, got.High, c.low, c.high)
			}
		})
	}
}

// TestMcNemar is worked by hand: with b+c coins, twice the share of outcomes at least as uneven.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		b, c int
		want float64
	}{{0, 0, 1}, {1, 0, 1}, {5, 0, 2.0 / 32}, {0, 5, 2.0 / 32}, {6, 1, 2 * 8.0 / 128}, {3, 3, 1},
		{10, 2, 2 * 79.0 / 4096}} {
		t.Run(fmt.Sprintf("%v %v", c.b, c.c), func(t *testing.T) {
			if got := McNemar(c.b, c.c); !near(got, c.want, 1e-12) {
				t.Errorf("%d against %d: %g, want %g", c.b, c.c, got, c.want)
			}
		})
	}
}

// pairs makes outcomes from the four counts.
func pairs(both, onlyFirst, onlySecond, neither int) (first, second []bool) {
	for _, c := range []struct {
		n    int
		a, b bool
	}{{both, true, true}, {onlyFirst, true, false}, {onlySecond, false, true}, {neither, false, false}} {
		for range c.n {
			first, second = append(first, c.a), append(second, c.b)
		}
	}
	return first, second
}

// TestCompare has the examples that Newcombe (Statistics in Medicine 17, 1998, 2635-2650, method 10) works, as the
// tests of the R package propint give them, and one of R's contingencytables (Cavo et al. 2012, in Fagerland, Lydersen
// and Laake).
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		counts                [4]int
		difference, low, high float64
	}{
		{[4]int{36, 12, 2, 0}, 0.2, 0.0569, 0.3404},
		{[4]int{18, 12, 2, 18}, 0.2, 0.0562, 0.3290},
		{[4]int{53, 0, 0, 1}, 0, -0.0729, 0.0729},
		{[4]int{0, 30, 0, 0}, 1, 0.8395, 1},
		{[4]int{59, 6, 16, 80}, -10.0 / 161, -0.1186, -0.0046},
	} {
		t.Run(fmt.Sprintf("%v %v", c.counts, c.difference), func(t *testing.T) {
			first, second := pairs(c.counts[0], c.counts[1], c.counts[2], c.counts[3])
			got := Compare(first, second, 0.95)
			if !near(got.Difference, c.difference, 1e-12) || !near(got.Interval.Low, c.low, 5e-5) ||
				!near(got.Interval.High, c.high, 5e-5) {
				t.Errorf("%v: %+v, want %.4f to %.4f", c.counts, got, c.low, c.high)
			}
		})
	}
	if got := Compare(nil, nil, 0.95); got.Interval != (Interval{-1, 1}) || got.P != 1 {
		t.Errorf("of nothing the interval is -1 to 1, with p 1: got %+v", got)
	}
}

// TestWilsonProperties: an interval holds its estimate and stays in [0, 1], wrong answers have the mirrored one, and a
// higher level or fewer questions make it wider.
func TestWilsonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		right, level := rapid.IntRange(0, n).Draw(t, "right"), rapid.Float64Range(0.5, 0.999).Draw(t, "level")
		i, wrong, p := Wilson(right, n, level), Wilson(n-right, n, level), float64(right)/float64(n)
		if i.Low < 0 || i.High > 1 || i.Low > p || p > i.High || i.Low >= i.High {
			t.Fatalf("the interval of %d of %d holds the share, within 0 and 1: got %+v", right, n, i)
		}
		if !near(i.Low, 1-wrong.High, 1e-12) || !near(i.High, 1-wrong.Low, 1e-12) {
			t.Fatalf("the interval of %d of %d mirrors that of the wrong ones: got %+v, mirrored %+v",
				right, n, i, wrong)
		}
		width := func(i Interval) float64 { return i.High - i.Low }
		if width(Wilson(right, n, level+0.0005)) <= width(i) || width(Wilson(2*right, 2*n, level)) >= width(i) {
			t.Fatalf("an interval is wider at a higher level and narrower of twice as many, here %d of %d at %g: "+
				"got %+v, %+v and %+v",
				right, n, level, i, Wilson(right, n, level+0.0005), Wilson(2*right, 2*n, level))
		}
	})
}

// TestMcNemarCounts compares it with the sum over all outcomes, in whole numbers.
func TestMcNemarCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := rapid.IntRange(0, 600).Draw(t, "b"), rapid.IntRange(0, 600).Draw(t, "c")
		tail, n := new(big.Int), int64(b+c)
		for k := range int64(min(b, c)) + 1 {
			tail.Add(tail, new(big.Int).Binomial(n, k))
		}
		exact, _ := new(big.Rat).SetFrac(tail.Lsh(tail, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
		if got, want := McNemar(b, c), math.Min(1, exact); math.Abs(got-want) > 1e-10*want+1e-300 {
			t.Fatalf("%d against %d: %g, want %g", b, c, got, want)
		}
	})
}

// TestBugsPanic: what no count can be does not become a number.
func TestBugsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"3 right of 2":   func() { Wilson(3, 2, 0.95) },
		"-1 right of 2":  func() { Wilson(-1, 2, 0.95) },
		"1 right of 0":   func() { Wilson(1, 0, 0.95) },
		"level 95":       func() { Wilson(1, 2, 95) },
		"level NaN":      func() { Wilson(1, 2, math.NaN()) },
		"-1 questions":   func() { McNemar(-1, 2) },
		"unequal lists":  func() { Compare([]bool{true}, nil, 0.95) },
		"level of pairs": func() { Compare([]bool{true}, []bool{true}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an error of the caller, and panics: it did not", name)
				}
			}()
			f()
		})
	}
}

// TestProperties: intervals hold their estimate, and swapping the conditions changes the signs.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 40)
		first, second := pairs(count.Draw(t, "both"), count.Draw(t, "first"), count.Draw(t, "second"),
			count.Draw(t, "neither"))
		a, b := Compare(first, second, 0.95), Compare(second, first, 0.95)
		if a.Difference < a.Interval.Low-1e-12 || a.Difference > a.Interval.High+1e-12 {
			t.Fatalf("a difference lies in its interval: got %+v", a)
		}
		if !near(a.Difference, -b.Difference, 1e-12) || !near(a.Interval.Low, -b.Interval.High, 1e-12) || a.P != b.P ||
			a.P <= 0 || a.P > 1 {
			t.Fatalf("the sides exchanged turn difference and interval round and keep p, from above 0 to 1: got "+
				"%+v, swapped %+v", a, b)
		}
	})
}

// TestCoverage draws paired outcomes with a known difference: the interval holds it about as often as it says.
func TestCoverage(t *testing.T) {
	random, inside := rand.New(rand.NewPCG(1, 1)), 0
	const trials, n = 2000, 60
	for range trials {
		first, second := make([]bool, n), make([]bool, n)
		for i := range first {
			easy := random.Float64()
			first[i], second[i] = easy < 0.7, easy < 0.5 || random.Float64() < 0.1
		}
		const truth = 0.7 - (0.5 + 0.5*0.1)
		if got := Compare(first, second, 0.95).Interval; got.Low <= truth && truth <= got.High {
			inside++
		}
	}
	if share := float64(inside) / trials; share < 0.935 || share > 0.98 {
		t.Errorf("the 95 %% interval holds the truth in 93.5 to 98 %% of the trials: got %.1f %%", 100*share)
	}
}

// TestIntervalsHaveWidths: numbers that do not differ have an interval with a width, or one of which nothing is known,
// which JSON keeps.
func TestIntervalsHaveWidths(t *testing.T) {
	infinite := math.Inf(1)
	made := make(map[string]Interval)
	for n := range 4 {
		for name, value := range map[string]float64{"all": 1, "none": 0, "half": 0.5, "rounded": 0.1 + 0.2} {
			values, asked, right := make([]float64, n), make([]Asked, n), make([]bool, n)
			clusters, two := make([]string, n), make([]string, n)
			for i := range n {
				values[i], right[i], asked[i] = value, value == 1, Asked{Right: int(2 * value), Times: 2}
				clusters[i], two[i] = "one", fmt.Sprint(i%2)
			}
			of := func(kind string, i Interval) { made[fmt.Sprintf("%s of %d, %s", kind, n, name)] = i }
			_, accuracy := Accuracy(asked, 0.95)
			of("accuracy", accuracy)
			_, difference := Difference(asked, asked, 0.95)
			of("difference", difference)
			of("compare", Compare(right, right, 0.95).Interval)
			of("repeated", CompareRepeated(asked, asked, 0.95, 100, 1).Interval)
			of("bounded", Bounded(values, 0, 1, 0.95))
			of("tokens", Bounded(values, -infinite, infinite, 0.95))
			for _, c := range [][]string{clusters, two} {
				of("bounded"+fmt.Sprint(c), BoundedAt(values, c, 0, 1)(0.95))
				of("tokens"+fmt.Sprint(c), BoundedAt(values, c, -infinite, infinite)(0.95))
				_, share := ShareByCluster(values, c, 0.95)
				of("share"+fmt.Sprint(c), share)
				_, at := ClustersAt(values, values, c)
				of("clusters"+fmt.Sprint(c), at(0.95))
			}
			if n > 0 {
				of("seeds", Seeds(values, 0.95).Interval)
			}
		}
	}
	unknowns := 0
	for name, i := range made {
		if !i.Known() {
			unknowns++
		} else if !(i.High-i.Low > 0.01) {
			t.Errorf("%s: a known interval is wider than 0.01: got %g to %g", name, i.Low, i.High)
		}
		var back Interval
		if text, err := json.Marshal(i); err != nil || json.Unmarshal(text, &back) != nil || back != i {
			t.Errorf("%s: %v is read back from JSON: got %v, %v", name, i, back, err)
		}
	}
	if len(made) < 100 || unknowns < 20 || unknowns > len(made)/2 {
		t.Errorf("100 intervals or more are made, 20 or more of nothing known, at most half: got %d, %d",
			len(made), unknowns)
	}
}
