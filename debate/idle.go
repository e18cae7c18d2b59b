package debate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// idle settings are those that others leave nothing to do. A record names all settings that were given, so that one
// which nobody obeyed would be false: it is refused. What merely has no occasion (an order where nobody else speaks, a
// way to end ties where there are none) is obeyed.
var idle = []struct {
	form     string
	settings []string
	when     func(Settings) bool
	why      string
}{
	{"society", []string{"order", "decay", "topology", "graph", "show"}, programmed,
		"beside a program, whose actions say who hears what"},
	{"society", []string{"wording"}, func(s Settings) bool { return programmed(s) && !s.inTurn() },
		"beside a program, whose actions have their own wording"},
	{"society", []string{"opening"}, func(s Settings) bool { return programmed(s) && isOpening(s.Program[0]) },
		"beside a program that begins with an opening"},
	{"society", []string{"program"}, func(s Settings) bool { return s.Rounds > 0 && s.Rounds <= s.actions() },
		"in part: it has more actions than there are later rounds"},
	{"society", []string{"order", "decay", "topology", "graph", "show", "speak", "probes"},
		func(s Settings) bool { return strings.HasPrefix(s.Wording, "verify") },
		"with a self-check as the wording, in which nobody is heard"},
	{"society", []string{"decay"}, func(s Settings) bool { return s.Order == "random" }, "in a random order"},
	{"society", []string{"graph"}, func(s Settings) bool { return s.Topology != TopologyGraph },
		"without topology " + TopologyGraph},
	{"society", []string{"ties"}, func(s Settings) bool { return s.society().elects() || s.Decide == "first" },
		"to decide %s, which is no count of equal answers"},
	{"society", []string{"ballots", "candidates"}, func(s Settings) bool { return !s.society().elects() },
		"where nobody votes"},
	{"society", []string{"ballots"}, func(s Settings) bool { return s.Decide == "soft" },
		"to decide %s, which asks for no ballots"},
	{"centre", []string{"most"}, func(s Settings) bool { _, placed := PlaceOf(s.Order); return placed && s.Agents > 0 },
		"in an order that places one right solution, where agents says how many are heard"},
	{"discussion", []string{"agents", "rounds", "reading", "decide", "paradigm", "sub-rounds", "personas", "neutral",
		"drafting", "full", "vote-from",
		"voters-see", "ballots", "challenge"}, func(s Settings) bool { return s.Ablate > 0 },
		"beside ablate, in which a single agent improves its own solution"},
	{"discussion", []string{"sub-rounds"}, func(s Settings) bool { return s.Paradigm != ParadigmDebate },
		"without paradigm " + ParadigmDebate},
	{"discussion", []string{"generator"}, func(s Settings) bool { return s.Paradigm == ParadigmCollective },
		"in paradigm " + ParadigmCollective + ", which has its own"},
	{"discussion", []string{"drafting"}, func(s Settings) bool {
		return s.Paradigm == ParadigmCollective &&
			s.Drafting == DraftFirst
	},
		"in paradigm " + ParadigmCollective + ", where nobody sees another in the first turn anyway"},
	{"discussion", []string{"vote-from"}, func(s Settings) bool {
		return s.Full || s.Decide == ConsensusVoting ||
			s.byConsensus()
	},
		"where no vote is taken from some turn on: by a consensus, after every turn, or after the last alone"},
	{"discussion", []string{"voters-see", "ballots"},
		func(s Settings) bool { return s.byConsensus() || s.Decide == CountingDecision },
		"to decide %s, where nobody votes"},
	{"discussion", []string{"voters-see"}, func(s Settings) bool {
		return s.Decide == ConsensusVoting &&
			s.VotersSee == ShownLikely
	},
		"to decide %s, which is on solutions as they are, and on no final answers of some probability"},
	{"discussion", []string{"ballots"}, func(s Settings) bool {
		return s.Decide == JudgeDecision ||
			s.Decide == "soft"
	}, "to decide %s, which asks for no ballots"},
	{"discussion", []string{"personas"}, func(s Settings) bool {
		return strings.Count(s.Personas,
			",") >= cmp.Or(s.Agents, 3)
	},
		"in part: there are more kinds than agents"},
}

// checkIdle refuses a setting that is given and idle.
func (s Settings) checkIdle() error {
	given := s.given()
	for _, i := range idle {
		if i.form != s.Form || !i.when(s) {
			continue
		}
		for _, name := range i.settings {
			if slices.Contains(given, name) {
				return blame(name, fmt.Errorf("%s means nothing %s", name, strings.ReplaceAll(i.why, "%s", s.Decide)))
			}
		}
	}
	return nil
}

func programmed(s Settings) bool { return len(s.Program) > 0 }

func isOpening(action string) bool { _, ok := openings[action]; return ok }

// actions is how many of a program are between two rounds.
func (s Settings) actions() int {
	if programmed(s) && isOpening(s.Program[0]) {
		return len(s.Program) - 1
	}
	return len(s.Program)
}

// inTurn reports whether the first round is one by one.
func (s Settings) inTurn() bool {
	return s.Speak == SpeakOneByOne || programmed(s) && openings[s.Program[0]].inTurn
}

func (s Settings) society() Society { return Society{Decide: s.Decide} }

// byConsensus reports whether a discussion is decided without a vote, as it is unless it is said otherwise.
func (s Settings) byConsensus() bool {
	_, ok := consensusNamed(s.Decide)
	return ok || s.Decide == ""
}
