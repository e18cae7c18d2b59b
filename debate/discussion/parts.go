package discussion

import (
	"parley/debate"
	"parley/debate/vote"
)

// parts are the values that settings can have in a discussion.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("ballots", vote.BallotsSoft, "as probabilities, from one scoring pass (discussion)", "")
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
	}{{"personas", PersonaKinds()}, {"drafting",
		[]string{DraftNone, DraftFirst, DraftEvery}},
		{"voters-see", ShownNames()}, {"challenge", ChallengeNames()}} {
		for _, value := range list.values {
			add(list.setting, value, meanings[value], "source 4, Voting or Consensus?")
		}
	}
	return all
}

// meanings say what parts of discussions mean.
var meanings = map[string]string{
	PersonaNone: "nothing of the kind", PersonaExpert: "made up by the model for the question",
	PersonaIPIP:    "drawn: the Big Five, experience, gender",
	DraftFirst:     "in the first turn nobody sees another",
	DraftEvery:     "in no turn anybody sees another",
	ShownAnonymous: "nothing else", ShownPublic: "whose solution it is",
	ShownFacts:      "facts on the question, --facts",
	ShownHistory:    "the whole discussion",
	ShownConfidence: "100 percent of each", ShownPrompted: "how sure each agent says it is",
	ShownLikely:         "how probable the mean token of each is",
	ChallengePlain:      "whether each panelist stands by the answer",
	ChallengeWrong:      "by a wrong answer, --wrong",
	ChallengeIrrelevant: "by a sentence that has nothing to do with it",
}
