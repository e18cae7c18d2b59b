package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a question wants to be answered with. Prompts, readers and measures go by it.
type Kind string

// The kinds of answers. Answers of ours have these canonical texts.
const (
	KindChoice   Kind = "choice"   // one of the question's options: its letter, "(B)"
	KindYesNo    Kind = "yes-no"   // "yes" or "no"
	KindNumber   Kind = "number"   // a number: "1200.5"; a percentage is the number before its sign
	KindQuantity Kind = "quantity" // a value as a fraction, "3/4", which 75% and 0.75 are too; a ratio, "1:2"
	KindMath     Kind = "math"     // an expression of LaTeX, of which equal values have one text if that is possible
	KindWords    Kind = "words"    // some words, see NormalizeWords: "norman conquest"
	KindName     Kind = "name"     // one of the question's options: its text
	KindText     Kind = "text"     // a text, such as a translation
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{KindChoice, KindYesNo, KindNumber, KindQuantity, KindMath, KindWords, KindName, KindText}
}

// Reader is the name under which the newest reader of a question's kind can be asked for, see Resolve.
const Reader = "reader"

// version is the one of our own rules, which package reader has. Their names end in it: readers that would read a reply
// otherwise than before get another one, so that records keep the meaning of theirs. Only the newest reads; what an
// older one read stands in records.
const version = 14

// looks are answers of each kind, as they look.
var looks = map[Kind]string{
	KindChoice: "(B)", KindYesNo: "yes", KindNumber: "42", KindQuantity: "3/4", KindMath: `\frac{1}{2}`,
	KindWords: "norman conquest", KindName: "Ana", KindText: "He left at dawn.",
}

// Reader returns the name of the newest reader of a kind, such as reader-choice-14.
func (k Kind) Reader() string { return fmt.Sprintf("%s-%s-%d", Reader, k, version) }

// Resolve returns the name that records carry for a rule that is asked for: reader is the newest reader of the kind,
// reader-KIND the newest of KIND. Other names stay as they are.
func Resolve(rule string, kind Kind) string {
	asked, ours := strings.CutPrefix(rule, Reader+"-")
	switch {
	case rule == Reader && slices.Contains(Kinds(), kind):
		return kind.Reader()
	case ours && slices.Contains(Kinds(), Kind(asked)):
		return Kind(asked).Reader()
	}
	return rule
}

// kinds maps the rules of papers' programs to what they read.
var kinds = map[string]Kind{
	"choice": KindChoice, "choice-yes-no": KindChoice, "letter": KindChoice, "mmlu-pro": KindChoice, "gpqa": KindChoice,
	"solution-letter": KindChoice, "bracket-letter": KindChoice, "number": KindNumber, "last-word": KindNumber,
	"quantity": KindQuantity,
	"math":     KindMath, "span": KindWords, "square": KindWords, "among": KindName,
}

// KindOf returns the kind of the answers that a rule reads. Of a rule that reads texts, such as raw, and of an unknown
// one it is KindText.
func KindOf(rule string) Kind {
	return cmp.Or(readerNamed(rule), kinds[rule], KindText)
}

// IsReader reports whether a rule is one of our readers rather than of a paper's program.
func IsReader(rule string) bool { return readerNamed(rule) != "" }

// readerNamed returns the kind of a reader by its name, without a version or with one up to the newest, or "" if there
// is none.
func readerNamed(name string) Kind {
	for k := range looks {
		number, ours := strings.CutPrefix(name, Reader+"-"+string(k))
		if n, err := strconv.Atoi(strings.TrimPrefix(number, "-")); ours && (number == "" ||
			err == nil && number == fmt.Sprintf("-%d", n) && 1 <= n && n <= version) {
			return k
		}
	}
	return ""
}

// Names returns the names of all rules, sorted: those of papers' programs and our readers, without versions.
func Names() []string {
	names := slices.Collect(maps.Keys(extractors))
	for _, k := range Kinds() {
		names = append(names, Reader+"-"+string(k))
	}
	slices.Sort(names)
	return names
}

// Question is what our readers know of the question that a reply is about; each field may be missing.
type Question struct {
	Text    string
	Options []string // of multiple choice, from (A)
}

// Example returns an answer as the rule with this name would give it.
func Example(name string) string {
	if k := readerNamed(name); k != "" {
		return looks[k]
	}
	return examples[name]
}

// Offered makes a rule that does not know a question's options give only letters of these: any other answer is none,
// because it is no option.
func Offered(extract Extractor, options []string) Extractor {
	if len(options) == 0 {
		return extract
	}
	return func(reply string) Answer {
		a := extract(reply)
		if !a.Parsed {
			return a
		}
		for i := range options {
			if a.Text == OptionName(i) {
				return a
			}
		}
		return Answer{How: NoOption}
	}
}

// OptionName is the canonical text of an option, by its index: (A) is the first.
func OptionName(i int) string { return "(" + string(rune('A'+i)) + ")" }
