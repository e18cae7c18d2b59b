package reader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// ReadTarget reads a right answer as data has it, such as a number, a letter, or an expression without a box, so that
// it can be compared with what the rule reads from replies.
func ReadTarget(name, target string, about answer.Question) (answer.Answer, error) {
	newest := name // an older reader's canonical texts are those of the newest
	if answer.IsReader(name) {
		newest = answer.KindOf(name).Reader()
		name = answer.Resolve(name, answer.KindOf(name))
	}
	extract, err := RuleFor(newest, about)
	if err != nil {
		return answer.Unparsed, err
	}
	target = strings.TrimSpace(target)
	a := extract(target)
	switch {
	case name == "math": // which reads boxed answers, and targets are not always boxed
		if !a.Parsed {
			a = answer.Of(answer.NormalizeMath(target))
		}
		a.Parsed = a.Text != ""
	case answer.IsReader(name):
		a = readTarget(answer.KindOf(name), a, target, len(about.Options) > 0)
	}
	if name != newest && answer.KindOf(name) == answer.KindWords {
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
		if a = spanOf(target); !a.Parsed { // words that state nothing can still be the right ones
			a.Text = answer.NormalizeWords(target)
			a.Parsed = a.Text != ""
		}
	case answer.KindText:
		return answer.Raw(target)
	case answer.KindName:
		if !hasOptions {
			return answer.Raw(target)
		}
	}
	return a
}

// Whole returns an error if a reader of ours makes less of a right answer than it says, or reads another one where a
// reply states it: by such an answer, wrong replies would be right.
func Whole(name, target string, about answer.Question) error {
	kind := answer.KindOf(name)
	if answer.IsReader(name) && !strings.ContainsFunc(Narrow(target), saying) {
		return fmt.Errorf("the rule %s reads the answer %.40q of no reply, since it has neither a letter nor a digit",
			name, target)
	}
	if !answer.IsReader(name) || kind == answer.KindWords || kind == answer.KindText || kind == answer.KindMath {
		return nil
	}
	right, err := ReadTarget(name, target, about)
	if err != nil {
		return err
	}
	if content, boxed := answer.LastBoxed(target); boxed {
		target = content
	}
	if all := numbersOf(target); kind == answer.KindNumber && len(all) != 1 ||
		kind == answer.KindQuantity && len(all) != 1 && !strings.ContainsAny(right.Text, ":/o") {
		return fmt.Errorf("of the answer %.40q, which has %d numbers, the rule %s reads only %s",
			target, len(all), name, right.Text)
	}
	extract, err := RuleFor(name, about)
	if err != nil || kind == answer.KindYesNo { // of which data has letters
		return err
	}
	if a := extract("The answer is " + target + "."); !a.Same(right) {
		return fmt.Errorf("the rule %s reads %s from the answer %.40q, but %s where a reply states it",
			name, right.Text, target, a)
	}
	return nil
}

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

// IsYesNo reports whether a right answer is yes or no, true or false, or the first letter of one.
func IsYesNo(text string) bool {
	return yesByLetter(text) >= 0 || slices.Contains(yesAndNo, strings.ToLower(strings.TrimSpace(text)))
}
