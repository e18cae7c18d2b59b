package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
)

// TestIntervalsByCluster: where all questions of a cluster come out alike, it counts as one; a failed debate leaves the
// pairs of the others with their clusters; where each question is a cluster, intervals are about those of questions.
func TestIntervalsByCluster(t *testing.T) {
	compare := func(field string, clusterOf func(q int) string) Comparison {
		var outcomes []trial.Outcome
		for q := range 40 {
			for i, condition := range []string{"mad", "vote"} {
				o := trial.Outcome{Question: fmt.Sprint("q", q), Condition: condition, Cluster: clusterOf(q),
					Score: task.Wrong}
				switch {
				case q == 3 && i == 1:
					o.Score = task.Failed
				case q/4%(2+i) == 0:
					o.Score = task.Right
				}
				outcomes = append(outcomes, o)
			}
		}
		c := Comparison{Run: spec.Run{Reference: "mad", Questions: 40, Tests: spec.Tests{Cluster: field,
			Equivalence: 0.1}}}
		c.Tabulate([]trial.Condition{{Name: "mad"}, {Name: "vote"}}, outcome.NewTable(outcomes), nil)
		return c
	}
	width := func(i stat.Interval) float64 { return i.High - i.Low }
	plain := compare("", func(int) string { return "" })
	passages := compare("context", func(q int) string { return fmt.Sprint(q / 4) })
	alone := compare("context", func(q int) string { return fmt.Sprint(q) })
	for i := range plain.Rows {
		p, c, a := plain.Rows[i], passages.Rows[i], alone.Rows[i]
		if p.Accuracy != c.Accuracy || p.Clusters != 0 || c.Clusters != 10 ||
			width(c.Interval) < 1.5*width(p.Interval) || width(a.Interval) < width(p.Interval) ||
			width(a.Interval) > 1.2*width(p.Interval) {
			t.Errorf("without clusters %+v, with %+v, each alone %+v", p, c, a)
		}
	}
	p, c := plain.Rows[1].Paired, passages.Rows[1].Paired
	if p.Difference != c.Difference || c.Test != TestClusters || c.Clusters != 10 || c.Questions != 39 || c.P <= p.P ||
		width(c.Interval) < 1.2*width(p.Interval) || c.Detectable != nil ||
		width(c.Equivalence.Interval) < 1.2*width(p.Equivalence.Interval) {
		t.Errorf("without clusters %+v, with %+v", p, c)
	}
	if text := passages.Legend(false); !strings.Contains(text, "10 clusters of questions by context") ||
		!strings.Contains(text, "t over clusters") {
		t.Errorf(`%v, want strings.Contains(text, "10 clusters of questions by context") && `+
			`strings.Contains(text, "t over clusters")`,
			text)
	}
}
