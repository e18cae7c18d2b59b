package analysis

import (
	"slices"

	"parley/bench/stat"
	"parley/bench/task"
	"parley/debate"
	"parley/debate/vote"
)

// Round is what the answers of one condition came to after a round of its transcripts, over all debates. A debate that
// ended earlier keeps its answers.
type Round struct {
	N int `json:"n"` // debates
	// of which the majority of the agents' latest answers is right; in puzzles, that on every player
	Right    int           `json:"right"`
	Accuracy float64       `json:"accuracy"`
	Interval stat.Interval `json:"interval"` // as that of a row

	Compared int `json:"compared"` // agents that answered before
	Lost     int `json:"lost"`     // of them, whose answer was right and is not any more
	Won      int `json:"won"`      // of them, whose answer was not right and is now

	Entropy       Readings `json:"entropy"` // of what was answered in this round
	LogLikelihood Readings `json:"log_likelihood"`
	Cost
}

// Cost is what calls took, as if nothing were shared.
type Cost struct {
	Replies      int `json:"replies"`
	PromptTokens int `json:"prompt_tokens"`
	Tokens       int `json:"tokens"` // generated
}

// add counts a call that was answered; one that failed has cost nothing.
func (c *Cost) add(call debate.Turn) {
	if call.Error != "" {
		return
	}
	c.Replies++
	c.PromptTokens += call.Reply.PromptTokens
	c.Tokens += call.Reply.Tokens
}

// roundsOf counts the debates that could be held round by round.
func roundsOf(p *Part) []Round {
	said, longest := p.said(), 0
	for _, cells := range said.cells {
		longest = max(longest, len(cells))
	}
	rounds, votes := make([]Round, longest), make([]correctness, longest)
	for i, cells := range said.cells {
		o := p.held.outcomes[i]
		last := make(map[int]cell) // by agent, what it last answered
		for r := range rounds {
			rounds[r].hear(o.Transcript, cells, r, last)
			votes[r].add(o.Question, o.Repeat, task.ScoreOf(vote.Among(o.Transcript, turnsOf(last)).Answer,
				o.Truth) == task.Right)
		}
	}
	for r := range rounds {
		rounds[r].Accuracy, rounds[r].Interval = votes[r].accuracy()
		for _, q := range votes[r].asked() {
			rounds[r].Right += q.Right
		}
		rounds[r].Entropy, rounds[r].LogLikelihood = readings(said.ids.round(r), stat.Share(len(said.cells),
			len(votes[r].questions)))
	}
	return rounds
}

// turnsOf are the turns of some answers, by agent.
func turnsOf(last map[int]cell) []debate.Turn {
	turns := make(map[int]debate.Turn, len(last))
	for agent, c := range last {
		turns[agent] = c.turn
	}
	return InOrder(turns)
}

// hear enters round r of a debate, and who answers in it into last.
func (r *Round) hear(t debate.Transcript, cells [][]cell, number int, last map[int]cell) {
	r.N++
	if number >= len(cells) {
		return
	}
	for _, c := range cells[number] {
		r.compare(last, c)
		last[c.turn.Agent] = c
	}
	for call := range (debate.Transcript{Rounds: t.Rounds[number : number+1]}).Calls() {
		r.Cost.add(call)
	}
}

// compare counts what became of an agent's answer.
func (r *Round) compare(last map[int]cell, now cell) {
	before, answered := last[now.turn.Agent]
	if !answered {
		return
	}
	r.Compared++
	switch {
	case before.right && !now.right:
		r.Lost++
	case !before.right && now.right:
		r.Won++
	}
}

// InOrder are turns by agent, sorted.
func InOrder(last map[int]debate.Turn) (turns []debate.Turn) {
	for _, turn := range last {
		turns = append(turns, turn)
	}
	slices.SortFunc(turns, func(a, b debate.Turn) int { return a.Agent - b.Agent })
	return turns
}

// Answers are the turns of a round in which somebody who argues answers the question: the last one of each agent, where
// it has several.
func Answers(t debate.Transcript, r int) []debate.Turn {
	last := make(map[int]debate.Turn)
	for _, turn := range t.Rounds[r] {
		if t.AnswersQuestion(r, turn) {
			last[turn.Agent] = turn
		}
	}
	return InOrder(last)
}
