package debate

import (
	"context"
	"fmt"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// Lesson is source 1's loop: every call is one system and one user message, without a history. Round 0 asks for answers;
// each revision shows an agent its own last answer and those of the others in agent order.
type Lesson struct {
	Agents    int // 0 means 3
	Rounds    int // round 0 included; 0 means 2
	Prompts   prompts.Set
	Sampling  inference.Sampling // Seed is set for each request from Seeds
	MaxTokens int
	Seeds     Seeds
	Observe   func(round []Turn) // called after each round; may be nil
}

// LessonResult is what the lesson's function returns, with the transcript behind it.
type LessonResult struct {
	Answer     string     // most frequent string of the last round; ties to the first seen
	Rounds     [][]string // Rounds[r][i] is the answer of agent i in round r
	Transcript Transcript
}

// Run holds one debate. Answers are compared as raw strings.
func (l Lesson) Run(ctx context.Context, speaker Speaker, c Case) (LessonResult, error) {
	if l.Agents == 0 {
		l.Agents = 3
	}
	if l.Rounds == 0 {
		l.Rounds = 2
	}
	result := LessonResult{Transcript: Transcript{Protocol: "lesson", Case: c.ID}}
	if l.Agents < 1 || l.Rounds < 1 {
		return result, fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", l.Agents, l.Rounds)
	}
	var answers []string
	for round := range l.Rounds {
		turns := make([]Turn, l.Agents)
		for i := range turns {
			turns[i] = Turn{Agent: i, Round: round, Messages: l.messages(c.Question, answers, i), Heard: allBut(i, len(answers))}
		}
		if err := l.speak(ctx, speaker, turns, c); err != nil {
			return result, err
		}
		answers = make([]string, l.Agents)
		for i, t := range turns {
			answers[i] = t.Reply.Text
		}
		result.Rounds = append(result.Rounds, answers)
		result.Transcript.Rounds = append(result.Transcript.Rounds, turns)
		if l.Observe != nil {
			l.Observe(turns)
		}
	}
	result.Transcript.Decision = Vote(result.Transcript.Last())
	result.Answer = result.Transcript.Decision.Answer.Text
	return result, nil
}

// messages are what agent i is sent; answers of the round before are nil in round 0.
func (l Lesson) messages(question string, answers []string, i int) []inference.Message {
	if answers == nil {
		return []inference.Message{{Role: "system", Content: l.Prompts.System}, {Role: "user", Content: l.Prompts.First(question)}}
	}
	var others []string
	for _, k := range allBut(i, len(answers)) {
		others = append(others, answers[k])
	}
	return []inference.Message{
		{Role: "system", Content: l.Prompts.Revision.System},
		{Role: "user", Content: l.Prompts.Revise(question, answers[i], others)},
	}
}

func (l Lesson) speak(ctx context.Context, speaker Speaker, turns []Turn, c Case) error {
	requests := make([]inference.Request, len(turns))
	for i, t := range turns {
		sampling := l.Sampling
		sampling.Seed = l.Seeds.Of(c.ID, t.Agent, t.Round, 0)
		requests[i] = inference.Request{
			Name:     fmt.Sprintf("%s round %d agent %d", c.ID, t.Round, t.Agent),
			Messages: t.Messages, Sampling: sampling, MaxTokens: l.MaxTokens, Agent: t.Agent,
		}
	}
	replies, err := speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	for i, r := range replies {
		turns[i].Reply = r
	}
	if !read(turns, answer.Raw) {
		return fmt.Errorf("round %d: %w: %w", turns[0].Round, ErrSilence, replies[0].Err)
	}
	return nil
}

// allBut is 0..n-1 without i.
func allBut(i, n int) (others []int) {
	for k := range n {
		if k != i {
			others = append(others, k)
		}
	}
	return others
}
