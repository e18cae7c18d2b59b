// Package answer has what an answer is, the kinds of answers, the names of all rules that read one from a reply, and
// the published rules. Package reader has the rules of ours, and gives any rule by its name.
//
// A rule maps a reply to canonical text, so that two answers are the same if their texts are. A reply in which the rule
// finds nothing is unparsed. That is an outcome of its own: it equals nothing, and callers count it instead of dropping
// it.
//
// The comment on each rule names its source, the order in which it looks, and where it deviates from the source. Tests
// run the rules beside the sources' own programs and count each deviation by its reason (differential_test.go).
//
// Replies are written by a model, so every rule must finish on any text in time that grows linearly with its length
// (reader/hostile_test.go): patterns are RE2, and rules written by hand go over the text once.
package answer

// Answer is what a rule read from a reply. Text is canonical; it is empty if nothing was parsed.
type Answer struct {
	Text   string `json:"text,omitempty"`
	Parsed bool   `json:"parsed"`
	How    How    `json:"how,omitempty"` // how it was read, or why nothing was
}

// How says how an answer was read or why a reply has none. It is empty with the rules of papers' programs, which do not
// tell.
type How string

// Explicit and Fallback are of answers that were read, and so is ByClosing; the others are of replies without one.
const (
	Explicit  How = "explicit"     // the reply states its answer
	Fallback  How = "fallback"     // a complete reply states none, but only one thing in it can be meant
	ByClosing How = "closing turn" // the agent was asked again for its answer alone
	NoOption  How = "no option"    // the answer that is stated is none of the question's options
	Cut       How = "cut"          // the reply ends at the limit before it states an answer
	Looped    How = "looped"       // the reply repeats itself and states no answer before it does
	Nothing   How = "nothing"      // a complete reply states no answer
)

// Hows returns all ways in which an answer is read, or not, in the order in which tables have them.
func Hows() []How { return []How{Explicit, Fallback, ByClosing, NoOption, Cut, Looped, Nothing} }

// Unparsed is what a rule returns for a reply without a readable answer.
var Unparsed = Answer{}

// Of returns the parsed answer with this canonical text.
func Of(text string) Answer { return Answer{Text: text, Parsed: true} }

// Equal reports whether both are parsed and have the same text. An unparsed answer equals nothing, itself included.
func (a Answer) Equal(b Answer) bool { return a.Parsed && b.Parsed && a.Text == b.Text }

// Same reports whether two answers have the same text, or both have none, however they were read.
func (a Answer) Same(b Answer) bool { return a.Parsed == b.Parsed && a.Text == b.Text }

// Stated reports whether the agent stated this answer, as far as the rule tells: it was neither what a reply left over
// nor asked for alone.
func (a Answer) Stated() bool { return a.Parsed && a.How != Fallback && a.How != ByClosing }

// Extractor reads the answer of a reply by one named rule.
type Extractor func(reply string) Answer

// String returns the answer's text, or a phrase for an unparsed answer.
func (a Answer) String() string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return a.Text
}
