package society

import (
	"cmp"
	"fmt"
	"strings"

	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	order, err := ParseOrder(s.Order, s.Reading)
	if err != nil {
		return nil, debate.Blame("order", err)
	}
	order.Decay = s.Decay
	topology, err := ParseTopology(s.Topology)
	if err != nil {
		return nil, debate.Blame("topology", err)
	}
	topology.Graph = s.Graph
	showing, err := ParseShowing(s.Show)
	if err != nil {
		return nil, debate.Blame("show", err)
	}
	if len(s.Program) > 0 {
		if first, ok := openings[s.Program[0]]; ok {
			s.Program, s.Opening = s.Program[1:], cmp.Or(s.Opening, first.opening)
			if first.inTurn {
				s.Speak = SpeakOneByOne
			}
		}
		s.Rounds = cmp.Or(s.Rounds, len(s.Program)+1)
	}
	program, err := ParseProgram(s.Program, s.Reading)
	if err != nil {
		return nil, debate.Blame("program", err)
	}
	if s.Speak != "" && s.Speak != SpeakTogether && s.Speak != SpeakOneByOne {
		return nil, debate.Blame("speak", fmt.Errorf("speak %q; there are %s and %s", s.Speak, SpeakTogether,
			SpeakOneByOne))
	}
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Society{
		Asking: ask, Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Opening: s.Opening, Program: program,
		Exchange: Exchange{Order: order, Topology: topology, Showing: showing, Wording: s.Wording,
			InTurn: s.Speak == SpeakOneByOne},
		Until: s.Until, Decide: s.Decide, Ties: s.Ties, Layout: s.Layout, Confidence: s.Confidence,
		Intensity: s.Intensity, Probes: s.Probes,
		Ballots: s.Ballots, Candidates: s.Candidates, Prompts: set,
	}
	return debate.Composed(d, s, d.Check)
}

func programmed(s debate.Settings) bool { return len(s.Program) > 0 }

func isOpening(action string) bool { _, ok := openings[action]; return ok }

// actions is how many of a program are between two rounds.
func actions(s debate.Settings) int {
	if programmed(s) && isOpening(s.Program[0]) {
		return len(s.Program) - 1
	}
	return len(s.Program)
}

// inTurn reports whether the first round is one by one.
func inTurn(s debate.Settings) bool {
	return s.Speak == SpeakOneByOne || programmed(s) && openings[s.Program[0]].inTurn
}

func societyOf(s debate.Settings) Society { return Society{Decide: s.Decide} }

// FirstRound are the settings of a society that ends after round 0 and votes.
func FirstRound(s debate.Settings) debate.Settings {
	first := debate.Settings{
		Form: "society", Agents: s.Agents, Rounds: 1, Prompts: s.Prompts, Team: s.Team, Opening: s.Opening,
		Speak: s.Speak, Confidence: s.Confidence, Ties: s.Ties,
	}
	if len(s.Program) > 0 {
		action := openings[s.Program[0]] // the zero value, if it is no opening
		first.Opening = cmp.Or(first.Opening, action.opening)
		if action.inTurn {
			first.Speak = SpeakOneByOne
		}
	}
	return first
}

// societyForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "society", Meaning: "all answer alone, then hear others and answer again; a rule over " +
		"what was " +
		"said, or an election, decides",
		Reads: []string{"agents", "rounds", "reading", "prompts", "team", "until", "decide", "ties", "abstain", "order",
			"decay", "topology", "graph", "show", "opening", "wording", "speak", "program", "layout", "confidence",
			"intensity", "memory", "probes", "ballots", "candidates"},
		Prompts: "madc", Idle: idle, Compose: compose}
}

var idle = []debate.IdleRule{
	{Settings: []string{"order", "decay", "topology", "graph", "show"}, When: programmed,
		Why: "beside a program, whose actions say who hears what"},
	{Settings: []string{"wording"}, When: func(s debate.Settings) bool { return programmed(s) && !inTurn(s) },
		Why: "beside a program, whose actions have their own wording"},
	{Settings: []string{"opening"}, When: func(s debate.Settings) bool {
		return programmed(s) &&
			isOpening(s.Program[0])
	},
		Why: "beside a program that begins with an opening"},
	{Settings: []string{"program"}, When: func(s debate.Settings) bool {
		return s.Rounds > 0 &&
			s.Rounds <= actions(s)
	},
		Why: "in part: it has more actions than there are later rounds"},
	{Settings: []string{"order", "decay", "topology", "graph", "show", "speak", "probes"},
		When: func(s debate.Settings) bool { return strings.HasPrefix(s.Wording, "verify") },
		Why:  "with a self-check as the wording, in which nobody is heard"},
	{Settings: []string{"decay"}, When: func(s debate.Settings) bool { return s.Order == "random" },
		Why: "in a random order"},
	{Settings: []string{"graph"}, When: func(s debate.Settings) bool { return s.Topology != TopologyGraph },
		Why: "without topology " + TopologyGraph},
	{Settings: []string{"ties"}, When: func(s debate.Settings) bool {
		return societyOf(s).elects() ||
			s.Decide == "first"
	},
		Why: "to decide %s, which is no count of equal answers"},
	{Settings: []string{"ballots", "candidates"}, When: func(s debate.Settings) bool { return !societyOf(s).elects() },
		Why: "where nobody votes"},
	{Settings: []string{"ballots"}, When: func(s debate.Settings) bool { return s.Decide == "soft" },
		Why: "to decide %s, which asks for no ballots"},
}
