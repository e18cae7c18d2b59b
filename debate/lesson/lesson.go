// Package lesson is source 1's loop: a society without histories, whose calls each show an agent its own last answer
// and the others'.
package lesson

import (
	"context"
	"errors"
	"fmt"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/debate/vote"
	"parley/inference"
)

// Lesson is source 1's loop: every call is one system and one user message, without a history. Round 0 asks for
// answers; each revision shows an agent its own last answer and those of the others in agent order.
type Lesson struct {
	debate.Asking
	Agents  int // 0 means 3
	Rounds  int // round 0 included; 0 means 2
	Prompts prompts.Set
}

// LessonResult is what the lesson's function returns, with the transcript behind it.
type Result struct {
	Answer     string     // most frequent string of the last round; ties to the first seen
	Rounds     [][]string // Rounds[r][i] is the answer of agent i in round r
	Transcript debate.Transcript
}

// Run holds one debate. Answers are compared as raw strings, whatever the case's rule. An agent whose request fails
// falls silent as in a Society; its answers are "".
func (l Lesson) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (Result, error) {
	if l.Agents == 0 {
		l.Agents = 3
	}
	if l.Rounds == 0 {
		l.Rounds = 2
	}
	result := Result{Transcript: debate.Transcript{Protocol: "lesson", Case: c.ID, Roles: l.Names(l.Agents)}}
	t := &result.Transcript
	if err := l.check(c); err != nil {
		return result, fmt.Errorf("case %q: %w", c.ID, err)
	}
	ask := l.Asking.For(speaker, c.ID, answer.Raw)
	for range l.Rounds {
		turns := debate.NextRound(t.Last(), l.Agents)
		for i := range turns {
			if !turns[i].Silent() {
				turns[i].Heard, turns[i].Messages = l.messages(c.Question, t.Last(), i)
			}
		}
		if err := ask.Ask(ctx, turns); err != nil {
			result.Transcript = t.BrokenOff(turns)
			return result, err
		}
		t.Rounds, result.Rounds = append(t.Rounds, turns), append(result.Rounds, debate.Texts(turns))
		l.Report(turns)
	}
	t.Decision = vote.Majority(t.Last())
	result.Answer = t.Decision.Answer.Text
	return result, nil
}

func (l Lesson) check(debate.Case) error {
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
func (l Lesson) messages(question string, last []debate.Turn, i int) (heard []int, messages []inference.Message) {
	if last == nil {
		return nil, debate.Conversation(l.Prompts.System, l.Prompts.First(question))
	}
	var others []string
	for _, t := range last {
		if t.Agent != i && !t.Silent() {
			heard, others = append(heard, t.Agent), append(others, t.Reply.Text)
		}
	}
	return heard, debate.Conversation(l.Prompts.Revision.System, l.Prompts.Revise(question, last[i].Reply.Text, others))
}
