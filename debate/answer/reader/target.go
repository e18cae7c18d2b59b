package reader

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// ReadTarget reads a right answer as data has it, such as a number, a letter, or an expression without a box, so that
// it can be compared with what the rule reads from replies.
func ReadTarget(name, target string, about answer.Question) (answer.Answer, error) {
	newest, kind, ours := name, answer.KindOf(name), answer.IsReader(name)
	if ours { // an older reader's canonical texts are those of the newest
		newest, name = kind.Reader(), answer.Resolve(name, kind)
	}
	target = strings.TrimSpace(target)
	a := answer.Unparsed
	if !ours || kind != answer.KindWords && kind != answer.KindMath && kind != answer.KindText { // which are all of it
		extract, err := RuleFor(newest, about)
		if err != nil {
			return a, err
		}
		a = extract(target)
	}
	switch {
	case name == "math": // which reads boxed answers, and targets are not always boxed
		if !a.Parsed {
			a = answer.Of(answer.NormalizeMath(target))
		}
		a.Parsed = a.Text != ""
	case ours:
		a = readTarget(kind, a, target, len(about.Options) > 0)
	}
	if name != newest && kind == answer.KindWords {
		a.Text = answer.NormalizeSpan(a.Text) // as readers before version 5 wrote words
	}
	a.How = ""
	return a, nil
}

// readTarget reads a right answer of a kind of which some are written otherwise in data than in replies; a is what the
// kind's reader finds in it.
func readTarget(kind answer.Kind, a answer.Answer, target string, hasOptions bool) answer.Answer {
	switch kind {
	case answer.KindYesNo:
		if i := yesByLetter(target); i >= 0 && !hasOptions {
			return answer.Of(yesAndNo[i%2])
		}
	case answer.KindMath:
		target = Narrow(target) // as replies are read
		if content, boxed := answer.LastBoxed(target); boxed {
			target = content
		}
		return expressionOf(target)
	case answer.KindWords:
		if content, boxed := answer.LastBoxed(target); boxed {
			target = content
		}
		if a = spanOf(textOf(target)); !a.Parsed { // words that state nothing can still be the right ones
			a.Text = answer.NormalizeWords(target)
			a.Parsed = a.Text != ""
		}
	case answer.KindText:
		return answer.Raw(unquote(target))
	case answer.KindName:
		if !hasOptions {
			return answer.Raw(target)
		}
	}
	return a
}

// stating are the ways in which a reply states an answer of a kind, as a right one has to be read; the kinds that are
// not named have the first.
var stating = map[answer.Kind][]string{
	"":              {"The answer is %s.", "Answer: %s"},
	answer.KindMath: {`So it is $\boxed{%s}$.`, "The answer is $%s$."},
	answer.KindText: {"Answer: %s"},
}

// Whole returns an error if a rule makes less of a right answer than it says, or a reader of ours reads another one, or
// none, where a reply states it: by such an answer, wrong replies would be right, or no reply.
func Whole(name, target string, about answer.Question) error {
	kind := answer.KindOf(name)
	if answer.IsReader(name) && !strings.ContainsFunc(Narrow(target), saying) {
		return fmt.Errorf("the rule %s reads the answer %.40q of no reply, since it has neither a letter nor a digit",
			name, target)
	}
	right, err := ReadTarget(name, target, about)
	if err != nil {
		return err
	}
	if content, boxed := answer.LastBoxed(target); boxed {
		target = content
	}
	if kind == answer.KindYesNo && len(about.Options)+len(Listed(about.Text)) == 0 && !saysYesOrNo(target) {
		return fmt.Errorf("of the answer %.40q, which says more, the rule %s reads only %s", target, name, right.Text)
	}
	if all := numbersOf(target); kind == answer.KindNumber && len(all) != 1 ||
		kind == answer.KindQuantity && len(all) != 1 && !strings.ContainsAny(right.Text, ":/o") {
		return fmt.Errorf("of the answer %.40q, which has %d numbers, the rule %s reads only %s",
			target, len(all), name, right.Text)
	}
	if !answer.IsReader(name) {
		if m := label.FindStringSubmatch(target); kind == answer.KindChoice && capitalLabel.MatchString(right.Text) &&
			(m == nil || !strings.EqualFold("("+m[1]+m[2]+")", right.Text)) {
			return fmt.Errorf("the answer %.40q is not the letter of an option, but the rule %s reads %s from it",
				target, name, right.Text)
		}
		return nil
	}
	extract, err := RuleFor(name, about)
	if err != nil {
		return err
	}
	forms := stating[kind]
	switch {
	case kind == answer.KindYesNo && yesByLetter(target) >= 0: // "The answer is Y." rather names an option
		forms = []string{"Answer: %s"}
	case forms == nil:
		forms = stating[""]
	}
	for _, form := range forms {
		if a := extract(strings.Replace(form, "%s", target, 1)); !a.Same(right) {
			return fmt.Errorf("the rule %s reads %s from the answer %.40q, but %s where a reply states it", name,
				right.Text, target, a)
		}
	}
	if kind != answer.KindMath {
		return nil
	}
	bare := extract("The answer is " + target + ".")
	if !bare.Same(right) && (bare.Parsed || !strings.Contains(target, `\`)) {
		return fmt.Errorf("the rule %s reads %s from the answer %.40q, but %s where a reply states it without marks",
			name, right.Text, target, bare)
	}
	return nil
}

// capitalLabel matches the canonical text of an option.
var capitalLabel = regexp.MustCompile(`^\([A-Z]\)$`)

// numbersOf returns the numbers of a right answer.
func numbersOf(text string) []value { return valuesIn(": " + figures.Replace(Narrow(text))) }

// IsNumber reports whether a right answer is a number and nothing else.
func IsNumber(text string) bool {
	v, ok := wholeValue(text)
	return ok && !v.percent && !strings.ContainsAny(text, "/½⅓⅔¼¾")
}

// IsQuantity reports whether a right answer is a number, a percentage or a fraction and nothing else.
func IsQuantity(text string) bool {
	_, ok := wholeValue(text)
	return ok
}

// wholeValue returns the value that is all of a text, but for a plus and a currency.
func wholeValue(text string) (value, bool) {
	plain := ": " + figures.Replace(Narrow(strings.TrimSpace(text))) // so that it numbers no item
	all := valuesIn(plain)
	if len(all) != 1 || all[0].rat == nil {
		return value{}, false
	}
	v := all[0]
	return v, strings.Trim(plain[2:max(2, v.from)]+plain[v.to:], "+$€£¥ ") == ""
}

// saysYesOrNo reports whether a right answer is yes or no, or means it, and nothing else.
func saysYesOrNo(text string) bool {
	plain := plainWords(text)
	return IsYesNo(text) || slices.Contains(yesAndNo, plain) || slices.Contains(alsoYesNo, plain)
}

// IsYesNo reports whether a right answer is yes or no, true or false, or the first letter of one.
func IsYesNo(text string) bool {
	return yesByLetter(text) >= 0 || slices.Contains(yesAndNo, strings.ToLower(strings.TrimSpace(text)))
}
