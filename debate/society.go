package debate

import (
	"context"
	"errors"
	"fmt"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// ErrSilence is the error of a debate in which no agent could speak.
var ErrSilence = errors.New("no agent could speak")

// Society is the simultaneous debate of Du et al. as source 0 uses it. In round 0 all agents answer the same message on
// their own; in each later round every agent hears the others' latest replies, listed in an order, and replies again.
// Each keeps its own history. The decision is the majority of the last round.
type Society struct {
	Agents    int
	Rounds    int // the first included; 1 is a vote without debate
	Order     Order
	Prompts   prompts.Set
	Sampling  inference.Sampling // Seed is set for each request from Seeds
	MaxTokens int
	Seeds     Seeds
	Observe   func(round []Turn) // called after each round; may be nil
}

// Run holds one debate. An agent whose request fails (its history has become longer than the context, say) falls silent:
// its turns are unparsed and the others no longer hear it. Run fails with ErrSilence if nobody is left.
func (s Society) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	t := Transcript{Protocol: "society", Case: c.ID, Order: s.Order.Name, Reading: s.Order.Reading}
	if s.Agents < 1 || s.Rounds < 1 {
		return t, fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", s.Agents, s.Rounds)
	}
	agents := make([]agent, s.Agents)
	for i := range agents {
		agents[i].hears(s.opening(c)...)
	}
	for round := range s.Rounds {
		heard := make([][]int, s.Agents)
		if round > 0 {
			heard = s.exchange(agents, t.Rounds[round-1], c, round)
		}
		turns, err := s.speak(ctx, speaker, agents, heard, c, round)
		if err != nil {
			return t, err
		}
		t.Rounds = append(t.Rounds, turns)
		if s.Observe != nil {
			s.Observe(turns)
		}
	}
	t.Decision = Vote(t.Last())
	return t, nil
}

// agent is a participant's own view of the debate.
type agent struct {
	history []inference.Message
	silent  error // why it no longer speaks
}

func (a *agent) hears(messages ...inference.Message) { a.history = append(a.history, messages...) }

func (s Society) opening(c Case) []inference.Message {
	question := inference.Message{Role: "user", Content: s.Prompts.First(c.Question)}
	if s.Prompts.System == "" {
		return []inference.Message{question}
	}
	return []inference.Message{{Role: "system", Content: s.Prompts.System}, question}
}

// exchange lets every agent hear the others' replies of the last round, and says whom each heard.
func (s Society) exchange(agents []agent, last []Turn, c Case, round int) [][]int {
	answers, silent, heard := make([]answer.Answer, len(last)), make([]bool, len(last)), make([][]int, len(last))
	for i, turn := range last {
		answers[i], silent[i] = turn.Answer, agents[i].silent != nil
	}
	for i := range agents {
		heard[i] = s.Order.others(i, answers, silent, c.Truth, s.Seeds.orders(c.ID, round))
		texts := make([]string, len(heard[i]))
		for k, other := range heard[i] {
			texts[k] = last[other].Reply.Text
		}
		agents[i].hears(
			inference.Message{Role: "assistant", Content: last[i].Reply.Text},
			inference.Message{Role: "user", Content: s.Prompts.Hear(texts)})
	}
	return heard
}

// speak asks all agents at once.
func (s Society) speak(ctx context.Context, speaker Speaker, agents []agent, heard [][]int, c Case, round int) ([]Turn, error) {
	turns := make([]Turn, len(agents))
	var requests []inference.Request
	var asked []int
	for i, a := range agents {
		turns[i] = Turn{Agent: i, Round: round, Heard: heard[i], Messages: a.history[:len(a.history):len(a.history)], Reply: inference.Reply{Err: a.silent}}
		if a.silent == nil {
			requests = append(requests, s.request(turns[i], c))
			asked = append(asked, i)
		}
	}
	replies, err := speaker.Generate(ctx, requests)
	if err != nil {
		return nil, err
	}
	for k, i := range asked {
		turns[i].Reply, agents[i].silent = replies[k], replies[k].Err
	}
	if !read(turns, c.Extract) {
		return nil, fmt.Errorf("round %d: %w: %w", round, ErrSilence, turns[0].Reply.Err)
	}
	return turns, nil
}

// read takes the answers from the replies, and reports whether anybody spoke.
func read(turns []Turn, extract answer.Extractor) (spoke bool) {
	for i, t := range turns {
		if t.Reply.Err != nil {
			turns[i].Error = t.Reply.Err.Error()
			continue
		}
		turns[i].Answer, spoke = extract(t.Reply.Text), true
	}
	return spoke
}

func (s Society) request(t Turn, c Case) inference.Request {
	sampling := s.Sampling
	sampling.Seed = s.Seeds.Of(c.ID, t.Agent, t.Round, 0)
	return inference.Request{
		Name:     fmt.Sprintf("%s round %d agent %d", c.ID, t.Round, t.Agent),
		Messages: t.Messages, Sampling: sampling, MaxTokens: s.MaxTokens, Agent: t.Agent,
	}
}
