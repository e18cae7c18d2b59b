package debate

import "parley/debate/prompts"

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
	for _, o := range orders {
		add("order", o.name, o.meaning, "")
	}
	for _, t := range []struct{ name, meaning string }{
		{TopologyFull, "everybody hears all others"}, {TopologyRing, "the two neighbours"},
		{TopologyNeighbours, "the one before, then the one after, as exchangeB of source 0's code"},
		{TopologyStar, "agent 0 hears all, all hear agent 0"},
		{TopologyRandom + ":K", "K others, drawn for each receiver and round; without K half as many as there are agents"},
		{TopologyGraph, "as the setting graph lists for each agent"},
	} {
		add("topology", t.name, t.meaning, "")
	}
	for _, s := range []struct{ name, meaning string }{
		{ShowWhole, "all of it"},
		{ShowLater + ":20", "without the first 20 percent of the steps; in the code's reading nothing but steps"},
		{ShowEarlier, "without the last step; in the code's reading nothing but steps"},
		{ShowSupported, "without answers that one alone gives; in the code's reading all that cannot be read are " +
			"one answer"},
		{ShowInterleaved, "everybody's first step, then everybody's second"},
		{ShowSummary, "a summary, which the receiver is asked for first"},
		{ShowGrouped, "grouped by answer, with counts"},
		{ShowReasoning, "without the sentences in which the answer stands"}, {ShowAnswers, "the answers alone"},
		{ShowShuffled, "the answers behind reasoning about another question of the task: a control (parley compare)"},
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
	add("until", UntilRounds, "after all rounds", "")
	add("until", UntilAgreement, "when all agree (society)", "ReConcile (Chen et al. 2023)")
	add("until", UntilCertain, "when no further vote can change the majority (society)", "")
	add("until", UntilModerator, "when the moderator says so, as the reading has it (tit-for-tat)",
		"source 3, Encouraging Divergent Thinking")
	add("until", UntilAnswer, "when the moderator gives an answer (tit-for-tat)", "source 3, its code")
	add("until", UntilPreference, "when the moderator has a preference (tit-for-tat)", "source 3, its paper")
	add("judge-sees", JudgeSeesFirst, "the arguments of the first round (tit-for-tat)", "source 3, its code")
	add("judge-sees", JudgeSeesAll, "the arguments of all rounds (tit-for-tat)", "source 3, its paper")
	for _, r := range Rules() {
		add("decide", r.Name, r.Meaning, r.Source)
	}
	for _, e := range Elections() {
		add("decide", e.Name, e.Meaning, e.Source)
	}
	for _, t := range []string{TiesFirst, TiesRandom, TiesOpen} {
		add("ties", t, tieWords[t], "")
	}
	add("confidence", ConfidenceAsked, "agents state it", "ReConcile (Chen et al. 2023)")
	add("confidence", ConfidenceTokens, "the mean probability of the tokens", "source 4, Voting or Consensus?")
	add("order", OrderGiven, "players as they stand in the game (knights)", "source 2, Can LLM Agents Really Debate?")
	add("order", OrderChosen, "players as the supervisor says (knights)", "source 2, Can LLM Agents Really Debate?")
	add("confidence", ConfidenceHidden, "it is not asked for; in the code's reading all solutions are shown with "+
		"5.0 (knights)", "source 2, Can LLM Agents Really Debate?")
	add("confidence", ConfidenceShown, "it is asked for and shown (knights)", "source 2, Can LLM Agents Really Debate?")
	add("ballots", BallotsFree, "in words, asked again up to ten times", "source 4, Voting or Consensus?")
	add("ballots", BallotsGrammar, "by a grammar, so that no ballot is invalid", "")
	add("ballots", BallotsSoft, "as probabilities, from one scoring pass (discussion)", "")
	add("candidates", CandidatesTexts, "the solution of each agent, equal ones too", "source 4, Voting or Consensus?")
	add("candidates", CandidatesAnswers, "each distinct answer once", "")
	for _, p := range Paradigms() {
		add("paradigm", p.Name, p.Meaning, "source 4, Voting or Consensus?")
	}
	for _, c := range Consensuses() {
		add("decide", c.Name, c.Meaning, "source 4, Voting or Consensus? (discussion)")
	}
	for _, name := range []struct{ name, meaning string }{
		{ConsensusVoting, "one vote each after every turn, on solutions that differ (discussion)"},
		{JudgeDecision, "the first panelist writes the answer (discussion)"},
		{CountingDecision, "the answer that most final answers give (discussion)"},
	} {
		add("decide", name.name, name.meaning, "source 4, Voting or Consensus?")
	}
	for _, list := range []struct {
		setting string
		values  []string
	}{{"personas", PersonaKinds()}, {"drafting", []string{DraftNone, DraftFirst, DraftEvery}},
		{"voters-see", ShownNames()}, {"challenge", ChallengeNames()}} {
		for _, value := range list.values {
			add(list.setting, value, discussionWords[value], "source 4, Voting or Consensus?")
		}
	}
	add("budget", BudgetCalls, "as many answers as the debate before had calls (sampling)", "")
	add("budget", BudgetTokens, "as many answers as fit into the tokens that the debate before generated (sampling)",
		"")
	for _, o := range []struct{ name, meaning string }{
		{OrderCorrectFirst, "right solutions, then wrong ones (centre)"},
		{OrderIncorrectFirst, "wrong solutions, then right ones (centre)"},
		{OrderAlternating, "right and wrong ones by turns (centre)"},
	} {
		add("order", o.name, o.meaning, "source 0, Key Decision-Makers")
	}
	add("order", OrderPlaced+":P", "one right solution, which the holder tells, at place P among wrong ones (centre)",
		"")
	for _, o := range []struct{ name, meaning string }{
		{OwnRight, "the right answer"}, {OwnWrong, "the wrong answer that it hears"}, {OwnOther, "a third answer"},
	} {
		add("own", o.name, o.meaning, "source 0, Key Decision-Makers")
	}
	add("replies", RepliesFree, "in words, read with patience", "")
	add("replies", RepliesJSON, "by a grammar, so that they cannot be malformed", "")
	add("reading", ReadingPaper, "where a source's paper and its code differ, as the paper", "")
	add("reading", ReadingCode, "as the code", "")
	add("reading", ReadingRecorded, "as the program that recorded the published debates (tit-for-tat)",
		"source 3, its logs")
	return parts
}

// discussionWords say what parts of discussions mean.
var discussionWords = map[string]string{
	PersonaNone: "nothing of the kind", PersonaExpert: "made up by the model for the question",
	PersonaIPIP: "drawn: the Big Five, experience, gender",
	DraftFirst:  "in the first turn nobody sees another", DraftEvery: "in no turn anybody sees another",
	ShownAnonymous: "nothing else", ShownPublic: "whose solution it is", ShownFacts: "facts on the question, --facts",
	ShownHistory:    "the whole discussion",
	ShownConfidence: "100 percent of each", ShownPrompted: "how sure each agent says it is",
	ShownLikely:    "how probable the mean token of each is",
	ChallengePlain: "whether each panelist stands by the answer", ChallengeWrong: "by a wrong answer, --wrong",
	ChallengeIrrelevant: "by a sentence that has nothing to do with it",
}
