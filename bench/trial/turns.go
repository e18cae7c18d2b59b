package trial

import (
	"cmp"
	"slices"

	"parley/debate"
)

// EachTurn visits the turns of a debate: the rounds, each turn after what its agent was asked on the way to it and
// before its probes, then the ballots.
func EachTurn(t debate.Transcript, visit func(turn debate.Turn, kind string)) {
	all := func(turns []debate.Turn, kind string) {
		for _, turn := range turns {
			visit(turn, kind)
		}
	}
	for _, round := range t.Rounds {
		for _, turn := range round {
			for _, before := range turn.Before {
				visit(before, cmp.Or(string(before.Kind), "before"))
			}
			visit(turn, string(turn.Kind))
			all(turn.Probes, "probe")
		}
	}
	for _, attempt := range t.Voting {
		all(attempt, "ballot")
	}
}

// WithoutMessages is a transcript that leaves to the generations what they have; see restore. A request that failed is
// none of them.
func WithoutMessages(t debate.Transcript) debate.Transcript {
	t.Rounds, t.Voting = slices.Clone(t.Rounds), slices.Clone(t.Voting)
	for _, rounds := range [][][]debate.Turn{t.Rounds, t.Voting} {
		for i, turns := range rounds {
			rounds[i] = turnsWithoutMessages(turns)
		}
	}
	return t
}

func turnsWithoutMessages(turns []debate.Turn) []debate.Turn {
	turns = slices.Clone(turns)
	for i, turn := range turns {
		if turn.Error == "" {
			turns[i].Messages = nil
		}
		turns[i].Before, turns[i].Probes = turnsWithoutMessages(turn.Before), turnsWithoutMessages(turn.Probes)
	}
	return turns
}
