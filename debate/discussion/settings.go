package discussion

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/unknown"
)

// complete sets the defaults, which the source has.
func (d discussion) complete() discussion {
	for _, number := range []struct {
		value *int
		usual int
	}{{&d.Agents, 3}, {&d.Turns, 10}, {&d.Rounds, 1}, {&d.VoteFrom, 3}} {
		if *number.value == 0 {
			*number.value = number.usual
			if number.value == &d.Turns && d.Reading == debate.ReadingPaper {
				d.Turns = 5
			}
		}
	}
	if d.Ablate > 0 {
		d.Agents, d.Neutral = 1, false
	}
	if d.Decide == consensusVoting {
		d.VoteFrom = 1
	}
	for _, name := range []struct {
		value *string
		usual string
	}{
		{&d.Reading, debate.ReadingCode}, {&d.Paradigm, paradigmMemory}, {&d.Generator, "simple"},
		{&d.Drafting, draftNone},
		{&d.Decide, "hybrid"},
		{&d.Shown, shownAnonymous}, {&d.Ballots, vote.BallotsFree}, {&d.Personas, PersonaNone},
		{&d.Challenge, challengeNone},
	} {
		if *name.value == "" {
			*name.value = name.usual
		}
	}
	return d
}

// check refuses values that do not exist, and settings that contradict each other.
func (d discussion) check(c debate.Case) error {
	for _, setting := range []struct {
		name, what, value string
		names             []string
	}{
		{"reading", "reading", d.Reading, []string{debate.ReadingCode, debate.ReadingPaper}},
		{"drafting", "drafting", d.Drafting, []string{draftNone, draftFirst, draftEvery}},
		{"generator", "generator", d.Generator, d.Prompts.StyleNames()},
		{"decide", "way to decide", d.Decide, discussionDecisions()},
		{"voters-see", "visibility to voters", d.Shown, shownNames()},
		{"ballots", "ballots", d.Ballots, []string{vote.BallotsFree, vote.BallotsGrammar, vote.BallotsSoft}},
		{"challenge", "challenge", d.Challenge, challengeNames()},
	} {
		if !slices.Contains(setting.names, setting.value) {
			return debate.Blame(setting.name, unknown.Name(setting.what, setting.value, setting.names))
		}
	}
	for k := range max(d.Agents, 0) {
		if kind := d.kind(k); !slices.Contains(personaKinds(), kind) {
			return debate.Blame("personas", unknown.Name("persona", kind, personaKinds()))
		}
	}
	if _, err := findParadigm(d.Paradigm); err != nil {
		return debate.About(err, "paradigm")
	}
	return errors.Join(d.checkNumbers(c), d.checkDecision())
}

func (d discussion) checkNumbers(c debate.Case) error {
	switch {
	case d.Agents < 1 || d.Turns < 1 || d.Rounds < 1 || d.VoteFrom < 1 || d.Ablate < 0:
		return debate.About(fmt.Errorf("a discussion of %d agents and %d turns with %d rounds each, which votes from "+
			"turn %d: each must be at least 1", d.Agents, d.Turns, d.Rounds, d.VoteFrom),
			"agents", "rounds", "vote-from")
	case d.Paradigm == paradigmDebate && d.Agents < 2 && !d.Neutral:
		return debate.About(fmt.Errorf("paradigm %s needs two agents", d.Paradigm), "paradigm", "agents")
	case d.Drafting == draftEvery && d.Paradigm == paradigmCollective && d.Reading == debate.ReadingCode:
		return debate.About(fmt.Errorf("the released program has no drafting in paradigm %s: leave it out, or take "+
			"reading %s", d.Paradigm, debate.ReadingPaper), "drafting", "paradigm")
	case d.Challenge == challengeWrong && c.Wrong == "" && d.Prompts.Challenge.Wrong.User == "":
		return debate.About(fmt.Errorf("challenge wrong needs a wrong answer: give it with --wrong (Case.Wrong), or "+
			"give challenge.wrong in prompts %q, by which the model is asked for one", d.Prompts.Name), "challenge",
			"prompts")
	case (d.Challenge == ChallengeFacts || d.Shown == shownFacts) && c.Facts == "":
		return errors.New("there are no facts to show: give them with --facts (Case.Facts)")
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	}
	return nil
}

func (d discussion) checkDecision() error {
	_, byConsensus := findConsensus(d.Decide)
	asks := !byConsensus && d.Decide != countingDecision
	switch {
	case d.Ablate > 0:
		return nil
	case byConsensus && d.Paradigm == paradigmCollective:
		return debate.About(fmt.Errorf("nobody agrees or disagrees in paradigm %s: decide %s does not go with it",
			d.Paradigm, d.Decide), "paradigm", "decide")
	case !byConsensus && d.Paradigm == paradigmDebate && d.Reading == debate.ReadingCode:
		return debate.About(fmt.Errorf("the released program never votes in paradigm %s: take reading %s, or "+
			"a consensus", d.Paradigm, debate.ReadingPaper), "paradigm", "reading")
	case !byConsensus && d.VoteFrom > d.Turns:
		return debate.About(fmt.Errorf("voting begins with turn %d, but there are %d turns: nothing would be decided",
			d.VoteFrom, d.Turns), "vote-from", "rounds")
	case asks && d.Prompts.Vote.Rules[d.Decide] == "":
		return debate.About(fmt.Errorf("prompts %q lack the rule %s of vote", d.Prompts.Name, d.Decide), "prompts",
			"decide")
	case d.Ballots == vote.BallotsSoft && d.Decide != "simple" && d.Decide != "soft":
		return debate.About(fmt.Errorf("ballots %s are one vote each: they go with decide simple or soft, not %s",
			vote.BallotsSoft, d.Decide), "ballots", "decide")
	case d.Ballots == vote.BallotsGrammar && (!asks || d.Decide == judgeDecision || d.Decide == "soft"):
		return debate.About(fmt.Errorf("decide %s has no ballots, and therefore no grammar for them", d.Decide),
			"ballots", "decide")
	}
	return nil
}
