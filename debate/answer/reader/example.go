package reader

import (
	"regexp"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
)

var (
	// exampleFirst matches the beginning of an example that a reply works out: its label or heading, or a sentence that
	// turns to a similar problem.
	exampleFirst = regexp.MustCompile(`(?im)^[ \t>*_#]*(?:(?:worked|simple|similar|related|analogous|easier|simpler|first)[ \t]+)?` +
		`(?:example|(?:similar|related|analogous|simpler|easier) (?:question|problem|case|exercise))(?:[ \t]+(?:question|problem|case|exercise))?` +
		`(?:[ \t]+[0-9])?[*_ \t]*(?::|$)|` +
		`^[ \t>*_#]*(?:(?:let us|let's|we(?: can)?(?: first)?|first,?)[ \t]+)?(?:look at|consider|take|solve)[ \t]+(?:first[ \t]+)?an?[ \t]+(?:worked[ \t]+)?` +
		`(?:example|(?:similar|related|analogous|simpler|easier) (?:question|problem|case|exercise|example))\b`)
	// exampleWithin begins a sentence of which an example is all.
	exampleWithin = regexp.MustCompile(`(?i)^(?:(?:for|as an|to give an) example\b|(?:this|it) is (?:like|similar to) the (?:question|problem)\b|` +
		`if (?:it|this|that|the (?:question|problem)) (?:was|were|had)\b|if \pL+ (?:had|were) [^.]* would be\b)`)
	// returning begins what a reply says of its own question again.
	returning = regexp.MustCompile(`(?im)(?:^|[.!?:][ \t])[ \t>*_#]*(?:(?:so|and|but|okay|ok|then),?[ \t]+)?(?:now\b|(?:back|returning|coming back|turning) to\b|` +
		`in the same way\b|similarly\b|likewise\b|(?:for|in|to|on) (?:this|our|the (?:given|present|actual|original)) (?:question|problem|case)\b|` +
		`our (?:own |actual )?(?:question|problem|case|task|exercise)\b|ours\b|the (?:given|actual|original|present) (?:question|problem)\b|` +
		`applying (?:this|the same|it)\b|using (?:this|the same)\b|here,|here (?:he|she|it|we|they)\b|solution to (?:the|our|this)\b)`)
)

// withoutExamples returns a reply without the examples that it works out, whose answers are none of it, or from where
// it turns from another question to the one that was asked; not ok if it does neither. An example ends where the reply
// returns to its question, or else with its paragraph.
func (t theme) withoutExamples(reply string) (rest string, ok bool) {
	reply, cut := strings.CutSuffix(reply, cutMark)
	said := chat.SplitRecorded(reply)
	if said.Cut {
		return "", false
	}
	whole := said.Answer
	if at := t.turnsTo(whole); at > 0 {
		rest = whole[at:]
	} else if rest = dropSentences(dropExamples(whole)); rest == whole {
		return "", false
	}
	if cut {
		rest += cutMark
	}
	return rest, true
}

// dropExamples returns a reply without examples that have a label or a heading of their own.
func dropExamples(reply string) string {
	var b strings.Builder
	from := 0
	for _, at := range exampleFirst.FindAllStringIndex(reply, maxStatements) {
		if at[0] < from {
			continue
		}
		b.WriteString(reply[from:at[0]])
		from = at[1] + endOfExample(reply[at[1]:])
	}
	return b.String() + reply[from:]
}

// maxExample bounds the bytes of an example behind which a reply returns to its question.
const maxExample = 2000

// endOfExample returns where an example ends that stands at the beginning of a text.
func endOfExample(text string) int {
	near := text[:min(len(text), maxExample)]
	if at := returning.FindStringIndex(near); at != nil {
		return at[0] + len(near[at[0]:at[1]]) - len(strings.TrimLeft(near[at[0]:at[1]], ".!?:"))
	}
	if at := paragraph.FindStringIndex(strings.TrimLeft(text, " \t\n*_")); at != nil {
		return len(text) - len(strings.TrimLeft(text, " \t\n*_")) + at[0]
	}
	return len(text)
}

// paragraph matches the end of a paragraph.
var paragraph = regexp.MustCompile(`\n[ \t]*\n`)

// dropSentences returns a reply without the sentences that are examples and state the answer of these.
func dropSentences(reply string) string {
	lines := strings.SplitAfter(reply, "\n")
	for i, line := range lines {
		if !mark.MatchString(line) {
			continue
		}
		for _, s := range sentences(line) {
			if exampleWithin.MatchString(s) && mark.MatchString(s) {
				lines[i] = strings.Replace(lines[i], s, "", 1)
			}
		}
	}
	return strings.Join(lines, "")
}

// turnsTo returns where a reply that begins with another question comes to the one that was asked; 0 if it does not.
func (t theme) turnsTo(reply string) int {
	all := restated.FindAllStringIndex(reply, maxStatements)
	for i, at := range all {
		asked, _, _ := strings.Cut(strings.TrimSpace(head(reply[at[1]:])), "\n")
		switch own := t.whole(asked); {
		case i == 0 && (own || strings.TrimSpace(reply[:at[0]]) != ""):
			return 0
		case own:
			return at[0]
		}
	}
	return 0
}

// whole reports whether a question has all words of the one that was asked, which must be known.
func (t theme) whole(text string) bool {
	stems := themeOf(text)
	for s := range t {
		if !stems[s] {
			return false
		}
	}
	return len(t) > 0
}
