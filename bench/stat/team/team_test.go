package team

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestAgreesWithNumpyAndScipy compares with tools/fixtures/statistics.py.
func TestAgreesWithNumpyAndScipy(t *testing.T) {
	data := datatest.Read(t, "testdata/reference.json")
	var reference struct {
		Channels []struct {
			Similarity [][]float64
			Channels   float64
		}
		Size []struct {
			Wrong             [][]int
			Correlation, Size float64
		}
		Ringelmann []struct {
			Sizes         []int
			Ratios        []float64
			C, Beta, At30 float64
		}
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	for _, c := range reference.Channels {
		got, err := Channels(c.Similarity)
		agree(t, "channels", got, c.Channels, err)
	}
	for _, c := range reference.Size {
		wrong := make([][]bool, len(c.Wrong))
		for q, row := range c.Wrong {
			for _, w := range row {
				wrong[q] = append(wrong[q], w == 1)
			}
		}
		got, err := EffectiveSize(wrong)
		agree(t, "correlation", got.Correlation, c.Correlation, err)
		agree(t, "size", got.Effective, c.Size, err)
	}
	for _, c := range reference.Ringelmann {
		got, err := FitScaling(c.Sizes, c.Ratios)
		agree(t, "c", got.C, c.C, err)
		agree(t, "beta", got.Beta, c.Beta, err)
		agree(t, "ratio of 30", got.Ratio(30), c.At30, err)
	}
}

func agree(t *testing.T, what string, got, want float64, err error) {
	t.Helper()
	if err != nil || !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g (%v), want %.15g", what, got, err, want)
	}
}

// TestChannels: texts without anything in common count each, equal ones as one, and the order of texts is nothing.
func TestChannels(t *testing.T) {
	unlike := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	same := [][]float64{{2, 2}, {2, 2}} // in any unit
	for want, similarity := range map[float64][][]float64{3: unlike, 1: same} {
		got, err := Channels(similarity)
		agree(t, "channels", got, want, err)
	}
	nan := math.NaN()
	for want, similarity := range map[string][][]float64{
		"no similarities":     {},
		"row 2":               {{1, 0}, {0}},
		"0.5, and 0":          {{1, 0}, {0.5, 1}},
		"NaN, and NaN":        {{1, nan}, {nan, 1}},
		"NaN with itself":     {{nan}},
		"-1 with itself":      {{1, 0}, {0, -1}},
		"are 0":               {{0, 0}, {0, 0}},
		"the eigenvalue -0.5": {{1, 1.5}, {1.5, 1}},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := Channels(similarity); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %g, %v, want an error with %v", similarity, got, err, want)
			}
		})
	}
}

// TestChannelsOfVectors: of n texts there are 1 to n channels, whatever their order.
func TestChannelsOfVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 6).Draw(t, "texts"), rapid.IntRange(1, 4).Draw(t, "dimensions")
		vectors := make([][]float64, n)
		for i := range vectors {
			vectors[i] = append(rapid.SliceOfN(rapid.Float64Range(-1, 1), d, d).Draw(t, "vector"), 0.1)
		}
		gram := func(order []int) [][]float64 {
			table := make([][]float64, n)
			for i, a := range order {
				for _, b := range order {
					sum := 0.0
					for x := range vectors[a] {
						sum += vectors[a][x] * vectors[b][x]
					}
					table[i] = append(table[i], sum)
				}
			}
			return table
		}
		places := make([]int, n)
		for i := range places {
			places[i] = i
		}
		one, err := Channels(gram(places))
		other, err2 := Channels(gram(rapid.Permutation(places).Draw(t, "order")))
		if err != nil || err2 != nil || math.Abs(one-other) > 1e-6 || one < 1-1e-6 || one > float64(n)+1e-6 {
			t.Errorf("the channels of %d texts are the same in any order, 1 to %d: got %g and %g (%v, %v)",
				n, n, one, other, err, err2)
		}
	})
}

// TestEffectiveSize: agents that err together count as one, and those that err apart as several.
func TestEffectiveSize(t *testing.T) {
	same := [][]bool{{true, true, true}, {false, false, false}}
	got, err := EffectiveSize(same)
	agree(t, "agents that err together", got.Effective, 1, err)
	never := [][]bool{{true, true, false}, {false, false, false}}
	if got, err := EffectiveSize(never); err != nil || got.Pairs != 1 || got.Correlation != 1 {
		t.Errorf("where one agent never errs there is one pair, with correlation 1: got %+v, %v", got, err)
	}
	for want, wrong := range map[string][][]bool{
		"two questions":      {{true, false}},
		"two agents":         {{true}, {false}},
		"question 2 has 1":   {{true, true}, {false}},
		"no correlation":     {{true, false}, {true, false}},
		"cancel each other ": {{true, false}, {false, true}},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := EffectiveSize(wrong); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", wrong, err, want)
			}
		})
	}
}

// TestFitScaling: ratios of the law give its constants back, in any order of the sizes, and whatever they are the fit
// is no worse than its neighbours.
func TestFitScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		law := Scaling{C: rapid.Float64Range(0.05, 3).Draw(t, "c"), Beta: rapid.Float64Range(-0.5, 1.5).Draw(t, "beta")}
		sizes := rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "sizes")
		noise := rapid.Float64Range(0, 0.05).Draw(t, "noise")
		var exact, rough []float64
		for _, n := range sizes {
			exact = append(exact, law.Ratio(n))
			rough = append(rough, min(1, law.Ratio(n)*(1+noise*rapid.Float64Range(-1, 1).Draw(t, "error"))))
		}
		if got, err := FitScaling(sizes, exact); err != nil || math.Abs(got.C-law.C) > 1e-5 ||
			math.Abs(got.Beta-law.Beta) > 1e-5 {
			t.Errorf("%+v (%v), want %+v", got, err, law)
		}
		fit, err := FitScaling(sizes, rough)
		if err != nil {
			return
		}
		mean, all := stat.Mean(rough), 0.0
		for _, r := range rough {
			all += (r - mean) * (r - mean)
		}
		if want := 1 - 5*fit.Error*fit.Error/all; fit.Explained == nil || math.Abs(*fit.Explained-want) > 1e-9 {
			t.Errorf("R² %v, want %g", fit.Explained, want)
		}
		p := problem{sizes, rough}
		for _, c := range []float64{0.999, 1, 1.001} {
			for _, b := range []float64{-0.001, 0, 0.001} {
				if near := (Scaling{C: fit.C * c, Beta: fit.Beta + b}); p.squares(near) < p.squares(fit)-1e-12 {
					t.Errorf("the fit is the best of those beside it: got %+v, but %+v fits better", fit, near)
				}
			}
		}
	})
}

// TestExplained: the law explains all of its own ratios. Nothing is to be explained where all are equal, and two sizes
// are met by two parameters whatever their ratios are.
func TestExplained(t *testing.T) {
	law := Scaling{C: 0.4, Beta: 0.3}
	for _, c := range []struct {
		sizes []int
		known bool
	}{{[]int{2, 3, 5, 10, 30}, true}, {[]int{2, 3, 5}, true}, {[]int{2, 3}, false}, {[]int{3, 2, 3}, false},
		{[]int{1, 2, 3}, false}} {
		t.Run(fmt.Sprint(c.sizes), func(t *testing.T) {
			var ratios []float64
			for _, n := range c.sizes {
				ratios = append(ratios, law.Ratio(n))
			}
			got, err := FitScaling(c.sizes, ratios)
			if err != nil || (got.Explained != nil) != c.known || c.known && *got.Explained < 0.999999 {
				t.Errorf("%+v, %v, want an R² of 1: %t", got, err, c.known)
			}
		})
	}
	if got, err := FitScaling([]int{2, 3, 5}, []float64{0.5, 0.5, 0.5}); err != nil || got.Explained != nil {
		t.Errorf("equal ratios leave nothing to explain: got %+v, %v", got, err)
	}
}

// TestScalingRegimes: the exponent of a team's size tells linear, sublinear, a hard ceiling and shrinking apart.
func TestScalingRegimes(t *testing.T) {
	for want, s := range map[string]Scaling{"linear": {C: 0.1, Beta: 1}, "sublinear": {C: 0.1, Beta: 0.5},
		"hard ceiling": {C: 0.1}, "shrinking": {C: 0.1, Beta: -0.2}} {
		t.Run(want, func(t *testing.T) {
			if got := s.Regime(); got != want {
				t.Errorf("%+v: %s, want %s", s, got, want)
			}
		})
	}
	if all, err := FitScaling([]int{1, 2, 5}, []float64{1, 1, 1}); err != nil || all != (Scaling{}) || all.Regime() !=
		"linear" || all.Ratio(30) != 1 {
		t.Errorf("where every agent counts the growth is linear, 1 at any size: got %+v, %s, %v",
			all, all.Regime(), err)
	}
	for want, c := range map[string]struct {
		sizes  []int
		ratios []float64
	}{
		"2 sizes for 1":       {[]int{2, 3}, []float64{1}},
		"two different sizes": {[]int{1, 3, 3}, []float64{1, 0.5, 0.6}},
		"of 0 agents":         {[]int{0, 3}, []float64{1, 0.5}},
		"the ratio NaN":       {[]int{2, 3}, []float64{1, math.NaN()}},
		"the ratio 1.2":       {[]int{2, 3}, []float64{1.2, 1}},
		"the ratio 0":         {[]int{2, 3}, []float64{0, 1}},
		"no exponent":         {[]int{2, 3}, []float64{1e-6, 1}},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := FitScaling(c.sizes, c.ratios); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %+v, %v, want %q", c, got, err, want)
			}
		})
	}
}

// TestPeerModes: what an agent's peers say is the answer of most of the others; a tie or silence is none.
func TestPeerModes(t *testing.T) {
	const none = agreement.Unparsed
	for _, c := range []struct{ before, want []int }{
		{[]int{1, 1, 2}, []int{none, none, 1}},
		{[]int{1, 1, 1, 2}, []int{1, 1, 1, 1}},
		{[]int{1, none, none}, []int{none, 1, 1}},
		{[]int{3}, []int{none}},
		{nil, []int{}},
	} {
		t.Run(fmt.Sprint(c.before), func(t *testing.T) {
			if got := PeerModes(c.before, nil); !cmp.Equal(got, c.want) {
				t.Errorf("%v: %v, want %v", c.before, got, c.want)
			}
		})
	}
}

// TestHeardModes: in a ring of four, what the agent at the other side says counts for nothing.
func TestHeardModes(t *testing.T) {
	const none = agreement.Unparsed
	ring := [][]int{{3, 1}, {0, 2}, {1, 3}, {}}
	if diff := cmp.Diff([]int{2, 1, 2, none}, PeerModes([]int{1, 2, 1, 2}, ring)); diff != "" {
		t.Errorf("the most frequent answer that each agent hears (-want +got):\n%s", diff)
	}
	if got := PeerModes([]int{1, 2, 3, 3}, ring); !cmp.Equal(got, []int{none, none, none, none}) {
		t.Errorf("who hears two answers that differ has no mode: got %v, want none of them", got)
	}
}

// TestSources: each agent is counted by the least that changes its answer: thinking again, the peers' answers, their
// reasons, something else, or nothing.
func TestSources(t *testing.T) {
	var got Sources
	for _, a := range []Asked{
		{Initial: 0, Reflected: 1, Answers: 1, Reasons: 1, Mode: 1},                       // changes anyway
		{Initial: 0, Reflected: 0, Answers: 1, Reasons: 1, Mode: 1},                       // gives in, and is wrong
		{Initial: 2, Reflected: 2, Answers: 2, Reasons: 0, Mode: 0},                       // is convinced, and right
		{Initial: 2, Reflected: 2, Answers: 3, Reasons: 2, Mode: 0},                       // goes elsewhere
		{Initial: 2, Reflected: 2, Answers: 2, Reasons: agreement.Unparsed, Mode: 0},      // is confused
		{Initial: 0, Reflected: 0, Answers: 0, Reasons: 0, Mode: 1},                       // stays
		{Initial: 2, Reflected: 2, Answers: agreement.Unparsed, Mode: agreement.Unparsed}, // nobody leads
	} {
		a.Key = agreement.Key{0}
		got.Count(a)
	}
	want := Sources{N: 7, Spontaneous: 1, Stance: 1, Reasoning: 1, Otherwise: 3, Stable: 1, Harmful: [2]int{1, 0},
		Helpful: [2]int{0, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("agents are counted by what changed their answers (-want +got):\n%s", diff)
	}
}
