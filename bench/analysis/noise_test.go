package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// inert are the outcomes of conditions that differ in their seeds alone: each question has a difficulty, and each
// repeat under each condition is drawn by it, but for a share that keeps the draw of the condition before.
func inert(conditions, questions, repeats int, kept float64, random *rand.Rand) (outcomes []trial.Outcome) {
	for q := range questions {
		rate := random.Float64()
		for r := range repeats {
			before := task.Wrong
			for c := range conditions {
				o := trial.Outcome{Question: fmt.Sprint(q), Repeat: r, Condition: fmt.Sprintf("c%d", c),
					Score: task.Wrong}
				if random.Float64() < rate {
					o.Score = task.Right
				}
				if c > 0 && random.Float64() < kept {
					o.Score = before
				}
				before = o.Score
				o.Transcript.Rounds = [][]debate.Turn{{{Reply: inference.Reply{Tokens: 10}}}}
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

// comparedInert compares such conditions with the first, and the mean of all others with it.
func comparedInert(t *testing.T, conditions int, outcomes []trial.Outcome) Comparison {
	t.Helper()
	c := Comparison{Run: spec.Run{Reference: "c0"}}
	var list []trial.Condition
	for i := range conditions {
		list = append(list, trial.Condition{Name: fmt.Sprintf("c%d", i)})
		if i > 0 {
			c.Contrasts = append(c.Contrasts, Contrast{Contrast: contrast.Between(list[i].Name, "c0")})
		}
	}
	if slices.ContainsFunc(outcomes, func(o trial.Outcome) bool { return o.Condition == "c0-again" }) {
		list, c.Again = append(list, trial.DrawnAgain(list[0])), "c0-again"
	}
	c.Tabulate(list, outcome.NewTable(outcomes), nil)
	if len(c.Faults) > 0 {
		t.Fatalf("conditions that are alike are compared without faults: got %q, want none", c.Faults)
	}
	return c
}

// drawnAgain makes the last of so many inert conditions a second draw of the first.
func drawnAgain(conditions int, outcomes []trial.Outcome) []trial.Outcome {
	for i, o := range outcomes {
		if o.Condition == fmt.Sprintf("c%d", conditions-1) {
			outcomes[i].Condition, outcomes[i].Repeat = "c0-again", 1
		}
	}
	return outcomes
}

// TestInertProtocols counts studies in which some effect of protocols that do nothing is announced: p is below 0.05
// after Holm's correction, or the front calls a condition beaten. By Holm that is at most 5 % of studies, and so many
// that it would be less than 1 % likely are too many. Of those that also exceed the noise floor there are no more. The
// floor itself has to be exceeded now and then, or it would say nothing; other names alone never exceed it.
func TestInertProtocols(t *testing.T) {
	studies := 200
	if testing.Short() {
		studies = 40
	}
	const level = 0.05
	allowed := distuv.Binomial{N: float64(studies), P: level}
	for _, c := range []struct {
		name                           string
		conditions, questions, repeats int
		kept                           float64
		again                          bool
	}{
		{"other seeds", 4, 60, 1, 0, false},
		{"other seeds, repeated", 3, 40, 3, 0, false},
		{"other seeds, the first drawn again", 4, 60, 1, 0, true},
		{"rounds that do nothing", 3, 60, 1, 0.8, false},
		{"many conditions", 12, 60, 1, 0, false},
		{"other names", 2, 20, 2, 1, false},
		{"two conditions, few questions", 2, 20, 2, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(11, 0))
			var announced, above, beaten, differences, outside int
			for range studies {
				n := c.conditions + stat.One[int](c.again)
				outcomes := inert(n, c.questions, c.repeats, c.kept, random)
				if c.again {
					outcomes = drawnAgain(n, outcomes)
				}
				made := comparedInert(t, c.conditions, outcomes)
				said, clear := false, false
				for _, k := range made.Contrasts {
					differences++
					if k.Paired == nil {
						t.Fatalf("a contrast of inert conditions has a test: got %+v", k)
					}
					if !k.Paired.Noise {
						outside++
					}
					said = said || k.Paired.Holm <= level
					clear = clear || k.Paired.Holm <= level && !k.Paired.Noise
				}
				announced, above = announced+int(stat.One[int](said)), above+int(stat.One[int](clear))
				for _, p := range made.Front.Points {
					if len(p.BeatenBy) > 0 {
						beaten++
						break
					}
				}
				if (made.Noise != nil) != (c.repeats > 1 || c.again) {
					t.Fatalf("noise is known with several repeats or a second draw, else not: got %+v with %d "+
						"repeats", made.Noise, c.repeats)
				}
			}
			t.Logf("announced %d, above the floor %d, beaten on the front %d of %d studies; %d of %d differences above",
				announced, above, beaten, studies, outside, differences)
			for what, n := range map[string]int{"announces an effect": announced, "beats a condition": beaten} {
				if n > 0 && allowed.Survival(float64(n-1)) < 0.01 {
					t.Errorf("an inert study %s about as seldom as allowed (p of more at least 0.01): got %d of "+
						"%d", what, n, studies)
				}
			}
			if above > announced || c.kept == 1 && announced+beaten+outside > 0 ||
				(c.repeats > 1 || c.again) && c.kept < 1 && (outside == 0 || outside == differences) {
				t.Errorf("no more contrasts are above the floor than are announced, %d: got %d above, %d of %d "+
					"differences outside", announced, above, outside, differences)
			}
		})
	}
}

// TestNoise is worked by hand: of 4 questions, a is right on 4 in its first repeat and 2 in its second, b on 1 of 3
// held twice, each time another one. The gaps are 1/2 and 0, and the floor of means over two repeats is 1/2 by the root
// of 2. A bound and a second name of a condition add no pair.
func TestNoise(t *testing.T) {
	var outcomes []trial.Outcome
	add := func(condition string, repeat int, right string) {
		for q, r := range right {
			score := map[rune]task.Score{'1': task.Right, '0': task.Wrong, 'x': task.Failed}[r]
			outcomes = append(outcomes, trial.Outcome{Question: fmt.Sprint(q), Repeat: repeat, Condition: condition,
				Score: score})
		}
	}
	add("c0", 0, "1111")
	add("c0", 1, "1100")
	add("c1", 0, "100x")
	add("c1", 1, "0101")
	c := comparedInert(t, 2, outcomes)
	want := Noise{Repeats: 2, Pairs: 2, Changed: 4, Median: 0.25, Largest: 0.5, Floor: 0.35355339059327373}
	if c.Noise == nil || *c.Noise != want {
		t.Errorf("the noise is %+v, not %+v", c.Noise, want)
	}
	if p := c.Rows[1].Paired; p == nil || !p.Noise || p.Signed() != "-0.125 (noise)" {
		t.Errorf("a difference of -0.125 is within the noise, and marked so: got %+v", p)
	}
	const says = "noise: two repeats of a condition differ by 25.0 points in the median, 50.0 at most (2 pairs); " +
		"differences over 2 repeats are marked up to 35.4"
	if got := c.NoiseText(); got != says {
		t.Errorf("noise is called\n%s\nwant\n%s", got, says)
	}
}

// TestNoiseSaysWhy: what is held once has no noise, and what never changes has none either; of a single question, whose
// repeats are what is tested, nothing is said.
func TestNoiseSaysWhy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	once := inert(2, 10, 1, 0, random)
	steady := append([]trial.Outcome(nil), once...)
	for _, o := range once {
		o.Repeat = 1
		steady = append(steady, o)
	}
	unread := append([]trial.Outcome(nil), steady...)
	for i := range unread { // with an answer that nobody could read
		unread[i].Score = task.Unparsed
		unread[i].Transcript.Rounds = [][]debate.Turn{{{Answer: answer.Answer{How: answer.Nothing}}}}
	}
	for says, outcomes := range map[string][]trial.Outcome{
		"not measured, as the answers were not":      unread,
		"not measured, as each debate was held once": once,
		"none, as in 2 pairs of repeats":             steady,
		"":                                           inert(2, 1, 8, 0, random),
	} {
		c := comparedInert(t, 2, outcomes)
		if got := c.NoiseText(); !strings.Contains(got, says) || says == "" && got+fmt.Sprint(c.Noise) != "<nil>" {
			t.Errorf("noise is called %q, want a text with %q", got, says)
		}
		if strings.Contains(strings.Join(c.Methods(), ";"), "noise") != (says != "") {
			t.Errorf("the legend names noise where it was measured (%t): got %q", says != "", c.Methods())
		}
	}
}

// TestDrawnAgain is worked by hand: drawn again, the reference is right on 5 of 8 questions instead of 6, with 3
// changed. The gap is 1/8, one standard deviation of such gaps the root of 3 over 8, which is more. The second draw is
// in no test and not on the front, and an effect up to the floor is marked. Where nothing changed, that is said.
func TestDrawnAgain(t *testing.T) {
	var outcomes []trial.Outcome
	add := func(condition string, repeat int, right string) {
		for q, r := range right {
			o := trial.Outcome{Question: fmt.Sprint(q), Repeat: repeat, Condition: condition, Score: task.Wrong}
			if r == '1' {
				o.Score = task.Right
			}
			o.Transcript.Rounds = [][]debate.Turn{{{Reply: inference.Reply{Tokens: 10}}}}
			outcomes = append(outcomes, o)
		}
	}
	add("a", 0, "11111100")
	add("b", 0, "11111000")
	add("c", 0, "00000000")
	first := trial.Condition{Name: "a"}
	conditions := []trial.Condition{first, trial.DrawnAgain(first), {Name: "b"}, {Name: "c"}}
	compared := func(again string) Comparison {
		all := outcomes
		defer func() { outcomes = all }()
		add("a-again", 1, again)
		c := Comparison{Run: spec.Run{Reference: "a", Again: "a-again"}}
		c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
		if len(c.Faults) > 0 {
			t.Fatalf("a condition that is drawn again is compared without faults: got %q, want none", c.Faults)
		}
		return c
	}
	c := compared("11100101")
	want := Noise{Again: "a-again", Repeats: 1, Pairs: 1, Changed: 3, Median: 0.125, Largest: 0.125,
		Floor: 0.21650635094610965}
	if c.Noise == nil || *c.Noise != want {
		t.Fatalf("the noise is %+v, not %+v", c.Noise, want)
	}
	const says = "noise: a drawn again differs by 12.5 points, with 3 answers changed; differences are marked up to " +
		"21.7 (that, and at least one standard deviation of such draws)"
	if got := c.NoiseText(); got != says {
		t.Errorf("noise is called\n%s\nwant\n%s", got, says)
	}
	if c.Rows[1].Paired != nil || !c.Rows[2].Paired.Noise || c.Rows[3].Paired.Noise {
		t.Errorf("row 1 has no test, and of rows 2 and 3 the first alone (b) is within the noise: got %+v", c.Rows)
	}
	var front []string
	for _, p := range c.Front.Points {
		front = append(front, p.Condition)
	}
	if fmt.Sprint(front) != "[a b c]" || len(c.Front.LeftOut) > 0 {
		t.Errorf("the front has a, b and c, and leaves out none: got %v, left out %v", front, c.Front.LeftOut)
	}
	if got := strings.Count(c.FrontTable().String(), "(noise)"); got != 1 {
		t.Errorf("one difference of the front is marked as noise: got %d", got)
	}
	steady := compared("11111100")
	if got := steady.NoiseText(); !strings.Contains(got, "none seen") || steady.Noise.Floor != 0 {
		t.Errorf("a draw of equal answers has the floor 0 and says \"none seen\": got %s, %+v", got, steady.Noise)
	}
}
