package lesson

import (
	"cmp"
	"context"

	"parley/debate"
	"parley/debate/prompts"
)

// Settings are what can be set of a lesson, by the names of debate.Settings. The list of what the form reads follows
// from them.
type Settings struct {
	Agents  int             `doc:"who take part, a moderator and the like not counted"`
	Rounds  int             `doc:"most of them, the first included"`
	Prompts string          `doc:"a set of wording, or a .yaml file"`
	Team    []debate.Member `doc:"what sets agents apart"`
	Abstain float64         `doc:"no answer that has less than this share of the votes"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := lessonDebate{Lesson{Asking: ask, Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Prompts: set}}
	return debate.Composed(d, all, d.check)
}

// lessonDebate is a lesson whose result is its transcript.
type lessonDebate struct{ Lesson }

// Run implements debate.Debate.
func (l lessonDebate) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	result, err := l.Lesson.Run(ctx, speaker, c)
	return result.Transcript, err
}

// RoleNames are what a transcript calls the agents: see debate.Named.
func (l lessonDebate) RoleNames() []string { return l.Names(l.Agents) }

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: "lesson",
		Meaning: "the same without a history: each call shows the own last answer and the others'; majority of " +
			"raw strings",
		Reads: debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Prompts: "lesson", Compose: compose,
	}
}
