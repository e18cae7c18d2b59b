package vote

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/internal/unknown"
)

// MajorityDecision is the majority of the answers of the last round. It is a Rule and no Election: nobody is asked.
const MajorityDecision = "majority"

// Election is a rule that counts ballots, for which agents are asked.
type Election struct {
	Name    string
	Source  string
	Meaning string
	// Read makes a ballot of a reply as MALLM's code does; it returns an error for what that takes to be invalid. It
	// is nil in an election that scores the numbers of the candidates instead, so that no ballot is invalid.
	Read     func(reply string, candidates int) (debate.Ballot, error)
	count    func(ballots []debate.Ballot, candidates int) []float64
	outright bool // only a candidate that beats all others wins
	Points   int  // how many points each voter distributes; 0 in elections without points
}

// Elections lists the rules.
func Elections() []Election {
	const mallm = "MALLM"
	return []Election{
		{"simple", mallm, "one vote each", readSimple, countFirst, false, 0},
		{"approval", mallm, "a vote for each candidate that an agent approves of", readApproval, countPoints, false, 0},
		{"cumulative", mallm, fmt.Sprintf("%d points to distribute", cumulativePoints),
			readCumulative(cumulativePoints), countPoints, false, cumulativePoints},
		{"ranked", mallm, "up to five in order: the k-th of n gets min(5, n) - k points, from k = 0", readRanked,
			countRanks, false, 0},
		{"borda", "Borda 1781", "all in order: a point for each candidate ranked lower", readRanked, countBorda,
			false, 0},
		{"condorcet", "Condorcet 1785", "whoever beats every other candidate in pairs; the score is the number beaten",
			readRanked, countCondorcet, true, 0},
		{"run-off", "instant run-off",
			"whoever has the fewest first places is struck out, until one candidate has more than half",
			readRanked, countRunOff, false, 0},
		{"soft", "none of the sources", "each voter's probabilities of naming the candidates, added up", nil,
			countWeights, false, 0},
	}
}

// PeerRanking is the ranking in the reviews of karpathy/llm-council, which is none of Elections: it elects nobody, and
// its winner is only told. The score of a candidate is one by its mean place, 0 if nobody gave it a place.
func PeerRanking() Election { return Election{Name: peerRanking, Read: readPlaces, count: countPlaces} }

const peerRanking = "mean place"

// ElectionNamed returns one of Elections.
func ElectionNamed(name string) (Election, error) {
	for _, e := range Elections() {
		if e.Name == name {
			return e, nil
		}
	}
	return Election{}, unknown.Name("way to decide", name, DecisionNames())
}

// DecisionNames returns the names of Rules and Elections.
func DecisionNames() (names []string) {
	for _, r := range Rules() {
		names = append(names, r.Name)
	}
	for _, e := range Elections() {
		names = append(names, e.Name)
	}
	return names
}

// Count counts the valid ballots. The strictly highest score wins; a tie leaves the election open (Winner is -1), as in
// MALLM's code. What an open election means then depends on the reading: see society's elect and discussion's
// conclude.
func (e Election) Count(ballots []debate.Ballot, candidates int) debate.Tally {
	valid := slices.DeleteFunc(slices.Clone(ballots), func(b debate.Ballot) bool { return b.Invalid != "" })
	t := debate.Tally{Scores: e.count(valid, candidates), Winner: -1, Rule: e.Name}
	if len(valid) == 0 {
		return t
	}
	for i, score := range t.Scores {
		t.Scores[i] = Round(score)
	}
	best := slices.Max(t.Scores)
	for i, score := range t.Scores {
		if score == best && t.Winner >= 0 {
			t.Winner = -1 // a tie
			break
		} else if score == best {
			t.Winner = i
		}
	}
	if e.outright && best < float64(candidates-1) {
		t.Winner = -1 // nobody beats all others
	}
	return t
}

// How many points each voter distributes: in MALLM's code and prompts, and in its text.
const (
	cumulativePoints      = 10
	cumulativePointsPaper = 25
)

// As returns the election as a reading has it. Only the cumulative one differs: in the number of points, and in what
// counts as a dictionary of them.
func (e Election) As(reading string) Election {
	switch {
	case e.Points == 0:
	case reading == debate.ReadingPaper:
		e.Points, e.Read = cumulativePointsPaper, readCumulative(cumulativePointsPaper)
	default:
		e.Read = readCumulativeLiteral(cumulativePoints)
	}
	return e
}

// Among returns the election as MALLM's program holds it among so many agents, those without a vote included. Only
// the ranked one depends on them: a first place there is worth min(5, agents) points, whatever the number of
// candidates.
func (e Election) Among(agents int) Election {
	if e.Name == "ranked" {
		e.count = countRanksFrom(min(mostRanks, agents))
	}
	return e
}

// Grammar returns the grammar, in GBNF, of the valid ballots on so many candidates, or "" if the election has no
// ballots.
func (e Election) Grammar(candidates int) string {
	switch {
	case e.Read == nil:
		return ""
	case e.Points > 0:
		return grammar.Points(candidates, e.Points).String()
	case e.Name == "approval":
		return grammar.Approval(candidates).String()
	case e.Name == "simple":
		return grammar.Choice(numbers(candidates)...).String()
	}
	return grammar.Ranking(candidates, mostRanks).String()
}
