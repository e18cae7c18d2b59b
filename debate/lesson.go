package debate

import (
	"context"
	"errors"
	"fmt"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// Lesson is source 1's loop: every call is one system and one user message, without a history. Round 0 asks for
// answers; each revision shows an agent its own last answer and those of the others in agent order.
type Lesson struct {
	Asking
	Agents  int // 0 means 3
	Rounds  int // round 0 included; 0 means 2
	Prompts prompts.Set
}

// LessonResult is what the lesson's function returns, with the transcript behind it.
type LessonResult struct {
	Answer     string     // most frequent string of the last round; ties to the first seen
	Rounds     [][]string // Rounds[r][i] is the answer of agent i in round r
	Transcript Transcript
}

// Run holds one debate. Answers are compared as raw strings, whatever the case's rule. An agent whose request fails
// falls silent as in a Society; its answers are "".
func (l Lesson) Run(ctx context.Context, speaker Speaker, c Case) (LessonResult, error) {
	if l.Agents == 0 {
		l.Agents = 3
	}
	if l.Rounds == 0 {
		l.Rounds = 2
	}
	result := LessonResult{Transcript: Transcript{Protocol: "lesson", Case: c.ID, Roles: l.names(l.Agents)}}
	t := &result.Transcript
	if err := l.check(); err != nil {
		return result, fmt.Errorf("case %q: %w", c.ID, err)
	}
	ask := l.Asking.of(speaker, c.ID, answer.Raw)
	for range l.Rounds {
		turns := next(t.Last(), l.Agents)
		for i := range turns {
			if !turns[i].silent() {
				turns[i].Heard, turns[i].Messages = l.messages(c.Question, t.Last(), i)
			}
		}
		if err := ask.round(ctx, turns); err != nil {
			result.Transcript = t.left(turns)
			return result, err
		}
		t.Rounds, result.Rounds = append(t.Rounds, turns), append(result.Rounds, texts(turns))
		l.observe(turns)
	}
	t.Decision = Vote(t.Last())
	result.Answer = t.Decision.Answer.Text
	return result, nil
}

func (l Lesson) check() error {
	switch {
	case l.Agents < 1 || l.Rounds < 1:
		return fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", l.Agents, l.Rounds)
	case l.Prompts.Question == "":
		return errors.New("no prompts: set Lesson.Prompts")
	case l.Rounds > 1 && l.Prompts.Revision.User == "":
		return fmt.Errorf("prompts %q lack revision, which %d rounds need: take another set or one round",
			l.Prompts.Name, l.Rounds)
	}
	return nil
}

// messages are whom agent i hears of the last round, nil before the first, and what it is sent.
func (l Lesson) messages(question string, last []Turn, i int) (heard []int, messages []inference.Message) {
	if last == nil {
		return nil, conversation(l.Prompts.System, l.Prompts.First(question))
	}
	var others []string
	for _, t := range last {
		if t.Agent != i && !t.silent() {
			heard, others = append(heard, t.Agent), append(others, t.Reply.Text)
		}
	}
	return heard, conversation(l.Prompts.Revision.System, l.Prompts.Revise(question, last[i].Reply.Text, others))
}

func texts(turns []Turn) []string {
	all := make([]string, len(turns))
	for i, t := range turns {
		all[i] = t.Reply.Text
	}
	return all
}
