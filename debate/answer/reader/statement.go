package reader

import (
	"regexp"
	"strings"
)

// hedges are words between a verb and what it states, of no difference to that, and renders are participles that stand
// there.
const (
	hedges = `actually|also|apparently|basically|certainly|clearly|conclusively|definitely|definitively|effectively|emphatically|` +
		`essentially|evidently|exactly|finally|hence|in (?:fact|effect|essence)|indeed|just|(?:most |very |quite )?likely|logically|` +
		`merely|obviously|of course|only|practically|precisely|presumably|(?:most )?probably|really|simply|still|surely|that|then|` +
		`therefore|thus|truly|ultimately|undoubtedly|unequivocally|virtually`
	renders = `(?:best )?(?:calculated|computed|concluded|considered|deemed|described|determined|estimated|expressed|found|given|` +
		`interpreted|judged|known|read|represented|seen|shown|summari[sz]ed|taken|understood) (?:to be|as)|` +
		`equal to|equivalent to`
)

// mark matches the words behind which a reply states its answer.
var mark = regexp.MustCompile(`(?i)####|\bfinal[ \t]+(?:solution|answer|choice|response|result)\b[ \t]*(?:\([^()\n]{0,40}\))?` +
	`[ \t]*(?:[:=]|\bis\b:?|\bwould be\b|[-–—] |\bof\b)|` +
	`\b(?-i:Ans|ANS)\.[ \t]+|\b(?:answer|ans|my (?:choice|vote)|(?:correct|right|best|chosen|selected) (?:option|choice|answer|statement))[ \t]*` +
	`(?:\([^()\n]{0,40}\)|\[[^\]\n]{0,20}\])?[ \t]*(?:[:=]>?|->|→)|` +
	`\b(?:answers?|solution is|(?:correct|right|best|chosen|closest|nearest|appropriate|likely) (?:one|option|choice|statement|response))` +
	`(?:[ \t]+(?:choice|option|letter|number|value))?(?:[ \t]*\([^()\n]{0,40}\))?` +
	`(?:[ \t]+to (?:the|this) question:?,? "[^"\n]*",?)?` +
	`(?:[ \t]*,?[ \t]+(?:to|for|of|in|that|which|who|here|given|from|based|among|we|i|therefore|thus|then)` +
	`(?:[ \t]+[^\s.!?:;]+){0,14}?)?[ \t]*,?[ \t]+(?:(?:is|are|was|would be|should be|must be|will be|has to be|equals)\b|=)` +
	`(?:[ \t]+(?:` + hedges + `)\b,?){0,3}(?:[ \t]+(?:` + renders + `)\b)?[ \t]*(?:[:=])?`)

// heading matches a line that is only the title of the answer below it.
var heading = regexp.MustCompile(`(?i)^[#\s]*(?:the |my )?(?:final |correct )?(?:answer|solution|choice)[.:]?$`)

// unsure matches words before a mark with which it states nothing.
var unsure = regexp.MustCompile(`(?i)\bif \pL+'s $|\bof (?:his|her|their) $|\b(?:if|whether|unless|suppose|assuming|assume|when|until|why|how|not|` +
	`form|format)(?: that)?(?: the| your| my| an| this| of)?(?: \w+)?[ \t,"']*$|` +
	`\b(?:to|into(?: the| your| my| an)?|can|could|please|cannot|i|we|you)[ \t]+$|` +
	`\bplease \w+(?: the| your| my| an)?[ \t]+$`)

// instructing begins a sentence on what to answer when.
var instructing = regexp.MustCompile(`(?i)^[ \t]*if (?:the |a |your )?(?:text|passage|context|question|answer)\b`)

// hinted ends what a reply says that something else says.
var hinted = regexp.MustCompile(`(?i)\b(?:metadata|hint|prompt|key|note|tag|label|file|user|professor|question)s? ` +
	`(?:\pL+ )?(?:indicates?|says?|states?|suggests?|claims?|implies|gives?|lists?|specifies)(?: that)?(?: the)?(?: \pL+)? ?$`)

// ofClause matches a mark of which the verb belongs to a clause: "the answer to what was asked".
var ofClause = regexp.MustCompile(`(?i)\b(?:what|who|whom|how|why|where)[ \t]+(?:the(?: \pL+){1,4} )?(?:is|are|was|would be|should be|must be|will be|has to be)\b[^a-zA-Z]*$`)

// maxStatement bounds the bytes behind a mark that are read, so that many marks in one line take no longer than the
// line. What is longer is no answer.
const maxStatement = 400

// statement is what a reply says behind a mark.
type statement struct {
	line int
	text string // the rest of the line, or the next line
	from int    // where the mark begins in the line
}

// statements returns what a page states, in order, and apart from it what stands behind ####, the mark of GSM8K's
// solutions. Behind a mark at the end of a line, the next line is meant; where none follows, the text is empty.
func statements(p page) (all []statement, hashes []statement) {
	for i, l := range p.lines {
		switch {
		case l.listed:
			continue
		case heading.MatchString(l.text):
			if n := p.next(i); n >= 0 && !p.lines[n].listed && !firstItem.MatchString(p.lines[n].text) {
				all = append(all, statement{line: n, text: head(p.lines[n].text)})
			}
			continue
		}
		found := mark.FindAllStringIndex(l.text, -1)
		for k := range found {
			s, ok := p.statement(i, k, found)
			switch {
			case !ok:
			case l.text[found[k][0]:found[k][1]] == "####":
				hashes = append(hashes, s)
			default:
				all = append(all, s)
			}
		}
	}
	if p.open && differ(all) {
		all = nil
	}
	return all[max(0, len(all)-maxStatements):], hashes[:min(len(hashes), maxStatements)]
}

// statement returns what a page states behind one of the marks of a line; not ok if that is nothing, or the next mark
// continues this one.
func (p page) statement(i, k int, found [][]int) (s statement, ok bool) {
	l, at := p.lines[i], found[k]
	to := len(l.text)
	if k+1 < len(found) {
		to = found[k+1][0]
	}
	before, behind := l.text[:at[0]], l.text[at[1]:to]
	quoted := quotes(before) && (k == 0 || found[k-1][1] < opens(before)-1) // the form of an answer
	if ofClause.MatchString(l.text[at[0]:at[1]]) || to < len(l.text) && strings.TrimSpace(behind) == "" || quoted ||
		instructing.MatchString(ownSentence(before)) || hinted.MatchString(ownSentence(before)) ||
		unsure.MatchString(tail(before)) {
		return s, false
	}
	s = statement{i, head(behind), at[0]}
	if strings.Trim(s.text, ` :*_#"'$`) != "" || k < len(found)-1 {
		return s, true
	}
	n := p.next(i)
	if n >= 0 && p.lines[n].listed {
		return s, false
	}
	if s.text = ""; n >= 0 {
		s = statement{line: n, text: head(p.lines[n].text)}
	}
	if firstItem.MatchString(s.text) {
		return s, false
	}
	return s, true
}

// firstItem matches a line that is the first of a list of sentences.
var firstItem = regexp.MustCompile(`^1[.)][ \t]+\pL+ \S+ \S`)

// ownSentence returns the last sentence of what stands before a mark.
func ownSentence(before string) string {
	before = before[max(0, len(before)-maxStatement):]
	return before[strings.LastIndexAny(before, ".?!")+1:]
}

// differ reports whether a page has many statements and none of them more often than all others: answers to many
// questions, or none.
func differ(all []statement) bool {
	times, most := make(map[string]int), 0
	for _, s := range all {
		words := strings.Fields(plainWords(head(s.text)))
		key := words[:min(len(words), 2)]
		if len(key) > 0 && (len(strings.Trim(key[0], around)) == 1 || valued.MatchString(key[0])) {
			key = key[:1]
		}
		text := strings.Join(key, " ")
		times[text]++
		most = max(most, times[text])
	}
	return len(all) >= leastDiffering && 2*most <= len(all)
}

// leastDiffering is how many such statements make a reply that breaks off one without an answer.
const leastDiffering = 4

// maxStatements bounds how many statements of a reply are read: the last ones, and the first behind ####.
const maxStatements = 100

// quoting matches the beginning of a quotation right before a mark.
var quoting = regexp.MustCompile(`(?i)"(?:(?:so |therefore )?,?(?:the |my ))?$`)

// quotes reports whether a line goes on with a quotation.
func quotes(before string) bool { return opens(before) > 0 }

// opens returns where the quotation begins with which a line goes on, or 0 if it is all of the line, -1 if there is
// none.
func opens(before string) int {
	at := quoting.FindStringIndex(before)
	if at == nil {
		return -1
	}
	return at[0]
}

// head returns the beginning of a text, as long as a statement may be.
func head(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxStatement {
		return text
	}
	return strings.ToValidUTF8(text[:maxStatement], "")
}

// tail returns the words right before a mark.
func tail(text string) string { return text[max(0, len(text)-40):] }

// textOf returns a text without the commands of LaTeX around its words.
func textOf(content string) string {
	text := strings.TrimLeft(strings.TrimRight(wrapped.ReplaceAllString(content, "$1"), " $."), " $")
	if !pointed.MatchString(text) {
		text = strings.TrimLeft(text, " $.")
	}
	return text
}

// statedPart returns the part of a statement that is the answer.
func statedPart(text string) string {
	whole := textOf(text)
	text = strings.TrimLeft(whole, " :*_#=-–—>")
	if signed.MatchString(text) {
		text = signs.FindString(strings.TrimSuffix(whole, text)) + text
	}
	if quoted, ok := inQuotes(text); ok {
		text = quoted
		if at := mark.FindStringIndex(text); at != nil && at[0] == 0 {
			text = text[at[1]:]
		}
		return text
	}
	if m := numberFirst.FindStringSubmatch(text); m != nil && !move.MatchString(text) {
		return m[1]
	}
	if all := sentences(text); len(all) > 0 {
		if asksOrGoesOn(all[0]) || itemMark.MatchString(all[0]) {
			return ""
		}
		if len(all) == 2 && len(text) <= longest && firstWord(all[0]) == firstWord(all[1]) &&
			plainWords(all[0]) != plainWords(all[1]) && verb.MatchString(all[1]) {
			return text // of two things in the same words
		}
		text = all[0]
	}
	for _, more := range []*regexp.Regexp{behindAnswer, rejecting} {
		if at := more.FindStringIndex(text); at != nil && at[0] > 0 {
			text = text[:at[0]]
		}
	}
	return text
}

// rejecting begins what a statement says behind its answer that it is not.
var rejecting = regexp.MustCompile(`(?i)[,;] +(?:not|rather than|instead of)\b| +\((?:and )?not [^()]*\)`)

var (
	// signs matches what makes the number or the letter behind it another one, and signed begins these.
	signs  = regexp.MustCompile(`(?:[<>]=?|-|=)$`)
	signed = regexp.MustCompile(`^(?:\.?[0-9]|∞|[a-z]\b)`)
	// pointed begins a number that has nothing before its point.
	pointed = regexp.MustCompile(`^\.[0-9]`)
)

// asksOrGoesOn reports whether a sentence asks, or goes on elsewhere.
func asksOrGoesOn(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "...")
}

var (
	// numberFirst matches a number that is all of its sentence, before another one.
	numberFirst = regexp.MustCompile(`^([0-9]{1,2})\.\s+\p{Lu}`)
	// itemMark matches the mark of the first of several items.
	itemMark = regexp.MustCompile(`^[0-9]{1,2}\)`)
)

// inQuotes returns the text between the quotation marks with which a statement begins.
func inQuotes(text string) (string, bool) {
	inside, ok := strings.CutPrefix(text, `"`)
	if !ok {
		return "", false
	}
	inside, _, _ = strings.Cut(inside, `"`)
	return inside, strings.TrimSpace(inside) != ""
}
