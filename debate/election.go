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

// What an election is about.
const (
	// the solution of each agent: equal ones are several candidates, and split the vote (source 4)
	CandidatesTexts   = "texts"
	CandidatesAnswers = "answers" // each distinct answer once, with the solution that gave it first
)

// elect has everybody who spoke in the last round vote on its solutions, the own one among them. Where the election
// leaves it open there is no answer in the code's reading, and that of the first agent in the paper's (source 4).
func (s Society) elect(ctx context.Context, ask asker, t *Transcript) error {
	election, err := electionNamed(s.Decide)
	if err != nil {
		return err
	}
	election = election.as(s.Order.Reading)
	voters := slices.DeleteFunc(slices.Clone(t.Last()), Turn.silent)
	candidates := s.candidates(voters)
	ballots, err := s.poll(ctx, ask, t, election, voters, candidates)
	if err != nil {
		return fmt.Errorf("voting: %w", err)
	}
	tally := election.Count(ballots, len(candidates))
	t.Decision = Decision{Answer: answer.Unparsed, Votes: Vote(voters).Votes, Tie: tally.Winner < 0,
		Rule: election.Name + " vote", Ballots: ballots, Tally: &tally}
	switch {
	case tally.Winner >= 0:
		t.Decision.Answer = candidates[tally.Winner].Answer
	case s.Order.Reading == ReadingPaper:
		t.Decision.Answer, t.Decision.Rule = candidates[0].Answer, t.Decision.Rule+", open, so the first agent's"
	}
	return nil
}

// candidates are the turns that are voted on.
func (s Society) candidates(voters []Turn) (candidates []Turn) {
	for _, v := range voters {
		same := func(c Turn) bool { return s.Candidates == CandidatesAnswers && c.Answer == v.Answer }
		if !slices.ContainsFunc(candidates, same) {
			candidates = append(candidates, v)
		}
	}
	return candidates
}

// poll asks every voter for a ballot, after its history.
func (s Society) poll(ctx context.Context, ask asker, t *Transcript, election Election, voters,
	candidates []Turn) ([]Ballot, error) {
	question, rules := s.Prompts.VoteOn(texts(candidates), election.Name, election.points), ""
	if s.Ballots == BallotsGrammar {
		rules = election.Grammar(len(candidates))
	}
	return ask.poll(ctx, t, election, len(voters), len(candidates), func(i, attempt int) Turn {
		voter := voters[i]
		return Turn{Agent: voter.Agent, Round: len(t.Rounds) + attempt, Kind: KindBallot, Grammar: rules,
			Messages: tell(reply(voter.Messages, voter), question)}
	})
}

// poll asks voters for ballots on candidates, and those whose ballot is invalid again: question is how one of them is
// asked.
func (a asker) poll(ctx context.Context, t *Transcript, election Election, voters, candidates int,
	question func(i, attempt int) Turn) ([]Ballot, error) {
	a.extract = answer.Raw
	if election.Read == nil {
		a.continuations = numbers(candidates)
	}
	ballots := make([]Ballot, voters)
	said := func(turns []Turn) { t.Voting = append(t.Voting, turns) }
	err := a.insist(ctx, voters, attempts, question, said, func(i int, turn Turn) (err error) {
		ballots[i], err = election.ballot(turn, candidates)
		return err
	})
	return ballots, err
}

// ballot reads a voter's reply.
func (e Election) ballot(t Turn, candidates int) (b Ballot, err error) {
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
