package reader

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate/answer"
)

// readText reads a text, such as a translation. It looks for these, in this order, in the part of the reply behind its
// reasoning and before an invented next question:
//
//  1. the last quotation of some words that the reply says is the translation, or a right one: "The most accurate
//     translation is ...", "... is a better translation";
//  2. what stands behind the last statement or "translation:": the rest of its line, or what its quotation marks hold;
//  3. a complete reply of one line; the only quotation in one of several lines; else all of it.
//
// A reply that argues, or that begins within a sentence, is no text itself. Quotation marks around the text are no part
// of it.
func readText(answer.Question) answer.Extractor {
	return func(reply string) answer.Answer {
		p := pageOf(reply, nil)
		if text := findEndorsed(p); text != "" {
			return explicit(answer.Of(text))
		}
		if text := findAnnounced(p); text != "" {
			return explicit(answer.Of(text))
		}
		whole := strings.TrimSpace(p.text())
		first, _ := utf8.DecodeRuneInString(whole)
		if whole == "" || unicode.IsLower(first) || arguing.MatchString(whole) {
			return answer.Answer{How: answer.Nothing}
		}
		if all := quotation.FindAllStringSubmatch(whole, 2); len(all) == 1 && strings.Contains(whole, "\n") {
			whole = all[0][1]
		}
		return answer.Answer{Text: unquote(whole), Parsed: true, How: answer.Fallback}
	}
}

var (
	quotation = regexp.MustCompile(`"([^"\n]+)"`)
	// translated matches the mark before a text that was asked for.
	translated = regexp.MustCompile(`(?i)\b(?:translation|translated (?:sentence|text)|english|text)\b[^:\n"]{0,40}(?::|\bis\b:?)[ \t]*`)
	// translation comes before the quotation that is said to be one.
	translation = regexp.MustCompile(`(?i)\btranslation\b[^.!?\n]*(?:\bis|\bwould be|\bshould be|:)[ :,]*$`)
	// fitting comes behind the quotation that is said to be right.
	fitting = regexp.MustCompile(`(?i)^[,.]? *(?:(?:is|was|would be)\b[^".]{0,60}\b(?:accurate(?:ly)?|correct|right|better|best|appropriate|suitable|faithful|precise|natural)\b|` +
		`(?:more |most )?(?:accurately|correctly|better|best) (?:captures?|conveys?|expresses|reflects|represents)\b)`)
	alsoFits = regexp.MustCompile(`(?i)\b(?:also|equally|both|may|might|could|less)\b`)
	// doubting comes before a quotation that is said not to be right.
	doubting = regexp.MustCompile(`(?i)\b(?:disagree|doubt|(?:not|n't) (?:believe|think|agree|say))\b[^.!?]{0,60}$`)
	arguing  = regexp.MustCompile(`(?i)\b(?:translations?|your (?:perspective|response|point)|as an ai|i (?:still |also |completely )?` +
		`(?:agree|disagree|believe|argue|apologi[sz]e))\b`)
)

// leastQuoted is the least words of a quotation that can be a text rather than a part of it.
const leastQuoted = 3

// findEndorsed returns the last quotation that a page says is the translation or a right one. It returns "" if there is
// none.
func findEndorsed(p page) (found string) {
	for _, l := range p.lines {
		for _, at := range quotation.FindAllStringSubmatchIndex(l.text, -1) {
			text := l.text[at[2]:at[3]]
			before, behind := l.text[max(0, at[0]-maxStatement):at[0]], head(l.text[at[1]:])
			said := fitting.FindString(behind)
			if len(strings.Fields(text)) < leastQuoted || denied.MatchString(text) || doubting.MatchString(before) {
				continue
			}
			if m := translation.FindString(before); m != "" && !negated.MatchString(m) ||
				said != "" && !negated.MatchString(said) && !alsoFits.MatchString(said) {
				found = strings.TrimSpace(text)
			}
		}
	}
	return found
}

// findAnnounced returns the text behind the last mark of a page. It returns "" if the page has no mark.
func findAnnounced(p page) (found string) {
	for i, l := range p.lines {
		for _, re := range []*regexp.Regexp{mark, translated} {
			all := re.FindAllStringIndex(l.text, -1)
			if len(all) == 0 {
				continue
			}
			at := all[len(all)-1]
			text := strings.TrimSpace(l.text[at[1]:])
			if re == translated && !strings.Contains(l.text[at[0]:at[1]], ":") && !strings.HasPrefix(text, `"`) {
				continue // it says something of the text
			}
			if n := p.next(i); text == "" && n >= 0 {
				text = p.lines[n].text
			}
			if text = unquote(text); strings.ContainsFunc(text, saying) && !placeholder.MatchString(text) {
				found = text
			}
		}
	}
	return found
}

// unquote returns a text without the quotation marks around it.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if inside, ok := inQuotes(text); ok && len(inside) >= len(text)/2 {
		return strings.TrimSpace(inside)
	}
	return text
}
