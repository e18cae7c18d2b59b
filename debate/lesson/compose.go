package lesson

import (
	"cmp"
	"context"

	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := lessonDebate{Lesson{Asking: ask, Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Prompts: set}}
	return debate.Composed(d, s, d.check)
}

// lessonDebate is a lesson whose result is its transcript.
type lessonDebate struct{ Lesson }

func (l lessonDebate) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	result, err := l.Lesson.Run(ctx, speaker, c)
	return result.Transcript, err
}

func (l lessonDebate) RoleNames() []string { return l.Names(l.Agents) }

// lessonForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "lesson", Meaning: "the same without a history: each call shows the own last answer " +
		"and the " +
		"others'; majority of raw strings",
		Reads: []string{"agents", "rounds", "prompts", "team", "abstain"}, Prompts: "lesson", Compose: compose}
}
