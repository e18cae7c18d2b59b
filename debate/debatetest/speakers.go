// Package debatetest has speakers with a script, and what other programs made of the same replies, for the tests of
// debates.
package debatetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// actors speak by agent and round, and remember what they were asked.
type Actors struct {
	Lines    map[[2]int]string // agent, round
	Fail     map[[2]int]error
	round    int
	Requests [][]inference.Request
}

func (a *Actors) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	a.Requests = append(a.Requests, requests)
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		at := [2]int{r.Agent, a.round}
		replies[i] = inference.Reply{Text: a.Lines[at], Err: a.Fail[at]}
	}
	a.round++
	return replies, nil
}

func Load(t *testing.T, name string) prompts.Set {
	t.Helper()
	s, err := prompts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var Puzzle = debate.Case{ID: "q1", Question: "Q?", Extract: answer.Choice, Truth: answer.Of("(A)")}

func Say(messages []inference.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

// meter counts as many tokens for an agent's reply as its list says.
type Meter struct {
	Tokens   []int
	Requests []inference.Request
}

func (m *Meter) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	m.Requests = append(m.Requests, requests...)
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		replies[i] = inference.Reply{Text: "(A)", Tokens: m.Tokens[r.Agent%len(m.Tokens)]}
	}
	return replies, nil
}

// weighing speakers answer like actors, and score continuations.
type Weighing struct {
	Actors
	Scores [][]float64
}

func (w *Weighing) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := w.Actors.Generate(ctx, requests)
	for i, r := range requests {
		if r.Continuations != nil {
			replies[i] = inference.Reply{Text: r.Continuations[0], LogProbs: w.Scores[i]}
		}
	}
	return replies, err
}

// turnsOf has one turn a letter, whose answer it is; a dot is unparsed, and so is a dash.
func TurnsOf(letters string) (turns []debate.Turn) {
	for i, l := range letters {
		a := answer.Of(string(l))
		if l == '.' || l == '-' {
			a = answer.Unparsed
		}
		turns = append(turns, debate.Turn{Agent: i, Answer: a})
	}
	return turns
}
