package report

import (
	"slices"
	"strings"

	"parley/bench"
	"parley/bench/stat"
	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
)

// round is what the answers of one condition came to after a round, over all questions. A debate that ended earlier keeps its answers.
type round struct {
	Votes    int // questions on which the vote is right
	N        int
	Lost     int // agents whose answer was right and is not any more
	Won      int // agents whose answer was not right and is now
	Compared int // agents that answered before
}

const level = 0.95

func (r round) interval() stat.Interval { return stat.Wilson(r.Votes, r.N, level) }
func (r round) accuracy() float64       { return float64(r.Votes) / float64(max(1, r.N)) }

// roundsOf counts by condition and round.
func roundsOf(run bench.Run) map[string][]round {
	longest := make(map[string]int)
	for _, o := range run.Outcomes {
		longest[o.Condition] = max(longest[o.Condition], len(o.Transcript.Rounds))
	}
	counts := make(map[string][]round)
	for name, n := range longest {
		counts[name] = make([]round, n)
	}
	for _, o := range run.Outcomes {
		count(counts[o.Condition], o.Transcript, run.Truth(o))
	}
	return counts
}

func count(rounds []round, t debate.Transcript, truth answer.Answer) {
	last := make(map[int]debate.Turn) // by agent, what it last answered
	for r := range rounds {
		if r < len(t.Rounds) {
			for _, turn := range answers(t, r) {
				rounds[r].compare(last, turn, truth)
				last[turn.Agent] = turn
			}
		}
		rounds[r].N++
		if vote := debate.Vote(inOrder(last)); task.ScoreOf(vote.Answer, truth) == task.Right {
			rounds[r].Votes++
		}
	}
}

// compare counts what became of an agent's answer.
func (r *round) compare(last map[int]debate.Turn, turn debate.Turn, truth answer.Answer) {
	before, answered := last[turn.Agent]
	if !answered {
		return
	}
	r.Compared++
	was, is := before.Answer.Equal(truth), turn.Answer.Equal(truth)
	switch {
	case was && !is:
		r.Lost++
	case !was && is:
		r.Won++
	}
}

func inOrder(last map[int]debate.Turn) (turns []debate.Turn) {
	for _, turn := range last {
		turns = append(turns, turn)
	}
	slices.SortFunc(turns, func(a, b debate.Turn) int { return a.Agent - b.Agent })
	return turns
}

// answers are the turns of a round in which somebody who argues answers the question: the last one of each agent, where it has several.
func answers(t debate.Transcript, r int) []debate.Turn {
	last := make(map[int]debate.Turn)
	for _, turn := range t.Rounds[r] {
		if answersQuestion(t, r, turn) {
			last[turn.Agent] = turn
		}
	}
	return inOrder(last)
}

// answersQuestion leaves out who presides, silence, and calls of a discussion that are about something else.
func answersQuestion(t debate.Transcript, r int, turn debate.Turn) bool {
	if !wholeAnswers(t, r) || turn.Error != "" || slices.Contains([]string{"moderator", "judge", "supervisor"}, t.Role(turn.Agent)) {
		return false
	}
	return hasAnswer(turn.Kind)
}

// wholeAnswers reports whether the answers of a round are to the whole question; of knights, those of a debate about one player are not.
func wholeAnswers(t debate.Transcript, r int) bool {
	return r >= len(t.Phases) || t.Phases[r] == "proposal" || t.Phases[r] == "final" || strings.HasPrefix(t.Phases[r], "adjustment")
}

// hasAnswer reports whether a call of this kind asks for an answer to the question.
func hasAnswer(kind string) bool {
	return slices.Contains([]string{"", debate.KindMessage, debate.KindSolution, debate.KindFinal, debate.KindChallenge}, kind)
}
