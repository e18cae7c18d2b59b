// Package debatetest helps to test debates. speakers.go has speakers with scripted replies; expectations.go reads what
// the sources' own programs did with the same replies.
package debatetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
)

// Actors reply with lines by agent and call of Generate, and keep what they were asked.
type Actors struct {
	Lines    map[[2]int]string // by agent and call, which is the round in most forms
	Fail     map[[2]int]error  // they are the errors of requests that fail
	round    int
	Requests [][]inference.Request // by call
}

// Generate implements debate.Speaker.
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

// Load reads a set of prompts.
func Load(t testing.TB, name string) prompts.Set {
	t.Helper()
	s, err := prompts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Puzzle is a question with one of several options for an answer.
var Puzzle = debate.Case{ID: "q1", Question: "Q?", Extract: answer.Choice, Truth: answer.Of("(A)"),
	Relist: reader.RelistBy("choice", answer.Question{Text: "Q? (A) one (B) two (C) three"})}

// Say writes messages, one on each line.
func Say(messages []inference.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

// Meter replies with "(A)" and as many tokens as its list has for an agent.
type Meter struct {
	Tokens   []int
	Requests []inference.Request
}

// Generate implements debate.Speaker.
func (m *Meter) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	m.Requests = append(m.Requests, requests...)
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		replies[i] = inference.Reply{Text: "(A)", Tokens: m.Tokens[r.Agent%len(m.Tokens)]}
	}
	return replies, nil
}

// Weighing replies like Actors, and scores continuations. Scores[i] are the log-probabilities for the i-th request.
type Weighing struct {
	Actors
	Scores [][]float64
}

// Generate implements debate.Speaker.
func (w *Weighing) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := w.Actors.Generate(ctx, requests)
	for i, r := range requests {
		if r.Continuations != nil {
			replies[i] = inference.Reply{Text: r.Continuations[0], LogProbs: w.Scores[i]}
		}
	}
	return replies, err
}

// TurnsOf returns one turn for each letter, whose answer is that letter. A dot or a dash is an unparsed answer.
func TurnsOf(letters string) (turns []debate.Turn) {
	for i, l := range letters {
		a, text := answer.Of(string(l)), "The answer is "+string(l)+"."
		if l == '.' || l == '-' {
			a = answer.Unparsed
		}
		turns = append(turns, debate.Turn{Agent: i, Answer: a, Reply: inference.Reply{Text: text}})
	}
	return turns
}
