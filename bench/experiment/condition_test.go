package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/debate"
)

// numbers are those from one to the other, with commas.
func numbers(from, to int) string {
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ", ")
}

func parsed(t *testing.T, text string) Experiment {
	t.Helper()
	e, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPoints spreads a sweep over two settings, the first the slowest, and has what is set in all of them.
func TestPoints(t *testing.T) {
	e := parsed(t, head+`conditions:
  - {name: alone, protocol: single}
  - name: mad
    protocol: society
    set: {order: random}
    sweep: {agents: [3, 5], rounds: [1, 2, 3]}
`)
	points := pointsOf(t, e)
	var got []string
	for _, p := range points {
		got = append(got, fmt.Sprint(p.Condition, " ", p.Series, " ", p.At, " ", p.Protocol.Agents(), " ",
			p.Protocol.Rounds(), " ", debate.Value[string](p.Protocol.Settings, "order")))
	}
	want := []string{
		"alone alone [] 1 1 ",
		"mad/agents=3/rounds=1 mad [{agents 3} {rounds 1}] 3 1 random",
		"mad/agents=3/rounds=2 mad [{agents 3} {rounds 2}] 3 2 random",
		"mad/agents=3/rounds=3 mad [{agents 3} {rounds 3}] 3 3 random",
		"mad/agents=5/rounds=1 mad [{agents 5} {rounds 1}] 5 1 random",
		"mad/agents=5/rounds=2 mad [{agents 5} {rounds 2}] 5 2 random",
		"mad/agents=5/rounds=3 mad [{agents 5} {rounds 3}] 5 3 random",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a sweep spreads over these conditions (-want +got):\n%s", diff)
	}
}

// TestMiniature: settings and sweeps of the miniature take the place of those of their name, others stay.
func TestMiniature(t *testing.T) {
	e := parsed(t, head+`conditions:
  - name: mad
    protocol: society
    set: {agents: 9, order: random}
    sweep: {rounds: [2, 3, 4]}
    small: {set: {agents: 2}, sweep: {rounds: [2]}}
repeats: 20
max-tokens: 900
published:
  - {model: m, from: Figure 1, task: p, condition: mad, values: {2: 0.5, 3: 0.6}}
small: {tasks: [{name: p, generated: 1}], max-tokens: 30}
`)
	small, err := e.Miniature(true)
	if err != nil {
		t.Fatal(err)
	}
	points, err := small.Points()
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 1 || points[0].Protocol.Agents() != 2 ||
		debate.Value[string](points[0].Protocol.Settings, "order") != "random" ||
		small.Repeats != 0 || small.MaxTokens != 30 {
		t.Errorf("a miniature has one point of 2 agents in random order, no repeats and 30 tokens: got %+v, %d "+
			"repeats, %d tokens", points, small.Repeats, small.MaxTokens)
	}
	want := []Number{{Model: "m", From: "Figure 1", Task: "p", Condition: "mad/rounds=2",
		Measure: analysis.MeasureAccuracy, Value: 0.5}}
	if diff := cmp.Diff(want, small.Numbers()); diff != "" {
		t.Errorf("the miniature has these published numbers (-want +got):\n%s", diff)
	}
	if len(e.Numbers()) != 2 {
		t.Errorf("%v: the experiment itself has changed, want 2 of them", e.Numbers())
	}
}
