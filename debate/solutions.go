package debate

import (
	"maps"
	"slices"
	"strings"
)

// Solutions are what those who argue stand behind after each round, as texts in the order of agents. Of a discussion
// that is the final answer that a panelist was asked for in this turn, or else the solution of its newest message or
// the one that it agreed to; of all others it is the whole reply. Who said nothing has no text, and rounds without a
// text are left out.
func (t Transcript) Solutions() (rounds [][]string) {
	turn := 0
	for _, round := range t.Rounds {
		var texts []string
		switch {
		case t.Records == nil:
			texts = t.replies(round, "")
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

// replies are the texts of the turns of one kind by those who argue, the last one of each agent.
func (t Transcript) replies(round []Turn, kind string) []string {
	last := make(map[int]string)
	for _, turn := range round {
		if turn.Kind == kind && t.Argues(turn) && !turn.Silent() {
			last[turn.Agent] = turn.Reply.Text
		}
	}
	return inOrder(last)
}

// held are the solutions that panelists of a discussion stand behind after a turn.
func (t Transcript) held(turn int) []string {
	records := slices.DeleteFunc(slices.Clone(t.Records), func(r Record) bool { return r.Turn > turn })
	solutions := make(map[int]string)
	for _, r := range records {
		solutions[r.Agent] = HeldBy(records, r.Agent)
	}
	if t.Settings != nil && t.Settings.Neutral {
		delete(solutions, 0)
	}
	return inOrder(solutions)
}

// inOrder are the texts in which something stands, in the order of agents.
func inOrder(texts map[int]string) (written []string) {
	for _, agent := range slices.Sorted(maps.Keys(texts)) {
		if strings.TrimSpace(texts[agent]) != "" {
			written = append(written, texts[agent])
		}
	}
	return written
}
