package debate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/debate/answer"
)

// MajorityDecision takes the majority of the answers of the last round; other names are those of Elections.
const MajorityDecision = "majority"

// attempts is how often a ballot is asked for before it is missing (source 4's code).
const attempts = 10

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
func electionNamed(name string) (Election, error) {
	for _, e := range Elections() {
		if e.Name == name {
			return e, nil
		}
	}
	return Election{}, fmt.Errorf("no way to decide %q; there are %s", name, strings.Join(DecisionNames(), ", "))
}

// elects reports whether agents vote.
func (s Society) elects() bool {
	return s.Decide != "" && !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == s.Decide })
}

// elect has everybody who spoke in the last round vote on its solutions, the own one among them: equal texts of two agents are two
// candidates (source 4). Where the election leaves it open there is no answer in the code's reading, and that of the first agent in
// the paper's.
func (s Society) elect(ctx context.Context, ask asker, t *Transcript) error {
	election, err := electionNamed(s.Decide)
	if err != nil {
		return err
	}
	candidates := slices.DeleteFunc(slices.Clone(t.Last()), Turn.silent)
	ballots, err := s.poll(ctx, ask, t, election, candidates)
	if err != nil {
		return fmt.Errorf("voting: %w", err)
	}
	tally := election.Count(ballots, len(candidates))
	t.Decision = Decision{Answer: answer.Unparsed, Votes: Vote(candidates).Votes, Tie: tally.Winner < 0, Rule: election.Name + " vote", Ballots: ballots, Tally: &tally}
	switch {
	case tally.Winner >= 0:
		t.Decision.Answer = candidates[tally.Winner].Answer
	case s.Order.Reading == ReadingPaper:
		t.Decision.Answer, t.Decision.Rule = candidates[0].Answer, t.Decision.Rule+", open, so the first agent's"
	}
	return nil
}

// poll asks every candidate for a ballot, and those whose ballot is invalid again.
func (s Society) poll(ctx context.Context, ask asker, t *Transcript, election Election, candidates []Turn) ([]Ballot, error) {
	question := s.Prompts.VoteOn(texts(candidates), election.Name)
	ask.extract = answer.Raw
	if election.Read == nil {
		ask.continuations = numbers(len(candidates))
	}
	ballots := make([]Ballot, len(candidates))
	missing := make([]int, len(candidates))
	for i := range missing {
		missing[i] = i
	}
	for attempt := 0; attempt < attempts && len(missing) > 0; attempt++ {
		var turns []Turn
		for _, i := range missing {
			voter := candidates[i]
			turns = append(turns, Turn{Agent: voter.Agent, Round: len(t.Rounds) + attempt, Messages: tell(reply(voter.Messages, voter), question)})
		}
		if err := ask.round(ctx, turns); err != nil {
			return nil, err
		}
		t.Voting = append(t.Voting, turns)
		for k, i := range missing {
			ballots[i] = election.ballot(turns[k], len(candidates))
		}
		missing = slices.DeleteFunc(missing, func(i int) bool { return ballots[i].Invalid == "" })
	}
	return ballots, nil
}

// ballot reads a voter's reply.
func (e Election) ballot(t Turn, candidates int) Ballot {
	var b Ballot
	var err error
	switch {
	case t.silent():
		err = t.Reply.Err
	case e.Read == nil:
		b = Ballot{Weights: softmax(t.Reply.LogProbs)}
	default:
		b, err = e.Read(t.Reply.Text, candidates)
	}
	if b.Agent = t.Agent; err != nil {
		b.Invalid = err.Error()
	}
	return b
}

// numbers are the names of candidates.
func numbers(candidates int) (names []string) {
	for i := range candidates {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// softmax are probabilities that add up to 1.
func softmax(logProbs []float64) []float64 {
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
