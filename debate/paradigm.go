package debate

import (
	"fmt"
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

// Record is one message of a discussion as its rules see it. The k-th record is the k-th turn of KindMessage.
type Record struct {
	Agent     int    `json:"agent"`
	Turn      int    `json:"turn"`               // 1 is the first
	Message   string `json:"-"`                  // stands in the turn
	Agreement *bool  `json:"agreement"`          // with the solution before; none where it is a draft
	Solution  string `json:"solution,omitempty"` // that it carries; "" is none
	To        []int  `json:"to,omitempty"`       // who sees it besides the speaker; everybody where nobody is named
}

// agrees reports whether a record is an agreement.
func (r Record) agrees() bool { return r.Agreement != nil && *r.Agreement }

// reaches reports whether an agent sees a record.
func (r Record) reaches(agent int) bool {
	return r.Agent == agent || r.To == nil || slices.Contains(r.To, agent)
}

// seen are the records that an agent sees in a turn, those of so many turns before it; -1 is all.
func seen(records []Record, agent, turn, memory int) (visible []Record) {
	for _, r := range records {
		if r.reaches(agent) && (memory < 0 || r.Turn >= turn-memory) {
			visible = append(visible, r)
		}
	}
	return visible
}

// current is the draft under discussion: the solution of the newest draft or disagreement.
func current(records []Record) string {
	for _, r := range slices.Backward(records) {
		if !r.agrees() && r.Solution != "" {
			return r.Solution
		}
	}
	return ""
}

// held is the solution that an agent stands behind: that of its newest record, or the one that it saw before and agreed
// to.
func held(records []Record, agent int) string {
	mine := false
	for _, r := range slices.Backward(records) {
		if mine = mine || r.Agent == agent; mine && r.Solution != "" && r.reaches(agent) {
			return r.Solution
		}
	}
	return ""
}
