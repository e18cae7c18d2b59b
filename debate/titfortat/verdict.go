package titfortat

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/grammar"
)

// Verdict is what a moderator or judge replies.
type Verdict struct {
	Preference bool   // whether there is one
	Side       string // the side that it supports
	Reason     string
	Answer     string
}

// ReadVerdict reads a verdict from a reply, in JSON or as a Python dictionary. The source's versions call the answer
// debate_answer, debate_translation or Correct Translation, so it is taken from a field whose name is none of the other
// fields'. If there are several, one that is called an answer or a translation goes first, then the last by name.
func ReadVerdict(reply string) (v Verdict, ok bool) {
	pairs, ok := answer.Dictionary(reply)
	named := false // whether v.Answer is from a field that is called an answer or a translation
	for _, field := range slices.Sorted(maps.Keys(pairs)) {
		text := pairs[field]
		switch name := strings.ToLower(field); {
		case strings.Contains(name, "preference"):
			v.Preference = strings.EqualFold(strings.TrimSpace(text), "yes")
		case strings.Contains(name, "side"):
			v.Side = text
		case strings.Contains(name, "reason"):
			v.Reason = text
		case strings.Contains(name, "answer") || strings.Contains(name, "translation"):
			v.Answer, named = text, true
		case !named:
			v.Answer = text
		}
	}
	return v, ok
}

// ends reports whether a moderator's verdict ends a debate.
func (v Verdict) ends(until string) bool {
	switch until {
	case untilPreference:
		return v.Preference
	case untilAnswer:
		return v.Answer != ""
	}
	return false
}

// decide returns the decision that a verdict makes, with the answer that extract reads in it.
func (v Verdict) decide(by string, extract answer.Extractor) debate.Decision {
	return debate.Decision{Answer: extract(v.Answer), Votes: []debate.Count{},
		Rule: debate.OtherRule("the answer of " + by), Side: v.Side, Reason: v.Reason}
}

// reasonLength bounds each text in a verdict that follows a grammar, in characters.
const reasonLength = 600

// verdictGrammar returns the grammar of a moderator's reply, with the field names that the prompts ask for.
func verdictGrammar() string {
	return grammar.Object(
		grammar.Field{Name: "Whether there is a preference", Value: grammar.Choice("Yes", "No")},
		grammar.Field{Name: "Supported Side", Value: grammar.Choice("Affirmative", "Negative")},
		grammar.Field{Name: "Reason", Value: grammar.Text(reasonLength)},
		grammar.Field{Name: "debate_answer", Value: grammar.Text(reasonLength)},
	).String()
}

// judgementGrammar returns the grammar of the judge's last reply.
func judgementGrammar() string {
	return grammar.Object(grammar.Field{Name: "Reason", Value: grammar.Text(reasonLength)},
		grammar.Field{Name: "debate_answer", Value: grammar.Text(reasonLength)}).String()
}
