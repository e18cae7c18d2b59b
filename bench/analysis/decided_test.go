package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
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
			t.Fatalf("a look at %d questions has a front and says whether to stop: got neither, faults %q",
				asked, c.Faults)
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
				t.Errorf("the verdict names what to use within each budget in 0.95 or more of studies: got %.3f "+
					"of %d", share, studies)
			}
			if share := stat.Share(wrong, studies); share > 0.05 {
				t.Errorf("a condition that is not worse is called beaten at some look in 0.05 or fewer of "+
					"studies: got %.3f of %d", share, studies)
			}
			if share := stat.Share(early, studies); c.stops && share < 0.95 || !c.stops && share > 0.05 {
				t.Errorf("0.95 or more of studies stop early where there is a difference (%t), else 0.05 or "+
					"fewer: got %.3f of %d", c.stops, share, studies)
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
					t.Errorf("a condition is called worse only where the exact p is at most %.4f: got %s below "+
						"%s by %d to %d questions, p %.4f",
						1-f.Level, p.Condition, by, above, below, stat.McNemar(above, below))
				}
			}
		}
	}
	if beaten == 0 {
		t.Error("nothing was beaten, so that nothing was tried")
	}
}

// unreadStudy is a study in which a method is right on nearly all questions and the others on few, and of each method
// another share of replies could be read: how many of so many, by a reader that tells how, by the rule of a paper,
// which does not, or of the judge that decides.
func unreadStudy(questions int, by answer.How, judged bool, random *rand.Rand) (outcomes []trial.Outcome,
	names []string, read map[string]int) {
	read = make(map[string]int)
	for m := range 2 + random.IntN(3) {
		name := fmt.Sprintf("m%d", m)
		names, read[name] = append(names, name), random.IntN(questions+1)
		if random.IntN(2) == 0 {
			read[name] = questions - random.IntN(questions/4)
		}
		for q := range questions {
			o := trial.Outcome{Question: fmt.Sprint(q), Condition: name, Score: task.Wrong}
			said := answer.Answer{How: by}
			switch {
			case q >= read[name] && by != "":
				said.How = answer.Nothing
				fallthrough
			case q >= read[name]:
				o.Score = task.Unparsed
			default:
				if said = answer.Of("B"); m == 0 || random.Float64() < 0.1 {
					o.Score = task.Right
				}
				said.How = by
			}
			turn := debate.Turn{Answer: said, Reply: inference.Reply{Tokens: 100 * (m + 1)}}
			o.Transcript.Rounds = [][]debate.Turn{{turn}}
			if judged {
				o.Transcript.Rounds[0][0].Answer = answer.Answer{Parsed: true, Text: "B", How: by}
				turn.Kind = debate.KindJudgement
				o.Transcript.Voting = [][]debate.Turn{{turn}}
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, names, read
}

// TestUnreadIsNotDecided: however far apart conditions are, a run is not clear about one too few of whose answers could
// be read, whoever gives them; where all were read it is, and in both cases it says so.
func TestUnreadIsNotDecided(t *testing.T) {
	more := soak.More(t, 100)
	random, clear, refused := rand.New(rand.NewPCG(31, 0)), 0, 0
	const questions = 60
	for done := 0; more(done); done++ {
		by, judged := []answer.How{answer.Explicit, ""}[random.IntN(2)], random.IntN(3) == 0
		outcomes, names, read := unreadStudy(questions, by, judged, random)
		var conditions []trial.Condition
		var measured []string
		for _, name := range names {
			conditions = append(conditions, trial.Condition{Name: name})
			if float64(read[name]) >= 0.8*questions {
				measured = append(measured, name)
			}
		}
		for _, stop := range []spec.Stopping{{Condition: spec.Decided}, {Condition: names[1], Reference: names[0]}} {
			stop.EnsureDefaults()
			c := Comparison{Run: spec.Run{Reference: names[0], Questions: 2 * questions}}
			c.compute(deciding, conditions, outcome.NewTable(outcomes), &stop)
			may := len(measured) > 1
			if !stop.All() {
				may = slices.Contains(measured, names[0]) && slices.Contains(measured, names[1])
			}
			if s := c.Stopped; len(c.Faults) > 0 || s.Clear && !may || may == (s.Unknown != "") {
				t.Fatalf("where unread replies may decide, a run is not clear and says why: of %d replies %v "+
					"could be read (by %q, of a judge: %t), got clear %t, unknown %q, faults %q",
					questions, read, by, judged, s.Clear, s.Unknown, c.Faults)
			}
			if text := c.Stopped.sentence(); !may && !strings.Contains(text, unmeasured) {
				t.Errorf("where nothing is decided for replies that were not read it is said so, %q: got %s",
					unmeasured, text)
			}
			if clear += stat.One[int](c.Stopped.Clear); !may {
				refused++
			}
		}
	}
	if clear == 0 || refused == 0 {
		t.Errorf("some runs are clear and some are refused: got %d and %d", clear, refused)
	}
}
