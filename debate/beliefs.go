package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Beliefs are what was measured of what the agents of a debate held to be true: see Asking.Beliefs.
type Beliefs struct {
	// Answers are those whose probabilities Held has: the question's options, or else the answers that agents gave, the
	// most frequent first, and the right one, at most mostBelieved of them.
	Answers []string `json:"answers"`
	Texts   int      `json:"texts"`  // conversations that were continued, with each of the answers
	Tokens  int      `json:"tokens"` // of all answers behind all conversations: the rows that the beliefs need
}

// Held are the beliefs of an agent around one of its messages: the natural logarithms of the probabilities with which
// it would state each of Beliefs.Answers. What is missing to 1 is all else that it might write.
type Held struct {
	Before []float64 `json:"before,omitempty"` // when it has read what it was sent, and written nothing
	After  []float64 `json:"after,omitempty"`  // behind its message
}

// mostBelieved bounds the answers of an open question whose probabilities are measured.
const mostBelieved = 24

// ErrNoBeliefs is the error of a debate whose beliefs cannot be measured. It is an inference.ErrCannot.
var ErrNoBeliefs error = inference.Cannot{Err: errors.New("beliefs cannot be measured: an answer to this task is a " +
	"text as a whole, which has no form that could be scored; leave beliefs out")}

// Hold holds a debate on a case, and measures the beliefs of its agents where its Asking wants them. That is done at
// the end, behind the conversations as they were, so that no reply depends on it.
func Hold(ctx context.Context, d Debate, speaker Speaker, c Case) (Transcript, error) {
	t, err := d.Run(ctx, speaker, c)
	if ask, _ := HowOf(d); err == nil && ask.Beliefs {
		err = ask.For(speaker, c).believe(ctx, &t, c)
	}
	return t, err
}

// BeliefProbe is a request that an engine has to be able to serve if beliefs are to be measured.
func (c Case) BeliefProbe() inference.Request {
	return inference.Request{Messages: []inference.Message{{Role: "user", Content: c.Question},
		{Role: inference.RoleText, Content: closingPhrase}}, Continuations: []string{" yes"}, MaxTokens: closingTokens}
}

// believe enters Held into every turn that answers the question.
func (a Asker) believe(ctx context.Context, t *Transcript, c Case) error {
	turns := t.answering()
	if len(turns) == 0 {
		return nil
	}
	texts, more, err := a.believed(turns, c)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		t.Notes = append(t.Notes, "beliefs: nobody gave an answer whose probability could be measured")
		return nil
	}
	if more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("beliefs: %d rarer answers are not told apart from all else", more))
	}
	var requests []inference.Request
	for _, turn := range turns {
		requests = append(requests, a.beliefRequest(*turn, false, texts), a.beliefRequest(*turn, true, texts))
	}
	replies, err := a.speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	if len(replies) != len(requests) {
		return fmt.Errorf("beliefs: %d replies to %d requests", len(replies), len(requests))
	}
	t.Beliefs = &Beliefs{Answers: a.asRead(texts)}
	return t.enterBeliefs(turns, replies, len(a.ending.Options) > 0)
}

// answering are the turns whose messages are answers to the question, in order, but for those that somebody else wrote.
func (t *Transcript) answering() (all []*Turn) {
	for r, round := range t.Rounds {
		for i := range round {
			turn := &round[i]
			if t.AnswersQuestion(r, *turn) && !turn.Silent() && len(turn.Messages) > 0 && turn.Reply.Key != humanKey &&
				turn.Reply.Stop != inference.StopScored {
				all = append(all, turn)
			}
		}
	}
	return all
}

// believed returns the answers whose probabilities are measured, and how many more were given.
func (a Asker) believed(turns []*Turn, c Case) (texts []string, more int, err error) {
	if len(a.ending.Options) > 0 {
		return a.ending.Options, 0, nil
	}
	if a.ending.Grammar == "" {
		return nil, 0, ErrNoBeliefs
	}
	type given struct {
		answer.Answer
		times int
	}
	var all []given
	for _, turn := range turns {
		if !turn.Answer.Parsed || turn.Answer.Text == "" {
			continue
		}
		if i := slices.IndexFunc(all, func(g given) bool { return g.Equal(turn.Answer) }); i >= 0 {
			all[i].times++
		} else {
			all = append(all, given{turn.Answer, 1})
		}
	}
	slices.SortStableFunc(all, func(a, b given) int { return cmp.Compare(b.times, a.times) })
	hasTruth := !c.Truth.Parsed
	for _, g := range all {
		if right := c.Truth.Parsed && c.IsRight(g.Answer); right || len(texts) < mostBelieved-1 {
			texts, hasTruth = append(texts, g.Text), hasTruth || right
		} else {
			more++
		}
	}
	if !hasTruth {
		texts = append(texts, c.Truth.Text)
	}
	return texts, more, nil
}

// asRead are texts as the answer rule reads them: those that agents gave are read already.
func (a Asker) asRead(texts []string) []string {
	if len(a.ending.Options) == 0 {
		return texts
	}
	read := slices.Clone(texts)
	for i, text := range texts {
		if found := a.Extract(closingPhrase + " " + text + "."); found.Parsed {
			read[i] = found.Text
		}
	}
	return read
}

// beliefRequest scores the answers behind what an agent was sent, or behind its message.
func (a Asker) beliefRequest(t Turn, behind bool, texts []string) inference.Request {
	asked, cue := t.Messages[:len(t.Messages):len(t.Messages)], closingPhrase
	if behind {
		whole := t.Reply.Whole()
		asked = append(asked, inference.Message{Role: "assistant", Content: whole})
		cue = gapBehind(whole) + cue
	}
	t.Messages = append(asked, inference.Message{Role: inference.RoleText, Content: cue})
	r := a.aside(t, "belief")
	if !behind && t.Reply.Raw != "" {
		r.Sampling.ReasoningTokens = inference.BudgetOf(0) // or the answer would be a part of its reasoning
	}
	r.Grammar, r.Continuations = "", make([]string, len(texts))
	for i, text := range texts {
		if len(a.ending.Options) == 0 {
			text += "." // else 42 would be the beginning of 420
		}
		r.Continuations[i] = " " + text
	}
	return r
}

// enterBeliefs enters what the answers scored before each turn and behind it. Agents that saw the options in an order
// of their own have their letters for them.
func (t *Transcript) enterBeliefs(turns []*Turn, replies []inference.Reply, options bool) error {
	failed := 0
	var last error
	for k, reply := range replies {
		switch {
		case errors.Is(reply.Err, inference.ErrCannot):
			return fmt.Errorf("beliefs: %w", reply.Err)
		case reply.Err != nil:
			failed, last = failed+1, reply.Err
			continue
		case len(reply.LogProbs) != len(t.Beliefs.Answers):
			return fmt.Errorf("beliefs: %d scores of %d answers", len(reply.LogProbs), len(t.Beliefs.Answers))
		}
		turn, scores := turns[k/2], slices.Clone(reply.LogProbs)
		if options && len(turn.Options) == len(scores) {
			for place, option := range turn.Options {
				scores[option] = reply.LogProbs[place]
			}
		}
		if turn.Held == nil {
			turn.Held = &Held{}
		}
		if k%2 == 0 {
			turn.Held.Before = scores
		} else {
			turn.Held.After = scores
		}
		t.Beliefs.Texts++
		t.Beliefs.Tokens += reply.Tokens
	}
	if failed > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("beliefs: %d of %d were not measured: %v", failed, len(replies), last))
	}
	return nil
}

// Told says what an agent held: the answers with their probabilities, the most probable first.
func (b *Beliefs) Told(logs []float64) string {
	if b == nil || len(logs) != len(b.Answers) || len(logs) == 0 {
		return "nothing that was measured"
	}
	order := identity(len(logs))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(logs[j], logs[i]) })
	text, rest := "", 1.0
	for _, i := range order {
		p := math.Exp(logs[i])
		text += fmt.Sprintf("%s %.3f, ", b.Answers[i], p)
		rest -= p
	}
	return text + fmt.Sprintf("all else %.3f", max(0, rest))
}
