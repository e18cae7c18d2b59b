package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{1, 0}, 1},
		{[]float32{1, 0}, []float32{0, 3}, 0},
		{[]float32{1, 2}, []float32{-2, -4}, -1},
		{[]float32{3, 4}, []float32{4, 3}, 24.0 / 25},
		{[]float32{1, 1, 1}, []float32{1, 0, 0}, 1 / math.Sqrt(3)},
		{[]float32{0, 0}, []float32{1, 0}, 0},
	} {
		t.Run(fmt.Sprintf("%v %v", c.a, c.b), func(t *testing.T) {
			if got := cosine(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%v and %v: %g, want %g", c.a, c.b, got, c.want)
			}
		})
	}
}

// plane puts the texts of the test on directions whose cosines are known: a and b are at right angles, c is between
// them.
func plane(texts []string) (vectors [][]float32) {
	for _, text := range texts {
		vectors = append(vectors, map[string][]float32{"a": {2, 0}, "b": {0, 1}, "c": {1, 1}}[text])
	}
	return vectors
}

// TestSimilarity works three debates out by hand.
func TestSimilarity(t *testing.T) {
	said := func(rounds ...string) (t debate.Transcript) {
		for _, round := range rounds {
			var turns []debate.Turn
			for i, text := range strings.Fields(round) {
				turns = append(turns, debate.Turn{Agent: i, Reply: inference.Reply{Text: text}})
			}
			t.Rounds = append(t.Rounds, turns)
		}
		return t
	}
	run := rundir.Run{Header: rundir.Header{Run: spec.Run{Conditions: []string{"mad", "single"}}},
		Outcomes: []trial.Outcome{
			{Question: "1", Condition: "mad", Transcript: said("a b c", "a a a")},
			{Question: "1", Condition: "single", Transcript: said("a")},
			{Question: "2", Condition: "mad", Transcript: said("a a", "a b", "b c")},
			{Question: "3", Condition: "mad", Transcript: said("b")},
		}}
	calls, asked := 0, 0
	got, err := SimilarityOf(t.Context(), run, func(_ context.Context, texts []string) ([][]float32, error) {
		calls, asked = calls+1, asked+len(texts)
		return plane(texts), nil
	})
	if err != nil || calls != 1 || asked != 3 || got.Texts != 3 || len(got.Conditions) != 2 {
		t.Fatalf("%+v, %v; %d texts in %d calls; want 1, 3, Texts 3, Conditions: 2 of them and no error",
			got, err, asked, calls)
	}
	half := math.Sqrt(0.5) // of 45 degrees
	mad := got.Conditions[0]
	for _, c := range []struct {
		name     string
		got      RoundSimilarity
		n, pairs int
		want     float64
	}{
		{"first", mad.Rounds[0], 2, 3 + 1, ((0+half+half)/3 + 1) / 2},
		{"second", mad.Rounds[1], 2, 3 + 1, (1 + 0) / 2.0},
		{"third", mad.Rounds[2], 1, 1, half},
		{"last", mad.Last, 2, 3 + 1, (1 + half) / 2},
		{"single", got.Conditions[1].Last, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.N != c.n || c.got.Pairs != c.pairs || math.Abs(c.got.Similarity-c.want) > 1e-7 ||
				(c.got.Interval == nil) != (c.n < 2) {
				t.Errorf("%s: %+v, want %d questions, %d pairs, %g", c.name, c.got, c.n, c.pairs, c.want)
			}
			if i := c.got.Interval; i != nil && (i.Low > c.want+1e-7 || i.High < c.want-1e-7 || i.Low == i.High) {
				t.Errorf("%s: %g is not within %+v", c.name, c.want, *i)
			}
		})
	}
	// a third time a on question 1 is one channel; of b and c on question 2 the eigenvalues are (1 ± √½) / 2
	two := -(1+half)/2*math.Log((1+half)/2) - (1-half)/2*math.Log((1-half)/2)
	if want := (1 + math.Exp(two)) / 2; math.Abs(mad.Last.Channels-want) > 1e-7 {
		t.Errorf("K* %g, want %g", mad.Last.Channels, want)
	}
	out := got.Document().String()
	if !strings.Contains(out, "0.8536") ||
		!strings.Contains(out, "3 different texts") || strings.Contains(out, "cut") {
		t.Errorf("the table has the similarity 0.8536 of 3 texts, none of them cut:\n%s", out)
	}
}

// TestSimilarityOverAgents: K* of each number of agents, over that number, is what the law is fitted to. A number whose
// debates have one answer, or none, is in no series.
func TestSimilarityOverAgents(t *testing.T) {
	said := func(texts ...string) (t debate.Transcript) {
		var turns []debate.Turn
		for i, text := range texts {
			turns = append(turns, debate.Turn{Agent: i, Reply: inference.Reply{Text: text}})
		}
		t.Rounds = [][]debate.Turn{turns}
		return t
	}
	var outcomes []trial.Outcome
	var conditions []string
	for condition, texts := range map[string][]string{"mad/agents=2": {"a", "b"}, "mad/agents=4": {"a", "a", "b", "b"},
		"mad/agents=1": {"a"}, "mad/agents=3": nil, "same-of-2": {"a", "a"}, "same-of-3": {"a", "a", "a"},
		"vote": {"a", "b"}, "alone/agents=2": {"a", "b"}} {
		conditions = append(conditions, condition)
		outcomes = append(outcomes, trial.Outcome{Question: "1", Condition: condition, Transcript: said(texts...)})
	}
	slices.Sort(conditions)
	run := rundir.Run{Header: rundir.Header{Run: spec.Run{Conditions: conditions}}, Outcomes: outcomes}
	got, err := SimilarityOf(t.Context(), run, func(_ context.Context, texts []string) ([][]float32, error) {
		return plane(texts), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Growth) != 2 || got.Growth[0].Series != "mad" || got.Growth[1].Series != "same" {
		t.Fatalf("growth is told of the series mad and same: got %+v", got.Growth)
	}
	for i, want := range [][]float64{{2.0 / 2, 2.0 / 4}, {1.0 / 2, 1.0 / 3}} {
		t.Run(got.Growth[i].Series, func(t *testing.T) {
			g := got.Growth[i]
			if g.By != peers.ByTexts || len(g.Ratios) != 2 || math.Abs(g.Ratios[0]-want[0]) > 1e-9 ||
				math.Abs(g.Ratios[1]-want[1]) > 1e-9 || (g.Law == nil) != (g.Why != "") {
				t.Errorf("growth by texts has the ratios %v, and a law or why there is none: got %+v", want, g)
			}
		})
	}
	if law := got.Growth[1]; law.Regime != "hard ceiling" || law.Law.Explained != nil {
		t.Errorf("agents who say the same are worth one (a hard ceiling), and two sizes test no law: got %+v", law)
	}
	out := got.Document().String()
	if !strings.Contains(out, "hard ceiling (c 1.000") {
		t.Errorf("the table over numbers of agents has \"hard ceiling (c 1.000\": got\n%s", out)
	}
}

// TestSimilarityOfEquals: where every agent says the same on every question there is no spread, and no interval.
func TestSimilarityOfEquals(t *testing.T) {
	var of roundSum
	for q := range 4 {
		of.add(trial.Outcome{Question: fmt.Sprint(q)}, []string{"a", "a", "a"}, map[string][]float32{"a": {2, 1}})
	}
	if got := of.similarity(); got.N != 4 || math.Abs(got.Similarity-1) > 1e-7 || got.Interval != nil ||
		math.Abs(got.Channels-1) > 1e-6 {
		t.Errorf("4 equal pairs have similarity 1 in 1 channel, without an interval: got %+v", got)
	}
}

// TestSimilarityOfPersonas: three personas at 90, 45 and 45 degrees on one question and two alike on another; debates
// with fewer than two personas do not count.
func TestSimilarityOfPersonas(t *testing.T) {
	of := func(question, condition string, personas ...string) trial.Outcome {
		return trial.Outcome{Question: question, Condition: condition, Transcript: debate.Transcript{Personas: personas,
			Rounds: [][]debate.Turn{{{Reply: inference.Reply{Text: "a"}}}}}}
	}
	run := rundir.Run{Header: rundir.Header{Run: spec.Run{Conditions: []string{"experts", "plain"}}},
		Outcomes: []trial.Outcome{
			of("1", "experts", "", "a", "b", "c"), of("2", "experts", "c", "c"), of("3", "experts", "a"),
			of("1", "plain"),
		}}
	got, err := SimilarityOf(t.Context(), run, func(_ context.Context, texts []string) ([][]float32, error) {
		return plane(texts), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := (2*math.Sqrt(0.5)/3 + 1) / 2
	if p := got.Conditions[0].Personas; p == nil || p.N != 2 || p.Pairs != 4 || math.Abs(p.Similarity-want) > 1e-7 ||
		got.Conditions[1].Personas != nil {
		t.Errorf("2 questions have 4 pairs of personas, similarity %g, and the other condition none: got %+v and "+
			"%+v", want, p, got.Conditions[1])
	}
	out := got.Document().String()
	if !strings.Contains(out, "PERSONAS") ||
		!strings.Contains(out, "0.7357") {
		t.Errorf("personas have a table with their similarity 0.7357:\n%s", out)
	}
}

// TestSimilarityOfARun reads a run from its directory, and writes what is found beside it.
func TestSimilarityOfARun(t *testing.T) {
	path, run := benchtest.Finished(t)
	got, err := SimilarityOf(t.Context(), run, func(_ context.Context, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i := range texts { // all texts at right angles
			vectors[i] = make([]float32, len(texts))
			vectors[i][i] = 1
		}
		return vectors, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Conditions {
		equal, pairs := 0, 0
		for _, o := range run.Outcomes {
			if o.Condition == c.Condition {
				last := o.Transcript.Last()
				for i := range last {
					for _, other := range last[i+1:] {
						pairs++
						if last[i].Reply.Text == other.Reply.Text {
							equal++
						}
					}
				}
			}
		}
		if want := stat.Share(equal, pairs); c.Last.Pairs != pairs || math.Abs(c.Last.Similarity-want) > 1e-9 ||
			equal == pairs && c.Condition == "vote" {
			t.Errorf("%s: of %d pairs %d are equal, similarity %g: got %+v", c.Condition, pairs, equal, want, c.Last)
		}
	}
	if err := got.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(path, "similarity.json"))
	var read Similarity
	if err := errors.Join(err, json.Unmarshal(text, &read)); err != nil ||
		len(read.Conditions) != len(got.Conditions) || read.Version != 1 {
		t.Errorf("what was written (version 1) has all %d conditions: got %+v, %v", len(got.Conditions), read, err)
	}
}

func TestSimilarityRefuses(t *testing.T) {
	_, run := benchtest.Finished(t)
	for name, c := range map[string]struct {
		embed Embedding
		want  string
	}{
		"a failure": {func(context.Context, []string) ([][]float32, error) { return nil, errors.New("no room") },
			"no room"},
		"too few": {func(context.Context, []string) ([][]float32, error) { return [][]float32{{1}}, nil },
			"returned 1 vectors"},
		"unequal": {func(_ context.Context, texts []string) ([][]float32, error) {
			vectors := make([][]float32, len(texts))
			vectors[len(texts)-1] = []float32{1}
			return vectors, nil
		}, "vectors of 0 and of 1 numbers"},
	} {
		if _, err := SimilarityOf(t.Context(), run, c.embed); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "texts") {
			t.Errorf("%s: refused with %q and how many texts: got %v", name, c.want, err)
		}
	}
}
