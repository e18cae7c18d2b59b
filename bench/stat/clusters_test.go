package stat

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/soak"
)

// readReference reads what a script of tools/fixtures computed.
func readReference(t *testing.T, name string, reference any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(data, reference)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestByClusterAgreesWithStatsmodels compares with tools/fixtures/statistics.py.
func TestByClusterAgreesWithStatsmodels(t *testing.T) {
	var reference struct {
		Clustered []struct {
			Values      []float64
			Clusters    []int
			Mean, Error float64
			Interval    [2]float64
		}
	}
	readReference(t, "reference.json", &reference)
	for _, c := range reference.Clustered {
		var names []string
		for _, g := range c.Clusters {
			names = append(names, fmt.Sprint(g))
		}
		got := ByCluster(c.Values, names, -9, 9, 0.95)
		if !near(got.Mean, c.Mean, 1e-9) || !near(got.Error, c.Error, 1e-9) || !near(got.Interval.Low, c.Interval[0],
			1e-9) || !near(got.Interval.High, c.Interval[1], 1e-9) {
			t.Errorf("mean, error and interval over clusters are those of statsmodels, %+v: got %+v", c, got)
		}
	}
}

// TestByClusterIsMillersFormula: but for few clusters, the variance is that between questions and what pairs of
// questions in a cluster share.
func TestByClusterIsMillersFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var values []float64
	var clusters []string
	for g := range 2000 {
		shared := random.NormFloat64()
		for range 1 + g%4 {
			values, clusters = append(values, shared+random.NormFloat64()), append(clusters, fmt.Sprint(g))
		}
	}
	got, n := ByCluster(values, clusters, -100, 100, 0.95), float64(len(values))
	own, others := 0.0, 0.0
	for i, x := range values {
		own += (x - got.Mean) * (x - got.Mean)
		for j, y := range values {
			if i != j && clusters[i] == clusters[j] {
				others += (x - got.Mean) * (y - got.Mean)
			}
		}
	}
	miller := math.Sqrt(own/(n-1)/n + others/n/n)
	if naive := math.Sqrt(own / (n - 1) / n); !near(got.Error/miller, 1, 1e-3) || got.Error < 1.2*naive {
		t.Errorf("the error is that of Miller's formula, %g, and 1.2 times the one without clusters (%g) or "+
			"more: got %g", miller, naive, got.Error)
	}
}

// TestClustersInvariance: neither the order of questions nor the names of clusters change anything, questions that are
// clusters of their own are so without names too, and every interval holds its estimate and has a width.
func TestClustersInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "questions")
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.5, 1, 1}), n, n).Draw(t, "values")
		clusters := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), n, n).Draw(t, "clusters")
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		var shuffled []float64
		var renamed, alone []string
		for _, i := range rapid.Permutation(order).Draw(t, "order") {
			shuffled, renamed = append(shuffled, values[i]), append(renamed, "passage "+clusters[i])
			alone = append(alone, fmt.Sprint(i))
		}
		one, other := ByCluster(values, clusters, 0, 1, 0.95), ByCluster(shuffled, renamed, 0, 1, 0.95)
		if !near(one.Error, other.Error, 1e-12) || !near(one.Interval.Low, other.Interval.Low, 1e-9) {
			t.Errorf("the order of questions and the names of clusters change nothing: got %+v, and in another "+
				"order %+v", one, other)
		}
		if b, c := Bounded(shuffled, 0, 1, 0.95), BoundedAt(shuffled, alone, 0, 1)(0.95); b != c {
			t.Errorf("questions that are clusters of their own have the interval that they have without: got "+
				"%+v, want %+v", c, b)
		}
		bounded := BoundedAt(values, clusters, 0, 1)(0.95)
		if b := BoundedAt(shuffled, renamed, 0, 1)(0.95); !near(b.Low, bounded.Low, 1e-9) ||
			!near(b.High, bounded.High, 1e-9) {
			t.Errorf("the order of questions and the names of clusters change nothing: got %+v, and in another "+
				"order %+v", bounded, b)
		}
		share, interval := ShareByCluster(values, clusters, 0.95)
		for _, i := range []Interval{one.Interval, interval, bounded} {
			mean := share
			if !(i.Low <= mean+1e-9 && mean-1e-9 <= i.High && i.High-i.Low > 0.01 && i.Low >= 0 && i.High <= 1) {
				t.Errorf("an interval holds its mean %g within 0 and 1, wider than 0.01: got %+v", mean, i)
			}
		}
		if p := FlipClusters(values, clusters, 100, 1); !(p > 0 && p <= 1) {
			t.Errorf("the p of a test by clusters is above 0 and at most 1: got %g", p)
		}
	})
}

// TestShareByClusterAlone: questions that are clusters of their own have the interval that Accuracy has of as many that
// were asked twice.
func TestShareByClusterAlone(t *testing.T) {
	var asked []Asked
	var values []float64
	var clusters []string
	for q := range 40 {
		asked = append(asked, Asked{Right: q % 3, Times: 2})
		values, clusters = append(values, float64(q%3)/2), append(clusters, fmt.Sprint(q))
	}
	_, got := ShareByCluster(values, clusters, 0.95)
	_, want := Accuracy(asked, 0.95)
	if got.Low < want.Low-0.02 || got.High > want.High+0.02 || got.High-got.Low < want.High-want.Low-1e-9 {
		t.Errorf("%+v, and %+v with repeats", got, want)
	}
}

// TestClusteredIntervalsHold: of questions whose chances are alike within a cluster, about 95 % of the intervals by
// cluster hold the true mean, and a permutation of clusters finds about 5 % differences that are none; intervals that
// know nothing of clusters hold far fewer.
func TestClusteredIntervalsHold(t *testing.T) {
	const samples, groups, size = 1500, 25, 6
	random := rand.New(rand.NewPCG(11, 4))
	heldMean, heldShare, heldNaive, found := 0, 0, 0, 0
	for range samples {
		mean := 0.2 + 0.6*random.Float64()
		var values, differences []float64
		var clusters []string
		right := 0
		for g := range groups {
			chance := distuv.Beta{Alpha: 2 * mean, Beta: 2 * (1 - mean), Src: random}.Rand()
			shift := random.NormFloat64()
			for range size {
				x := 0.0
				if random.Float64() < chance {
					x = 1
					right++
				}
				values, clusters = append(values, x), append(clusters, fmt.Sprint(g))
				differences = append(differences, shift+random.NormFloat64())
			}
		}
		holds := func(i Interval) int {
			if i.Low <= mean && mean <= i.High {
				return 1
			}
			return 0
		}
		heldMean += holds(ByCluster(values, clusters, 0, 1, 0.95).Interval)
		_, share := ShareByCluster(values, clusters, 0.95)
		heldShare += holds(share)
		heldNaive += holds(Wilson(right, groups*size, 0.95))
		if FlipClusters(differences, clusters, 200, 1) <= 0.05 {
			found++
		}
	}
	t.Logf("of %d: %d by t, %d by Wilson, %d without clusters; %d found", samples, heldMean, heldShare, heldNaive,
		found)
	if heldMean < 1380 || heldShare < 1395 || heldNaive > 1200 || found > 105 {
		t.Errorf("of %d intervals 1380 or more by t and 1395 by Wilson hold the mean, at most 1200 without "+
			"clusters, and at most 105 differences are found: got %d, %d, %d and %d",
			samples, heldMean, heldShare, heldNaive, found)
	}
}

// TestClusteredDifferences: of clusters whose questions have a chance of their own, at least 93 % of the intervals by
// cluster hold the true difference of two conditions, and at most about 5 % of the tests find one that is none. So it
// is where the first condition is right on all questions of a cluster in all repeats, or in none, and the second one
// equally often on every question: the signs of the clusters alone then find a difference in a quarter of the samples.
func TestClusteredDifferences(t *testing.T) {
	const size, repeats = 4, 20
	samples, random := 300, rand.New(rand.NewPCG(12, 5))
	if soak.On() {
		samples = 10_000
	}
	for _, c := range []struct {
		groups  int
		spreads [2]float64 // of clusters' chances under both conditions, as those of questions in crowd
		mean    float64
		second  float64
	}{{8, [2]float64{1, 0}, 0.85, 0.85}, {12, [2]float64{1, 0.1}, 0.9, 0.9}, {8, [2]float64{0.3, 0.3}, 0.6, 0.6},
		{25, [2]float64{0.3, 0.3}, 0.8, 0.5}} {
		crowd := &crowd{random, nil}
		held, found, bySigns := 0, 0, 0
		for range samples {
			var first, second []float64
			var clusters []string
			for g := range c.groups {
				one, other := crowd.chance(c.mean, c.spreads[0]), crowd.chance(c.second, c.spreads[1])
				for range size {
					first = append(first, crowd.ask(one, repeats).share())
					second = append(second, crowd.ask(other, repeats).share())
					clusters = append(clusters, fmt.Sprint(g))
				}
			}
			difference, at := ClustersAt(first, second, clusters)
			i, signs := at(0.95), FlipClusters(differences(first, second), clusters, 200, 1)
			p := LeavingOutZero(at, 0.95, signs)
			if truth := c.mean - c.second; i.Low <= truth && truth <= i.High {
				held++
			}
			if p <= 0.05 {
				found++
			}
			if signs <= 0.05 {
				bySigns++
			}
			if !(i.Low <= difference && difference <= i.High) || p < signs || p < 0.05 && i.Low <= 0 && i.High >= 0 {
				t.Fatalf("the interval has the difference %g in it, and leaves 0 out where p is below 0.05, which is "+
					"no less than that of signs: got %+v, p %g, of signs %g", difference, i, p, signs)
			}
		}
		t.Logf("%+v: of %d, %d intervals hold; %d found, %d by signs alone", c, samples, held, found, bySigns)
		if tooFew(float64(held)/float64(samples), samples, 0.93) {
			t.Errorf("%+v: 0.93 or more of intervals hold the difference: got %d of %d", c, held, samples)
		}
		if c.mean == c.second && tooMany(float64(found)/float64(samples), samples, 0.05) {
			t.Errorf("%+v: 0.05 or fewer of tests find a difference that is none: got %d of %d", c, found, samples)
		}
	}
}
