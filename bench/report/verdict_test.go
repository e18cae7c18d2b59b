package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
)

// TestVerdictOfARun is worked by hand: of 12 questions, debates get all right, and single answers the first three. The
// nine that come out differently all do so the same way, and the exact p is 2 / 2^9 = 0.0039; the difference is 9 / 12.
func TestVerdictOfARun(t *testing.T) {
	s := marked(t, "m", "111000000000", "111111111111")
	got := conclude(s.headlineContrasts(), false)
	interval := between("%+.3f", s.headlineContrasts()[0].Paired.Interval)
	want := []string{"single is worse than mad. The difference in accuracy is -0.750 (95 % interval " + interval +
		", adjusted p 0.004, 12 questions)."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a treatment that is worse (-want +got):\n%s", diff)
	}
	want[0] = strings.NewReplacer("single is", "single (one chain of thought) is", "mad.",
		"mad (debate of 3 agents, 2 rounds).").Replace(want[0])
	s.Finished = false
	c, err := runContents(s, Options{})
	if err != nil || len(c.Verdict) != 2 || c.Verdict[0] != want[0] ||
		!strings.Contains(c.Verdict[1], "Not all debates") {
		t.Errorf("the verdict is %q, and says that not all debates are held: got %q, %v", want[0], c.Verdict, err)
	}
	if lead := strings.Index(c.Markdown, want[0]); lead < 0 || lead > strings.Index(c.Markdown, c.Lead[0]) {
		t.Errorf("Markdown begins with the verdict, %q: got %.300s", want[0], c.Markdown)
	}
	s.Published = []Published{{"single", 0.25}, {"mad", 0.4}, {"vote", 0.5}}
	if c, err = runContents(s, Options{}); err != nil || c.Verdict[1] != "1 of 2 published numbers that may be "+
		"compared lies within our 95 % intervals; for 1 more we have no interval." {
		t.Errorf("the verdict counts published numbers that lie within intervals, 1 of 2, and those without one: "+
			"got %q, %v", c.Verdict, err)
	}
}

// TestHeadlines: a report begins with what was not measured. Only a run that measured what it compares begins with a
// comparison.
func TestHeadlines(t *testing.T) {
	read := func(how answer.How) func(condition string, o *trial.Outcome) {
		return func(condition string, o *trial.Outcome) {
			turn := debate.Turn{Answer: answer.Answer{Text: "(A)", Parsed: true, How: how}}
			turn.Reply.Key, turn.Reply.Text = condition+o.Question, "(A)"
			o.Transcript.Rounds = [][]debate.Turn{{turn}}
		}
	}
	alike := func(_ string, o *trial.Outcome) { read(answer.Explicit)("", o) }
	for _, c := range []struct {
		name, single, mad string
		guess             float64
		held              func(condition string, o *trial.Outcome)
		begins            string
		compared          bool // the second sentence is about the comparison, or the first one of a run that is healthy
	}{
		{"healthy", "1100", "1111", 0.25, read(answer.Explicit), "single (one chain of thought) cannot be told apart " +
			"from mad (debate of 3 agents, 2 rounds).", true},
		{"unread", "1100", "1111", 0.25, read(answer.Fallback),
			"The answers were not measured: 0 of 8 replies (0 %) state their answer", false},
		{"below chance", "1000", "1100", 0.75, read(answer.Explicit), "No condition reaches chance: the best one, " +
			"mad, is " +
			"right on 0.500", true},
		{"nobody right", "0000", "0000", 0.25, read(answer.Explicit), "Nobody was right, under any condition: 8 " +
			"debates",
			false},
		{"equal prompts, or teams of one model", "1100", "1100", 0.25, alike, "The treatment was never applied " +
			"under single: in " +
			"all debates the same was sent, and decided, as under mad, so that there is nothing to compare.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := marked(t, "m", c.single, c.mad)
			s.Header.Guess = &c.guess
			for i := range s.Outcomes {
				c.held(s.Outcomes[i].Condition, &s.Outcomes[i])
			}
			run, err := rundir.NewRun(s.Header, s.Outcomes)
			if err != nil {
				t.Fatal(err)
			}
			made, err := runContents(study{Run: run}, Options{})
			if err != nil || !strings.HasPrefix(made.Verdict[0], c.begins) {
				t.Errorf("%s: the verdict begins with %q: got %q, %v", c.name, c.begins, made.Verdict, err)
			}
			text := strings.Join(made.Verdict, " ")
			if strings.Contains(text, "The difference in accuracy is") != c.compared {
				t.Errorf("%s: the text compares two conditions: got %t, want %t; %s",
					c.name, !c.compared, c.compared, text)
			}
			if !strings.Contains(made.Markdown, c.begins) {
				t.Errorf("%s: Markdown has the verdict, which begins with %q: it has not", c.name, c.begins)
			}
		})
	}
}

// TestVerdictNamesAll: whatever the debates of a run show, its verdict begins with the first rival that it has, and
// names everything in the table that differs significantly from the debate, contrasts or not.
func TestVerdictNamesAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	named, led := 0, 0
	for i := range 60 {
		names := []string{"single", "vote", "self-consistency", "self-consistency-tokens", "mad", "mad-random",
			"isolated"}
		names = slices.DeleteFunc(names, func(n string) bool { return n != "mad" && rng.IntN(4) == 0 })
		marks := make(map[string]string)
		for _, n := range names {
			p := []float64{0.2, 0.5, 0.8}[rng.IntN(3)]
			for range 30 {
				marks[n] += map[bool]string{true: "1", false: "0"}[rng.Float64() < p]
			}
		}
		s := markedAll(t, "m", names, marks, func(h *rundir.Header) {
			if h.Guess = new(float64); i%3 == 0 && len(names) > 2 {
				h.Contrasts = []string{names[0] + " - " + names[1]}
			}
		})
		c, err := runContents(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(c.Verdict, " ")
		for _, r := range s.Comparison.Rows {
			if r.Paired == nil || r.Paired.Holm > largestP {
				continue
			}
			if named++; !strings.Contains(text, r.Condition+" (") && !strings.Contains(text, r.Condition+" is") {
				t.Errorf("%s, with p %.3f, is named in the verdict: got %s", r.Condition, r.Paired.Holm, text)
			}
		}
		if strings.Count(text, "debate of 3 agents, 2 rounds)") > 1 {
			t.Errorf("a name is explained once: got %s", text)
		}
		for _, rival := range trial.Rivals() {
			if slices.Contains(names, rival) && len(s.Header.Contrasts) == 0 {
				if led++; !strings.HasPrefix(c.Verdict[0], rival+" (") {
					t.Errorf("%v: the verdict begins with the rival, %q: got %q", names, rival, c.Verdict[0])
				}
				break
			}
		}
	}
	if named < 50 || led < 20 {
		t.Errorf("50 differences or more and 20 beginnings are looked at: got %d and %d", named, led)
	}
}

// TestInWords: debates are told by their size, controls by their meaning, and a meaning of many words not at all.
func TestInWords(t *testing.T) {
	protocolOf := func(name string) trial.Condition {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			t.Fatal(err)
		}
		return trial.Condition{Name: name, Meaning: p.Meaning, Agents: p.Agents(), Rounds: p.Rounds(), Protocol: &p}
	}
	for want, c := range map[string]trial.Condition{
		"debate of 3 agents, 2 rounds": {Name: "mad", Meaning: "debate, the others in their order", Agents: 3,
			Rounds: 2},
		"debate of 3 agents, 2 rounds, the others in random order": {Name: "mad-random",
			Meaning: "debate, the others in random order", Agents: 3, Rounds: 2},
		"one chain of thought": {Name: "single", Meaning: "one chain of thought", Agents: 1, Rounds: 1},
		"":                     {Name: "x", Meaning: strings.Repeat("word ", 30)},
	} {
		if got := inWords(c); got != want {
			t.Errorf("%s in words is %q: got %q", c.Name, want, got)
		}
	}
	if got := inWords(protocolOf("madc")); !strings.HasPrefix(got, "debate of ") {
		t.Errorf("madc in words begins with \"debate of \": got %q", got)
	}
	if got := inWords(protocolOf("reversal-correct-first")); strings.HasPrefix(got, "debate of ") {
		t.Errorf("a reversal in words is no \"debate of \": got %q", got)
	}
}

// contrastOf reads a contrast among the conditions that it names.
func contrastOf(text string) contrast.Contrast {
	conditions, _, _ := strings.Cut(text, " by ")
	list, err := contrast.Read([]string{text}, strings.FieldsFunc(conditions, func(r rune) bool {
		return strings.ContainsRune(" ,()-", r)
	}))
	if err != nil {
		panic(err)
	}
	return list[0]
}

// TestConclusions: each of the things that a comparison can show is said in its own words.
func TestConclusions(t *testing.T) {
	of := func(name string, difference, p float64, verdict string) contrasted {
		k := contrasted{Contrast: contrastOf(name), Of: "maths", Paired: &analysis.Paired{Questions: 40, Holm: p,
			Paired: stat.Paired{Difference: difference, Interval: stat.Interval{Low: difference - 0.1,
				High: difference + 0.1}}}}
		if verdict != "" {
			k.Paired.Equivalence = &pairs.Equivalence{Bounds: stat.Bounds{Low: -0.05, High: 0.05}, Verdict: verdict,
				Interval: stat.Interval{Low: difference - 0.02, High: difference + 0.02}}
		}
		return k
	}
	const end = " The difference in accuracy is +0.020 (95 % interval -0.080 to +0.120, adjusted p 0.300, 40 questions"
	const margin = "; equivalent would be -0.050 to +0.050, and the 90 % interval is +0.000 to +0.040)."
	for _, c := range []struct {
		k    contrasted
		many bool
		want string
	}{
		{of("a - b", 0.02, 0.3, ""), false, "a cannot be told apart from b." + end + ")."},
		{of("a - b", 0.02, 0.3, ""), true, "maths: a cannot be told apart from b." + end + ")."},
		{of("a - b", 0.02, 0.3, pairs.Equivalent), false, "a and b are equivalent." + end + margin},
		{of("a - b", 0.02, 0.3, pairs.NotInferior), false, "a cannot be told apart from b, and is not inferior to it." +
			end + margin},
		{of("a - b", 0.02, 0.3, pairs.NotShown), false, "a cannot be told apart from b, and that they are equivalent " +
			"is not shown either." + end + margin},
		{of("(a, c) - b", -0.2, 0.05, ""), false, "The mean of a and c is worse than b. The difference in accuracy " +
			"is -0.200 (95 % interval -0.300 to -0.100, adjusted p 0.050, 40 questions)."},
		{contrasted{Contrast: contrastOf("a - b")}, false, "a could not be compared with b, as they have too few " +
			"questions in " +
			"common."},
		{contrasted{Contrast: contrastOf("a - b by tokens"), Untested: "-9.000, not known below 30 questions"}, false,
			"By tokens, a could not be compared with b: -9.000, not known below 30 questions."},
	} {
		t.Run(fmt.Sprintf("%v", c.many), func(t *testing.T) {
			if got := c.k.conclusion(c.many); got != c.want {
				t.Errorf("the conclusion is as wanted (-want +got):\n%s", cmp.Diff(c.want, got))
			}
		})
	}
	if text := of("a - b", 0.2, 0.1, "").conclusion(false); !strings.HasSuffix(text, ", 40 questions; the interval is "+
		"not adjusted for the number of comparisons, as p is).") {
		t.Errorf("an adjusted p beside an interval that is not: the end of the sentence says so: got %q", text)
	}
	better := of("a - b", 0.03, 0.01, pairs.Equivalent).conclusion(false)
	if !strings.HasPrefix(better, "a is better than b, but the difference is within the margin that counts as equi") {
		t.Errorf("a difference that is significant and equivalent: the sentence begins with both: got %q", better)
	}
	for text, want := range map[string]string{
		"a - b by f1":     "By f1, a is better than b. The difference in f1 is +0.200 ",
		"a - b by tokens": "By tokens, a is higher than b. The difference in tokens is +0.200 ",
	} {
		if says := of(text, 0.2, 0.01, "").conclusion(false); !strings.HasPrefix(says, want) {
			t.Errorf("the conclusion begins with %q: got %s", want, says)
		}
	}
	average := of("a - b", 0.2, 0.01, "")
	average.Of, average.Pooled = "average of 2 tasks: maths and law", true
	if says := conclude(averagedFirst([]contrasted{of("a - b", 0.1, 0.2, ""), average}), true); len(says) != 1 ||
		!strings.HasPrefix(says[0], "Average of 2 tasks: a is better than b. ") {
		t.Errorf("the average over tasks is concluded first: got %q", says)
	}
	open := conclude([]contrasted{of("a - b", 0, 0.9, pairs.Equivalent), of("a - c", 0.01, 0.8, pairs.NotShown),
		of("a - d", 0.03, 0.01, pairs.Equivalent)}, false)
	if want := "Of 3 comparisons, the first side is better in 1 and worse in 0, and in 2 the two cannot be told " +
		"apart (of which 1 is equivalent)."; open[0] != want {
		t.Errorf("comparisons that cannot be told apart are concluded as %q: got %q", want, open[0])
	}
	many := conclude([]contrasted{of("a - b", 0.2, 0.01, ""), of("a - c", -0.2, 0.001, ""), of("a - d", 0.1, 0.2, ""),
		of("a - e", 0.1, 0.06, ""), {Contrast: contrastOf("a - f")}}, false)
	if len(many) != 3 || many[0] != "Of 5 comparisons, the first side is better in 1 and worse in 1, and in 2 the two "+
		"cannot be told apart; 1 could not be tested." || !strings.HasPrefix(many[1], "The smallest p: a is worse") {
		t.Errorf("many comparisons are counted, with the smallest p: got %q", many)
	}
}

// TestNothingToldApart: of many comparisons without a difference, or without a test, the verdict counts no zeros.
func TestNothingToldApart(t *testing.T) {
	of := func(text string, holm float64) contrasted {
		return contrasted{Contrast: contrastOf(text), Paired: &analysis.Paired{Holm: holm, Questions: 9}}
	}
	same, untested := contrasted{Contrast: contrastOf("a - f"), Same: 5}, contrasted{Contrast: contrastOf("a - g")}
	for want, list := range map[string][]contrasted{
		"In none of 3 comparisons can the two sides be told apart.": {of("a - b", 1), of("a - c", 0.4), of("a - d", 1)},
		"In none of 4 comparisons can the two sides be told apart; in 1 the treatment was never applied, as both " +
			"sides were sent the same; 1 could not be tested.": {of("a - b", 1), of("a - c", 0.4), same, untested},
		"None of 3 comparisons could be tested; in 2 the treatment was never applied, as both sides were sent the " +
			"same.": {same, same, untested},
		"None of 3 comparisons could be tested.": {untested, untested, untested},
	} {
		t.Run(want, func(t *testing.T) {
			if got := conclude(list, false); got[0] != want {
				t.Errorf("where nothing is told apart it is concluded as %q: got %q", want, got[0])
			}
		})
	}
}

// TestAllAdjustedToOne: if no p is the smallest, the verdict tells the largest difference, and what could be detected.
func TestAllAdjustedToOne(t *testing.T) {
	detectable := 0.3
	of := func(text string, difference float64) contrasted {
		p := &analysis.Paired{Holm: 1, Questions: 9}
		p.Difference = difference
		return contrasted{Contrast: contrastOf(text), Paired: p}
	}
	list := []contrasted{of("a - b", 0.1), of("a - c", -0.2), of("a - d", 0)}
	for _, want := range []string{
		"All adjusted p are 1.000; so few questions detect no difference. The largest difference: a cannot be told " +
			"apart from c. The difference in accuracy is -0.200 ",
		"All adjusted p are 1.000; as many questions detect one of 0.300 or more (power near 0.8 at p 0.05, " +
			"unadjusted). The largest difference: a cannot",
	} {
		if got := conclude(list, false); !strings.HasPrefix(got[1], want) {
			t.Errorf("where all p are adjusted to 1 the conclusion begins with %q: got %q", want, got[1])
		}
		list[1].Paired.Detectable = &detectable
	}
}

// TestAgreement counts published numbers: those of other models or questions never count as near or far.
func TestAgreement(t *testing.T) {
	at := func(value float64, interval *stat.Interval) pair {
		p := pair{Ours: measured{Known: true, Interval: interval}}
		p.Number = experiment.Number{Value: value}
		return p
	}
	ours := &stat.Interval{Low: 0.5, High: 0.7}
	same := []pair{at(0.5, ours), at(0.69, ours), at(0.71, ours), at(0.6, nil)}
	for _, c := range []struct {
		same      []pair
		elsewhere int
		want      []string
	}{
		{nil, 0, nil},
		{nil, 2, []string{"None of 2 published numbers may be compared with ours: they are for other models or other " +
			"questions."}},
		{same, 1, []string{"2 of 3 published numbers that may be compared lie within our 95 % intervals; for 1 more " +
			"we have no interval; 1 more is for other models or other questions."}},
		{same[3:], 0, []string{"1 published number may be compared with ours, which has no interval."}},
	} {
		t.Run(fmt.Sprintf("%v", c.elsewhere), func(t *testing.T) {
			if diff := cmp.Diff(c.want, publishedWithin(c.same, c.elsewhere)); diff != "" {
				t.Errorf("how many published numbers lie within our intervals (-want +got):\n%s", diff)
			}
		})
	}
	e, studies := trialStudies(t)
	b, err := comparePublished(e, studies, nil)
	if got := b.verdict(); err != nil || len(got) != 1 || !strings.HasPrefix(got[0],
		"2 of 2 published numbers") || !strings.Contains(got[0], "; 3 more are for other models") {
		t.Errorf("2 of 2 published numbers agree, and 3 more are for other models: got %q, %v", got, err)
	}
}

// TestVerdictOfRuns: across runs the comparisons are those that are pooled.
func TestVerdictOfRuns(t *testing.T) {
	c, _, err := runsContents([]study{marked(t, "one", "1100", "1111"), marked(t, "two", "1000", "1111")}, Options{})
	if err != nil || !slices.ContainsFunc(c.Verdict, func(text string) bool {
		return strings.HasPrefix(text, "Pooled over 2 runs: single ")
	}) {
		t.Errorf("the verdict of several runs is the pooled one: got %q, %v", c.Verdict, err)
	}
}

// TestAnswered: an experiment says what its source measures or, without a contrast, that accuracy may not answer it.
func TestAnswered(t *testing.T) {
	s := marked(t, "m", "1100", "1111")
	s.Comparison.Rows[0].Dynamics = &analysis.Dynamics{Decided: []int{1, 3}}
	said := []contrasted{{Contrast: contrastOf("single - mad")}}
	of := func(measure string) experiment.Experiment {
		value := 0.5
		return experiment.Experiment{Meaning: "after how many turns?", Published: []experiment.Published{{Model: "m",
			Task: "four", Condition: "single", Measure: measure, Value: &value}}}
	}
	for measure, want := range map[string]string{
		"decided-in-turn-2": "What its source measures to answer its question: decided-in-turn-2 single 0.750.",
		"":                  "The experiment names no contrast that answers its question",
		"f1":                "The experiment names no contrast that answers its question",
		"identity-bias":     "The experiment names no contrast that answers its question", // not known here
	} {
		t.Run(measure, func(t *testing.T) {
			got := explainMeasures(of(measure), []study{s}, said, false)
			if len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("%s: the answer begins with %q: got %q", measure, want, got)
			}
		})
	}
	if got := explainMeasures(of(""), []study{s}, nil, false); got != nil {
		t.Errorf("where nothing is compared nothing is explained: got %q", got)
	}
	if got := explainMeasures(of(""), []study{s}, said, true); got != nil {
		t.Errorf("where contrasts are named accuracy is not explained: got %q, want none", got)
	}
	if got := explainMeasures(of("decided-in-turn-2"), []study{s}, said, true); len(got) != 1 {
		t.Errorf("beside the contrasts what the source measures is explained, in 1 answer: got %q", got)
	}
}
