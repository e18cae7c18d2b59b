package discussion

import (
	"fmt"
	"parley/debate"
	"slices"
	"strings"
)

// Paradigm is who speaks when in a turn of a discussion, and who sees it (source 4).
type Paradigm struct {
	Name    string
	Meaning string
	turn    func(agents, rounds int) [][]part // those of one group speak at once
	late    bool                              // a decision is taken only after the last message of a turn
}

// part is what one agent has to do in a turn.
type part struct {
	agent  int
	to     []int // who sees the message besides the speaker; nil is everybody
	drafts bool  // it writes a draft, which is neither agreement nor disagreement
}

// The names of the paradigms.
const (
	ParadigmMemory     = "memory"
	ParadigmRelay      = "relay"
	ParadigmReport     = "report"
	ParadigmDebate     = "debate"
	ParadigmCollective = "collective"
)

// Paradigms lists them; agent 0 is the first.
func Paradigms() []Paradigm {
	return []Paradigm{
		{ParadigmMemory, "one after the other; everybody sees everything", memoryTurn, false},
		{ParadigmRelay, "one after the other; a message reaches the next agent only", relayTurn, false},
		{ParadigmReport, "the first agent drafts and sees all, the others see it and themselves", reportTurn, false},
		{ParadigmDebate, "the first agent drafts, the others pass messages round; it sees the last of these rounds",
			debateTurn, true},
		{ParadigmCollective, "all at once; then each sees its own last answer and the others'", collectiveTurn, true},
	}
}

func paradigmNamed(name string) (Paradigm, error) {
	var names []string
	for _, p := range Paradigms() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Paradigm{}, fmt.Errorf("no paradigm %q; there are %s", name, strings.Join(names, ", "))
}

func memoryTurn(agents, _ int) (groups [][]part) {
	for i := range agents {
		groups = append(groups, []part{{agent: i}})
	}
	return groups
}

func relayTurn(agents, _ int) (groups [][]part) {
	for i := range agents {
		groups = append(groups, []part{{agent: i, to: []int{(i + 1) % agents}}})
	}
	return groups
}

func reportTurn(agents, _ int) [][]part {
	groups := [][]part{{{agent: 0, drafts: true}}}
	for i := 1; i < agents; i++ {
		groups = append(groups, []part{{agent: i, to: []int{0}}})
	}
	return groups
}

func debateTurn(agents, rounds int) [][]part {
	groups := [][]part{{{agent: 0, drafts: true}}}
	for r := range rounds {
		for i := 1; i < agents; i++ {
			to := []int{i%(agents-1) + 1} // the next of those who debate
			if r == rounds-1 {
				to = append(to, 0)
			}
			groups = append(groups, []part{{agent: i, to: to}})
		}
	}
	return groups
}

func collectiveTurn(agents, _ int) [][]part {
	group := make([]part, agents)
	for i := range group {
		group[i] = part{agent: i, drafts: true}
	}
	return [][]part{group}
}

// seen are the records that an agent sees in a turn, those of so many turns before it; -1 is all.
func seen(records []debate.Record, agent, turn, memory int) (visible []debate.Record) {
	for _, r := range records {
		if r.Reaches(agent) && (memory < 0 || r.Turn >= turn-memory) {
			visible = append(visible, r)
		}
	}
	return visible
}

// current is the draft under discussion: the solution of the newest draft or disagreement.
func current(records []debate.Record) string {
	for _, r := range slices.Backward(records) {
		if !r.Agrees() && r.Solution != "" {
			return r.Solution
		}
	}
	return ""
}
