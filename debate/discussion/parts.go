package discussion

import (
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
)

// parts returns the values that settings can have in a discussion.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("ballots", vote.BallotsSoft, "as probabilities, from one scoring pass (discussion)", "")
	for _, p := range paradigms() {
		add("paradigm", p.Name, p.Meaning, "source 4, Voting or Consensus?")
	}
	for _, c := range consensuses() {
		add("decide", c.Name, c.Meaning, "source 4, Voting or Consensus? (discussion)")
	}
	for _, name := range []struct{ name, meaning string }{
		{ConsensusVoting, "one vote each after every turn, on the solutions that differ (discussion)"},
		{JudgeDecision, "the first panelist writes the answer (discussion)"},
		{CountingDecision, "the most frequent of the final answers (discussion)"},
	} {
		add("decide", name.name, name.meaning, "source 4, Voting or Consensus?")
	}
	for _, list := range []struct {
		setting string
		values  []string
	}{
		{"personas", personaKinds()}, {"drafting", []string{DraftNone, DraftFirst, DraftEvery}},
		{"voters-see", shownNames()}, {"challenge", challengeNames()},
	} {
		for _, value := range list.values {
			add(list.setting, value, meanings[value], "source 4, Voting or Consensus?")
		}
	}
	return all
}

// meanings say what values mean. Values with the same name in several settings have one meaning.
var meanings = map[string]string{
	PersonaNone:         "nothing of the kind",
	PersonaExpert:       "described by the model for the question",
	PersonaIPIP:         "drawn: Big Five traits, experience, gender",
	DraftFirst:          "in the first turn no agent sees another",
	DraftEvery:          "no agent ever sees another",
	ShownAnonymous:      "nothing else",
	ShownPublic:         "whose solution each is",
	ShownFacts:          "facts about the question, --facts",
	ShownHistory:        "the whole discussion",
	ShownConfidence:     "a confidence of 100 percent in each",
	ShownPrompted:       "the confidence that each agent states",
	ShownLikely:         "the mean probability of the tokens of each",
	ChallengePlain:      "whether each panelist stands by the answer",
	ChallengeWrong:      "by a wrong answer: --wrong or, without it, one that the model is asked for",
	ChallengeIrrelevant: "by a sentence that has nothing to do with the question",
}
