package society

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/unknown"
)

// Check refuses settings that would send empty messages or contradict each other. Run calls it before anybody speaks,
// and Composed with a case that has everything.
func (s Society) Check(c debate.Case) error {
	// Not append, which would write into Program: debates that run at the same time share it.
	for _, e := range slices.Concat(s.Program, []Exchange{s.Exchange}) {
		if err := e.check(s, c); err != nil {
			return err
		}
	}
	return debate.Require(s, c, checks)
}

type check = debate.Check[Society]

// checks are made in this order; the first broken one gives the message. Those of elections come first, since later
// ones rely on the election.
var checks = []check{
	{
		Settings: []string{"decide"},
		Broken: func(s Society, _ debate.Case) bool {
			_, err := vote.ElectionNamed(s.Decide)
			return s.elects() && err != nil
		},
		Says: func(s Society, _ debate.Case) error {
			return unknown.Name("way to decide", s.Decide, slices.Concat(vote.DecisionNames(), writers))
		},
	},
	{
		Settings: []string{"prompts", "decide"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.elects() && (s.Prompts.Vote.Solution == "" || s.Prompts.Vote.Rules[s.Decide] == "")
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("prompts %q lack vote, or its rule %s: take another set or way to decide", s.Prompts.Name,
				s.Decide)
		},
	},
	{
		Settings: []string{"agents", "decide"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Decide == writerChairman && s.Agents > vote.MostResponses
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("decide %s: reviews call responses by letters, which are enough for %d agents and not "+
				"for %d", writerChairman, vote.MostResponses, s.Agents)
		},
	},
	debate.OneOf("until", "a debate until", func(s Society) string { return s.Until }, UntilRounds, UntilAgreement,
		untilCertain, untilSettled, untilSure),
	{
		Settings: []string{"until", "confidence"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Until == untilSure && s.Confidence == "" },
		Says: func(Society, debate.Case) error {
			return fmt.Errorf("until %s depends on the first agent's confidence: set confidence to %s or %s", untilSure,
				ConfidenceAsked, ConfidenceTokens)
		},
	},
	{
		Settings: []string{"until", "decide"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.stopsVoting() && (s.before(s.Rounds-1).InTurn || s.elects() || s.writes() ||
				s.rule().Name != vote.MajorityDecision)
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("until %s counts the votes of a majority, all asked at once: it goes with decide %s",
				s.Until, vote.MajorityDecision)
		},
	},
	{
		Settings: []string{"until", "rounds", "team"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Until == untilSettled && !s.drawnAlike() },
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("until %s tests answers that are drawn alike, which those of later rounds, or of agents "+
				"with personas, models or samplings of their own, are not: set rounds to 1, or until to %s",
				untilSettled, untilCertain)
		},
	},
	debate.OneOf("confidence", "confidence", func(s Society) string { return s.Confidence },
		append(vote.GroupConfidences(), ConfidenceAsked, ConfidenceTokens)...),
	{
		Settings: []string{"confidence", "decide", "until"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.grouped() && (s.Decide == "weighted" || s.Until == untilSure)
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("confidence %s has no bound of 1: decide weighted and until %s do not go "+
				"with it", s.Confidence, untilSure)
		},
	},
	{
		Settings: []string{"decide", "confidence"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Confidence == "" && s.weighsConfidence() },
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("decide %s weighs by confidence: set confidence to %s or %s", s.Decide, ConfidenceAsked,
				ConfidenceTokens)
		},
	},
	debate.OneOf("ballots", "ballots", func(s Society) string { return s.Ballots }, vote.BallotsFree,
		vote.BallotsGrammar),
	debate.OneOf("candidates", "candidates", func(s Society) string { return s.Candidates }, debate.CandidatesTexts,
		debate.CandidatesAnswers),
	{
		Settings: []string{"intensity"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Intensity != nil && (*s.Intensity < 0 || *s.Intensity > 10)
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("intensity %d: it goes from 0 (disregard the others) to 10 (adopt what they say)",
				*s.Intensity)
		},
	},
	debate.OneOf("ties", "ties", func(s Society) string { return s.Ties }, debate.TiesFirst, debate.TiesRandom,
		debate.TiesOpen),
	debate.OneOf("verdict", "verdict", func(s Society) string { return s.Verdict }, verdictInferred, VerdictStated),
	{
		Settings: []string{"verdict", "wording"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Verdict == VerdictStated && s.Wording != keepOrRevise
		},
		Says: func(Society, debate.Case) error {
			return fmt.Errorf("verdict %s: agents are asked for one by wording %s alone", VerdictStated, keepOrRevise)
		},
	},
	{
		Settings: []string{"layout"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.common() && s.Rounds > 1 && (s.Intensity != nil || s.Confidence == ConfidenceAsked ||
				slices.ContainsFunc(s.Team[:min(s.Agents, len(s.Team))], debate.Agent.HasOwnPrompt))
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("layout %s sends everybody the same: personas, methods, a memory, an intensity or a "+
				"confidence do not go with it", s.Layout)
		},
	},
	{
		Settings: []string{"probes"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Probes > 0 && (s.common() || s.InTurn || s.Visibility.Name == ShowSummary ||
				len(s.Program) > 0)
		},
		Says: func(Society, debate.Case) error {
			return errors.New("probes list the same texts in other ways: they do not go with a layout in which all " +
				"are sent the same, one-by-one, summaries or a program")
		},
	},
	{
		Settings: []string{"opening"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Opening != "" && s.Prompts.Opening(s.Opening) == "" },
		Says: func(s Society, _ debate.Case) error {
			return unknown.Name("opening", s.Opening, s.Prompts.Openings())
		},
	},
	debate.OneOf("options", "options", func(s Society) string { return s.Options }, optionsListed, optionsShuffled),
	{
		Settings: []string{"options", "rounds", "speak", "decide"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Options == optionsShuffled && (s.Rounds > 1 || s.InTurn || s.elects() || s.writes())
		},
		Says: func(Society, debate.Case) error {
			return fmt.Errorf("options %s: agents who see other letters cannot hear each other or vote on their "+
				"texts: it goes with one round, in which all speak together, and a rule", optionsShuffled)
		},
	},
	debate.OneOf("assigned", "assigned", func(s Society) string { return s.Assigned }, assignedOpposite, assignedDrawn),
	{
		Settings: []string{"assigned", "decide", "layout", "options", "until"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Assigned != "" && (s.Decide != writerArbiter || s.common() || s.Options == optionsShuffled ||
				s.Until != "" && s.Until != UntilRounds)
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("assigned %s gives each agent a side, to which it keeps in all rounds: it goes with "+
				"decide %s alone, who reads them, with layout %s and options %s", s.Assigned, writerArbiter,
				layoutHistory, optionsListed)
		},
	},
	{
		Settings: []string{"assigned"},
		Broken: func(s Society, c debate.Case) bool {
			return s.Assigned == assignedOpposite && !c.Truth.Parsed
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("assigned %s gives somebody the right answer: set it (Case.Truth), or take %s",
				s.Assigned, assignedDrawn)
		},
	},
	{
		Settings: []string{"options", "assigned"},
		Broken: func(s Society, c debate.Case) bool {
			return (s.Options == optionsShuffled || s.Assigned != "") && c.Relist == nil
		},
		Says: func(Society, debate.Case) error { return debate.ErrUnlisted },
	},
	{
		Settings: []string{"probes"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Probes < 0 || s.Probes > 0 && s.Probes > s.Topology.MostHeard(s.Agents)-1
		},
		Says: func(s Society, _ debate.Case) error {
			others := s.Topology.MostHeard(s.Agents)
			return fmt.Errorf("%d probes: %d others can be listed in %d further ways that put each in another place",
				s.Probes, others, max(0, others-1))
		},
	},
	{
		Settings: []string{"show", "layout", "speak", "probes"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Visibility.Name == ShowRetained && (s.common() || s.InTurn || s.Probes > 0)
		},
		Says: func(Society, debate.Case) error {
			return fmt.Errorf("show %s selects from a whole round for each agent: a layout in which all are sent the "+
				"same, one-by-one and probes do not go with it", ShowRetained)
		},
	},
	debate.OneOf("roles", "roles", func(s Society) string { return s.Roles }, rolesFixed, rolesRotating),
	{
		Settings: []string{"roles", "team"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Roles == rolesRotating && !s.hasRoles() },
		Says: func(Society, debate.Case) error {
			return fmt.Errorf("roles %s: no member of the team has a persona or a method, so that there are no roles "+
				"to exchange", rolesRotating)
		},
	},
	debate.OneOf("removal", "removal", func(s Society) string { return s.Removal }, RemovalNone, removalRarest,
		removalLast, removalAlike),
	{
		Settings: []string{"removal", "until"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Removal != "" && s.Removal != RemovalNone && s.stopsVoting()
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("removal %s takes votes away, and until %s counts those to come: leave out one of them",
				s.Removal, s.Until)
		},
	},
	debate.OneOf("judge", "judge", func(s Society) string { return s.Judge }, judgeNone, JudgeFacts),
	{
		Settings: []string{"prompts", "judge"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Judge == JudgeFacts && s.Prompts.Fact == "" },
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("prompts %q lack fact, by which judge %s asks: take another set", s.Prompts.Name,
				JudgeFacts)
		},
	},
	{
		Settings: []string{"judge"},
		Broken:   func(s Society, c debate.Case) bool { return s.Judge == JudgeFacts && c.Facts == "" },
		Says: func(Society, debate.Case) error {
			return errors.New("there are no facts to judge by: give them with --facts (Case.Facts)")
		},
	},
	debate.OneOf("summarizer", "summarizer", func(s Society) string { return s.Summarizer }, summarizerReceiver,
		summarizerAgent),
	debate.OneOf("layout", "no layout", func(s Society) string { return s.Layout }, layoutHistory, LayoutShared,
		LayoutAnonymous, LayoutMarked),
	{
		Settings: []string{"prompts", "layout"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Rounds > 1 && s.Layout == LayoutShared &&
				(s.Prompts.Shared.Solution == "" || s.Prompts.Shared.Mine == "")
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("prompts %q lack shared, which layout %s needs: take another set or layout",
				s.Prompts.Name, LayoutShared)
		},
	},
	debate.OneOf("confederate", "a confederate for", func(s Society) string { return s.Confederate },
		confederatePopular, confederateNext),
	{
		Settings: []string{"confederate", "agents"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Confederate != "" && s.Agents < 2 },
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("a confederate among %d agents: it needs somebody to mislead", s.Agents)
		},
	},
	{
		Settings: []string{"confederate", "until", "decide", "show", "order"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Confederate != "" && (s.stopsVoting() || s.Until == untilSure || s.elects() ||
				s.writes() || s.Visibility.borrows() || s.Order.Probable())
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("a confederate follows a script, and has no vote and no probabilities: until %s, %s "+
				"or %s, an election, decide %s, show %s, show %s and an order by probability do not go with it",
				untilCertain, untilSettled, untilSure, strings.Join(writers, " or "), ShowShuffled, ShowNoise)
		},
	},
	{
		Settings: []string{"confederate"},
		Broken:   func(s Society, c debate.Case) bool { return s.Confederate != "" && !c.Truth.Parsed },
		Says: func(Society, debate.Case) error {
			return errors.New("a confederate argues for a wrong answer: set the right one, Case.Truth, by which it " +
				"knows " +
				"what is wrong")
		},
	},
	{
		Settings: []string{"agents", "rounds"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Agents < 1 || s.Rounds < 1 },
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", s.Agents, s.Rounds)
		},
	},
	{
		Broken: func(_ Society, c debate.Case) bool { return c.Extract == nil },
		Says:   func(Society, debate.Case) error { return errors.New("no answer rule: set Case.Extract") },
	},
	{
		Settings: []string{"prompts"},
		Broken:   func(s Society, _ debate.Case) bool { return s.Prompts.Question == "" },
		Says:     func(Society, debate.Case) error { return errors.New("no prompts: set Society.Prompts") },
	},
	{
		Settings: []string{"prompts", "rounds"},
		Broken: func(s Society, _ debate.Case) bool {
			return s.Rounds > 1 && (s.Prompts.Exchange.Solution == "" || s.Prompts.Alone == "")
		},
		Says: func(s Society, _ debate.Case) error {
			return fmt.Errorf("prompts %q lack exchange or alone, which %d rounds need: take another set or one round",
				s.Prompts.Name, s.Rounds)
		},
	},
}
