package discussion

import (
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/unknown"
)

// paradigm is who speaks when in a turn of a discussion, and who sees what (MALLM).
type paradigm struct {
	Name    string
	Meaning string
	turn    func(agents, rounds int) [][]part // groups of agents; those of one group speak at once
	late    bool                              // nothing is decided before the last message of a turn
}

// part is one message in the plan of a turn.
type part struct {
	agent  int
	to     []int // who sees the message besides the speaker; nil for all
	drafts bool  // the message is a draft, which neither agrees nor disagrees
	round  int   // within the turn, of those who debate in paradigmDebate; 0 is the first
}

// The names of the paradigms.
const (
	paradigmMemory     = "memory"
	paradigmRelay      = "relay"
	paradigmReport     = "report"
	paradigmDebate     = "debate"
	paradigmCollective = "collective"
)

// paradigms lists the paradigms. The first agent is agent 0.
func paradigms() []paradigm {
	return []paradigm{
		{paradigmMemory, "one after the other; everybody sees everything", memoryTurn, false},
		{paradigmRelay, "one after the other; a message reaches the next agent only", relayTurn, false},
		{paradigmReport, "the first agent drafts and sees all; the others see its messages and their own",
			reportTurn, false},
		{paradigmDebate, "the first agent drafts, the others pass messages round; it sees the last of these rounds",
			debateTurn, true},
		{paradigmCollective, "all at once; then each sees its own last answer and those of the others",
			collectiveTurn, true},
	}
}

// findParadigm returns one of paradigms.
func findParadigm(name string) (paradigm, error) {
	var names []string
	for _, p := range paradigms() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return paradigm{}, unknown.Name("paradigm", name, names)
}

// memoryTurn has all agents speak one after the other; everybody sees each message.
func memoryTurn(agents, _ int) (groups [][]part) {
	for i := range agents {
		groups = append(groups, []part{{agent: i}})
	}
	return groups
}

// relayTurn has each agent speak to the next one only; the last one speaks to the first.
func relayTurn(agents, _ int) (groups [][]part) {
	for i := range agents {
		groups = append(groups, []part{{agent: i, to: []int{(i + 1) % agents}}})
	}
	return groups
}

// reportTurn has agent 0 draft, and then every other agent report to it alone.
func reportTurn(agents, _ int) [][]part {
	groups := [][]part{{{agent: 0, drafts: true}}}
	for i := 1; i < agents; i++ {
		groups = append(groups, []part{{agent: i, to: []int{0}}})
	}
	return groups
}

// debateTurn has agent 0 draft, and then the others debate among themselves. Agent 0 sees only their last round: it is
// added to the receivers there.
func debateTurn(agents, rounds int) [][]part {
	groups := [][]part{{{agent: 0, drafts: true}}}
	for r := range rounds {
		for i := 1; i < agents; i++ {
			to := []int{i%(agents-1) + 1} // the next of those who debate
			if r == rounds-1 {
				to = append(to, 0)
			}
			groups = append(groups, []part{{agent: i, to: to, round: r}})
		}
	}
	return groups
}

// collectiveTurn has all agents draft at once, so that nobody sees what another says in the same turn.
func collectiveTurn(agents, _ int) [][]part {
	group := make([]part, agents)
	for i := range group {
		group[i] = part{agent: i, drafts: true}
	}
	return [][]part{group}
}

// visibleTo returns the records that an agent sees in a turn, of which those without a text
// show nothing. memory is how many earlier turns it sees; -1 is all.
func visibleTo(records []debate.Record, agent, turn, memory int) (visible []debate.Record) {
	for _, r := range records {
		if r.Reaches(agent) && debate.Visible(r.Message) && (memory < 0 || r.Turn >= turn-memory) {
			visible = append(visible, r)
		}
	}
	return visible
}

// current returns the draft under discussion: the solution of the newest draft or disagreement.
func current(records []debate.Record) string {
	for _, r := range slices.Backward(records) {
		if !r.Agrees() && r.Solution != "" {
			return r.Solution
		}
	}
	return ""
}
