// Package lesson is the agents-lab lesson's loop: a society without histories, in which each call shows an agent its
// own last answer and those of the others.
package lesson

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// lesson is the agents-lab lesson's loop. Every call is one system and one user message, without a history. Round 0
// asks for answers; each later round shows an agent its own last answer and those of the others, by number or in
// another order.
type lesson struct {
	debate.Asking
	Agents  int           // 0 means 3
	Rounds  int           // including round 0; 0 means 2
	Order   listing.Order // one of listing.Counted, by which equal strings are equal answers
	Prompts prompts.Set
}

// Result is what the lesson's own function returns, and the transcript of the debate.
type Result struct {
	Answer     string     // the most frequent string of the last round; ties go to the first agent's
	Rounds     [][]string // Rounds[r][i] is the answer of agent i in round r
	Transcript debate.Transcript
}

// Run holds one debate. Answers are compared as raw strings, whatever the case's answer rule is. An agent whose request
// fails falls silent as in a society; its answers are "".
func (l lesson) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (Result, error) {
	if l.Agents == 0 {
		l.Agents = 3
	}
	if l.Rounds == 0 {
		l.Rounds = 2
	}
	result := Result{Transcript: debate.Transcript{Protocol: "lesson", Case: c.ID, Order: l.Order.Unusual(),
		Roles: l.Names(l.Agents)}}
	t := &result.Transcript
	if err := l.check(c); err != nil {
		return result, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if echo := l.Echo(l.Agents); echo != "" {
		t.Notes = append(t.Notes, echo)
	}
	ask := l.Asking.For(speaker, c)
	ask.Extract = answer.Raw
	for range l.Rounds {
		turns := debate.NextRound(t.Last(), l.Agents)
		for i := range turns {
			if !turns[i].Silent() {
				turns[i].Heard, turns[i].Messages = l.messages(c, t.Last(), i)
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

func (l lesson) check(debate.Case) error {
	switch {
	case l.Agents < 1 || l.Rounds < 1:
		return debate.About(fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", l.Agents,
			l.Rounds), "agents", "rounds")
	case l.Prompts.Question == "":
		return debate.About(errors.New("no prompts: set the prompts"), "prompts")
	case l.Rounds > 1 && l.Prompts.Revision.User == "":
		return debate.About(fmt.Errorf("prompts %q lack revision, which %d rounds need: take another set or one round",
			l.Prompts.Name, l.Rounds), "prompts", "rounds")
	}
	return nil
}

// messages returns whom agent i hears, and what it is sent. last is the round before, nil in round 0.
func (l lesson) messages(c debate.Case, last []debate.Turn, i int) (heard []int, messages []inference.Message) {
	if last == nil {
		return nil, debate.Conversation(l.Prompts.System, l.Prompts.First(c.Question))
	}
	before := listing.Standing{Round: last[i].Round + 1}
	for _, t := range last {
		before.Answers, before.Silent = append(before.Answers, t.Answer), append(before.Silent, !t.Tells())
	}
	heard = l.Order.Others(i, before, slices.Repeat([]bool{true}, len(last)), l.Seeds.Orders(c.ID, before.Round))
	var others []string
	for _, agent := range heard {
		others = append(others, last[agent].Told())
	}
	if len(others) == 0 { // nobody said anything
		return nil, debate.Conversation(l.Prompts.System, l.Prompts.First(c.Question))
	}
	return heard, debate.Conversation(l.Prompts.Revision.System, l.Prompts.Revise(c.Question,
		debate.OrUnsaid(last[i].Reply.Text), others))
}
