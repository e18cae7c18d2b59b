package protocol

import (
	"parley/debate"
	"parley/debate/discussion"
	"parley/debate/knights"
	"parley/debate/prompts"
	"parley/debate/reversal"
	"parley/debate/sampling"
	"parley/debate/society"
	"parley/debate/titfortat"
	"parley/debate/vote"
)

// Part is one value that a setting can have.
type Part struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
	Source  string `json:"source,omitempty"`
}

// Parts lists what debates are composed of.
func Parts() (parts []Part) {
	add := func(setting, value, meaning, source string) {
		parts = append(parts, Part{setting, value, meaning, source})
	}
	for _, name := range society.OrderNames() {
		add("order", name, society.OrderMeaning(name), "")
	}
	for _, t := range []struct{ name, meaning string }{
		{society.TopologyFull, "everybody hears all others"}, {society.TopologyRing, "the two neighbours"},
		{society.TopologyNeighbours, "the one before, then the one after, as exchangeB of source 0's code"},
		{society.TopologyStar, "agent 0 hears all, all hear agent 0"},
		{society.TopologyRandom + ":K", "K others, drawn for each receiver and round; without K half as many as " +
			"there are agents"},
		{society.TopologyGraph, "as the setting graph lists for each agent"},
	} {
		add("topology", t.name, t.meaning, "")
	}
	for _, s := range []struct{ name, meaning string }{
		{society.ShowWhole, "all of it"},
		{society.ShowLater + ":20",
			"without the first 20 percent of the steps; in the code's reading nothing but steps"},
		{society.ShowEarlier, "without the last step; in the code's reading nothing but steps"},
		{society.ShowSupported, "without answers that one alone gives; in the code's reading all that cannot be " +
			"read are " +
			"one answer"},
		{society.ShowInterleaved, "everybody's first step, then everybody's second"},
		{society.ShowSummary, "a summary, which the receiver is asked for first"},
		{society.ShowGrouped, "grouped by answer, with counts"},
		{society.ShowReasoning, "without the sentences in which the answer stands"},
		{society.ShowAnswers, "the answers alone"},
		{society.ShowShuffled, "the answers behind reasoning about another question of the task: a control (parley " +
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
	for _, a := range society.Actions() {
		add("program", a.Name, a.Meaning, "source 0, Key Decision-Makers")
	}
	add("speak", society.SpeakTogether, "all at once", "")
	add("speak", society.SpeakOneByOne, "in turn, hearing what was said in the same round", "ChatEval")
	add("layout", society.LayoutHistory, "each agent's own history, then what it hears", "")
	add("layout", society.LayoutShared, "all solutions once and first, the same for all", "")
	add("until", society.UntilRounds, "after all rounds", "")
	add("until", society.UntilAgreement, "when all agree (society)", "ReConcile (Chen et al. 2023)")
	add("until", society.UntilCertain, "when no further vote can change the majority (society)", "")
	add("until", titfortat.UntilModerator, "when the moderator says so, as the reading has it (tit-for-tat)",
		"source 3, Encouraging Divergent Thinking")
	add("until", titfortat.UntilAnswer, "when the moderator gives an answer (tit-for-tat)", "source 3, its code")
	add("until", titfortat.UntilPreference, "when the moderator has a preference (tit-for-tat)", "source 3, its paper")
	add("judge-sees", titfortat.JudgeSeesFirst, "the arguments of the first round (tit-for-tat)", "source 3, its code")
	add("judge-sees", titfortat.JudgeSeesAll, "the arguments of all rounds (tit-for-tat)", "source 3, its paper")
	for _, r := range vote.Rules() {
		add("decide", r.Name, r.Meaning, r.Source)
	}
	for _, e := range vote.Elections() {
		add("decide", e.Name, e.Meaning, e.Source)
	}
	for _, t := range []string{vote.TiesFirst, vote.TiesRandom, vote.TiesOpen} {
		add("ties", t, vote.TiesMeaning[t], "")
	}
	add("confidence", society.ConfidenceAsked, "agents state it", "ReConcile (Chen et al. 2023)")
	add("confidence", society.ConfidenceTokens, "the mean probability of the tokens", "source 4, Voting or Consensus?")
	add("order", knights.OrderGiven, "players as they stand in the game (knights)",
		"source 2, Can LLM Agents Really Debate?")
	add("order", knights.OrderChosen, "players as the supervisor says (knights)",
		"source 2, Can LLM Agents Really Debate?")
	add("confidence", knights.ConfidenceHidden, "it is not asked for; in the code's reading all solutions are shown "+
		"with "+
		"5.0 (knights)", "source 2, Can LLM Agents Really Debate?")
	add("confidence", knights.ConfidenceShown, "it is asked for and shown (knights)",
		"source 2, Can LLM Agents Really Debate?")
	add("ballots", vote.BallotsFree, "in words, asked again up to ten times", "source 4, Voting or Consensus?")
	add("ballots", vote.BallotsGrammar, "by a grammar, so that no ballot is invalid", "")
	add("ballots", vote.BallotsSoft, "as probabilities, from one scoring pass (discussion)", "")
	add("candidates", society.CandidatesTexts, "the solution of each agent, equal ones too",
		"source 4, Voting or Consensus?")
	add("candidates", society.CandidatesAnswers, "each distinct answer once", "")
	for _, p := range discussion.Paradigms() {
		add("paradigm", p.Name, p.Meaning, "source 4, Voting or Consensus?")
	}
	for _, c := range discussion.Consensuses() {
		add("decide", c.Name, c.Meaning, "source 4, Voting or Consensus? (discussion)")
	}
	for _, name := range []struct{ name, meaning string }{
		{discussion.ConsensusVoting, "one vote each after every turn, on solutions that differ (discussion)"},
		{discussion.JudgeDecision, "the first panelist writes the answer (discussion)"},
		{discussion.CountingDecision, "the answer that most final answers give (discussion)"},
	} {
		add("decide", name.name, name.meaning, "source 4, Voting or Consensus?")
	}
	for _, list := range []struct {
		setting string
		values  []string
	}{{"personas", discussion.PersonaKinds()}, {"drafting",
		[]string{discussion.DraftNone, discussion.DraftFirst, discussion.DraftEvery}},
		{"voters-see", discussion.ShownNames()}, {"challenge", discussion.ChallengeNames()}} {
		for _, value := range list.values {
			add(list.setting, value, discussionWords[value], "source 4, Voting or Consensus?")
		}
	}
	add("budget", sampling.BudgetCalls, "as many answers as the debate before had calls (sampling)", "")
	add("budget", sampling.BudgetTokens, "as many answers as fit into the tokens that the debate before generated "+
		"(sampling)",
		"")
	for _, o := range []struct{ name, meaning string }{
		{reversal.OrderCorrectFirst, "right solutions, then wrong ones (centre)"},
		{reversal.OrderIncorrectFirst, "wrong solutions, then right ones (centre)"},
		{reversal.OrderAlternating, "right and wrong ones by turns (centre)"},
	} {
		add("order", o.name, o.meaning, "source 0, Key Decision-Makers")
	}
	add("order", reversal.OrderPlaced+":P", "one right solution, which the holder tells, at place P among wrong "+
		"ones (centre)",
		"")
	for _, o := range []struct{ name, meaning string }{
		{reversal.InitialRight, "the right answer"}, {reversal.InitialWrong, "the wrong answer that it hears"},
		{reversal.InitialOther, "a third answer"},
	} {
		add("own", o.name, o.meaning, "source 0, Key Decision-Makers")
	}
	add("replies", debate.RepliesFree, "in words, read with patience", "")
	add("replies", debate.RepliesJSON, "by a grammar, so that they cannot be malformed", "")
	add("reading", debate.ReadingPaper, "where a source's paper and its code differ, as the paper", "")
	add("reading", debate.ReadingCode, "as the code", "")
	add("reading", titfortat.ReadingRecorded, "as the program that recorded the published debates (tit-for-tat)",
		"source 3, its logs")
	return parts
}

// discussionWords say what parts of discussions mean.
var discussionWords = map[string]string{
	discussion.PersonaNone: "nothing of the kind", discussion.PersonaExpert: "made up by the model for the question",
	discussion.PersonaIPIP:    "drawn: the Big Five, experience, gender",
	discussion.DraftFirst:     "in the first turn nobody sees another",
	discussion.DraftEvery:     "in no turn anybody sees another",
	discussion.ShownAnonymous: "nothing else", discussion.ShownPublic: "whose solution it is",
	discussion.ShownFacts:      "facts on the question, --facts",
	discussion.ShownHistory:    "the whole discussion",
	discussion.ShownConfidence: "100 percent of each", discussion.ShownPrompted: "how sure each agent says it is",
	discussion.ShownLikely:         "how probable the mean token of each is",
	discussion.ChallengePlain:      "whether each panelist stands by the answer",
	discussion.ChallengeWrong:      "by a wrong answer, --wrong",
	discussion.ChallengeIrrelevant: "by a sentence that has nothing to do with it",
}
