package branch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestSentences has the cuts of the program of Thought Anchors (utils.py of 2a15f778), which leaves out what stands
// behind the last one. Together the sentences are the text.
func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"So x is 3. Then y is 4! Is it? Yes.\n\nThe answer is (B).": {"So x is 3.", " Then y is 4!", " Is it? Yes.",
			"\n\nThe answer is (B)."},
		"1. First we add. 2. Then we stop":    {"1. First we add.", " 2. Then we stop"},
		"A. B. C. done it all. Over and out.": {"A. B. C. done it all.", " Over and out."},
		"It costs 3.50 dollars. e.g. this one is long enough. End": {"It costs 3.50 dollars.",
			" e.g. this one is long enough. End"},
		"Yes.":                                 {"Yes."},
		"":                                     nil,
		"A line\nwhich goes on\n\nAnother one": {"A line\nwhich goes on", "\n\nAnother one"},
	} {
		t.Run(text, func(t *testing.T) {
			if diff := cmp.Diff(want, Sentences(text)); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab .?!\n\r\"é1")), 0, 200, -1).Draw(t, "text")
		all := Sentences(text)
		if got := strings.Join(all, ""); got != text {
			t.Fatalf("the sentences of a text joined are the text %q: got %q", text, all)
		}
		for _, s := range all {
			if len(strings.TrimSpace(s)) < shortest && len(all) > 1 {
				t.Fatalf("a sentence of several has %d bytes or more: got %q of %q", shortest, s, text)
			}
		}
	})
}

// TestDivergence has what the program of Thought Anchors computes (calculate_kl_divergence of analyze_rollouts.py,
// 2a15f778, smoothed).
func TestDivergence(t *testing.T) {
	counts := func(n [3]int) (list []Count) {
		for i, n := range n {
			if n > 0 {
				list = append(list, Count{answer.Of("ABC"[i : i+1]), n})
			}
		}
		return list
	}
	for _, c := range []struct {
		first, second [3]int
		want          float64
	}{
		{[3]int{1, 50, 0}, [3]int{5, 0, 20}, 2.959541949793911},
		{[3]int{17, 17, 17}, [3]int{1, 0, 20}, 0.833551668918713},
		{[3]int{0, 17, 17}, [3]int{0, 20, 5}, 0.1845487319686447},
		{[3]int{1, 50, 0}, [3]int{5, 0, 0}, 1.7176160221372367},
		{[3]int{0, 50, 0}, [3]int{20, 1, 20}, 2.8154742521573954},
		{[3]int{0, 50, 1}, [3]int{20, 20, 1}, 0.5768341152673685},
		{[3]int{3, 4, 5}, [3]int{3, 4, 5}, 0},
	} {
		t.Run(fmt.Sprint(c.first, c.second), func(t *testing.T) {
			if got := divergence(counts(c.first), counts(c.second)); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("the divergence is %v, want %v", got, c.want)
			}
		})
	}
}

// reply is what a scripted agent writes behind its beginning: sentences of random words, the third of which, where
// there is one that settles, says what the last one answers.
func reply(begins string, seed uint64, settles bool) string {
	random := rand.New(rand.NewPCG(seed, 1))
	said := Sentences(begins)
	var text strings.Builder
	key := ""
	for i := range 6 {
		s := fmt.Sprintf(" Now consider point %d.", random.IntN(1000))
		value := "AB"[random.IntN(2):][:1]
		switch {
		case i == 2 && settles:
			s = " The key says it is " + value + "."
		case i == 5:
			s = fmt.Sprintf(" The answer is (%s).", cmpOr(key, value))
		}
		if i < len(said) {
			s = said[i]
		} else {
			text.WriteString(s)
		}
		if _, after, keyed := strings.Cut(s, "The key says it is "); keyed {
			key = after[:1]
		}
	}
	if begins == "" {
		return strings.TrimSpace(text.String())
	}
	return text.String()
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// alone is a debate of one agent, whose answer is the decision, as it is recorded and held again.
func alone(t *testing.T, engine inference.Engine, seed uint64) (Message, Hold) {
	t.Helper()
	request := inference.Request{Messages: []inference.Message{{Role: "user", Content: "A or B?"}},
		Sampling: inference.Sampling{Temperature: 1, Seed: seed}}
	hold := func(ctx context.Context, speaker debate.Speaker) (trial.Outcome, error) {
		replies, err := speaker.Generate(ctx, []inference.Request{request})
		if err != nil {
			return trial.Outcome{}, err
		}
		turn := debate.Turn{Messages: request.Messages, Reply: replies[0], Answer: answer.Choice(replies[0].Text)}
		return trial.Outcome{Question: "q", Condition: "single", Transcript: debate.Transcript{
			Rounds: [][]debate.Turn{{turn}}, Decision: debate.Decision{Answer: turn.Answer}}}, nil
	}
	p := engine.Join(0)
	defer p.Leave()
	o, err := hold(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return Message{o, o.Transcript.Rounds[0][0]}, hold
}

// script is an engine of scripted agents.
func script(settles bool) inference.Engine {
	return inference.NewScript(func(r inference.Request) string {
		begins := ""
		if inference.GoesOn(r.Messages) {
			begins = r.Messages[len(r.Messages)-1].Content
		}
		return reply(begins, r.Sampling.Seed, settles)
	})
}

// TestPlanted: of 100 messages in which one sentence settles the answer, it is the one that moved the decision, and no
// other did.
func TestPlanted(t *testing.T) {
	found, others, whole := 0, 0, 0
	for seed := range uint64(100) {
		engine := script(true)
		m, hold := alone(t, engine, seed)
		r, err := Drawing{Samples: 30, Seed: seed}.Draw(t.Context(), m, hold, engine)
		if err != nil {
			t.Fatal(err)
		}
		v := view{Result: r}
		if best := v.most(); best == 2 && v.Sentences[best].Decision.PHolm < 1-analysis.Level {
			found++
		}
		if e := r.Whole.Effects; e != nil && e.Decision.PHolm < 1-analysis.Level {
			whole++
		}
		for i, s := range r.Sentences {
			if i != 2 && s.Effects != nil && s.Decision.PHolm < 1-analysis.Level {
				others++
			}
		}
	}
	if found < 95 || whole < 95 || others > 5 {
		t.Errorf("the sentence that settles the answer is found in %d of 100 messages, and the whole message in %d, "+
			"want 95; others are said to move it %d times, want 5 at most", found, whole, others)
	}
}

// TestNothingPlanted: where no sentence settles anything, one is said to in 5 % of messages at most, but for the last,
// which is the answer.
func TestNothingPlanted(t *testing.T) {
	const messages = 200
	told := 0
	for seed := range uint64(messages) {
		engine := script(false)
		m, hold := alone(t, engine, seed)
		r, err := Drawing{Samples: 20, Seed: seed}.Draw(t.Context(), m, hold, engine)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(r.Sentences[:5], func(s Sentence) bool {
			return s.Effects != nil && s.Decision.PHolm < 1-analysis.Level
		}) {
			told++
		}
	}
	if told > messages/20+6 { // two standard deviations above
		t.Errorf("%d of %d messages have a sentence that is said to move the decision, want 5 %% at most", told,
			messages)
	}
}

// TestInstead: what is put in the place of a sentence stands there in all of its branches, and what is left out does
// not.
func TestInstead(t *testing.T) {
	engine := script(true)
	m, hold := alone(t, engine, 7)
	other := map[string]string{"(A)": "B", "(B)": "A"}[m.Turn.Answer.Text]
	instead := map[int]string{3: "The key says it is " + other + ".", 5: ""}
	r, err := Drawing{Samples: 20, Instead: instead}.Draw(t.Context(), m, hold, engine)
	if err != nil {
		t.Fatal(err)
	}
	want := []Count{{answer.Of("(" + other + ")"), 20}}
	if diff := cmp.Diff(want, r.Sentences[2].Instead.Decisions); diff != "" {
		t.Errorf("decisions with the other key (-want +got):\n%s", diff)
	}
	if e := r.Sentences[2].Instead.Effects.Decision; e.Difference != 1 {
		t.Errorf("with the other key the recorded answer loses %v of branches, want 1", e.Difference)
	}
	if got := r.Sentences[4].Instead; got.Text != "" || got.N != 20 {
		t.Errorf("without sentence 5: %+v, want 20 branches", got)
	}
	if _, err := (Drawing{Samples: 1, Instead: map[int]string{7: ""}}).Draw(t.Context(), m, hold, engine); err == nil ||
		!strings.Contains(err.Error(), "no sentence 7, the message has 6") {
		t.Errorf("sentence 7 of 6 was taken, want an error that says \"no sentence 7, the message has 6\": got %v",
			err)
	}
}

// TestReasoningIsKept: of a model that thinks, branches keep the reasoning and go on within the answer.
func TestReasoningIsKept(t *testing.T) {
	const thought = "<think>\nHm. I think it is A. Yes.\n</think>\n\n"
	sent := make(map[string]int)
	engine := inference.NewScript(func(r inference.Request) string {
		if !inference.GoesOn(r.Messages) {
			return thought + "The key is here. The answer is (A)."
		}
		sent[r.Messages[len(r.Messages)-1].Content]++
		return " The answer is (B)."
	})
	m, hold := alone(t, engine, 1)
	r, err := Drawing{Samples: 3}.Draw(t.Context(), m, hold, engine)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sentences) != 2 || m.Turn.Reply.Reasoning == "" {
		t.Errorf("sentences %+v behind the reasoning %q, want 2", r.Sentences, m.Turn.Reply.Reasoning)
	}
	if diff := cmp.Diff(map[string]int{thought: 3, thought + "The key is here.": 3}, sent); diff != "" {
		t.Errorf("beginnings (-want +got):\n%s", diff)
	}
}

// embedded opens the embedded model.
func embedded(t *testing.T, options ...inference.Option) *inference.Local {
	t.Helper()
	engine, err := inference.Open(modeltest.Embedded(t), append(options, inference.Threads(1))...)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// inJSON is a value as people compare it.
func inJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBranchesOfARun: on the embedded model, a branch is what a cold engine draws behind the same beginning, to the
// bit; it does not depend on how many are drawn at once; a message that is kept in the last round decides as recorded;
// and what comes before a message is not computed again.
func TestBranchesOfARun(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:1]
	mad := conditions[slices.IndexFunc(conditions, func(c trial.Condition) bool { return c.Name == trial.Reference })]
	s := mad.Debate.(society.Society)
	s.Sampling, s.MaxTokens = inference.Sampling{Temperature: 1}, 120
	mad.Debate = s
	options := bench.Options{Task: questions, Conditions: []trial.Condition{mad}, Engine: embedded(t)}
	path := benchtest.RecordRun(t, options.Task, options.Conditions, options.Engine)
	run := benchtest.ReadRun(t, path)
	known, replies, err := rundir.Recorded(path)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := Choice{Case: run.Outcomes[0].Question}.Find(run)
	if err != nil || len(messages) != 6 || replies != 6 {
		t.Fatalf("%d messages in %d replies: %v; want 6", len(messages), replies, err)
	}
	draw := Drawing{Samples: 2, Seed: 3}
	all := func(o ...inference.Option) (Results, inference.Stats) {
		engine := embedded(t, append(o, inference.Known(known))...)
		r, err := draw.All(t.Context(), run, messages, options, engine)
		if err != nil {
			t.Fatal(err)
		}
		return r, engine.Stats()
	}
	wide, did := all(inference.Parallel(16))
	narrow, _ := all(inference.Parallel(1))
	if diff := cmp.Diff(inJSON(t, narrow.Messages), inJSON(t, wide.Messages)); diff != "" {
		t.Errorf("branches do not depend on how many are drawn at once (-1 +16):\n%s", diff)
	}
	if did.Restored == 0 || wide.Work.Computed*5 > wide.Work.Asked {
		t.Errorf("%d replies were known, and %d of %d prompt tokens computed; want some, and a fifth at most",
			did.Restored, wide.Work.Computed, wide.Work.Asked)
	}
	for i, r := range wide.Messages {
		if last := r.Sentences[len(r.Sentences)-1]; r.Round == 1 && partOf(last.Kept.Decisions, r.Decision).Same != 2 {
			t.Errorf("message %d is kept whole, and the debate decides %+v, want 2 times %v", i, last.Kept.Decisions,
				r.Decision)
		}
	}

	m := messages[1]
	hold, err := options.Again(m.Outcome, run.Outcomes)
	if err != nil {
		t.Fatal(err)
	}
	sentences := Sentences(m.Turn.Reply.Text)
	places, _ := draw.places(sentences)
	drawn, err := draw.hold(t.Context(), m, places, hold, embedded(t, inference.Known(known)))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i := 1; i < len(sentences); i++ {
		for k := range draw.Samples {
			p := embedded(t, inference.Parallel(1)).Join(0)
			request := inference.Request{Messages: m.Turn.Messages, MaxTokens: s.MaxTokens, Sampling: s.Sampling}
			request.Sampling.Seed = s.Seeds.Of(m.Case(), m.Turn.Agent, m.Turn.Round, m.Turn.Sample)
			if err := (&speaker{at: m, place: places[i], sample: k, draw: draw}).begin(&request, ""); err != nil {
				t.Fatal(err)
			}
			cold, err := p.Generate(t.Context(), []inference.Request{request})
			if p.Leave(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(places[i].begins+cold[0].Text, drawn[i][k].said); diff != "" {
				t.Errorf("branch %d from sentence %d is the same alone and with others (-alone +drawn):\n%s",
					k, i+1, diff)
			}
			compared++
		}
	}
	if compared < 6 {
		t.Errorf("%d branches were compared with a cold engine, want 6 at least", compared)
	}
}

// TestGreedy: at temperature 0 all branches are one, which is said, and another temperature may be given.
func TestGreedy(t *testing.T) {
	engine := script(true)
	m, hold := alone(t, engine, 1)
	greedy := func(ctx context.Context, speaker debate.Speaker) (trial.Outcome, error) {
		return hold(ctx, cold{speaker})
	}
	if _, err := (Drawing{Samples: 2}).Draw(t.Context(), m, greedy, engine); !errors.Is(err, ErrGreedy) {
		t.Errorf("two branches at temperature 0: %v, want %v", err, ErrGreedy)
	}
	hot := float32(0.5)
	if _, err := (Drawing{Samples: 2, Temperature: &hot}).Draw(t.Context(), m, greedy, engine); err != nil {
		t.Errorf("two branches at temperature 0.5 can be drawn of a greedy debate: got %v, want no error", err)
	}
}

// cold has requests at temperature 0.
type cold struct{ debate.Speaker }

func (c cold) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	asked := slices.Clone(requests)
	for i := range asked {
		asked[i].Sampling.Temperature = 0
	}
	return c.Speaker.Generate(ctx, asked)
}

// TestPage: the page shades what was compared, tells what came of each sentence, and shows marks of HTML as text.
func TestPage(t *testing.T) {
	kept := Told{N: 4, Decisions: []Count{{answer.Of("(A)"), 4}}, Answers: []Count{{answer.Of("(A)"), 4}}}
	other := Told{N: 2, Decisions: []Count{{answer.Of("(B)"), 2}}, Answers: []Count{{answer.Of("(A)"), 2}}}
	r := Result{Question: "q", Condition: "<i>mad", Role: "agent 0", Samples: 4, Answer: answer.Of("(A)"),
		Decision: answer.Of("(A)")}
	r.Sentences = []Sentence{{Text: "It is <script>alert(1)</script>.", Kept: kept, Anew: kept, Without: other},
		{Text: " So (A).", Kept: kept, Anew: kept}}
	r.Whole = r.Sentences[0]
	r.measure()
	for own, want := range map[bool][]string{
		false: {"rgb(var(--holds) / 0.550)", "With other words, of 2: (B) 2 times. Difference &#43;1.000"},
		true:  {"Difference &#43;0.000", "It came again with the same words in all 4 that begin before it."},
	} {
		page, err := Results{Own: own, Messages: []Result{r}}.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(want, "&lt;script&gt;alert(1)", "&lt;i&gt;mad") {
			if !strings.Contains(string(page), text) {
				t.Errorf("by its own answer %t, the page has %q: it lacks it", own, text)
			}
		}
		if strings.Contains(string(page), "<script>alert") ||
			own && strings.Contains(string(page), "rgb(var(--holds) / 0.55") {
			t.Errorf("by its own answer %t, the page has a reply's script, or shades what changes nothing, want "+
				"neither", own)
		}
	}
}
