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
		add("paradigm", p.Name, p.Meaning, "MALLM")
	}
	for _, c := range consensuses() {
		add("decide", c.Name, c.Meaning, "MALLM (discussion)")
	}
	for _, name := range []struct{ name, meaning string }{
		{consensusVoting, "one vote each after every turn, on the solutions that differ (discussion)"},
		{judgeDecision, "the first panelist writes the answer (discussion)"},
		{countingDecision, "the most frequent of the final answers (discussion)"},
	} {
		add("decide", name.name, name.meaning, "MALLM")
	}
	for _, list := range []struct {
		setting string
		values  []string
	}{
		{"personas", personaKinds()}, {"drafting", []string{draftNone, draftFirst, draftEvery}},
		{"voters-see", shownNames()}, {"challenge", challengeNames()},
	} {
		for _, value := range list.values {
			add(list.setting, value, meanings[value], "MALLM")
		}
	}
	return all
}

// meanings say what values mean. Values with the same name in several settings have one meaning.
var meanings = map[string]string{
	PersonaNone:         "nothing of the kind",
	personaExpert:       "described by the model for the question",
	personaIPIP:         "drawn: Big Five traits, experience, gender",
	draftFirst:          "in the first turn no agent sees another",
	draftEvery:          "no agent ever sees another",
	shownAnonymous:      "nothing else",
	shownPublic:         "whose solution each is",
	shownFacts:          "facts about the question, --facts",
	shownHistory:        "the whole discussion",
	shownConfidence:     "a confidence of 100 percent in each",
	shownPrompted:       "the confidence that each agent states",
	shownLikely:         "the mean probability of the tokens of each",
	challengePlain:      "whether each panelist stands by the answer",
	challengeWrong:      "by a wrong answer: --wrong or, without it, one that the model is asked for",
	challengeIrrelevant: "by a sentence that has nothing to do with the question",
}
