package jinja

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Letters in Python: case as Unicode maps it, with characters that become several, and classes of characters.

func changeCase(change func(string) string) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		return e.change(change, s, 64), a.most(0)
	}
}

// wordwise is cased for a change that looks up each word or character alone, which takes longer.
func wordwise(change func(string) string) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		return e.change(change, s, 4), a.most(0)
	}
}

// change returns a text of which so many bytes are changed in a step.
func (e *evaluator) change(change func(string) string, s string, bytesOfStep int) string {
	e.spend(1+len(s)/bytesOfStep, len(s))
	text := change(s)
	e.spend(0, max(0, len(text)-len(s)))
	return text
}

func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// capitalize writes the first character in title case and the others in lower case.
func capitalize(s string) string {
	for i := range s {
		if i > 0 {
			return title(s[:i]) + strings.TrimPrefix(lower("a"+s[i:]), "a")
		}
	}
	return title(s)
}

func title(character string) string {
	if isASCII(character) {
		return strings.ToUpper(character)
	}
	return cases.Title(language.Und, cases.NoLower).String(character)
}

// toTitle is Python's str.title: a letter behind one that has no case begins a word.
func toTitle(s string) string {
	var b strings.Builder
	inWord := false
	for _, r := range s {
		if inWord {
			b.WriteString(lower(string(r)))
		} else {
			b.WriteString(title(string(r)))
		}
		inWord = isUpper(r) || isLower(r) || isTitle(r)
	}
	return b.String()
}

// judge returns a method that holds if a property does of all characters, of which there is at least one. The property
// also tells whether it is known of a character.
func judge(property func(r rune) (holds, known bool)) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		e.spend(1+len(s)/64, 0)
		for _, r := range s {
			holds, known := property(r)
			if !known {
				return nil, errors.New("not known of numbers that are no decimal digits")
			}
			if !holds {
				return false, a.most(0)
			}
		}
		return s != "", a.most(0)
	}
}

func isAlpha(r rune) (bool, bool) { return unicode.IsLetter(r), true }

func isDigit(r rune) (bool, bool) {
	return unicode.Is(unicode.Nd, r), unicode.Is(unicode.Nd, r) || !odd(r)
}

func isAlnum(r rune) (bool, bool) {
	return unicode.IsLetter(r) || unicode.Is(unicode.Nd, r), !odd(r) || unicode.IsLetter(r) || unicode.Is(unicode.Nd, r)
}

// odd reports whether a character has a value as a number without being a decimal digit: some of them are digits.
func odd(r rune) bool {
	return r > unicode.MaxASCII && !unicode.Is(unicode.Nd, r) && (unicode.IsNumber(r) || unicode.Is(unicode.Han, r))
}

func isTitle(r rune) bool { return unicode.IsTitle(r) }
func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

func casing(holds func(string) bool) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		e.spend(1+len(s)/64, 0)
		return holds(s), a.most(0)
	}
}

// lowercase and uppercase report whether a text has letters of one case, and none of the other or of title case.
func lowercase(s string) bool {
	return strings.ContainsFunc(s, isLower) &&
		!strings.ContainsFunc(s, func(r rune) bool { return isUpper(r) || isTitle(r) })
}

func uppercase(s string) bool {
	return strings.ContainsFunc(s, isUpper) &&
		!strings.ContainsFunc(s, func(r rune) bool { return isLower(r) || isTitle(r) })
}

func titleCased(e *evaluator, s string, a *arguments) (any, error) {
	e.spend(1+len(s)/64, 0)
	some, inWord := false, false
	for _, r := range s {
		switch {
		case isUpper(r) || isTitle(r):
			if inWord {
				return false, a.most(0)
			}
			some, inWord = true, true
		case isLower(r):
			if !inWord {
				return false, a.most(0)
			}
			some = true
		default:
			inWord = false
		}
	}
	return some, a.most(0)
}
