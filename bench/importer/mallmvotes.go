package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-debate/parley/debate"
)

// mallmVotes are the votes after one turn.
type mallmVotes struct {
	Answers     json.RawMessage `json:"answers"` // the candidates: the panelists' final answers
	Type        string          `json:"type"`
	Alterations json.RawMessage `json:"alterations"` // mallmResult by what voters see
}

type mallmResult struct {
	Votes json.RawMessage `json:"votes"`
	Most  int             `json:"most_voted"`
}

// vote reads the votes after each turn: the final answers that the panelists vote on, and the ballots of the last vote.
func (x *mallmReader) vote() error {
	if len(x.Votes) == 0 || string(x.Votes) == "null" {
		return nil
	}
	fields, err := fieldsOf(x.Votes)
	if err == nil {
		err = checkNames(x.Votes)
	}
	if err != nil {
		return fmt.Errorf("votesEachTurn: %w", err)
	}
	last := 0
	for _, f := range fields {
		turn, err := strconv.Atoi(f.name)
		if _, held := x.rounds[turn]; err != nil || !held || turn <= last {
			return fmt.Errorf("votesEachTurn has the turn %.40q, in which nobody speaks, or which is not in order",
				f.name)
		}
		if err := x.voteAfter(turn, f.value); err != nil {
			return fmt.Errorf("votes after turn %d: %w", turn, err)
		}
		last = turn
	}
	return nil
}

func (x *mallmReader) voteAfter(turn int, text json.RawMessage) error {
	var votes mallmVotes
	if err := json.Unmarshal(text, &votes); err != nil {
		return err
	}
	candidates, err := listOf[string](votes.Answers, "answers")
	if err != nil {
		return err
	}
	// the votes of consensus_voting are on solutions that agents have had before
	if votes.Type != "consensus_voting" && len(candidates) == len(x.panelists) {
		for i, text := range candidates {
			x.say(turn, debate.Turn{Agent: x.panelists[i], Kind: debate.KindFinal}, text, text)
		}
	}
	x.h.by = cmp.Or(votes.Type, "vote")
	return x.elect(votes, len(candidates))
}

// result returns the vote that decides: the anonymous one if there are several, the public one of consensus_voting.
func (v mallmVotes) result() (result mallmResult, err error) {
	fields, err := fieldsOf(v.Alterations)
	for _, name := range []string{"anonymous", "public"} {
		for _, f := range fields {
			if f.name == name && err == nil {
				err = json.Unmarshal(f.value, &result)
				return result, err
			}
		}
	}
	return result, err
}

// elect reads the ballots of a vote, in the place of those of an earlier one.
func (x *mallmReader) elect(votes mallmVotes, candidates int) error {
	d := &x.h.transcript.Decision
	d.Ballots, d.Tally, x.secret = nil, nil, false
	result, err := votes.result()
	if err != nil {
		return fmt.Errorf("alterations: %w", err)
	}
	ballots, err := mallmBallots(votes.Type, result.Votes, candidates)
	if err != nil || len(ballots) == 0 {
		return err
	}
	if votes.Type != "ranked_voting" { // whose points depend on the program's settings
		d.Tally = &debate.Tally{Rule: votes.Type, Winner: -1, Scores: make([]float64, candidates)}
		for _, b := range ballots {
			for _, candidate := range b.Ranking {
				d.Tally.Scores[candidate]++
			}
			for candidate, points := range b.Points {
				d.Tally.Scores[candidate] += float64(points)
			}
		}
		if result.Most >= 0 && result.Most < candidates {
			d.Tally.Winner = result.Most
		}
	}
	// The program leaves out invalid votes, and puts all approvals into one list: nobody knows whose the others are.
	if x.secret = votes.Type == "approval_voting" || len(ballots) != len(x.panelists); x.secret {
		return nil
	}
	for i := range ballots {
		ballots[i].Agent = x.panelists[i]
	}
	d.Ballots = ballots
	return nil
}

// mallmBallots reads votes by their type, without the voters: of judges, and of types that are unknown, there are none.
func mallmBallots(kind string, text json.RawMessage, candidates int) (ballots []debate.Ballot, err error) {
	var read func(vote json.RawMessage, candidates int) (debate.Ballot, error)
	switch kind {
	case "simple_voting", "consensus_voting", "approval_voting":
		read = func(vote json.RawMessage, candidates int) (debate.Ballot, error) {
			return mallmRanking(slices.Concat([]byte("["), vote, []byte("]")), candidates)
		}
	case "ranked_voting":
		read = mallmRanking
	case "cumulative_voting":
		read = mallmPoints
	default:
		return nil, nil
	}
	votes, err := listOf[json.RawMessage](text, "votes")
	if err != nil {
		return nil, err
	}
	for _, vote := range votes {
		b, err := read(vote, candidates)
		if err != nil {
			return nil, err
		}
		ballots = append(ballots, b)
	}
	return ballots, nil
}

// mallmRanking reads the numbers of candidates, best first.
func mallmRanking(vote json.RawMessage, candidates int) (b debate.Ballot, err error) {
	if b.Ranking, err = listOf[int](vote, "a vote"); err != nil {
		return b, err
	}
	for _, c := range b.Ranking {
		if c < 0 || c >= candidates {
			return b, fmt.Errorf("a vote for answer %d of %d", c, candidates)
		}
	}
	return b, nil
}

// mallmPoints reads the points that a voter gives to candidates, by their numbers.
func mallmPoints(vote json.RawMessage, candidates int) (b debate.Ballot, err error) {
	fields, err := fieldsOf(vote)
	if err == nil {
		err = checkNames(vote)
	}
	b.Points = make([]int, candidates)
	for _, f := range fields {
		c, numberErr := strconv.Atoi(f.name)
		if numberErr != nil || c < 0 || c >= candidates {
			return b, fmt.Errorf("points for answer %.40q of %d", f.name, candidates)
		}
		if json.Unmarshal(f.value, &b.Points[c]) != nil || b.Points[c] < 0 || b.Points[c] > mostPoints {
			return b, fmt.Errorf("%.40s points for an answer: must be a number from 0 to %d", f.value, mostPoints)
		}
	}
	return b, err
}

// mostPoints bounds what a voter gives to one answer; the program has voters distribute ten.
const mostPoints = 1000
