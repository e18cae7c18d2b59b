package analysis

import (
	"time"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// Round sums up the answers of one condition after a round of its transcripts, over all debates that did not fail. A
// debate that ended earlier keeps its answers.
type Round struct {
	N int `json:"n"` // debates
	// debates in which a majority vote over the agents' latest answers is right; in puzzles, the vote on every player
	Right    int           `json:"right"`
	Accuracy float64       `json:"accuracy"`
	Interval stat.Interval `json:"interval"` // computed as that of a Row

	Compared int `json:"compared"` // agents that answer in this round and had answered before
	Lost     int `json:"lost"`     // of these, agents whose right answer became wrong or unparsed
	Won      int `json:"won"`      // of these, agents whose answer became right

	Entropy       Readings `json:"entropy"` // of the answers given in this round
	LogLikelihood Readings `json:"log_likelihood"`
	outcome.Cost
}

// Work is how much an engine computed, and how long it took. Its zero value has computed nothing.
type Work struct {
	Prefill, Decode time.Duration
	Asked, Decoded  int // prompt tokens of all requests, and tokens generated
}

// WorkOf is the work that an engine counts.
func WorkOf(s inference.Stats) Work {
	return Work{s.PrefillDuration, s.DecodeDuration, s.PromptAsked, s.Decoded}
}

// Plus is the work of both, as of two sessions of a run. Tokens whose time is not known say nothing of a mean.
func (w Work) Plus(o Work) Work {
	switch {
	case !o.Known():
		return w
	case !w.Known():
		return o
	}
	return Work{w.Prefill + o.Prefill, w.Decode + o.Decode, w.Asked + o.Asked, w.Decoded + o.Decoded}
}

// Known reports whether it is known how long tokens take.
func (w Work) Known() bool { return w.Prefill+w.Decode > 0 }

// Time estimates how long the engine computes for some calls, from its mean times per prompt token asked and per
// generated token, as if sharing saved every prompt the same part. It is 0 if these times are not known.
func (w Work) Time(cost outcome.Cost) time.Duration {
	per := func(d time.Duration, n, of int) time.Duration {
		return time.Duration(float64(d) * float64(n) / float64(max(1, of)))
	}
	return per(w.Prefill, cost.PromptTokens, w.Asked) + per(w.Decode, cost.Tokens, w.Decoded)
}

// RoundsOf sums up the debates of a condition that did not fail, round by round: entry r is about round r+1 of all of
// them, however long each was. A debate that has ended goes into later rounds with the answers that it ended with, so
// that N is the same in all rounds, and a rising accuracy is never one of fewer debates.
func RoundsOf(p *outcome.Debates) []Round {
	debates, longest := p.Held().All, 0
	for _, d := range debates {
		longest = max(longest, len(d.Rounds()))
	}
	rounds, votes := make([]Round, longest), make([]outcome.Correctness, longest)
	for _, d := range debates {
		last := make(map[int]outcome.Turn) // by agent: its latest answer
		for r := range rounds {
			rounds[r].add(d.Rounds(), r, last)
			votes[r].Add(d.Question, d.Repeat, d.IsRight(vote.Among(d.Transcript, recordedTurns(last)).Answer))
		}
	}
	for r := range rounds {
		rounds[r].Accuracy, rounds[r].Interval, _ = AccuracyIn(votes[r].Counts(), p.ClustersOf(votes[r].Questions))
		for _, q := range votes[r].Counts() {
			rounds[r].Right += q.Right
		}
		rounds[r].Entropy, rounds[r].LogLikelihood = readings(inRound(debates, r), stat.Share(len(debates),
			len(votes[r].Questions)))
	}
	return rounds
}

// recordedTurns returns the turns of the latest answers as the transcript has them, sorted by agent.
func recordedTurns(last map[int]outcome.Turn) (turns []debate.Turn) {
	for _, turn := range outcome.InOrder(last) {
		turns = append(turns, *turn.Turn)
	}
	return turns
}

// add enters a round of a debate by its number, and the answers given in it into last.
func (r *Round) add(rounds []outcome.Round, number int, last map[int]outcome.Turn) {
	r.N++
	if number >= len(rounds) {
		return
	}
	for _, turn := range rounds[number].Answers {
		r.compare(last, turn)
		last[turn.Agent] = turn
	}
	for call := range rounds[number].Calls() {
		r.Cost.Add(call)
	}
}

// compare counts what became of an agent's answer, if it had one. The answer before is that of the last round in which
// the agent gave one, which need not be the round before. An answer that is unparsed is not right: losing it is a loss.
func (r *Round) compare(last map[int]outcome.Turn, now outcome.Turn) {
	before, answered := last[now.Agent]
	if !answered {
		return
	}
	r.Compared++
	switch {
	case before.IsRight() && !now.IsRight():
		r.Lost++
	case !before.IsRight() && now.IsRight():
		r.Won++
	}
}
