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
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
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
			t.Errorf("10 clusters keep the accuracy, with intervals wider by 1.5 or more; each question alone "+
				"widens them by 1.2 at most: got %+v without, %+v with, %+v alone", p, c, a)
		}
	}
	p, c := plain.Rows[1].Paired, passages.Rows[1].Paired
	if p.Difference != c.Difference || c.Test != TestClusters || c.Clusters != 10 || c.Questions != 39 || c.P <= p.P ||
		width(c.Interval) < 1.2*width(p.Interval) || c.Detectable != nil ||
		width(c.Equivalence.Interval) < 1.2*width(p.Equivalence.Interval) {
		t.Errorf("10 clusters of 39 questions keep the difference, and have a higher p and intervals wider by "+
			"1.2 or more: got %+v without clusters, %+v with", p, c)
	}
	if text := passages.Legend(false); !strings.Contains(text, "10 clusters of questions by context") ||
		!strings.Contains(text, "t over clusters") {
		t.Errorf("the legend says that intervals are by 10 clusters, and how they are made: got\n%s", text)
	}
}

// TestEqualQuestions: rows that ask the same say no more than one of them, in every interval and test of a run; where
// the run has no clusters, nothing tells them apart from other rows, so that the copies make all of them narrower.
func TestEqualQuestions(t *testing.T) {
	const questions, copies = 8, 5
	names := []string{"mad", "vote", "single"}
	conditions := []trial.Condition{{Name: "mad"}, {Name: "vote"}, {Name: "single"}}
	table := func(copies int, clustered bool) *outcome.Table {
		var outcomes []trial.Outcome
		for q := range questions * copies {
			for i, condition := range names {
				o := trial.Outcome{Question: fmt.Sprint("q", q), Condition: condition, Score: task.Wrong, Group: "g",
					Truth: answer.Of("a"), Target: "a"}
				reply := debate.Turn{Answer: answer.Of("b")}
				if clustered {
					o.Cluster = fmt.Sprint("q", q%questions)
				}
				degree := float64(q%questions*(i+1)%7) / 7
				if o.Partial = &degree; degree > 0.4 {
					o.Score, reply.Answer = task.Right, answer.Of("a")
				}
				o.Transcript.Rounds = [][]debate.Turn{{reply}}
				outcomes = append(outcomes, o)
			}
		}
		return outcome.NewTable(outcomes)
	}
	intervals := func(copies int, cluster string) map[string]stat.Interval {
		outcomes := table(copies, cluster != "")
		contrasts, err := ReadContrasts([]string{"(mad, vote) - single", "mad - vote by f1"}, names, "squad", nil)
		if err != nil {
			t.Fatal(err)
		}
		c := Comparison{Run: spec.Run{Reference: "mad", Questions: questions * copies, Measure: "squad",
			Tests: spec.Tests{Cluster: cluster, Equivalence: 0.1}}, Contrasts: contrasts}
		c.Tabulate(conditions, outcomes, nil)
		list := make(map[string]stat.Interval)
		for _, r := range c.Rows {
			list["row "+r.Condition], list["partial "+r.Condition] = r.Interval, *r.Partial.Interval
			list["group "+r.Condition], list["its partial "+r.Condition] = r.Groups[0].Interval,
				*r.Groups[0].Partial.Interval
			if r.Paired != nil {
				list["paired "+r.Condition] = r.Paired.Interval
				list["within "+r.Condition] = r.Paired.Equivalence.Interval
				list["p "+r.Condition] = stat.Interval{Low: 0, High: 1 / r.Paired.P}
			}
		}
		for _, k := range c.Contrasts {
			list["contrast "+k.Name] = k.Paired.Interval
		}
		tasks := []*outcome.Table{outcomes, outcomes}
		for _, k := range contrasts {
			pooled, _, err := PoolContrast(k.Contrast, tasks)
			if err != nil {
				t.Fatal(err)
			}
			list["over tasks "+k.Name] = pooled.Interval
			runs, untested := PoolRuns(k.Contrast, tasks, cluster)
			if runs == nil {
				t.Fatalf("%s is pooled over runs: got no test, as %s", k.Name, untested)
			}
			list["over runs "+k.Name] = runs.Interval
		}
		list["round"] = RoundsOf(outcomes.Under("single"))[0].Interval
		_, list["mean of conditions"], _ = GroupMean(outcomes, names, cluster)
		if cluster == task.EqualQuestions && !strings.Contains(c.Legend(false), "40 rows, 8 different questions") {
			t.Errorf("the legend says \"40 rows, 8 different questions\": got %s", c.Legend(false))
		}
		return list
	}
	width := func(i stat.Interval) float64 { return i.High - i.Low }
	once, rows, joined := intervals(1, ""), intervals(copies, ""), intervals(copies, task.EqualQuestions)
	for name, one := range once {
		if strings.HasPrefix(name, "p ") { // of equal answers, the test of copies finds what there is not
			if width(joined[name]) > 1.5*width(one) {
				t.Errorf("%s: copies in clusters are at most 1.5 times as wide as rows once: got an end of %.2f "+
					"once, %.2f of clusters", name, one.High, joined[name].High)
			}
			continue
		}
		if width(joined[name]) < 0.8*width(one) || width(rows[name]) > 0.8*width(joined[name]) {
			t.Errorf("%s: an interval of clusters of copies has 0.8 or more of the width of rows once, and rows "+
				"of their own 0.8 of that or less: got once %+.3f, clusters %+.3f, rows %+.3f",
				name, one, joined[name], rows[name])
		}
	}
	if len(once) < 20 {
		t.Errorf("20 intervals or more are compared: got %d", len(once))
	}
}
