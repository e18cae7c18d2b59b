package debate

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// Ballot is one agent's judgement of candidates, which are numbered from 0. The election decides which of Ranking,
// Points and Weights it has.
type Ballot struct {
	Agent   int       `json:"agent"`
	Ranking []int     `json:"ranking,omitempty"` // best first; candidates left out share the place below the others
	Points  []int     `json:"points,omitempty"`  // for each candidate
	Weights []float64 `json:"weights,omitempty"` // the voter's probability of naming each candidate
	Invalid string    `json:"invalid,omitempty"` // why it is no valid ballot; it then does not count
}

// Tally is the outcome of an election.
type Tally struct {
	Scores []float64 `json:"scores"` // of each candidate, by the rule
	Winner int       `json:"winner"` // a candidate, or -1 if the election is open
	Rule   string    `json:"rule"`
}

// PlayerVote is the vote on one player of a puzzle.
type PlayerVote struct {
	Player string  `json:"player"`
	Roles  []Count `json:"roles"`            // most votes first; equal counts in agent order
	Winner string  `json:"winner,omitempty"` // a role; empty if no solution could be read
	Tie    bool    `json:"tie"`              // several roles have the most votes
	By     string  `json:"by,omitempty"`     // the supervisor's name, if it broke the tie
}

// Share returns the decided answer's share of the votes cast: of the scores in an election, of the weights by a rule
// that weighs, else of the agents that gave a readable answer. Without an answer it is 0.
func (d Decision) Share() float64 {
	all, own := 0.0, 0.0
	weighted := slices.ContainsFunc(d.Votes, func(c Count) bool { return c.Weight != 0 })
	for _, v := range d.Votes {
		w := float64(len(v.Agents))
		if weighted {
			w = max(0, v.Weight)
		}
		if all += w; d.Answer.Parsed && v.Answer == d.Answer.Text {
			own = w
		}
	}
	if d.Tally != nil && d.Tally.Winner >= 0 && d.Rule.Means != MeansWritten {
		all, own = 0, d.Tally.Scores[d.Tally.Winner]
		for _, score := range d.Tally.Scores {
			all += score
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}

// Decision is the outcome of a debate and how it came about.
type Decision struct {
	Answer answer.Answer `json:"answer"`         // unparsed if nothing was decided
	Votes  []Count       `json:"votes"`          // most votes first; equal counts in agent order
	Tie    bool          `json:"tie"`            // several answers have the most votes
	Rule   Rule          `json:"rule"`           // as its sentence
	Side   string        `json:"side,omitempty"` // the side that the moderator or judge supports

	Withheld string `json:"withheld,omitempty"` // an answer whose share of the votes was too small
	Reason   string `json:"reason,omitempty"`   // as the moderator or judge gives it

	Ballots []Ballot `json:"ballots,omitempty"` // of an election
	Tally   *Tally   `json:"tally,omitempty"`   // the count of Ballots

	Players []PlayerVote `json:"players,omitempty"` // of knights
}

// Count is one answer and the agents that gave it.
type Count struct {
	Answer string  `json:"answer"`
	Agents []int   `json:"agents"`
	Weight float64 `json:"weight,omitempty"` // by a rule that weighs answers
}

// Elected returns the text that was decided for, and whose it is. There is one where a debate decides between texts: by
// an election, by a consensus on a solution, or by one agent who writes the answer. So a decision on a free question
// has a text even if no answer can be read from it. It follows from the turns and is not recorded a second time; ok is
// false if nothing was elected, if the winner was drawn, or if the decision was withheld.
func (t Transcript) Elected() (text string, agent int, ok bool) {
	d := t.Decision
	switch {
	case d.Withheld != "":
		return "", 0, false
	case d.Rule.Means == MeansWritten && len(t.Voting) > 0:
		for _, turn := range t.Voting[len(t.Voting)-1] {
			text, agent, ok = turn.Reply.Text, turn.Agent, !turn.Silent()
		}
		return text, agent, ok
	case d.Tally != nil && len(t.Records) == 0:
		return t.winner(t.votedOn())
	case d.Tally != nil:
		return t.winner(t.finals())
	case d.Rule.Means == MeansConsensus && d.Rule.Turn > 0:
		for i := len(t.Records) - 1; i >= 0 && !ok; i-- {
			r := t.Records[i]
			text, agent, ok = r.Solution, r.Agent, r.Solution != ""
		}
		return text, agent, ok
	case d.Rule.Means == MeansJudge:
		if judged := t.lastOf(KindJudgement); judged != nil {
			return judged[0].Reply.Text, judged[0].Agent, true
		}
	}
	return "", 0, false
}

// proposal is a text that is voted on.
type proposal struct {
	text  string
	agent int
}

// winner returns the proposal that was elected. An open election has none, unless its rule takes the first one then.
func (t Transcript) winner(list []proposal) (text string, agent int, ok bool) {
	i := t.Decision.Tally.Winner
	if i < 0 && t.Decision.Rule.Outcome == OutcomeFirst {
		i = 0
	}
	if i < 0 || i >= len(list) {
		return "", 0, false
	}
	return list[i].text, list[i].agent, true
}

// What an election is about.
const (
	CandidatesTexts   = "texts"   // each agent's solution; equal ones split the vote (MALLM)
	CandidatesAnswers = "answers" // each distinct answer, with the first solution that gave it
)

// Candidates returns the turns that an election after a round is about. A reply without a text is none of them.
func Candidates(round []Turn, about string) []Turn {
	return candidates(slices.DeleteFunc(slices.Clone(round), func(t Turn) bool { return !t.Tells() }), about)
}

func candidates(round []Turn, about string) (candidates []Turn) {
	for _, turn := range round {
		known := turn.Silent()
		for _, c := range candidates {
			known = known || about == CandidatesAnswers && c.Answer.Same(turn.Answer)
		}
		if !known {
			candidates = append(candidates, turn)
		}
	}
	return candidates
}

// votedOn returns the solutions that a society votes on.
func (t Transcript) votedOn() (list []proposal) {
	about := CandidatesTexts
	if t.Settings != nil {
		about = Value[string](*t.Settings, "candidates")
	}
	voted := Candidates(t.Last(), about)
	if t.Decision.Tally != nil && len(t.Decision.Tally.Scores) != len(voted) {
		voted = candidates(t.Last(), about) // records of earlier versions have replies without a text as well
	}
	for _, turn := range voted {
		list = append(list, proposal{turn.Reply.Text, turn.Agent})
	}
	return list
}

// finals are the final answers that the panelists of a discussion vote on. Where none were asked for, they vote on the
// solutions that they stand behind.
func (t Transcript) finals() (list []proposal) {
	for _, turn := range t.lastOf(KindFinal) {
		list = append(list, proposal{turn.Reply.Text, turn.Agent})
	}
	if list != nil {
		return t.shown(list)
	}
	var texts []string
	var agents []int
	for agent := range t.Agents() {
		neutral := agent == 0 && t.hasNeutral()
		if !neutral || t.Reading == ReadingCode {
			texts, agents = append(texts, HeldBy(t.Records, agent)), append(agents, agent)
		}
	}
	for _, i := range Distinct(texts) {
		list = append(list, proposal{texts[i], agents[i]})
	}
	return t.shown(list)
}

// shown returns the proposals that voters were shown: those with a text, or all, as earlier versions recorded.
func (t Transcript) shown(list []proposal) []proposal {
	told := slices.DeleteFunc(slices.Clone(list), func(p proposal) bool { return !Visible(p.text) })
	if t.Decision.Tally != nil && len(t.Decision.Tally.Scores) == len(list) {
		return list
	}
	return told
}

// Distinct returns the places of the solutions that consensus voting is about: it leaves out those that equal an
// earlier one except for capitals, or except for what follows the first ")".
func Distinct(solutions []string) (kept []int) {
	texts, beginnings := map[string]bool{}, map[string]bool{}
	for i, solution := range solutions {
		text := strings.ToLower(solution)
		beginning, _, _ := strings.Cut(solution, ")") // with its capitals, as in the source's code
		if !texts[text] && !beginnings[beginning] {
			kept, beginnings[beginning] = append(kept, i), true
		}
		texts[text] = true
	}
	return kept
}

// lastOf returns the turns of a kind in the last round that has some.
func (t Transcript) lastOf(kind Kind) (turns []Turn) {
	for i := len(t.Rounds) - 1; i >= 0 && turns == nil; i-- {
		for _, turn := range t.Rounds[i] {
			if turn.Kind == kind {
				turns = append(turns, turn)
			}
		}
	}
	return turns
}
