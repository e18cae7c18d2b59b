package reader

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// namedLast matches the unknown, or the sum of unknowns, that a question asks for.
	namedLast = regexp.MustCompile(`(?i)\b(?:what is|find|compute|calculate|determine|solve for|value of)(?: (?:the value of|all|real|positive|integers?))* ` +
		`\$?\s*((?-i:[a-z])(?: ?\+ ?(?-i:[a-z]))*)\b[^\pL]*(?:$|[ :,.?$])`)
	// dangling matches a last line that announces the answer, which does not follow.
	dangling = regexp.MustCompile(`(?i)\b(?:is|are|be|equals|answer|solution|result|value|get|have|conclude)[)* \t]*:[* \t]*$`)
	// valueOf matches the unknown of which a line announces the value.
	valueOf = regexp.MustCompile(`(?i)\b(?:values?|solutions?) (?:of|for) (?:\\\(|\$)? ?([a-z])\b`)
	// summing matches a sentence on a sum, or on what is asked for.
	summing = regexp.MustCompile(`(?i)\b(?:sum|answer|result|requested|required|asked|final)\b|[0-9)}] ?\+ ?[0-9({\\][^=]*=`)
)

// namedIn returns the unknown, or the sum of unknowns, that a question asks for at its end; "" if it names none.
func namedIn(question string) string {
	m := namedLast.FindStringSubmatch(lastSentence(question))
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], " ", "")
}

// sums reports whether a question asks for a sum of unknowns, and sumsUp whether a sentence is on that.
func (n numeric) sums() bool { return strings.Contains(n.names, "+") }

func (n numeric) sumsUp(text string) bool {
	return summing.MatchString(text) || strings.Contains(strings.ReplaceAll(text, " ", ""), n.names)
}

// undangled returns a complete page before a last line that announces the answer, which does not follow, and the
// unknown that is asked for, "" if there is none; not ok if the page has no such line.
func (n numeric) undangled(p page) (above page, unknown string, ok bool) {
	last := p.last()
	if p.open || p.previous(last) < 0 || !dangling.MatchString(p.lines[last].text) ||
		len(valuesIn(figures.Replace(p.lines[last].text))) > 0 {
		return p, "", false
	}
	unknown = n.names
	if m := valueOf.FindStringSubmatch(p.lines[last].text); m != nil {
		unknown = m[1]
	}
	p.lines = p.lines[:last]
	for i := p.last(); i > 0 && isTitle(p.lines[i].text); i = p.last() {
		p.lines = p.lines[:i]
	}
	return p, unknown, true
}

// halfConclusion returns a page before its last sentence if that begins to conclude, in the words of the question, and
// breaks off before it says what, right below a line that ends in a value; not ok if there is none.
func (n numeric) halfConclusion(p page) (above page, ok bool) {
	last := p.last()
	if !p.open || last < 0 || p.previous(last) < 0 {
		return p, false
	}
	text := p.lines[last].text
	if !finally.MatchString(text) || endsSentence(text) || len(sentences(text)) > 1 ||
		slices.ContainsFunc(valuesIn(figures.Replace(text)), func(v value) bool { return !n.isGiven(v) }) ||
		!answersBy.MatchString(text) && share(text, n.asked) < leastRepeated {
		return p, false
	}
	p = page{lines: p.lines[:last]}
	line := p.lines[p.last()].text
	at := strings.LastIndexAny(line, "=≈")
	return p, at >= 0 && !unknowns.MatchString(commands.ReplaceAllString(line[at:], " ")) && !half(line)
}

// answersBy ends a line that was to go on with the answer.
var answersBy = regexp.MustCompile(`(?i)\banswer is$`)

// isTitle reports whether a line is the title of what follows.
func isTitle(text string) bool {
	return strings.HasPrefix(text, "#") || strings.HasSuffix(text, ":") ||
		len(strings.Fields(text)) <= briefName && !valued.MatchString(text)
}

// assigned returns what a page last says that an unknown is, in a formula of its own; "" if it says nothing.
func (p page) assigned(unknown string) string {
	if unknown == "" {
		return ""
	}
	for _, l := range slices.Backward(p.lines) {
		formulas := []string{l.text}
		for _, m := range inline.FindAllStringSubmatch(l.text, -1) {
			formulas = append(formulas, m[1]+m[2]+m[3])
		}
		for _, f := range slices.Backward(formulas) {
			m := givesUnknown.FindStringSubmatch(head(f))
			if m != nil && m[1] == unknown && !unknowns.MatchString(m[2]) && isFormula(m[2]) {
				return unmarked(m[2])
			}
		}
	}
	return ""
}

// enumerates reports whether a sentence is the last of three or more in the same words.
func (p page) enumerates(sentence string) bool {
	words, times := small(sentence), 0
	for _, s := range p.sentences() {
		if small(s) == words {
			times++
		}
	}
	return len(strings.Fields(words)) >= leastAlike && times >= leastListed
}

// leastAlike is how many words in small letters sentences have in common that list something, and leastListed how many
// such sentences.
const leastAlike, leastListed = 5, 3

// small returns the words of a sentence that have small letters only.
func small(sentence string) string {
	words := strings.Fields(sentence)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return !smallWord.MatchString(w) }), " ")
}

var smallWord = regexp.MustCompile(`^\p{Ll}+$`)
