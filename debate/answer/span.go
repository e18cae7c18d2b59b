package answer

import (
	"regexp"
	"slices"
	"strings"
)

// NoSpan is the answer that a question cannot be answered from its text.
const NoSpan = "unknown"

var spanMark = regexp.MustCompile(`(?i)(?:final solution:|answer is:?)([^\n]*)`)

// Span reads an answer in words by the rules of SQuAD: what stands behind the last "Final Solution:" or "answer is" on
// its line, or else the whole reply, as NormalizeSpan has it. By source 4's rule a reply with "unknown" in it is the
// answer that there is none.
func Span(reply string) Answer {
	if m := last(spanMark, reply); m != nil && strings.TrimSpace(m[1]) != "" {
		reply = m[1]
	}
	if strings.Contains(strings.ToLower(reply), NoSpan) {
		return Of(NoSpan)
	}
	if text := NormalizeSpan(reply); text != "" {
		return Of(text)
	}
	return Unparsed
}

// NormalizeSpan is normalize_answer of SQuAD 2.0's evaluation (Rajpurkar et al. 2018): lower case, no ASCII
// punctuation, no articles, single blanks. An article is one if blanks are around it; theirs also sees it between
// letters and marks that are not ASCII.
func NormalizeSpan(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == "a" || w == "an" || w == "the" })
	return strings.Join(words, " ")
}
