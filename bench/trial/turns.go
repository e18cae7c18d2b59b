package trial

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/debate"
)

// EachTurn visits all turns of a debate, with what each was asked for: first the rounds, in which an agent's
// intermediate calls (Turn.Before) come before its turn, and its closing turn and its probes after it, then the
// ballots and who writes the answer, then what a judge of facts says.
func EachTurn(t debate.Transcript, visit func(turn debate.Turn, kind string)) {
	all := func(turns []debate.Turn, kind string) {
		for _, turn := range turns {
			visit(turn, kind)
			for _, after := range turn.After {
				visit(after, string(after.Kind))
			}
		}
	}
	for _, round := range t.Rounds {
		for _, turn := range round {
			for _, before := range turn.Before {
				all([]debate.Turn{before}, cmp.Or(string(before.Kind), "before"))
			}
			all([]debate.Turn{turn}, string(turn.Kind))
			all(turn.Probes, "probe")
		}
	}
	for _, attempt := range t.Voting {
		kind := "ballot"
		if len(attempt) > 0 {
			kind = cmp.Or(string(attempt[0].Kind), kind)
		}
		all(attempt, kind)
	}
	all(t.Judged, string(debate.KindFact))
}

// Empty reports whether a debate has no round: nobody was asked anything.
func Empty(t debate.Transcript) bool { return len(t.Rounds) == 0 }

// Turns returns the turns of all rounds, in their order.
func Turns(t debate.Transcript) (turns []*debate.Turn) {
	for _, round := range t.Rounds {
		for i := range round {
			turns = append(turns, &round[i])
		}
	}
	return turns
}

// WithTurns is a copy of a transcript in whose rounds change has changed every turn.
func WithTurns(t debate.Transcript, change func(debate.Turn) debate.Turn) debate.Transcript {
	rounds := make([][]debate.Turn, len(t.Rounds))
	for r, round := range t.Rounds {
		rounds[r] = slices.Clone(round)
		for i, turn := range round {
			rounds[r][i] = change(turn)
		}
	}
	t.Rounds = rounds
	return t
}

// WithoutMessages is a copy of a transcript without the messages that the journal of generations holds, from which
// package rundir restores them. A request that failed has no generation and keeps its messages.
func WithoutMessages(t debate.Transcript) debate.Transcript {
	t.Rounds, t.Voting = slices.Clone(t.Rounds), slices.Clone(t.Voting)
	for _, rounds := range [][][]debate.Turn{t.Rounds, t.Voting} {
		for i, turns := range rounds {
			rounds[i] = turnsWithoutMessages(turns)
		}
	}
	if t.Judged != nil {
		t.Judged = turnsWithoutMessages(t.Judged)
	}
	return t
}

func turnsWithoutMessages(turns []debate.Turn) []debate.Turn {
	turns = slices.Clone(turns)
	for i, turn := range turns {
		if turn.Error == "" {
			turns[i].Messages = nil
		}
		for _, list := range []*[]debate.Turn{&turns[i].Before, &turns[i].After, &turns[i].Probes} {
			*list = turnsWithoutMessages(*list)
		}
	}
	return turns
}
