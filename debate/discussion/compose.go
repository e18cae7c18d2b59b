package discussion

import (
	"cmp"
	"strings"

	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	set, err := prompts.LoadDiscussion(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Discussion{
		Asking: ask, Agents: s.Agents, Neutral: s.Neutral, Turns: s.Rounds, Full: s.Full, Paradigm: s.Paradigm,
		Rounds: s.SubRounds, Generator: s.Generator,
		Drafting: s.Drafting, Direct: s.Direct, Decide: s.Decide, VoteFrom: s.VoteFrom, Shown: s.VotersSee,
		Ballots: s.Ballots, Personas: s.Personas,
		Challenge: s.Challenge, Ablate: s.Ablate, Reading: cmp.Or(s.Reading, debate.ReadingCode), Prompts: set,
	}.complete()
	return debate.Composed(d, s, d.check)
}

// byConsensus reports whether a discussion is decided without a vote, as it is unless it is said otherwise.
func ByConsensus(s debate.Settings) bool {
	_, ok := consensusNamed(s.Decide)
	return ok || s.Decide == ""
}

// discussionForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "discussion", Meaning: "agents with personas speak in turns about one draft, until " +
		"they agree or a " +
		"vote decides",
		Reads: []string{"agents", "rounds", "reading", "prompts", "team", "decide", "abstain", "paradigm", "sub-rounds",
			"generator", "personas", "neutral", "drafting", "direct", "full", "vote-from", "voters-see", "ballots",
			"challenge", "ablate"},
		Prompts: "discussion", Idle: idle, Compose: compose}
}

var idle = []debate.IdleRule{
	{Settings: []string{"agents", "rounds", "reading", "decide", "paradigm", "sub-rounds", "personas", "neutral",
		"drafting", "full", "vote-from",
		"voters-see", "ballots", "challenge"}, When: func(s debate.Settings) bool { return s.Ablate > 0 },
		Why: "beside ablate, in which a single agent improves its own solution"},
	{Settings: []string{"sub-rounds"}, When: func(s debate.Settings) bool { return s.Paradigm != ParadigmDebate },
		Why: "without paradigm " + ParadigmDebate},
	{Settings: []string{"generator"}, When: func(s debate.Settings) bool { return s.Paradigm == ParadigmCollective },
		Why: "in paradigm " + ParadigmCollective + ", which has its own"},
	{Settings: []string{"drafting"}, When: func(s debate.Settings) bool {
		return s.Paradigm == ParadigmCollective &&
			s.Drafting == DraftFirst
	},
		Why: "in paradigm " + ParadigmCollective + ", where nobody sees another in the first turn anyway"},
	{Settings: []string{"vote-from"}, When: func(s debate.Settings) bool {
		return s.Full || s.Decide == ConsensusVoting ||
			ByConsensus(s)
	},
		Why: "where no vote is taken from some turn on: by a consensus, after every turn, or after the last alone"},
	{Settings: []string{"voters-see", "ballots"},
		When: func(s debate.Settings) bool { return ByConsensus(s) || s.Decide == CountingDecision },
		Why:  "to decide %s, where nobody votes"},
	{Settings: []string{"voters-see"}, When: func(s debate.Settings) bool {
		return s.Decide == ConsensusVoting &&
			s.VotersSee == ShownLikely
	},
		Why: "to decide %s, which is on solutions as they are, and on no final answers of some probability"},
	{Settings: []string{"ballots"}, When: func(s debate.Settings) bool {
		return s.Decide == JudgeDecision ||
			s.Decide == "soft"
	}, Why: "to decide %s, which asks for no ballots"},
	{Settings: []string{"personas"}, When: func(s debate.Settings) bool {
		return strings.Count(s.Personas,
			",") >= cmp.Or(s.Agents, 3)
	},
		Why: "in part: there are more kinds than agents"},
}
