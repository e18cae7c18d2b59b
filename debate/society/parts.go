package society

import (
	"cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

const deepConf = "DeepConf (Fu et al. 2025, arXiv 2508.15260)"

// parts returns the values that settings can have in a society.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	for _, name := range listing.Names() {
		add("order", name, listing.Meaning(name), "")
	}
	for _, t := range []struct{ name, meaning string }{
		{topologyFull, "everybody hears all others"}, {topologyRing, "everybody hears its two neighbours"},
		{TopologyNeighbours, "the agent before, then the one after, as in exchangeB of MADC's code"},
		{TopologyStar, "agent 0 hears all others, and they hear agent 0 alone"},
		{TopologyRandom + ":K", "K others, drawn for each receiver and round; without K, half the number of agents"},
		{TopologyGraph, "as the setting graph lists for each agent"},
		{TopologyIsolated, "nobody: each agent checks its own answer for as many rounds, a control of debate"},
	} {
		add("topology", t.name, t.meaning, "")
	}
	for _, s := range []struct{ name, meaning string }{
		{ShowWhole, "the whole text"},
		{ShowLater + ":20", "without the first 20 percent of the steps; in the code's reading nothing but steps"},
		{showEarlier, "without the last step; in the code's reading nothing but steps"},
		{ShowSupported, "without answers that only one agent gives; in the code's reading all unparsed " +
			"replies have the same answer"},
		{ShowInterleaved, "everybody's first step, then everybody's second"},
		{ShowSummary, "a summary, for which the summarizer is asked first"},
		{ShowGrouped, "grouped by answer, with counts"},
		{showReasoning, "without the sentences that contain the answer"},
		{ShowAnswers, "the answers alone"},
		{ShowShuffled, "the answers, after reasoning about another question of the task: a control (parley " +
			"compare)"},
		{ShowNoise, "what the others replied to another question of the task, with their answers to that: a control"},
		{ShowVacuous, "the answers, after an argument that says nothing: a control"},
		{ShowRetained, "the whole texts that one more agent selects, those that differ most from each other and from " +
			"what most answer, which all are told"},
	} {
		source := ""
		if s.name == ShowRetained {
			source = "DAR (Nguyen et al. 2026)"
		}
		add("show", s.name, s.meaning, source)
	}
	for _, o := range []struct{ name, meaning string }{
		{"expand", "the question as the prompts put it"}, {"expandA", "the same, one by one, hearing those before"},
		{"expandB", "under five headings"},
		{"expandC", "as expand, since the released program has no branch for it"},
		{"expandD", "without worked examples"}, {"expandE", "by eight operations"},
	} {
		add("program", o.name, o.meaning, "MADC, Key Decision-Makers")
	}
	other := map[string]string{"shared-summary": "ChatEval", keepOrRevise: "FREE-MAD (Cui et al. 2025)",
		"personas": "Solo Performance Prompting (Wang et al. 2023)"}
	for _, o := range (prompts.Set{}).Openings() {
		add("opening", o, "one of the prompts' openings", cmp.Or(other[o], "MADC, Key Decision-Makers"))
	}
	add("options", optionsListed, "in that of the question", "")
	add("options", optionsShuffled, "in one that is drawn for each agent, and its answer is the letter in the question",
		"Medprompt (Nori et al. 2023)")
	for _, w := range (prompts.Set{}).Wordings() {
		add("wording", w, "one of the prompts' wordings", cmp.Or(other[w], "MADC, Key Decision-Makers"))
	}
	for _, a := range Actions() {
		add("program", a.Name, a.Meaning, "MADC, Key Decision-Makers")
	}
	add("speak", speakTogether, "all at once", "")
	add("speak", speakOneByOne, "one by one, hearing what was said in the same round", "ChatEval")
	add("layout", layoutHistory, "each agent's own history, then what it hears", "")
	add("layout", LayoutShared, "all solutions first, once, in the same order for all", "")
	add("layout", LayoutAnonymous, "the same, and nobody is told which solution is its own",
		"Choi, Zhu and Li 2025 (arXiv 2510.07517)")
	add("layout", LayoutMarked, "as anonymous, but everybody is told which solution is its own", "")
	for _, l := range []struct{ name, meaning string }{
		{labelsNone, "texts only, as the prompts frame them"}, {labelsNames, "each text under its speaker's name"},
		{labelsShuffled, "the same, but the names are dealt anew for each receiver and round"},
	} {
		add("labels", l.name, l.meaning, "")
	}
	add("roles", rolesFixed, "each agent keeps its persona and its method", "")
	add("roles", rolesRotating, "each agent has those of the next one in each further round, and keeps its history",
		"MADC, discussion: dynamic role switching")
	add("removal", RemovalNone, "nobody leaves", "")
	add("removal", removalRarest, "an agent whose answer the fewest agents gave, of several the last",
		"MADC, preliminaries: removing agents")
	add("removal", removalLast, "the agent with the highest number", "MADC, preliminaries: removing agents")
	add("removal", removalAlike, "half of the agents before the second round, so that as many different answers stay "+
		"as can be", "Zhu et al. 2026 (arXiv 2601.19921)")
	add("judge", judgeNone, "nobody is asked about facts (society)", "")
	add("judge", JudgeFacts, "after the decision, a judge says of each fact about the question whether the agents' "+
		"last replies agree with it (society)", "Du et al., biographies")
	add("summarizer", summarizerReceiver, "each agent, of what it hears",
		"exchangeA of MADC's code; Du et al. 2023")
	add("summarizer", summarizerAgent, "one more agent, of the whole round, for everybody",
		"ChatEval; MADC, appendix")
	add("confederate", confederatePopular, "the most frequent wrong one of the others' first answers; as next, if "+
		"there "+
		"is none", "")
	add("confederate", confederateNext, "the option after the right one, or the number after it", "")
	add("assigned", assignedOpposite, "by lot the right answer and one wrong one, in turn; of one agent either",
		"Michael et al. 2023 (arXiv 2311.08702); Kenton et al. 2024")
	add("assigned", assignedDrawn, "options of the question, drawn for each", "")
	add("until", debate.UntilRounds, "after all rounds", "")
	add("until", UntilAgreement, "when all agents agree (society)", "ReConcile (Chen et al. 2023)")
	add("until", untilCertain, "when no further vote can change the majority (society)", "")
	add("until", untilSettled, "the same, or when a sequential test at 5 % tells which answer most further votes "+
		"would be (society)", "ConSol (Lee et al. 2025)")
	add("until", untilSure, "with the first agent's answer if it is sure, else when all agree, for whom the others "+
		"answer too (society)", "DOWN (Eo et al. 2025); iMAD (Fan et al. 2025)")
	for _, r := range vote.Rules() {
		add("decide", r.Name, r.Meaning, r.Source)
	}
	for _, e := range vote.Elections() {
		add("decide", e.Name, e.Meaning, e.Source)
	}
	add("decide", writerAggregator, "one more agent, which is shown all replies of the last round and answers "+
		"(society)", "Mixture of Agents (Wang et al. 2024)")
	add("decide", writerChairman, "one more agent, which is shown these and everybody's review and ranking of them "+
		"(society)", "karpathy/llm-council")
	add("decide", writerArbiter, "one more agent, which is shown all that was said, and by whom, and answers as a "+
		"judge (society)", "Kenton et al. 2024; Elasky et al. 2026")
	add("verdict", verdictInferred, "their answers: an agent keeps what it answers again", "")
	add("verdict", VerdictStated, "what they say; their answers, of an agent that says neither",
		"FREE-MAD (jonathansantilli/freemad)")
	for _, t := range debate.Ties() {
		add("ties", t, debate.TiesMeaning(t), "")
	}
	add("confidence", ConfidenceAsked, "agents are asked for it", "ReConcile (Chen et al. 2023)")
	add("confidence", ConfidenceTokens, "the mean probability of the reply's tokens", "MALLM")
	add("confidence", vote.TailConfidence, "DeepConf's, of the last tokens of a reply, as many as window", deepConf)
	add("confidence", vote.BottomGroups, "the same of the lowest tenth of its groups of as many tokens", deepConf)
	add("confidence", vote.LowestGroup, "the same of its lowest group", deepConf)
	add("ballots", vote.BallotsFree, "in free text; an invalid ballot is asked for up to ten times",
		"MALLM")
	add("ballots", vote.BallotsGrammar, "under a grammar, so that no ballot is invalid", "")
	add("candidates", debate.CandidatesTexts, "the solution of each agent, including equal ones",
		"MALLM")
	add("candidates", debate.CandidatesAnswers, "each distinct answer once", "")
	return all
}
