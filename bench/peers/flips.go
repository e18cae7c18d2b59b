package peers

import (
	"slices"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/debate/society"
)

// Flips tells what in a debate changes the answers of its agents. Each agent of each debate is paired with itself in
// other conditions of the run, where it gave the same first answer and was then told less: nothing, or answers only, or
// answers with empty arguments.
type Flips struct {
	Isolated string `json:"isolated"` // the conditions that it is paired with
	Answers  string `json:"answers"`
	Vacuous  string `json:"vacuous,omitempty"`
	// Unpaired are agents that are not counted: their first answers differ, or they did not answer twice in all.
	Unpaired int `json:"unpaired"`

	Sources team.Sources `json:"sources"`
	// Empty are the same agents, with empty arguments in the place of reasons: its Reasoning is due to them.
	Empty *team.Sources `json:"empty,omitempty"`
	// Both are agents that reasons move, and nothing less, and that empty arguments move just as well.
	Both int `json:"both,omitempty"`
}

// kind is what agents of a condition are told after their first answer.
type kind int

const (
	other kind = iota
	reasons
	isolated
	answers
	vacuous
)

// shape is what conditions that are paired have in common.
type shape struct{ agents, rounds int }

// kindOf tells what agents were told, by the transcripts of societies.
func kindOf(debates []relation.Debate) (k kind, s shape) {
	if len(debates) == 0 {
		return other, s
	}
	s.rounds = longest(debates)
	t, rounds := debates[0].Transcript, debates[0].Rounds()
	if len(rounds) < 2 || t.Layout != "" || len(t.Voting) > 0 || !society.PlainTexts(t.Settings) {
		return other, s
	}
	s.agents = len(rounds[0].Turns)
	switch [2]string{t.Topology, t.Visibility} {
	case [2]string{"", ""}:
		return reasons, s
	case [2]string{society.TopologyIsolated, ""}:
		return isolated, s
	case [2]string{"", society.ShowAnswers}:
		return answers, s
	case [2]string{"", society.ShowVacuous}:
		return vacuous, s
	}
	return other, s
}

// longest is the largest number of rounds.
func longest(debates []relation.Debate) (rounds int) {
	for _, d := range debates {
		rounds = max(rounds, len(d.Rounds()))
	}
	return rounds
}

// Held are the debates of one condition that could be held.
type Held struct {
	Condition string
	Debates   []relation.Debate
}

// FlipsOf pairs a debate with the conditions of its run, of each kind with the first of as many agents and rounds. It
// is nil where the debate shows anything but whole texts to everybody, or the run has no isolated team or no debate on
// answers only.
func FlipsOf(d Held, all []Held) *Flips {
	k, want := kindOf(d.Debates)
	if k != reasons {
		return nil
	}
	found := make(map[kind]Held)
	for _, h := range all {
		k, s := kindOf(h.Debates)
		if _, known := found[k]; !known && s == want {
			found[k] = h
		}
	}
	if found[isolated].Debates == nil || found[answers].Debates == nil {
		return nil
	}
	f := &Flips{Isolated: found[isolated].Condition, Answers: found[answers].Condition,
		Vacuous: found[vacuous].Condition}
	if f.Vacuous != "" {
		f.Empty = &team.Sources{}
	}
	others := make(map[kind]map[string]relation.Debate)
	for k, h := range found {
		others[k] = make(map[string]relation.Debate)
		for _, o := range h.Debates {
			others[k][o.Case()] = o
		}
	}
	for _, o := range d.Debates {
		f.pair(o, others)
	}
	if !marked(d.Debates) {
		f.Sources.Harmful, f.Sources.Helpful = [2]int{}, [2]int{}
	}
	return f
}

// pair counts the agents of one debate.
func (f *Flips) pair(o relation.Debate, others map[kind]map[string]relation.Debate) {
	told, key := make(map[kind]relation.Debate), o.IDs().Key
	for _, k := range []kind{isolated, answers, vacuous} {
		if other, held := others[k][o.Case()]; held {
			told[k] = other
			key = slices.Concat(key, other.IDs().Key) // what is right on the question in any condition
		}
	}
	for _, debated := range o.Again() {
		asked, comparable := f.answersBy(debated, told, key)
		if !comparable {
			f.Unpaired++
			continue
		}
		moved := stat.One[int](count(&f.Sources, asked))
		if f.Empty != nil {
			empty, _ := told[vacuous].Agent(debated.Number)
			asked.Reasons = empty.Last.ID
			f.Both += moved * stat.One[int](count(f.Empty, asked))
		}
	}
}

// answersBy returns an agent's answers in all conditions; comparable is false unless it began in all of them with the
// same one.
func (f *Flips) answersBy(debated relation.Agent, told map[kind]relation.Debate, key agreement.Key) (a team.Asked,
	comparable bool) {
	kinds := []kind{isolated, answers}
	if f.Empty != nil {
		kinds = append(kinds, vacuous)
	}
	last := make(map[kind]int)
	for _, k := range kinds {
		same, answered := told[k].Agent(debated.Number)
		if !answered || same.Times < 2 || same.First.ID != debated.First.ID {
			return a, false
		}
		last[k] = same.Last.ID
	}
	return team.Asked{Initial: debated.First.ID, Reflected: last[isolated], Answers: last[answers],
		Reasons: debated.Last.ID, Mode: debated.Mode.ID, Key: key}, true
}

// count enters an agent, and reports whether reasons move it and nothing less.
func count(s *team.Sources, a team.Asked) bool {
	before := s.Reasoning
	s.Count(a)
	return s.Reasoning > before
}
