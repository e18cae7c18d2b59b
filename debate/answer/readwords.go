package answer

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// readWords reads an answer in words. It looks for these, in this order, in the part of the reply behind its reasoning
// and before an invented next question:
//
//  1. the last \boxed{};
//  2. the last statement: "the answer is Paris", "Answer: Paris", "Final Solution: Paris", #### Paris;
//  3. a reply that is nothing but some words, or a last line that is; if the first line is too, that one;
//  4. in a complete reply that begins so, "The text does not say ...", which is "unknown";
//  5. in a complete reply, what its only or concluding sentence says of its subject: Paris in "The capital is Paris.";
//  6. in a complete reply of one sentence, all of it.
//
// A statement ends with its sentence, or before "because" and the like. The answer is normalised as SQuAD does
// (NormalizeSpan), with composed letters and one apostrophe. "Unknown" and what means it count only as a whole answer.
func readWords(q Question) Extractor {
	known := wordsOf(q.Text)
	return func(reply string) Answer {
		p := pageOf(reply, 0)
		all, hashes := statements(p)
		if a := markedWords(p, all, hashes, known); a.Parsed {
			return explicit(a)
		}
		last := p.last()
		if last < 0 {
			return Answer{How: Nothing}
		}
		text := p.lines[last].text
		if first := p.next(-1); first >= 0 && isPhrase(p.lines[first].text) && isPhrase(text) {
			text = p.lines[first].text // which the reply goes on after
		}
		if isPhrase(text) && !p.lines[last].listed && !p.open {
			if a := spanOf(cmp.Or(unasked(text, known), text)); a.Parsed {
				return explicit(a)
			}
		}
		if p.open || len(all) > 0 && (all[len(all)-1].line >= last || all[len(all)-1].text == "") {
			return Answer{How: Nothing}
		}
		a := spanOf(said(p, known))
		if a.Parsed {
			a.How = Fallback
		} else {
			a.How = Nothing
		}
		return a
	}
}

// markedWords reads the words in a box or behind a mark. Behind a mark there may be a sentence, which says the answer
// of what was asked: "The answer is: The capital of France is Paris."
func markedWords(p page, all, hashes []statement, known map[string]bool) Answer {
	if content, ok := lastBoxed(p.text()); ok {
		if a := spanOf(textOf(content)); a.Parsed {
			return a
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		text := stated(all[i].text)
		if copula.MatchString(text) && !negated.MatchString(text) {
			text = cmp.Or(unasked(text, known), text)
		}
		if a := spanOf(text); a.Parsed {
			return a
		}
	}
	for _, s := range hashes {
		if a := spanOf(stated(s.text)); a.Parsed && len(strings.Fields(a.Text)) <= maxPhrase {
			return a
		}
	}
	return Unparsed
}

// maxPhrase bounds the words of an answer that is not stated behind a mark, maxSpan those of one that is.
const maxPhrase, maxSpan = 6, 40

var (
	behindAnswer = regexp.MustCompile(`(?i)[,;(]? +\(?\b(?:because|since|while|which|who|where|so that|according to|as (?:it|he|she|they|the|stated|mentioned)` +
		`\b)`)
	wordsUnknown = regexp.MustCompile(`(?i)^(?:it is |it's |this is |that is |the answer is )?(?:unknown|unanswerable|not (?:known|answerable|` +
		`stated|mentioned|given|specified|provided|in the (?:text|passage|context))|no answer|cannot be (?:answered|determined|known)|` +
		`can't be (?:answered|determined))(?: (?:to me|to us|from (?:the|this) (?:text|passage|context|information)|in the (?:text|passage|` +
		`context)|at (?:this|the) (?:time|moment)))?$`)
	wrapped = regexp.MustCompile(`\\(?:text|textbf|mathrm|mathbf|textit)\{([^{}]*)\}`)
)

// untold matches a sentence that says that the text does not answer the question.
var untold = regexp.MustCompile(`(?i)\b(?:text|passage|context|article|paragraph|information)\b[^.]{0,30}\b(?:does not|doesn't|do not|don't|did not) ` +
	`(?:explicitly |directly |actually |specifically )?(?:say|state|mention|provide|give|specify|contain|tell|include|answer|indicate)\b|` +
	`\b(?:is|are|was|were) (?:not|never) (?:explicitly |directly |specifically )?(?:mentioned|stated|given|specified|provided|answered)\b|` +
	`\b(?:question|it|this)\b[^.]{0,40}\b(?:cannot|can't|can not) be (?:answered|determined)\b|` +
	`\b(?:there is )?no (?:information|mention|answer)\b[^.]{0,60}\b(?:text|passage|context|question|about|on|of)\b`)

// textOf returns a text without the commands of LaTeX around its words.
func textOf(content string) string {
	return strings.Trim(wrapped.ReplaceAllString(content, "$1"), " $.")
}

// stated returns the part of a statement that is the answer.
func stated(text string) string {
	text = strings.TrimLeft(textOf(text), " :*_#=-–—>")
	if quoted, ok := inQuotes(text); ok {
		text = quoted
		if at := mark.FindStringIndex(text); at != nil && at[0] == 0 {
			text = text[at[1]:]
		}
		return text
	}
	if all := sentences(text); len(all) > 0 {
		if strings.HasSuffix(all[0], "?") {
			return ""
		}
		text = all[0]
	}
	if at := behindAnswer.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	return text
}

// inQuotes returns the text between the quotation marks with which a statement begins.
func inQuotes(text string) (string, bool) {
	inside, ok := strings.CutPrefix(text, `"`)
	if !ok {
		return "", false
	}
	inside, _, _ = strings.Cut(inside, `"`)
	return inside, strings.TrimSpace(inside) != ""
}

// spanOf returns the canonical text of some words.
func spanOf(text string) Answer {
	text = strings.TrimSpace(norm.NFC.String(markup.Replace(text)))
	if placeholder.MatchString(text) {
		return Unparsed
	}
	if wordsUnknown.MatchString(strings.Trim(text, ` .!"'*`)) {
		return Of(NoSpan)
	}
	if denied.MatchString(text) {
		return Unparsed
	}
	span := NormalizeSpan(text)
	if span == "" || len(strings.Fields(span)) > maxSpan || vague.MatchString(span) {
		return Unparsed
	}
	return Of(span)
}

// isPhrase reports whether a line is some words rather than a sentence.
func isPhrase(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= maxPhrase && !verb.MatchString(text) && !strings.HasSuffix(text, ":") &&
		!strings.HasSuffix(text, "?") && !step.MatchString(text) && !filler.MatchString(text) &&
		!mark.MatchString(text) && !titled.MatchString(text)
}

var (
	// verb matches the verbs by which a sentence is known.
	verb = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|should|must|may|might|` +
		`let's|let|think|know|means|need|i'm|it's|that's)\b`)
	// filler begins a sentence that says nothing of the question.
	filler = regexp.MustCompile(`(?i)^(?:let's|let us|let me|sure|okay|ok|of course|certainly|hello|hi|thank|thanks|first|step|here is|` +
		`here are|to (?:answer|find|solve|determine)|i'm sorry|sorry|we need|we can|we have|i will|i would|explanation|note|great)\b`)
	copula   = regexp.MustCompile(`(?i)\b(?:is|was|are|were)\b(?: (?:called|named|known as|considered|(?:located|based) in))?[ ]+`)
	finally  = regexp.MustCompile(`(?i)^(?:so|therefore|thus|hence|in conclusion|finally|as a result)\b[, ]*`)
	replying = regexp.MustCompile(`(?i)^(?:yes|no)\b(?:[,.;!]| (?:it|he|she|they|you|we|i|there|this|that)\b)`)
)

// leadingWord matches the word with which a text begins.
var leadingWord = regexp.MustCompile(`^\pL+`)

// wordsOf returns the words of a question, nil if it has no text. Of a long one, such as a passage with a question, the
// last line is the question.
func wordsOf(question string) map[string]bool {
	question = strings.TrimSpace(question)
	question = question[strings.LastIndexByte(question, '\n')+1:]
	if question == "" || len(question) > 2*maxStatement {
		return nil
	}
	known := make(map[string]bool)
	for _, w := range strings.Fields(NormalizeSpan(question)) {
		known[w] = true
	}
	return known
}

// connecting are words between the subject of a sentence and what it says of it.
var connecting = regexp.MustCompile(`^(?:is|was|are|were|be|been|it|this|that|in|on|at|by|from|of|to|did|has|have|had|as|called|named|and)$`)

// unasked returns a sentence without the words at its ends that the question has too; "" if none of them, or all, are.
func unasked(text string, known map[string]bool) string {
	words, repeated := strings.Fields(NormalizeSpan(text)), 0
	trim := func(first bool) {
		for len(words) > 0 {
			at := 0
			if !first {
				at = len(words) - 1
			}
			asked := known[words[at]]
			if !asked && !connecting.MatchString(words[at]) {
				if first && len(words) > 2 && words[1] == "by" { // written by
					words = words[2:]
				}
				return
			}
			if asked {
				repeated++
			}
			words = append(words[:at:at], words[at+1:]...)
		}
	}
	trim(true)
	trim(false)
	if repeated == 0 || len(words) > maxPhrase {
		return ""
	}
	return strings.Join(words, " ")
}

// said returns what a page says in its concluding sentence, or in its first if none concludes; of a page that is one
// sentence, it may be all.
func said(p page, known map[string]bool) string {
	var all []string
	for _, l := range p.lines {
		if !l.listed {
			all = append(all, sentences(l.text)...)
		}
	}
	if len(all) == 0 {
		return ""
	}
	text := all[0]
	if m := finally.FindString(all[len(all)-1]); m != "" {
		text = all[len(all)-1][len(m):]
	}
	switch reply := replying.FindString(text); {
	case filler.MatchString(text) || titled.MatchString(text) || strings.TrimRight(text, "?:") != text:
		return ""
	case reply != "":
		return leadingWord.FindString(reply)
	}
	if untold.MatchString(text) {
		return NoSpan
	}
	if isPhrase(text) {
		return text
	}
	whole := ""
	if len(all) == 1 && ended(text) && !aboutText.MatchString(text) {
		whole = text
	}
	return cmp.Or(predicate(text, known), whole)
}

var (
	// aboutText begins a sentence that is rather about the question or its text than an answer.
	aboutText = regexp.MustCompile(`(?i)^(?:the |this |these )?(?:text|passage|paragraph|context|question|answers?|following)\b`)
	// partOf matches what a sentence says of its subject if either part of it may be the answer, or none.
	partOf = regexp.MustCompile(`(?i)^(?:(?:an?|one) .+ of |the one (?:that|who|which)\b)`)
	// titled matches a line that is a title rather than an answer.
	titled = regexp.MustCompile(`(?i)^(?:(?:another|additional|more|further|final|the) )?(?:answers?|information|details?|response|questions?|` +
		`text|passage)\.?$`)
)

// predicate returns the part of a sentence that the question does not have, else what follows its verb.
func predicate(text string, known map[string]bool) string {
	if at := behindAnswer.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	if rest := unasked(text, known); rest != "" && !negated.MatchString(text) {
		return rest
	}
	at := copula.FindStringIndex(text)
	if at == nil || negated.MatchString(text) {
		return ""
	}
	text, _, _ = strings.Cut(text[at[1]:], ": ")
	if len(strings.Fields(NormalizeSpan(text))) > maxPhrase || partOf.MatchString(text) {
		return ""
	}
	return text
}

// readPhrase reads a name where no options are known: a statement, or a reply that is some words.
func readPhrase(reply string) Answer {
	p := pageOf(reply, 0)
	all, _ := statements(p)
	for i := len(all) - 1; i >= 0; i-- {
		if text := strings.Trim(stated(all[i].text), ` ."'`); text != "" && !placeholder.MatchString(text) {
			return explicit(Of(text))
		}
	}
	if last := p.last(); last >= 0 && isPhrase(p.lines[last].text) {
		if text := strings.Trim(p.lines[last].text, ` ."'`); text != "" {
			return explicit(Of(text))
		}
	}
	return Answer{How: Nothing}
}
