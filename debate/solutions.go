package debate

import (
	"maps"
	"slices"
	"strings"
)

// Solutions returns, for each round, the solutions that the arguing agents stand behind after it, as texts in the order
// of agents. In a discussion a panelist's solution is the final answer that it gave in this turn, or else the one that
// HeldBy returns; in other forms it is the whole reply. An agent that said nothing has no text, and rounds without a
// text are left out.
func (t Transcript) Solutions() (rounds [][]string) {
	turn := 0
	for _, round := range t.Rounds {
		var texts []string
		switch {
		case t.Records == nil:
			texts = t.replies(round, KindReply)
		case slices.ContainsFunc(round, func(c Turn) bool { return c.Kind == KindMessage }):
			turn++
			if texts = t.replies(round, KindFinal); texts == nil {
				texts = t.held(turn)
			}
		}
		if len(texts) > 0 {
			rounds = append(rounds, texts)
		}
	}
	return rounds
}

// replies returns the latest reply of each arguing agent among the turns of one kind.
func (t Transcript) replies(round []Turn, kind Kind) []string {
	last := make(map[int]string)
	for _, turn := range round {
		if turn.Kind == kind && t.Argues(turn) && !turn.Silent() {
			last[turn.Agent] = turn.Reply.Text
		}
	}
	return inOrder(last)
}

// held returns the solutions that the panelists of a discussion stand behind after a turn.
func (t Transcript) held(turn int) []string {
	records := slices.DeleteFunc(slices.Clone(t.Records), func(r Record) bool { return r.Turn > turn })
	solutions := make(map[int]string)
	for _, r := range records {
		solutions[r.Agent] = HeldBy(records, r.Agent)
	}
	if t.hasNeutral() {
		delete(solutions, 0)
	}
	return inOrder(solutions)
}

// inOrder returns the texts that are not blank, in the order of agents.
func inOrder(texts map[int]string) (written []string) {
	for _, agent := range slices.Sorted(maps.Keys(texts)) {
		if strings.TrimSpace(texts[agent]) != "" {
			written = append(written, texts[agent])
		}
	}
	return written
}

// Described returns the descriptions of the agents' personas, in the order of agents: those that a discussion has found
// or been given, or those of the team that the debate was composed of. Agents without one are left out.
func (t Transcript) Described() (personas []string) {
	personas = slices.Clone(t.Personas)
	if personas == nil && t.Settings != nil {
		for _, m := range t.Settings.Team() {
			personas = append(personas, m.Persona)
		}
	}
	return slices.DeleteFunc(personas, func(p string) bool { return strings.TrimSpace(p) == "" })
}

// hasNeutral reports whether the first agent only drafts.
func (t Transcript) hasNeutral() bool {
	return t.Settings != nil && Value[bool](*t.Settings, "neutral")
}
