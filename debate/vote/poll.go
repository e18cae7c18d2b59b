package vote

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// How agents are asked for ballots.
const (
	BallotsFree    = "free"    // in words, up to Attempts times
	BallotsGrammar = "grammar" // replies must follow Election.Grammar
	BallotsSoft    = "soft"    // the probabilities of naming each candidate are counted; for "simple" and "soft"
)

// Attempts is how often an agent is asked for a valid ballot before it has no vote (MALLM's code).
const Attempts = 10

// attempts is how often one is asked for a ballot: for a review once, as in the source's program.
func (e Election) attempts() int {
	if e.Name == peerRanking {
		return 1
	}
	return Attempts
}

// Poll asks voters for ballots on candidates, and asks those whose ballot is invalid again, as the election has it. ask
// returns the turn that asks voter i for its ballot. The turns of each attempt are added to t.Voting. The ballot of a
// voter that never gave a valid one says why in Invalid.
func Poll(ctx context.Context, a debate.Asker, t *debate.Transcript, election Election, voters, candidates int,
	ask func(i, attempt int) debate.Turn) ([]debate.Ballot, error) {
	a.Extract = answer.Raw
	if election.Read == nil {
		a.Continuations = numbers(candidates)
	}
	ballots := make([]debate.Ballot, voters)
	said := func(turns []debate.Turn) { t.Voting = append(t.Voting, turns) }
	err := a.AskUntilRead(ctx, voters, election.attempts(), ask, said, func(i int, turn debate.Turn) (err error) {
		ballots[i], err = election.ballot(turn, candidates)
		return err
	})
	return ballots, err
}

// ballot reads a voter's reply.
func (e Election) ballot(t debate.Turn, candidates int) (b debate.Ballot, err error) {
	switch {
	case t.Silent():
		err = t.Reply.Err
	case e.Read == nil:
		b = debate.Ballot{Weights: Softmax(t.Reply.LogProbs)}
	default:
		b, err = e.Read(t.Reply.Text, candidates)
	}
	if b.Agent = t.Agent; err != nil {
		b.Invalid = err.Error()
	}
	return b, err
}

// numbers returns the names by which voters call candidates: "0", "1" and so on.
func numbers(candidates int) (names []string) {
	for i := range candidates {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// Softmax returns the probabilities with these logarithms, scaled to add up to 1.
func Softmax(logProbs []float64) []float64 {
	weights, sum := make([]float64, len(logProbs)), 0.0
	for i, l := range logProbs {
		weights[i] = math.Exp(l - slices.Max(logProbs))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
