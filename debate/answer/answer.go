// Package answer reads answers from replies by the published rules.
//
// A rule maps a reply to canonical text, so that two answers are the same if their texts are. A reply in which the rule
// finds nothing is unparsed. That is an outcome of its own: it equals nothing, and callers count it instead of dropping
// it.
//
// The comment on each rule names its source, the order in which it looks, and where it deviates from the source. Tests
// run the rules beside the sources' own programs and count each deviation by its reason (differential_test.go).
//
// Replies are written by a model, so every rule must finish on any text in time that grows linearly with its length
// (hostile_test.go): patterns are RE2, and readers written by hand go over the text once.
package answer

// Answer is what a rule read from a reply. Text is canonical; it is empty if nothing was parsed.
type Answer struct {
	Text   string `json:"text,omitempty"`
	Parsed bool   `json:"parsed"`
}

// Unparsed is what a rule returns for a reply without a readable answer.
var Unparsed = Answer{}

// Of returns the parsed answer with this canonical text.
func Of(text string) Answer { return Answer{Text: text, Parsed: true} }

// Equal reports whether both are parsed and have the same text. An unparsed answer equals nothing, itself included.
func (a Answer) Equal(b Answer) bool { return a.Parsed && b.Parsed && a.Text == b.Text }

// Extractor reads the answer of a reply by one named rule.
type Extractor func(reply string) Answer

// String returns the answer's text, or a phrase for an unparsed answer.
func (a Answer) String() string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return a.Text
}
