package vote

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/debate"
	"parley/debate/answer"
)

// MajorityDecision takes the majority of the answers of the last round; other names are those of Elections.
const MajorityDecision = "majority"

// attempts is how often a ballot is asked for before it is missing (source 4's code).
const Attempts = 10

// DecisionNames lists the ways to decide.
func DecisionNames() (names []string) {
	for _, r := range Rules() {
		names = append(names, r.Name)
	}
	for _, e := range Elections() {
		names = append(names, e.Name)
	}
	return names
}

// electionNamed finds one of Elections.
func ElectionNamed(name string) (Election, error) {
	for _, e := range Elections() {
		if e.Name == name {
			return e, nil
		}
	}
	return Election{}, fmt.Errorf("no way to decide %q; there are %s", name, strings.Join(DecisionNames(), ", "))
}

// poll asks voters for ballots on candidates, and those whose ballot is invalid again: question is how one of them is
// asked.
func Poll(a debate.Asker, ctx context.Context, t *debate.Transcript, election Election, voters, candidates int,
	question func(i, attempt int) debate.Turn) ([]debate.Ballot, error) {
	a.Extract = answer.Raw
	if election.Read == nil {
		a.Continuations = numbers(candidates)
	}
	ballots := make([]debate.Ballot, voters)
	said := func(turns []debate.Turn) { t.Voting = append(t.Voting, turns) }
	err := a.Insist(ctx, voters, Attempts, question, said, func(i int, turn debate.Turn) (err error) {
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

// numbers are the names of candidates.
func numbers(candidates int) (names []string) {
	for i := range candidates {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// softmax are probabilities that add up to 1.
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

// How ballots are asked for.
const (
	BallotsFree    = "free"    // in words, up to ten times
	BallotsGrammar = "grammar" // replies must follow Election.Grammar
	BallotsSoft    = "soft"    // the probabilities of naming each candidate are counted; for "simple" and "soft"
)
