package stat

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// Clustered is a mean of questions that are drawn in clusters, such as those on one passage.
type Clustered struct {
	Mean     float64  `json:"mean"`
	Error    float64  `json:"error"` // standard error; 0 of one cluster, of which it is not known
	Clusters int      `json:"clusters"`
	Interval Interval `json:"interval"` // of t with one degree of freedom fewer than clusters
}

// ByCluster is the mean of scores, or of differences of scores, with its standard error by cluster (Miller, Adding
// error bars to evals, arXiv 2411.00640, section 2.2): scores of one cluster may depend on each other in any way.
// clusters[i] is that of values[i]; with nil, or "", each is its own. Miller's formula is for many clusters; here its
// variance is multiplied by G/(G-1) for G clusters, as in the regression of the scores on a constant. Where each
// question is a cluster, that is s/√n.
//
// Values are between low and high, which may be infinite, and so is the interval. It is all of that with fewer than two
// clusters, and if clusters do not differ and the bounds are infinite; if they are finite, it is then that of Bounded.
// With fewer than about 20 clusters of unlike sizes the interval is somewhat too narrow.
func ByCluster(values []float64, clusters []string, low, high, level float64) Clustered {
	quantile(level) // panics outside of 0 to 1
	c := meanByCluster(values, clusterSums(values, eachIn(clusters, len(values))))
	switch c.Interval = (Interval{low, high}); {
	case c.Clusters < 2, math.IsInf(high-low, 1) && !varies(c.Error, c.Mean):
		return c
	case math.IsInf(high-low, 1): // t knows no bounds
	case c.Error <= 1e-9*(high-low): // but for rounding
		missed := Wilson(0, c.Clusters, level).High
		c.Error, c.Interval = 0, Interval{c.Mean + missed*(low-c.Mean), c.Mean + missed*(high-c.Mean)}
		return c
	}
	reach := c.reach(level)
	c.Interval = Interval{math.Max(low, c.Mean-reach), math.Min(high, c.Mean+reach)}
	return c
}

// reach is how far t goes from the mean, with one degree of freedom fewer than clusters.
func (c Clustered) reach(level float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(c.Clusters - 1)}.Quantile(1-(1-level)/2) * c.Error
}

// eachIn returns the clusters of questions. nil, and names that are "", are none: each question is then one of its own.
func eachIn(clusters []string, questions int) []string {
	if len(clusters) > 0 && clusters[0] != "" {
		return clusters
	}
	alone := make([]string, questions)
	for i := range alone {
		alone[i] = strconv.Itoa(i)
	}
	return alone
}

// meanByCluster is ByCluster without an interval.
func meanByCluster(values []float64, sums []clusterSum) Clustered {
	c := Clustered{Mean: Mean(values), Clusters: len(sums)}
	if c.Clusters < 2 {
		return c
	}
	squares, g := 0.0, float64(c.Clusters)
	for _, r := range residuals(sums, c.Mean) {
		squares += r * r
	}
	c.Error = math.Sqrt(squares*g/(g-1)) / float64(len(values))
	return c
}

// residuals are by how much the sums of clusters differ from those of as many values that are the mean.
func residuals(sums []clusterSum, mean float64) (list []float64) {
	for _, s := range sums {
		list = append(list, s.sum-float64(s.n)*mean)
	}
	return list
}

// ShareByCluster is ByCluster of shares, from 0 to 1, with Wilson's interval of the effective number of questions, as
// that of Accuracy from 20 questions on. It is never as if there were more questions than there are, nor fewer than if
// questions of a cluster were one.
func ShareByCluster(shares []float64, clusters []string, level float64) (estimate float64, interval Interval) {
	quantile(level) // panics outside of 0 to 1
	estimate, at := shareByClusterAt(shares, clusterSums(shares, clusters), float64(len(shares)))
	return estimate, at(level)
}

// shareByClusterAt is ShareByCluster with its interval at any level, as if there were most questions at most.
func shareByClusterAt(shares []float64, sums []clusterSum, most float64) (estimate float64,
	at func(level float64) Interval) {
	if len(shares) == 0 {
		return 0, func(float64) Interval { return Interval{0, 1} }
	}
	c := meanByCluster(shares, sums)
	n, least := float64(len(shares)), 0.0
	for _, s := range sums {
		least += float64(s.n) * float64(s.n)
	}
	least = n * n / least
	estimate = within(c.Mean)
	inner := estimate * (1 - estimate)
	return estimate, func(level float64) Interval {
		independent := least
		if c.Error > 1e-9 && inner > 1e-12 { // but for rounding
			scale := quantile(level) / c.reach(level)
			independent = math.Min(math.Max(inner*scale*scale, least), most)
		}
		return wilson(estimate, independent, level).holding(estimate)
	}
}

// ClustersAt is DifferenceAt of questions that are drawn in clusters, with the intervals of ShareByCluster in the place
// of Accuracy's, and the correlation of the clusters' sums. first[i] and second[i] are the shares of right answers to
// question i, of any number of answers. With fewer than two clusters the interval is [-1, 1].
//
// A t interval of the differences would be as wrong as the permutation of their signs is, see CompareRepeated: few
// clusters may all favour the steadier condition.
func ClustersAt(first, second []float64, clusters []string) (difference float64, at func(level float64) Interval) {
	return clustersAt(first, second, clusters, float64(len(first)))
}

// DegreesAt is ClustersAt of numbers from 0 to 1 that need not be shares of right answers, such as F1. They may vary
// less than such shares do, so that they count as much as they vary. Its interval also holds that of BoundedAt of the
// differences: those of few questions may be alike although other questions differ the other way.
func DegreesAt(first, second []float64, clusters []string) func(level float64) Interval {
	_, at := clustersAt(first, second, clusters, math.Inf(1))
	bounded := BoundedAt(differences(first, second), clusters, -1, 1)
	return func(level float64) Interval {
		i := bounded(level)
		return at(level).holding(i.Low, i.High)
	}
}

// clustersAt is ClustersAt as if there were most questions at most.
func clustersAt(first, second []float64, clusters []string, most float64) (difference float64,
	at func(level float64) Interval) {
	sums, others := clusterSums(first, clusters), clusterSums(second, clusters)
	a, firstAt := shareByClusterAt(first, sums, most)
	b, secondAt := shareByClusterAt(second, others, most)
	if len(sums) < 2 {
		return a - b, func(float64) Interval { return Interval{-1, 1} }
	}
	phi := correlation(residuals(sums, a), residuals(others, b), a, b)
	return a - b, func(level float64) Interval {
		return squareAndAdd(margin{a, firstAt(level)}, margin{b, secondAt(level)}, phi)
	}
}

// FlipClusters is Flip of the clusters' sums: the permutation test that the mean of paired differences is zero, where
// those of one cluster keep their signs to each other. Clusters are as BoundedAt takes them.
func FlipClusters(differences []float64, clusters []string, resamples int, seed uint64) float64 {
	var sums []float64
	for _, s := range clusterSums(differences, eachIn(clusters, len(differences))) {
		sums = append(sums, s.sum)
	}
	return Flip(sums, make([]float64, len(sums)), resamples, seed)
}

// clusterSum adds up the values of a cluster.
type clusterSum struct {
	n   int
	sum float64
}

// clusterSums are in the order in which clusters were first met.
func clusterSums(values []float64, clusters []string) (sums []clusterSum) {
	if len(values) != len(clusters) {
		panic(fmt.Sprintf("%d values in %d clusters", len(values), len(clusters)))
	}
	at := make(map[string]int)
	for i, c := range clusters {
		place, met := at[c]
		if !met {
			place = len(sums)
			at[c], sums = place, append(sums, clusterSum{})
		}
		sums[place].n++
		sums[place].sum += number(values[i])
	}
	return sums
}
