package society

import (
	"parley/debate"
	"parley/debate/prompts"
	"parley/debate/vote"
)

// parts are the values that settings can have in a society.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	for _, name := range OrderNames() {
		add("order", name, OrderMeaning(name), "")
	}
	for _, t := range []struct{ name, meaning string }{
		{TopologyFull, "everybody hears all others"}, {TopologyRing, "the two neighbours"},
		{TopologyNeighbours, "the one before, then the one after, as exchangeB of source 0's code"},
		{TopologyStar, "agent 0 hears all, all hear agent 0"},
		{TopologyRandom + ":K", "K others, drawn for each receiver and round; without K half as many as " +
			"there are agents"},
		{TopologyGraph, "as the setting graph lists for each agent"},
	} {
		add("topology", t.name, t.meaning, "")
	}
	for _, s := range []struct{ name, meaning string }{
		{ShowWhole, "all of it"},
		{ShowLater + ":20", "without the first 20 percent of the steps; in the code's reading nothing but steps"},
		{ShowEarlier, "without the last step; in the code's reading nothing but steps"},
		{ShowSupported, "without answers that one alone gives; in the code's reading all that cannot be " +
			"read are " +
			"one answer"},
		{ShowInterleaved, "everybody's first step, then everybody's second"},
		{ShowSummary, "a summary, which the receiver is asked for first"},
		{ShowGrouped, "grouped by answer, with counts"},
		{ShowReasoning, "without the sentences in which the answer stands"},
		{ShowAnswers, "the answers alone"},
		{ShowShuffled, "the answers behind reasoning about another question of the task: a control (parley " +
			"compare)"},
	} {
		add("show", s.name, s.meaning, "")
	}
	for _, o := range []struct{ name, meaning string }{
		{"expand", "the question as the prompts put it"}, {"expandA", "the same one by one, hearing those before"},
		{"expandB", "under five headings"},
		{"expandC", "as expand: the released program has no branch for it"},
		{"expandD", "without worked examples"}, {"expandE", "by eight operations"},
	} {
		add("program", o.name, o.meaning, "source 0, Key Decision-Makers")
	}
	for _, o := range (prompts.Set{}).Openings() {
		add("opening", o, "one of the prompts' openings", "source 0, Key Decision-Makers")
	}
	for _, w := range (prompts.Set{}).Wordings() {
		add("wording", w, "one of the prompts' wordings", "source 0, Key Decision-Makers")
	}
	for _, a := range Actions() {
		add("program", a.Name, a.Meaning, "source 0, Key Decision-Makers")
	}
	add("speak", SpeakTogether, "all at once", "")
	add("speak", SpeakOneByOne, "in turn, hearing what was said in the same round", "ChatEval")
	add("layout", LayoutHistory, "each agent's own history, then what it hears", "")
	add("layout", LayoutShared, "all solutions once and first, the same for all", "")
	add("until", debate.UntilRounds, "after all rounds", "")
	add("until", UntilAgreement, "when all agree (society)", "ReConcile (Chen et al. 2023)")
	add("until", UntilCertain, "when no further vote can change the majority (society)", "")
	for _, r := range vote.Rules() {
		add("decide", r.Name, r.Meaning, r.Source)
	}
	for _, e := range vote.Elections() {
		add("decide", e.Name, e.Meaning, e.Source)
	}
	for _, t := range []string{vote.TiesFirst, vote.TiesRandom, vote.TiesOpen} {
		add("ties", t, vote.TiesMeaning[t], "")
	}
	add("confidence", ConfidenceAsked, "agents state it", "ReConcile (Chen et al. 2023)")
	add("confidence", ConfidenceTokens, "the mean probability of the tokens", "source 4, Voting or Consensus?")
	add("ballots", vote.BallotsFree, "in words, asked again up to ten times", "source 4, Voting or Consensus?")
	add("ballots", vote.BallotsGrammar, "by a grammar, so that no ballot is invalid", "")
	add("candidates", CandidatesTexts, "the solution of each agent, equal ones too",
		"source 4, Voting or Consensus?")
	add("candidates", CandidatesAnswers, "each distinct answer once", "")
	return all
}
