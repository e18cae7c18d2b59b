package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCorrected compares with what the formulas in Corrected's comment give when they are worked out elsewhere.
func TestCorrected(t *testing.T) {
	for _, c := range []struct {
		name             string
		judged           Judged
		p                float64
		n                int
		theta, low, high float64
		possible         bool
	}{
		{"lenient", Judged{45, 5, 10, 40}, 0.7, 200, 0.7142857143, 0.5842221, 0.8639324, true},
		{"perfect", Judged{30, 0, 0, 30}, 0.7, 200, 0.7000000000, 0.6289018, 0.7958097, true},
		{"perfect, all right", Judged{30, 0, 0, 30}, 1, 50, 1.0000000000, 0.9194830, 1.0000000, true},
		{"fewer than its false alarms", Judged{45, 5, 10, 40}, 0.1, 200, 0.0000000000, 0.0000000, 0.0163023, true},
		{"more than it finds", Judged{40, 10, 5, 45}, 0.95, 200, 1.0000000000, 1.0000000, 1.0000000, false},
		{"few labels", Judged{6, 1, 0, 5}, 0.4, 1000, 0.4666666667, 0.0834394, 0.6876878, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			theta, i, possible := c.judged.Corrected(c.p, c.n, 0.95)
			if possible != c.possible || math.Abs(theta-c.theta) > 1e-9 || math.Abs(i.Low-c.low) > 1e-6 ||
				math.Abs(i.High-c.high) > 1e-6 {
				t.Errorf("%.9f, %.7f to %.7f, %t; want %+v", theta, i.Low, i.High, possible, c)
			}
		})
	}
}

// TestCorrectedCovers: in 2,000 simulated studies, the interval holds the truth about as often as it says.
func TestCorrectedCovers(t *testing.T) {
	const theta, finds, alarms, n, labels, studies = 0.7, 0.9, 0.2, 300, 60, 2000
	r := rand.New(rand.NewPCG(1, 2))
	says := func(right bool) bool {
		if right {
			return r.Float64() < finds
		}
		return r.Float64() < alarms
	}
	held := 0
	for range studies {
		var j Judged
		for range labels {
			right := r.Float64() < theta
			j.Add(right, says(right))
		}
		yes := 0
		for range n {
			if says(r.Float64() < theta) {
				yes++
			}
		}
		if j.Correctable() != nil {
			continue
		}
		if _, i, _ := j.Corrected(Share(yes, n), n, 0.95); i.Low <= theta && theta <= i.High {
			held++
		}
	}
	if share := Share(held, studies); share < 0.93 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the truth, want at least 0.93 and at most 0.98", share)
	}
}

// TestCorrectable: a judge whose errors are not known, or who is no better than chance, cannot be corrected.
func TestCorrectable(t *testing.T) {
	for _, c := range []struct {
		judged Judged
		want   string // "" for a judge that can be corrected
	}{
		{Judged{}, "no answer has a label"},
		{Judged{0, 0, 3, 9}, "labelled as right"},
		{Judged{9, 3, 0, 0}, "labelled as wrong"},
		{Judged{10, 10, 10, 10}, "no better than chance: it says yes of 10 of 20 right answers, and of 10 of 20"},
		{Judged{20, 0, 20, 0}, "no better than chance"},
		{Judged{2, 18, 15, 5}, "no better than chance"},
		{Judged{3, 1, 1, 3}, "do not show that the judge is better than chance"},
		{Judged{5, 0, 0, 3}, ""},
		{Judged{45, 5, 10, 40}, ""},
	} {
		t.Run(c.want, func(t *testing.T) {
			err := c.judged.Correctable()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %q", c.judged, err, c.want)
			}
		})
	}
}

// TestCorrectedIsFinite goes through all small tables of labels: whoever can be corrected has an interval of some width
// with the estimate in it.
func TestCorrectedIsFinite(t *testing.T) {
	const most = 9
	for i := range most * most * most * most {
		j := Judged{i % most, i / most % most, i / most / most % most, i / most / most / most}
		if j.Correctable() != nil {
			continue
		}
		for _, p := range []float64{0, 0.3, 1} {
			theta, x, possible := j.Corrected(p, 20, 0.95)
			if possible && !(0 <= x.Low && x.Low <= theta && theta <= x.High && x.High <= 1 && x.Low < x.High) {
				t.Fatalf("%+v, p = %g: what is corrected lies in an interval with a width, within 0 to 1: got %g "+
					"in %+v", j, p, theta, x)
			}
		}
	}
}

// TestKappa: the textbook example of Cohen's kappa, and its ends.
func TestKappa(t *testing.T) {
	for _, c := range []struct {
		judged Judged
		want   float64
		known  bool
	}{
		{Judged{20, 5, 10, 15}, 0.4, true},
		{Judged{10, 0, 0, 10}, 1, true},
		{Judged{0, 10, 10, 0}, -1, true},
		{Judged{5, 5, 5, 5}, 0, true},
		{Judged{10, 0, 0, 0}, 0, false},
		{Judged{}, 0, false},
	} {
		if got, known := c.judged.Kappa(); math.Abs(got-c.want) > 1e-12 || known != c.known {
			t.Errorf("%+v: %g, %t; want %g, %t", c.judged, got, known, c.want, c.known)
		}
	}
}
