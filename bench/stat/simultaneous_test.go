package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimultaneousLevels: the level of each interval is that of the studentized range where conditions are independent,
// as for two conditions where they are two, and that of one comparison where all others are copies.
func TestSimultaneousLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	draw := func(conditions, questions int) (values [][]float64) {
		for range conditions {
			var list []float64
			for range questions {
				list = append(list, random.NormFloat64())
			}
			values = append(values, list)
		}
		return values
	}
	var reference struct {
		AtOnce []struct {
			Conditions int
			Each       float64
		} `json:"at_once"`
	}
	if readReference(t, "reference.json", &reference); len(reference.AtOnce) < 4 {
		t.Errorf("%d ranges are compared, want 4", len(reference.AtOnce))
	}
	for _, c := range reference.AtOnce {
		if got := Simultaneous(draw(c.Conditions, 2000), nil, 0.95, 20_000, 1); math.Abs(got-c.Each) > 0.002 {
			t.Errorf("%d independent conditions have each interval at Tukey's level, %.4f: got %.4f",
				c.Conditions, c.Each, got)
		}
	}
	if got := Simultaneous(draw(2, 30), nil, 0.95, 1000, 1); got != 0.95 {
		t.Errorf("the interval of one difference is at level 0.95: got %g", got)
	}
	values := draw(2, 500)
	copied := [][]float64{values[0], values[1], values[1]}
	if got := Simultaneous(copied, nil, 0.95, 20_000, 1); got > 0.99 || got < 0.97 {
		t.Errorf("with a copy of one of two conditions each interval is at 0.97 to 0.99 (independent, 0.9747): "+
			"got %.4f", got)
	}
}

// TestBesideTheBootstrap: on the same answers, the interval of a difference is that of scipy's paired bootstrap (BCa)
// to 0.004, and the level of all differences at once that of questions that are drawn again, to 0.002.
func TestBesideTheBootstrap(t *testing.T) {
	var reference struct {
		Bootstrap []struct {
			Right           [][]int
			Low, High, Each float64
		}
	}
	if readReference(t, "reference.json", &reference); len(reference.Bootstrap) < 2 {
		t.Fatalf("%d studies are compared, want 2", len(reference.Bootstrap))
	}
	for i, c := range reference.Bootstrap {
		asked, values := make([][]Asked, len(c.Right)), make([][]float64, len(c.Right))
		for k, list := range c.Right {
			for _, right := range list {
				asked[k], values[k] = append(asked[k], Asked{right, 1}), append(values[k], float64(right))
			}
		}
		_, got := Difference(asked[0], asked[1], 0.95)
		if !near(got.Low, c.Low, 0.004) || !near(got.High, c.High, 0.004) {
			t.Errorf("study %d: the interval is that of the bootstrap, %.4f to %.4f: got %+v", i, c.Low, c.High, got)
		}
		if got := Simultaneous(values, nil, 0.95, 20_000, 1); !near(got, c.Each, 0.002) {
			t.Errorf("study %d: each interval is at the level of the bootstrap, %.4f: got %.4f", i, c.Each, got)
		}
	}
}

// TestSingleStep: the level of each interval is that of R's multcomp (tools/fixtures/at_once.R) for the same scores,
// right or wrong, graded, and in clusters.
func TestSingleStep(t *testing.T) {
	var reference multcomp
	if readReference(t, "multcomp.json", &reference); len(reference.Studies) < 4 {
		t.Fatalf("%d studies are compared, want 4", len(reference.Studies))
	}
	for i, study := range reference.Studies {
		var clusters []string
		for _, c := range study.Clusters {
			clusters = append(clusters, fmt.Sprint(c))
		}
		if got := Simultaneous(study.Values, clusters, 0.95, 50_000, 1); !near(got, study.Each, 0.0006) {
			t.Errorf("study %d: each interval is at multcomp's level, %.5f: got %.5f", i, study.Each, got)
		}
	}
}

// multcomp is what R's package made of scores.
type multcomp struct {
	Studies []struct {
		Values   [][]float64
		Clusters []int
		Each     float64
	}
	Held float64 // share of 1,000 studies as TestSimultaneousCoverage draws them, by its intervals, which are Wald's
}

// TestSimultaneousCoverage: the intervals of all differences hold at once in about as many studies as promised.
func TestSimultaneousCoverage(t *testing.T) {
	studies := 1000
	if testing.Short() {
		studies = 200
	}
	random, held := rand.New(rand.NewPCG(5, 0)), 0
	rates := []float64{0.5, 0.55, 0.6, 0.6, 0.7, 0.3}
	for range studies {
		asked := make([][]Asked, len(rates))
		values := make([][]float64, len(rates))
		for range 60 {
			easy := 0.3 * (2*random.Float64() - 1) // what the conditions have in common
			for c, rate := range rates {
				right := 0
				if random.Float64() < rate+easy {
					right = 1
				}
				asked[c] = append(asked[c], Asked{right, 1})
				values[c] = append(values[c], float64(right))
			}
		}
		if simultaneouslyHeld(asked, values, rates) {
			held++
		}
	}
	var reference multcomp
	readReference(t, "multcomp.json", &reference)
	if share := float64(held) / float64(studies); share < max(0.94, reference.Held) || share > 0.995 {
		t.Errorf("all 15 intervals hold in 0.94 or more of %d studies, in no fewer than Wald's (%.3f), and in "+
			"0.995 or fewer: got %.3f", studies, reference.Held, share)
	}
}

func simultaneouslyHeld(asked [][]Asked, values [][]float64, rates []float64) bool {
	level := Simultaneous(values, nil, 0.95, 1000, 1)
	for a := range rates {
		for b := range a {
			_, i := Difference(asked[a], asked[b], level)
			if truth := rates[a] - rates[b]; truth < i.Low || truth > i.High {
				return false
			}
		}
	}
	return true
}
