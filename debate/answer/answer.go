// Package answer reads answers from replies by the published rules and says when two answers are the same. A reply
// without a readable answer is unparsed: an outcome of its own, neither right nor wrong by accident, never dropped.
package answer

// Answer is what a reply says. Two answers are equal if both are parsed and their Text is the same; Extractors return
// canonical text, so that the comparison is one of strings.
type Answer struct {
	Text   string `json:"text,omitempty"`
	Parsed bool   `json:"parsed"`
}

// Unparsed is the answer of a reply in which the rule finds none.
var Unparsed = Answer{}

// Of returns the parsed answer with this canonical text.
func Of(text string) Answer { return Answer{Text: text, Parsed: true} }

// Equal reports whether both are parsed and the same. An unparsed answer equals nothing, itself included.
func (a Answer) Equal(b Answer) bool { return a.Parsed && b.Parsed && a.Text == b.Text }

// Extractor reads the answer of a reply by one named rule.
type Extractor func(reply string) Answer

// String is the answer's text, or says that there is none.
func (a Answer) String() string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return a.Text
}
