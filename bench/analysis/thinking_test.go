package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// TestThinking: conditions are one curve if they differ in nothing but their agents' bounds on reasoning, in whatever
// order they stand, by the tokens that were drawn. Those whose answers could not be read are no part of it.
func TestThinking(t *testing.T) {
	bounded := func(name string, agents int, budget int, more ...any) trial.Condition {
		team := make([]debate.Member, agents)
		for i := range team {
			if b := inference.BudgetOf(budget); budget >= 0 {
				team[i].ReasoningTokens = &b
			}
		}
		p := protocol.Protocol{Settings: debate.Settings{Form: "society"}.With("team", team).With("agents", agents)}
		if len(more) > 0 {
			p.Settings = p.With("rounds", more[0])
		}
		return trial.Condition{Name: name, Protocol: &p}
	}
	conditions := []trial.Condition{bounded("vote-64", 4, 64), bounded("alone-256", 1, 256), bounded("vote-0", 4, 0),
		bounded("debate-8", 4, 8, 2), bounded("alone-0", 1, 0), bounded("free", 1, -1), bounded("vote-unread", 4, 32),
		{Name: "oracle", Oracle: true}}
	rand.Shuffle(len(conditions), func(i, j int) { conditions[i], conditions[j] = conditions[j], conditions[i] })
	drawn := map[string]int{"vote-64": 200, "alone-256": 190, "debate-8": 64, "free": 9, "vote-unread": 128,
		"oracle": 4}
	var outcomes []trial.Outcome
	for q := range 20 {
		for _, c := range conditions {
			o := trial.Outcome{Question: fmt.Sprint(q), Condition: c.Name, Score: task.Right}
			turn := debate.Turn{Answer: answer.Answer{Text: "A", Parsed: c.Name != "vote-unread", How: answer.Explicit},
				Reply: inference.Reply{Tokens: drawn[c.Name] + 5, ReasoningTokens: drawn[c.Name]}}
			if !turn.Answer.Parsed {
				turn.Answer.How, o.Score = "", task.Unparsed
			}
			o.Transcript.Rounds = [][]debate.Turn{{turn}}
			outcomes = append(outcomes, o)
		}
	}
	c := Comparison{Run: spec.Run{Reference: "alone-0"}}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	got := make(map[string]string)
	for _, curve := range c.Thinking() {
		for _, p := range curve.Points {
			got[curve.Name] += fmt.Sprintf("%s %.0f; ", p.Condition, p.Tokens)
		}
	}
	want := map[string]string{"alone": "alone-0 0; alone-256 190; ", "vote": "vote-0 0; vote-64 200; "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("curves: got %v, want %v", got, want)
	}
	if rows := len(c.ThinkingTable().Lines); rows != 4 {
		t.Errorf("the table has %d rows, want 4", rows)
	}
}

// TestBegin: what names have in common ends with a letter, and not within the bytes of one.
func TestBegin(t *testing.T) {
	for _, c := range [][3]string{{"vote-64", "vote-0", "vote-"}, {"débat-é", "débat-è", "débat-"}, {"投票", "投石", "投"},
		{"a", "b", ""}, {"", "b", ""}} {
		if got := begin(c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q begin with %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
