// Package reader reads answers from replies as a person would, by rules of our own: one reader for each kind of answer,
// beside the rules of papers' programs in package answer. It also gives any rule by its name (RuleFor).
//
// All readers look at the same part of a reply (page.go): behind its reasoning, and before a turn or a question that
// the model invents. They look first for a statement behind a mark such as "the answer is" (statement.go), and then for
// what only can be meant (answer.Fallback). The comment on each reader lists where it looks, in order. docs/reading.md
// says how often they are right; whoever changes what one reads gives it another version (answer.Kind.Reader).
//
// As the rules of papers, readers finish in time that grows linearly with the length of the reply (hostile_test.go).
package reader

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/unknown"
)

// readersOf makes the newest reader of each kind for the replies to one question.
var readersOf = map[answer.Kind]func(about answer.Question) answer.Extractor{
	answer.KindChoice: readChoice, answer.KindYesNo: readYesNo, answer.KindNumber: readNumber,
	answer.KindQuantity: readQuantity, answer.KindMath: readMath, answer.KindWords: readWords,
	answer.KindName: readName, answer.KindText: readText,
}

// Rule returns the rule with this name. Our readers get the options of the question, if it has any; the rules of
// papers' programs do not know them.
func Rule(name string, options ...string) (answer.Extractor, error) {
	return RuleFor(name, answer.Question{Options: options})
}

// RuleFor returns the rule with this name for the replies to a question. A reader of choices gets the options that the
// question's text lists where the question has none. An older version of a reader is refused: the newest one might read
// a recorded reply otherwise.
func RuleFor(name string, about answer.Question) (answer.Extractor, error) {
	if e, ok := answer.PaperRule(name); ok {
		return e, nil
	}
	if !answer.IsReader(name) {
		return nil, unknown.Name("answer rule", name, answer.Names())
	}
	k := answer.KindOf(name)
	if newest := k.Reader(); answer.Resolve(name, k) != newest {
		return nil, fmt.Errorf("replies are not read by %s any more but by %s, which reads some otherwise: "+
			"records keep what was read", name, newest)
	}
	if listed := Listed(about.Text); len(about.Options) == 0 && (k == answer.KindChoice ||
		k == answer.KindYesNo && slices.ContainsFunc(listed, IsYesNo)) {
		about.Options = listed
	}
	read, asked := readersOf[k](about), questionTheme(answer.Question{Text: about.Text})
	return func(reply string) answer.Answer {
		if k != answer.KindText {
			reply = withoutRefusals(inEnglish(Narrow(reply)))
		}
		a := answer.Answer{How: answer.Nothing}
		if rest, ok := asked.withoutExamples(reply); ok && k != answer.KindText {
			a = read(rest)
		}
		if !a.Parsed {
			a = read(reply)
		}
		if head, explained := beforeExplanation(reply); !a.Parsed && a.How == answer.Nothing && explained {
			a = read(head)
		}
		if a.Parsed && !strings.ContainsFunc(a.Text, saying) {
			return answer.Answer{How: answer.Nothing}
		}
		return a
	}, nil
}

// explanation begins what explains the answer before it.
var explanation = regexp.MustCompile(`(?im)^[*_#> \t]*(?:(?:detailed |step-by-step |brief )?(?:breakdown|explanation|reasoning|justification|rationale|details)|why\??)[*_ \t]*:?[*_ \t]*:?[ \t]*$|` +
	`\bhere(?:'s| is) (?:why|how|the (?:reasoning|breakdown|explanation)|my (?:reasoning|explanation)|an? (?:detailed |step-by-step |brief )?(?:breakdown|explanation))\b[^\n]*`)

// beforeExplanation returns the part of a reply that an explanation follows; ok if it has some words.
func beforeExplanation(reply string) (head string, ok bool) {
	at := explanation.FindStringIndex(reply)
	if at == nil {
		return "", false
	}
	head = strings.TrimSpace(reply[:at[0]])
	return head, len(strings.Fields(head)) > 1 && endsSentence(head) && !strings.HasSuffix(head, ":")
}

// saying reports whether a character says something by itself, other than a mark between or around what does.
func saying(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r) || strings.ContainsRune("∞∅", r)
}

// ReadUnfinished reads by a rule the answer of a reply that ended before it was complete, because it is Cut or Looped.
// A rule that tells how it reads gives only what the reply states before its last word, a part of which may be missing.
// Where the reply goes on with a question that it invents, what it states before that is complete, and so is one
// sentence that it says again and again. Other rules read what there is.
func ReadUnfinished(rule answer.Extractor, reply string, why answer.How) answer.Answer {
	whole := rule(reply)
	own := theme(nil).ownPart(reply)
	_, repeated := once(own)
	own = strings.TrimSpace(own)
	goesOn := len(own) < len(strings.TrimSpace(reply))
	if whole.How == "" || repeated || goesOn && (whole.How != answer.Fallback || oneSentence(own)) {
		return whole
	}
	line := reply[strings.LastIndexByte(reply, '\n')+1:]
	if from := strings.LastIndexByte(line, '$'); strings.Count(line, "$")%2 == 1 && strings.Contains(line[from:], `\`) {
		reply = reply[:len(reply)-len(line)+from] // a formula that breaks off
	}
	lastWord := func(r rune) bool { return answer.Touching(r) || strings.ContainsRune(`.,-+/\^{`, r) }
	a := rule(strings.TrimRightFunc(reply, lastWord) + cutMark)
	if a.How == answer.Explicit || a.How == answer.NoOption {
		return a
	}
	return answer.Answer{How: why}
}

// maxInvented bounds the bytes of a sentence that is all of a reply before a question that it invents.
const maxInvented = 120

// oneSentence reports whether a text is one short sentence.
func oneSentence(text string) bool {
	return len(text) <= maxInvented && !strings.Contains(text, "\n") && strings.HasSuffix(text, ".") &&
		verb.MatchString(text) && len(sentences(text)) == 1
}

// cutMark tells our readers at the end of a reply that it was cut there.
const cutMark = "\x00"
