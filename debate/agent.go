package debate

import (
	"errors"
	"slices"

	"parley/bounds"
	"parley/debate/answer"
	"parley/inference"
)

// Asking is how agents are asked, whatever the protocol.
type Asking struct {
	Sampling  inference.Sampling // Seed is set for each request from Seeds
	MaxTokens int                // of one reply; 0 means inference.DefaultMaxTokens
	Seeds     Seeds
	Team      []Agent            // what sets agents apart; those beyond its end are plain
	Observe   func(round []Turn) // called after each round; may be nil
}

// validate refuses what is no way to ask anybody.
func (a Asking) Validate() error {
	return errors.Join(a.Sampling.Validate(), bounds.Check("max-tokens", a.MaxTokens,
		inference.MaxTokensRange.OrZero()))
}

// Agent is what one member of a team is.
type Agent struct {
	Name     string              // that the others and records see; empty: its number
	Persona  string              // its system message, instead of the prompts'
	Method   string              // how it is to reason: one of the prompts' methods, or words of your own
	Memory   int                 // how many of its own last replies it still sees; 0 is all
	Sampling *inference.Sampling // instead of the team's; Seed is not read
}

// particular reports whether an agent is sent something else than others.
func (a Agent) HasOwnPrompt() bool { return a.Persona != "" || a.Method != "" || a.Memory != 0 }

// member is an agent of the team, a plain one beyond its end.
func (a Asking) Member(agent int) Agent {
	if agent < len(a.Team) {
		return a.Team[agent]
	}
	return Agent{}
}

// names are those of so many agents, nil if none has one.
func (a Asking) Names(agents int) (names []string) {
	for i := range min(agents, len(a.Team)) {
		if a.Team[i].Name != "" {
			names = make([]string, agents)
		}
	}
	for i := range names {
		names[i] = Transcript{}.Role(i)
		if name := a.Member(i).Name; name != "" {
			names[i] = name
		}
	}
	return names
}

// remembered is as much of an agent's history as its memory holds: what it was sent first, and its last replies with
// what it was sent between them.
func (a Asking) Remembered(history []inference.Message, agent int) []inference.Message {
	memory := a.Member(agent).Memory
	opening := slices.IndexFunc(history, func(m inference.Message) bool { return m.Role == "assistant" })
	if from := len(history) - 2*memory + 1; memory > 0 && opening > 0 && from > opening {
		return slices.Concat(history[:opening], history[from:])
	}
	return history
}

// observe tells of a round.
func (a Asking) Report(round []Turn) {
	if a.Observe != nil {
		a.Observe(round)
	}
}

// of is who asks the agents of one debate.
func (a Asking) For(speaker Speaker, caseID string, extract answer.Extractor) Asker {
	return Asker{Asking: a, speaker: speaker, caseID: caseID, Extract: extract}
}
