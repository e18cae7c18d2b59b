// Package society is the debate of Du et al. as source 0 uses it: all agents answer alone, then hear each other's
// replies and answer again, round by round. Most of its files are what an exchange between two rounds is made of (who
// hears whom, in which order, how much of the texts); Society.Run is the loop.
//
// Two things hold here that others build on. Round 0 depends on nobody's replies, so that conditions with the same
// agents, prompts and seeds share it; and an agent's history only grows at its end, so that an engine computes the
// beginning once.
package society

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/prompts"
	"parley/debate/vote"
)

// Society is the debate of Du et al. as source 0 uses it. In round 0 all agents answer the same message on their own;
// before each later round every agent hears the others' latest replies, listed in an order, and replies again. Each
// keeps its own history. The decision is the majority of the last round, another rule over what was said, or an
// election among the last solutions.
type Society struct {
	debate.Asking
	Agents     int
	Rounds     int        // the first included; 1 is a vote without debate
	Opening    string     // how the question is put: one of the prompts' openings, or "" for their usual one
	Exchange              // before every later round
	Program    []Exchange // instead, one before each later round; the last goes on for those after it
	Until      string     // UntilRounds, the default, UntilAgreement or UntilCertain
	Decide     string     // MajorityDecision, the default, another of Rules, or the name of an election
	Ballots    string     // how ballots of an election are asked for: BallotsFree, the default, or BallotsGrammar
	Candidates string     // of an election: CandidatesTexts, the default, or CandidatesAnswers
	Ties       string     // of Rules: TiesFirst, the default, TiesRandom or TiesOpen
	Layout     string     // of the messages of later rounds: LayoutHistory, the default, or LayoutShared
	Confidence string     // how sure agents are: ConfidenceAsked, ConfidenceTokens, or "" for nobody asks
	// how far agents are told to agree with others, from 0 to 10 (DebateLLM); nil: nothing is said
	Intensity *int
	// how many other listings of the same texts each agent answers too, to see whether places sway it
	Probes  int
	Prompts prompts.Set

	borrowed []debate.Turn // of shuffled arguments: what each agent says to the donor's question
}

// When a society ends.
const (
	UntilRounds    = "rounds"    // after all of them
	UntilAgreement = "agreement" // after a round in which all who spoke gave one answer, or all rounds
	// UntilCertain asks agents of the last round only as long as their votes could still change the majority. Nobody
	// hears the last round, so that the decision is the same.
	UntilCertain = "certain"
)

// Layouts of the messages of later rounds.
const (
	// LayoutHistory is that of the sources: each agent's own history, then the others' solutions as it hears them.
	LayoutHistory = "history"
	// LayoutShared sends all the same question and solutions, the agent's own among them, in one order for all, and
	// then says which is its own. Earlier rounds are not shown. It is another prompt, and so another experiment; what
	// all are sent is computed once, so that a round of N agents costs N solutions instead of N times N.
	LayoutShared = "shared"
)

// Run holds one debate. An agent whose request fails (its history has become longer than the context, say) falls
// silent: it has no text and no answer, is not asked again, and the others no longer hear it. Run fails with ErrSilence
// if nobody is left.
func (s Society) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t := debate.Transcript{Protocol: "society", Case: c.ID, Order: s.Order.Name, Reading: s.Order.Reading,
		Roles: s.Names(s.Agents)}
	t.Layout, t.Topology, t.Showing = unusual(s.Layout, LayoutHistory), unusual(s.Topology.String(), TopologyFull),
		unusual(s.Showing.String(), ShowWhole)
	if err := s.Check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if s.shuffled() {
		var err error
		if s.borrowed, err = s.borrow(ctx, speaker, *c.Donor); err != nil {
			return t, fmt.Errorf("case %q, whose reasoning %q hears: %w", c.Donor.ID, c.ID, err)
		}
		t.Notes = append(t.Notes, "the reasoning heard is that on question "+c.Donor.ID)
	}
	ask := s.Asking.For(speaker, c.ID, c.Extract)
	for round := range s.Rounds {
		turns, err := s.round(ctx, ask, t.Last(), round, c)
		if err != nil {
			return t.BrokenOff(turns), err
		}
		t.Rounds = append(t.Rounds, turns)
		s.Report(turns)
		if s.Until == UntilAgreement && agree(turns) {
			break
		}
	}
	if s.elects() {
		err := s.elect(ctx, ask, &t)
		return t, err
	}
	t.Decision = s.decide(t)
	return t, nil
}

func (s Society) RoleNames() []string { return s.Names(s.Agents) }

// round has everybody speak: all at once, one by one, or as many as it takes. Broken off, it has who was asked until
// then.
func (s Society) round(ctx context.Context, ask debate.Asker, last []debate.Turn, round int,
	c debate.Case) ([]debate.Turn, error) {
	turns := debate.NextRound(last, s.Agents)
	if round == 0 {
		for i := range s.borrowed {
			turns[i].Before = []debate.Turn{s.borrowed[i]}
		}
	}
	for from := 0; from < len(turns); {
		to, latest := len(turns), last
		switch {
		case s.before(round).InTurn:
			to, latest = from+1, slices.Concat(turns[:from], last[min(from, len(last)):], turns[max(from, len(last)):])
		case s.Until == UntilCertain && round == s.Rounds-1:
			to = from + missing(turns[:from], len(turns))
		}
		if latest == nil {
			latest = turns
		}
		if from == to {
			spare(turns[from:])
			break
		}
		if err := s.prepare(ctx, ask, turns[from:to], latest, round, c); err != nil {
			return turns, err
		}
		if err := ask.Try(ctx, turns[from:to]); err != nil {
			return turns, err
		}
		from = to
	}
	for i := range turns {
		turns[i].Confidence = s.confidence(turns[i])
	}
	if err := debate.Spoken(turns); err != nil {
		return turns, err
	}
	if round+1 < s.Rounds && s.before(round+1).Order.probable() {
		if err := s.believe(ctx, ask, turns); err != nil {
			return turns, err
		}
	}
	return turns, s.probe(ctx, ask, turns, last, c)
}

// unusual is what records say of a setting: nothing, if it is the usual one.
func unusual(setting, usual string) string {
	if setting == usual {
		return ""
	}
	return setting
}

// check refuses what would send empty messages or mean something else than asked for.
func (s Society) Check(c debate.Case) error {
	for _, e := range append(s.Program, s.Exchange) {
		if err := e.check(s, c); err != nil {
			return err
		}
	}
	if s.elects() {
		if _, err := vote.ElectionNamed(s.Decide); err != nil {
			return err
		}
		if s.Prompts.Vote.Solution == "" || s.Prompts.Vote.Rules[s.Decide] == "" {
			return fmt.Errorf("prompts %q lack vote, or its rule %s: take another set or way to decide", s.Prompts.Name,
				s.Decide)
		}
	}
	switch {
	case !slices.Contains([]string{"", UntilRounds, UntilAgreement, UntilCertain}, s.Until):
		return fmt.Errorf("a debate until %q; there are %s, %s and %s", s.Until, UntilRounds, UntilAgreement,
			UntilCertain)
	case s.Until == UntilCertain && (s.before(s.Rounds-1).InTurn || s.elects() ||
		s.rule().Name != vote.MajorityDecision):
		return fmt.Errorf("until %s counts the votes of a majority, all asked at once: it goes with decide %s",
			UntilCertain, vote.MajorityDecision)
	case !slices.Contains([]string{"", ConfidenceAsked, ConfidenceTokens}, s.Confidence):
		return fmt.Errorf("confidence %q; there are %s and %s", s.Confidence, ConfidenceAsked, ConfidenceTokens)
	case s.Confidence == "" && s.Decide == "weighted":
		return fmt.Errorf("decide weighted weighs by confidence: set confidence to %s or %s", ConfidenceAsked,
			ConfidenceTokens)
	case !slices.Contains([]string{"", vote.BallotsFree, vote.BallotsGrammar}, s.Ballots):
		return fmt.Errorf("ballots %q; there are %s and %s", s.Ballots, vote.BallotsFree, vote.BallotsGrammar)
	case !slices.Contains([]string{"", CandidatesTexts, CandidatesAnswers}, s.Candidates):
		return fmt.Errorf("candidates %q; there are %s and %s", s.Candidates, CandidatesTexts, CandidatesAnswers)
	case s.Intensity != nil && (*s.Intensity < 0 || *s.Intensity > 10):
		return fmt.Errorf("intensity %d: it goes from 0 (disregard the others) to 10 (adopt what they say)",
			*s.Intensity)
	case !slices.Contains([]string{"", vote.TiesFirst, vote.TiesRandom, vote.TiesOpen}, s.Ties):
		return fmt.Errorf("ties %q; there are %s, %s and %s", s.Ties, vote.TiesFirst, vote.TiesRandom, vote.TiesOpen)
	case s.Layout == LayoutShared && s.Rounds > 1 &&
		(s.Intensity != nil || s.Confidence == ConfidenceAsked ||
			slices.ContainsFunc(s.Team, debate.Agent.HasOwnPrompt)):
		return fmt.Errorf("layout %s sends everybody the same: personas, methods, a memory, an intensity or a "+
			"confidence do not go with it", s.Layout)
	case s.Probes > 0 && (s.Layout == LayoutShared || s.InTurn || s.Showing.Name == ShowSummary || len(s.Program) > 0):
		return errors.New("probes list the same texts in other ways: they do not go with layout shared, one-by-one, " +
			"summaries or a program")
	case s.Opening != "" && s.Prompts.Opening(s.Opening) == "":
		return fmt.Errorf("no opening %q; there are %s", s.Opening, strings.Join(s.Prompts.Openings(), ", "))
	case s.Probes < 0 || s.Probes > 0 && s.Probes > s.Topology.MostHeard(s.Agents)-1:
		others := s.Topology.MostHeard(s.Agents)
		return fmt.Errorf("%d probes: %d others can be listed in %d further ways that put each in another place",
			s.Probes, others, max(0, others-1))
	case s.Layout != "" && s.Layout != LayoutHistory && s.Layout != LayoutShared:
		return fmt.Errorf("no layout %q; there are %s and %s", s.Layout, LayoutHistory, LayoutShared)
	case s.Rounds > 1 && s.Layout == LayoutShared && (s.Prompts.Shared.Solution == "" || s.Prompts.Shared.Mine == ""):
		return fmt.Errorf("prompts %q lack shared, which layout %s needs: take another set or layout", s.Prompts.Name,
			LayoutShared)
	case s.Agents < 1 || s.Rounds < 1:
		return fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", s.Agents, s.Rounds)
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	case s.Prompts.Question == "":
		return errors.New("no prompts: set Society.Prompts")
	case s.Rounds > 1 && (s.Prompts.Exchange.Solution == "" || s.Prompts.Alone == ""):
		return fmt.Errorf("prompts %q lack exchange or alone, which %d rounds need: take another set or one round",
			s.Prompts.Name, s.Rounds)
	}
	return nil
}

// check refuses an exchange that does not go with its society.
func (e Exchange) check(s Society, c debate.Case) error {
	if _, err := ParseOrder(e.Order.Name, e.Order.Reading); err != nil {
		return err
	}
	if err := e.Topology.check(s.Agents); err != nil {
		return err
	}
	switch {
	case e.Order.Decay < 0 || e.Order.Decay > 1:
		return fmt.Errorf("decay %g: it is a share from 0 to 1", e.Order.Decay)
	case e.Wording != "" && !slices.Contains(s.Prompts.Wordings(), e.Wording):
		return fmt.Errorf("no wording %q; there are %s", e.Wording, strings.Join(s.Prompts.Wordings(), ", "))
	case s.Rounds == 1:
	case strings.HasPrefix(e.Order.Name, "truth") && !c.Truth.Parsed:
		return fmt.Errorf("order %s needs the right answer: set Case.Truth or take another order", e.Order.Name)
	case e.Topology.Name == TopologyNeighbours && e.Order.Name != "" && e.Order.Name != "fixed":
		return fmt.Errorf("topology %s lists the one before and then the one after: order %s does not go with it, "+
			"take topology %s",
			e.Topology, e.Order.Name, TopologyRing)
	case e.Showing.Name == ShowShuffled && (e.InTurn || len(s.Program) > 0):
		return fmt.Errorf("show %s takes reasoning from first answers that are given alone, in every exchange: "+
			"one-by-one or a program do not go with it", ShowShuffled)
	case e.Showing.Name == ShowShuffled && (c.Donor == nil || c.Donor.Extract == nil):
		return fmt.Errorf("%w: show %s takes the reasoning from another question: hold it on a task that has one "+
			"(Case.Donor)", debate.ErrPrior, ShowShuffled)
	case s.Layout == LayoutShared && (e.Topology.String() != TopologyFull || e.Showing.String() != ShowWhole ||
		e.InTurn || e.Wording != ""):
		return fmt.Errorf("layout %s sends everybody all solutions as they are, at once: topology %s, showing %s or "+
			"a wording do not go with it", s.Layout, e.Topology, e.Showing)
	}
	return nil
}
