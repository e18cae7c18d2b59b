package discussion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

// Ways to decide a discussion after a turn, besides vote.Elections.
const (
	consensusVoting  = "consensus-voting"        // one vote each, after every turn, on the solutions that differ
	judgeDecision    = string(debate.MeansJudge) // the first panelist writes the answer, from the final answers of all
	countingDecision = string(debate.MeansCount) // the most frequent of the final answers; a tie is open
)

// discussionDecisions returns the names of all ways to decide a discussion.
func discussionDecisions() (names []string) {
	for _, c := range consensuses() {
		names = append(names, c.Name)
	}
	for _, e := range vote.Elections() {
		names = append(names, e.Name)
	}
	return append(names, consensusVoting, judgeDecision, countingDecision)
}

// vote decides after a turn if there is a winner, or if it was the last turn.
func (x *discussing) vote(ctx context.Context) (decided bool, err error) {
	candidates, err := x.candidates(ctx)
	if err != nil {
		return false, err
	}
	count, winner := countOf(candidates), -1
	d := debate.Decision{Rule: debate.Rule{Means: debate.Means(x.Decide)}, Votes: count.Votes}
	if len(candidates) == 0 { // nobody said anything
		d.Tie = true
		return x.turn == x.Turns && x.settle(d, debate.OutcomeNone), nil
	}
	switch x.Decide {
	case judgeDecision:
		if d.Answer, err = x.judge(ctx, candidates); err != nil {
			return false, err
		}
		return x.settle(d, debate.OutcomePanelist), nil
	case countingDecision:
		if !count.Tie && count.Answer.Parsed {
			winner = slices.IndexFunc(candidates, func(c candidate) bool { return c.answer.Equal(count.Answer) })
		}
		return x.conclude(d, candidates, winner), nil
	default:
		if d.Ballots, err = x.poll(ctx, candidates); err != nil {
			x.BreakOff()
			return false, fmt.Errorf("voting: %w", err)
		}
		tally := x.election().Count(d.Ballots, len(candidates))
		d.Rule, d.Tally = debate.Rule{Means: debate.MeansElection, Name: tally.Rule}, &tally
		return x.conclude(d, candidates, tally.Winner), nil
	}
}

// conclude ends the discussion if there is a winner (-1 is none), or if this was the last turn. Without a winner there
// is then no answer in the code's reading, and the first panelist's answer in the paper's; consensus voting draws among
// the best if anybody has a vote.
func (x *discussing) conclude(d debate.Decision, candidates []candidate, winner int) (decided bool) {
	d.Tie = winner < 0
	switch {
	case winner >= 0:
		d.Answer = candidates[winner].answer
		return x.settle(d, debate.OutcomeDecided)
	case x.turn < x.Turns:
		return false
	case x.Decide == consensusVoting && slices.Max(d.Tally.Scores) > 0:
		d.Answer = candidates[x.drawWinner(d.Tally.Scores)].answer
		return x.settle(d, debate.OutcomeDrawn)
	case x.Reading == debate.ReadingPaper:
		d.Answer = candidates[0].answer
		return x.settle(d, debate.OutcomeFirst)
	}
	return x.settle(d, debate.OutcomeNone)
}

// settle records the decision, with when and how it came about.
func (x *discussing) settle(d debate.Decision, outcome debate.Outcome) bool {
	d.Rule.Turn, d.Rule.Message, d.Rule.Outcome = x.turn, len(x.Transcript.Records), outcome
	x.Transcript.Decision = d
	return true
}

// drawWinner draws one of the candidates with the highest score.
func (x *discussing) drawWinner(scores []float64) int {
	var best []int
	for i, score := range scores {
		if score == slices.Max(scores) {
			best = append(best, i)
		}
	}
	return best[rand.New(rand.NewPCG(x.Seeds.Hash("tie", x.c.ID, x.turn), 0)).IntN(len(best))]
}

// election returns the rule that counts ballots, as the reading has it.
func (x *discussing) election() vote.Election {
	name := x.Decide
	switch {
	case name == consensusVoting:
		name = "simple"
	case x.Ballots == vote.BallotsSoft:
		name = "soft"
	}
	e, _ := vote.ElectionNamed(name) // check has looked it up
	if x.Reading == debate.ReadingCode {
		e = e.Among(x.agents())
	}
	return e.As(x.Reading)
}

// poll asks every panelist for its ballot.
func (x *discussing) poll(ctx context.Context, candidates []candidate) ([]debate.Ballot, error) {
	election, voters, rules := x.election(), x.panelists(), ""
	if x.Ballots == vote.BallotsGrammar {
		rules = election.Grammar(len(candidates))
	}
	question := x.ballotOn(candidates, election.Points)
	return vote.Poll(ctx, x.Asker, x.Transcript, election, len(voters), len(candidates),
		func(i, attempt int) debate.Turn {
			return debate.Turn{Agent: voters[i], Round: len(x.Transcript.Rounds),
				Sample: x.TimesAsked(voters[i]) + attempt, Kind: debate.KindBallot, Grammar: rules,
				Messages: debate.Conversation(x.Prompts.VoterFor(x.role(voters[i])), question)}
		})
}

// ballotOn returns the request for a ballot.
func (x *discussing) ballotOn(candidates []candidate, points int) string {
	shown := make([]prompts.Candidate, len(candidates))
	for i, c := range candidates {
		shown[i] = c.Candidate
	}
	return x.Prompts.BallotOn(x.c.Question, x.facts(x.Shown == shownFacts), x.history(x.Shown == shownHistory), shown,
		x.Decide, points)
}

// facts returns the facts of the case if they are wanted.
func (x *discussing) facts(wanted bool) string {
	if wanted {
		return x.c.Facts
	}
	return ""
}

// history returns the whole discussion, if it is wanted.
func (x *discussing) history(wanted bool) string {
	if !wanted {
		return ""
	}
	var lines []string
	for _, r := range x.Transcript.Records {
		if !debate.Visible(r.Message) {
			continue
		}
		lines = append(lines, x.Prompts.LineOf(x.Transcript.Role(r.Agent), r.Message))
	}
	return strings.Join(lines, "\n\n")
}

// judge has the first panelist write the answer. The others are not asked.
func (x *discussing) judge(ctx context.Context, candidates []candidate) (answer.Answer, error) {
	first := x.panelists()[0]
	turns, err := x.ask(ctx, debate.KindJudgement, []debate.Turn{{Agent: first,
		Messages: debate.Conversation(x.Prompts.VoterFor(x.role(first)), x.ballotOn(candidates, 0))}})
	return turns[0].Answer, err
}
