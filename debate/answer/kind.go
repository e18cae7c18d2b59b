package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
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
	KindWords    Kind = "words"    // some words, as SQuAD compares them: "norman conquest"
	KindName     Kind = "name"     // one of the question's options: its text
	KindText     Kind = "text"     // a text, such as a translation
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{KindChoice, KindYesNo, KindNumber, KindQuantity, KindMath, KindWords, KindName, KindText}
}

// Reader is the name under which the newest reader of a question's kind can be asked for, see Resolve.
const Reader = "reader"

// readers are our own rules, by their kinds. Each knows the options of the question, if it has any. Their names end in
// a version: a reader that would read a reply otherwise than before gets another one, so that records keep the meaning
// of theirs. Only the newest one reads; what an older one read stands in records.
var readers = map[Kind]struct {
	version int
	about   func(q Question) Extractor
	example string
}{
	KindChoice:   {3, readChoice, "(B)"},
	KindYesNo:    {3, readYesNo, "yes"},
	KindNumber:   {3, readNumber, "42"},
	KindQuantity: {3, readQuantity, "3/4"},
	KindMath:     {3, readMath, `\frac{1}{2}`},
	KindWords:    {3, readWords, "norman conquest"},
	KindName:     {3, readName, "Ana"},
	KindText:     {3, readText, "He left at dawn."},
}

// Reader returns the name of the newest reader of a kind, such as reader-choice-3.
func (k Kind) Reader() string { return fmt.Sprintf("%s-%s-%d", Reader, k, readers[k].version) }

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

// readerNamed returns the kind of a reader by its name, without a version or with one up to the newest; "" if there is
// none.
func readerNamed(name string) Kind {
	for k, r := range readers {
		version, ours := strings.CutPrefix(name, Reader+"-"+string(k))
		if n, err := strconv.Atoi(strings.TrimPrefix(version, "-")); ours && (version == "" ||
			err == nil && version == fmt.Sprintf("-%d", n) && 1 <= n && n <= r.version) {
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

// Named returns the rule with this name. Our readers get the options of the question, if it has any; the rules of
// papers' programs do not know them.
func Named(name string, options ...string) (Extractor, error) {
	return NamedFor(name, Question{Options: options})
}

// Question is what our readers know of the question that a reply is about; each field may be missing.
type Question struct {
	Text    string
	Options []string // of multiple choice, from (A)
}

// NamedFor returns the rule with this name for the replies to a question.
func NamedFor(name string, about Question) (Extractor, error) {
	if e, ok := extractors[name]; ok {
		return e, nil
	}
	if k := readerNamed(name); k != "" {
		if newest := k.Reader(); Resolve(name, k) != newest {
			return nil, fmt.Errorf("replies are not read by %s any more but by %s, which reads some otherwise: "+
				"records keep what was read", name, newest)
		}
		if len(about.Options) == 0 && (k == KindChoice || k == KindYesNo) {
			about.Options = optionsIn(about.Text)
		}
		return readers[k].about(about), nil
	}
	return nil, unknown.Name("answer rule", name, Names())
}

// Right reads a right answer as data has it, such as a number, a letter, or an expression without a box, so that it can
// be compared with what the rule reads from replies.
func Right(name, target string, about Question) (Answer, error) {
	newest := name // an older reader's canonical texts are those of the newest
	if k := readerNamed(name); k != "" {
		newest = k.Reader()
	}
	extract, err := NamedFor(newest, about)
	if err != nil {
		return Unparsed, err
	}
	target = strings.TrimSpace(target)
	a := extract(target)
	switch readerNamed(name) {
	case KindMath:
		if content, boxed := lastBoxed(target); boxed {
			target = content
		}
		a = expressionOf(target)
	case KindWords:
		if a = spanOf(target); !a.Parsed { // words that state nothing can still be the right ones
			a.Text = NormalizeSpan(target)
			a.Parsed = a.Text != ""
		}
	case KindText:
		a = Raw(target)
	case KindName:
		if len(about.Options) == 0 {
			a = Raw(target)
		}
	case "":
		if name == "math" { // which reads boxed answers, and targets are not always boxed
			if !a.Parsed {
				a = Of(NormalizeMath(target))
			}
			a.Parsed = a.Text != ""
		}
	}
	a.How = ""
	return a, nil
}

// Example returns an answer as the rule with this name would give it.
func Example(name string) string {
	if k := readerNamed(name); k != "" {
		return readers[k].example
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
			if a.Text == optionName(i) {
				return a
			}
		}
		return Answer{How: NoOption}
	}
}

// optionName is the canonical text of an option, by its index: (A) is the first.
func optionName(i int) string { return "(" + string(rune('A'+i)) + ")" }
