package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/soak"
)

// sequentialStudy asks methods in blocks until it is decided which are worth their tokens, or all questions are asked,
// and returns the comparison at that look, and whether at any look before some condition was called beaten by one that
// is not better.
func sequentialStudy(t *testing.T, methods []method, questions int, within float64, random *rand.Rand) (c Comparison,
	maligned bool) {
	t.Helper()
	stop := spec.Stopping{Condition: spec.Decided, Every: 50, Within: within}
	stop.EnsureDefaults()
	rates := make(map[string]float64)
	planned := Comparison{Run: spec.Run{Reference: methods[0].name, Questions: questions,
		Budgets: make(map[string]int)}}
	var conditions []trial.Condition
	for _, m := range methods {
		conditions = append(conditions, trial.Condition{Name: m.name})
		planned.Budgets[m.name], rates[m.name] = m.tokens/100, m.rate
	}
	outcomes := studied(methods, questions, random)
	for asked := stop.Every; ; asked += stop.Every {
		c = planned
		c.compute(deciding, conditions, outcome.NewTable(outcomes[:asked*len(methods)]), &stop)
		if c.Front == nil || c.Stopped == nil || len(c.Faults) > 0 {
			t.Fatalf("a look at %d questions has no front: %q", asked, c.Faults)
		}
		for _, p := range c.Front.Points {
			for _, by := range p.BeatenBy {
				maligned = maligned || rates[by] <= rates[p.Condition]
			}
		}
		if c.Stopped.Clear || asked == questions {
			return c, maligned
		}
	}
}

// TestDecided: with a look after every block, a study in which nothing differs calls some condition beaten at no more
// than the level promised; one whose best method within each budget is known names it, and stops.
func TestDecided(t *testing.T) {
	studies := 200
	if testing.Short() {
		studies = 20
	}
	for _, c := range []struct {
		name    string
		methods []method
		within  float64
		use     map[int]string // by budget
		stops   bool
	}{
		{"nothing differs", []method{{"single", 0.5, 100}, {"vote", 0.5, 300}, {"debate", 0.5, 900}}, 0,
			map[int]string{1: "single", 3: "single", 9: "single"}, false},
		{"a vote is worth it, a debate is not", []method{{"single", 0.3, 100}, {"vote", 0.75, 300},
			{"debate", 0.7, 900}}, 0.2, map[int]string{1: "single", 3: "vote", 9: "vote"}, true},
		{"each is worth it", []method{{"single", 0.2, 100}, {"vote", 0.5, 300}, {"debate", 0.85, 900}}, 0,
			map[int]string{1: "single", 3: "vote", 9: "debate"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(17, 0))
			named, wrong, early, asked := 0, 0, 0, 0
			for range studies {
				made, maligned := sequentialStudy(t, c.methods, 400, c.within, random)
				right := true
				for _, w := range made.Front.Budgets {
					right = right && w.Use == c.use[w.Budget]
				}
				for _, is := range []struct {
					so    bool
					count *int
				}{{right, &named}, {maligned, &wrong}, {made.Stopped.Asked < 400, &early}} {
					if is.so {
						*is.count++
					}
				}
				asked += made.Stopped.Asked
			}
			t.Logf("named in %d, wrong in %d, stopped early in %d of %d studies, after %d questions on average", named,
				wrong, early, studies, asked/studies)
			if share := stat.Share(named, studies); share < 0.95 {
				t.Errorf("the verdict names what to use within each budget in %.3f of %d studies, not in 0.95", share,
					studies)
			}
			if share := stat.Share(wrong, studies); share > 0.05 {
				t.Errorf("a condition that is not worse is called beaten at some look in %.3f of %d studies, more "+
					"than 0.05", share, studies)
			}
			if share := stat.Share(early, studies); c.stops && share < 0.95 || !c.stops && share > 0.05 {
				t.Errorf("%.3f of %d studies stop before their last question", share, studies)
			}
		})
	}
}

// TestBeatenByATest: what the front calls beaten an exact test at the level of the front tells apart too; a condition
// that is right on five of six questions that another one is wrong on is not called better.
func TestBeatenByATest(t *testing.T) {
	more := soak.More(t, 300)
	random, beaten := rand.New(rand.NewPCG(19, 0)), 0
	for done := 0; more(done); done++ {
		methods, questions := 2+random.IntN(5), 3+random.IntN(40)
		table := outcome.NewTable(inert(methods, questions, 1, random.Float64(), random))
		f := &Front{}
		var names []string
		for i := range methods {
			names = append(names, fmt.Sprintf("c%d", i))
			f.Points = append(f.Points, Point{Condition: names[i], Tokens: 10})
		}
		if !f.compare(under(table, names), false, 0) {
			t.Fatalf("%d questions are not compared", questions)
		}
		for _, p := range f.Points {
			for _, by := range p.BeatenBy {
				beaten++
				s := versusOf(under(table, []string{by}), under(table, []string{p.Condition}), "")
				if above, below := stat.Signs(s.differences); stat.McNemar(above, below) > 1-f.Level {
					t.Errorf("%s is called worse than %s by %d to %d questions, whose exact p is %.4f, at %.4f",
						p.Condition, by, above, below, stat.McNemar(above, below), 1-f.Level)
				}
			}
		}
	}
	if beaten == 0 {
		t.Error("nothing was beaten, so that nothing was tried")
	}
}
