package reader

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/parley-debate/parley/debate/answer"
)

// readWords reads an answer in words. It looks for these, in this order, in the part of the reply behind its reasoning
// and before an invented next question:
//
//  1. the last \boxed{};
//  2. the last statement: "the answer is Paris", "Answer: Paris", "Final Solution: Paris", #### Paris;
//  3. a reply that is nothing but some words, or a last line that is; if the first line is too, that one;
//  4. in a complete reply that begins so, "The text does not say ...", which is "unknown";
//  5. in a complete reply of several lines, what the last one has in bold type, in quotation marks at its end, or
//     behind a verb with a colon; as many words in bold type as the question has blanks;
//  6. in a complete reply, what its only or concluding sentence says of its subject: Paris in "The capital is Paris.";
//  7. in a complete reply of one sentence, all of it;
//  8. in a complete reply, what a sentence has in bold type last.
//
// A statement ends with its sentence, or before "because" and the like. The answer is normalised as SQuAD does, but
// that marks which make it another one are kept (NormalizeWords), with composed letters and one apostrophe. "Unknown"
// and what means it count only as a whole answer.
func readWords(q answer.Question) answer.Extractor {
	known, asked, theme := wordsOf(q.Text), allStems(q.Text), questionTheme(q)
	blanks := len(blank.FindAllString(q.Text[max(0, len(q.Text)-maxAsked):], -1))
	return func(reply string) answer.Answer {
		p := pageOf(reply, theme)
		all, hashes := statements(p)
		if a := markedWords(p, all, hashes, known); a.Parsed {
			return explicit(a)
		}
		last := p.last()
		if last < 0 {
			return answer.Answer{How: answer.Nothing}
		}
		if a := p.openingPhrase(); a.Parsed && len(all) == 0 && fits(a.Text, known) {
			return explicit(a)
		}
		if a := p.phrase(known, asked); a.Parsed && fits(a.Text, known) {
			return explicit(a)
		}
		if p.open || len(all) > 0 && (all[len(all)-1].line >= last || all[len(all)-1].text == "") {
			return answer.Answer{How: answer.Nothing}
		}
		a := spanOf(cmp.Or(p.filled(blanks), p.emphasised(), saidText(p, known, asked), p.lastBold()))
		if a.Parsed = a.Parsed && fits(a.Text, known); a.Parsed {
			a.How = answer.Fallback
			return a
		}
		return answer.Answer{How: answer.Nothing}
	}
}

// phrase reads a last line that is nothing but some words; if the first line is, too, that one.
func (p page) phrase(known, asked map[string]bool) answer.Answer {
	first, last := p.next(-1), p.last()
	text := p.lines[last].text
	if first >= 0 && isPhrase(p.lines[first].text) && isPhrase(text) {
		text = p.lines[first].text // which the reply goes on after
	}
	if !isPhrase(text) || p.lines[last].listed || p.open || repeatsQuestion(text, asked) {
		return answer.Unparsed
	}
	if strings.HasSuffix(text, ".") {
		text = cmp.Or(trimAsked(text, known), text)
	}
	return spanOf(text)
}

// markedWords reads the words in a box or behind a mark. Behind a mark there may be a sentence, which says the answer
// of what was asked: "The answer is: The capital of France is Paris."
func markedWords(p page, all, hashes []statement, known map[string]bool) answer.Answer {
	if content, ok := p.boxed(); ok {
		if a := spanOf(textOf(content)); a.Parsed {
			return a
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		text, before := statedPart(all[i].text), p.lines[all[i].line].text
		if untold.MatchString(ownSentence(before[:min(all[i].from, len(before))])) || onText.MatchString(text) ||
			ending.MatchString(text) || ofSeveral.MatchString(all[i].text) ||
			p.open && all[i].line == p.last() && unended.MatchString(text) && verb.MatchString(text) &&
				strings.HasSuffix(before, text) ||
			talking.MatchString(text) && len(strings.Fields(text)) > maxPhrase {
			continue
		}
		if copula.MatchString(text) && !negated.MatchString(text) {
			text = cmp.Or(agentOf(text, known), trimAsked(text, known), text)
		}
		if a := spanOf(text); a.Parsed && !(isReply(a.Text) && !fits(a.Text, known)) {
			return a
		}
	}
	for _, s := range hashes {
		if a := spanOf(statedPart(s.text)); a.Parsed && len(strings.Fields(a.Text)) <= maxPhrase {
			return a
		}
	}
	return answer.Unparsed
}

// blank matches what a question wants to be filled in.
var blank = regexp.MustCompile(`_{2,}`)

// filled returns what the last line of a page has in bold type, if that are as many words as the question has blanks.
func (p page) filled(blanks int) string {
	if bold := p.lines[p.last()].bold; blanks > 1 && len(bold) == blanks {
		return strings.Join(bold, ", ")
	}
	return ""
}

// emphasised returns what the last line of a page of several says in bold type, or behind a verb with a colon.
func (p page) emphasised() string {
	last := p.last()
	l := p.lines[last]
	marked := slices.DeleteFunc(slices.Clone(l.bold), func(b string) bool { return !isPhrase(b) })
	if m := quotedLast.FindStringSubmatch(l.text); len(marked) == 0 && m != nil {
		marked = []string{m[1]}
	} else if m := quotation.FindAllStringSubmatch(l.text, 2); len(marked) == 0 && len(m) == 1 &&
		strings.HasSuffix(strings.TrimRight(l.text, "."), m[0][0]) {
		marked = []string{m[0][1]}
	}
	if m := behindColon.FindStringSubmatch(l.text); m != nil && isPhrase(m[1]) && !negated.MatchString(l.text) {
		return m[1]
	} else if p.previous(last) < 0 || negated.MatchString(l.text) {
		return ""
	} else if len(marked) == 1 && isPhrase(marked[0]) && verb.MatchString(l.text) &&
		!strings.HasPrefix(l.text, marked[0]) {
		return marked[0]
	}
	return ""
}

// lastBold returns the last words in bold type of a page, if a sentence has them within it.
func (p page) lastBold() string {
	i := p.last()
	for i >= 0 && len(p.lines[i].bold) == 0 {
		i = p.previous(i)
	}
	if i < 0 || p.lines[i].listed || step.MatchString(p.lines[i].text) || negated.MatchString(p.lines[i].text) {
		return ""
	}
	bold := p.lines[i].bold[len(p.lines[i].bold)-1]
	if len(strings.Fields(bold)) > maxPredicate || strings.HasSuffix(bold, ":") ||
		strings.HasPrefix(p.lines[i].text, bold) {
		return "" // a title
	}
	return bold
}

// quotedLast matches words in single quotation marks behind the last verb of a sentence.
var quotedLast = regexp.MustCompile(`(?i) (?:is|are|was|were):? '([^']{1,80})'\.?$`)

// behindColon matches a sentence that says what something is behind a colon.
var behindColon = regexp.MustCompile(`(?i)^[^:]{4,160} (?:is|are|was|were):\s+"?([^:"]{1,100}?)"?\.?$`)

// isReply reports whether words are yes or no.
func isReply(words string) bool { return words == "yes" || words == "no" }

// openingPhrase reads some words that end as a sentence does, and that the reply goes on after.
func (p page) openingPhrase() answer.Answer {
	first := p.next(-1)
	if first < 0 {
		return answer.Unparsed
	}
	all := sentences(p.lines[first].text)
	if len(all) == 0 || len(all) == 1 && first == p.last() || !strings.HasSuffix(all[0], ".") || !isPhrase(all[0]) ||
		aboutText.MatchString(all[0]) || happened.MatchString(all[0]) {
		return answer.Unparsed
	}
	return spanOf(all[0])
}

// happened matches the verb of a sentence on what was.
var happened = regexp.MustCompile(`^\p{Lu}\S*(?: \p{Lu}\S*)* \p{Ll}{2,}ed \S`)

// ofSeveral matches a list of answers in a line.
var ofSeveral = regexp.MustCompile(`^\(?[Aa][).]\s.*\s\(?[Bb][).]\s`)

// talking matches a sentence from one to another.
var talking = regexp.MustCompile(`(?i)\b(?:i'm|i am|i have|you|your)\b`)

// ending begins what a reply was asked to end with.
var ending = regexp.MustCompile(`(?i)^["']?end with\b`)

// maxPhrase bounds the words of a line that is nothing but an answer, maxPredicate those of what a sentence says of its
// subject, maxClause those of a clause that it says, and maxSpan those behind a mark.
const maxPhrase, maxPredicate, maxClause, maxSpan = 6, 7, 15, 40

var (
	// behindAnswer begins what a sentence says of its answer: in small letters, since names have these words too.
	behindAnswer = regexp.MustCompile(`[,;] +(?:so|but)\b|[,;(]? +\(?\b(?:(?:because|since|so that|according to|as (?:it|he|she|they|the|stated|mentioned))\b|` +
		`(?:while|which|who|where) +[^ ])`)
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

// isPhrase reports whether a line is some words rather than a sentence.
func isPhrase(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= maxPhrase && !verb.MatchString(text) && !clausal.MatchString(text) &&
		!strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "?") && !step.MatchString(text) &&
		!filler.MatchString(text) &&
		!mark.MatchString(text) && !titled.MatchString(text) && !ofSeveral.MatchString(text)
}

// clausal begins a sentence with whatever verb.
var clausal = regexp.MustCompile(`(?i)^(?:it|she|he|they|there|we) (?-i:\p{Ll})`)

var (
	// verb matches the verbs by which a sentence is known.
	verb = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|should|must|may|might|` +
		`let's|let|think|know|means|need|i'm|it's|that's)\b`)
	// filler begins a sentence that says nothing of the question.
	filler = regexp.MustCompile(`(?i)^(?:let's|let us|let me|sure|okay|ok|of course|certainly|hello|hi|thank|thanks|first|step|here is|` +
		`here are|to (?:answer|find|solve|determine)|i'm sorry|sorry|we need|we can|we have|i will|i would|explanation|note|great)\b`)
	copula  = regexp.MustCompile(`(?i)\b(?:is|was|are|were|(?:appear|seem)(?:s|ed)? to be)\b(?: (?:called|named|known as|considered|(?:located|based) in))?[ ]+`)
	finally = regexp.MustCompile(`(?i)^(?:(?:so|therefore|thus|hence|in (?:conclusion|short|summary)|finally|overall|consequently|as a result|` +
		`(?:given|based on|from) (?:this|that|these|the (?:above|given|provided|available))(?: [^,.;:]{1,40})?,|` +
		`(?:we|i|one|it) can (?:\pL+ )?(?:be )?(?:concluded?|say|see|inferr?e?d?|deduced?) that)(?:\b[, ]*| ))+`)
	replying = regexp.MustCompile(`(?i)^(?:yes|no)\b(?: ?[,.;:!–—]| - | (?:it|he|she|they|you|we|i|there|this|that)\b)`)
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
	return wordsIn(question)
}

// wordsIn returns the words of a text.
func wordsIn(text string) map[string]bool {
	known := make(map[string]bool)
	for _, w := range strings.Fields(answer.NormalizeWords(text)) {
		known[w] = true
	}
	return known
}

// connecting are words between the subject of a sentence and what it says of it.
var connecting = regexp.MustCompile(`^(?:is|was|are|were|be|been|it|this|that|in|on|at|by|from|of|to|did|has|have|had|as|called|named|and)$`)

// trimAsked returns a sentence without the words at its ends that the question has too, or "" if none of them, or all,
// are.
func trimAsked(text string, known map[string]bool) string {
	words, repeated := strings.Fields(answer.NormalizeWords(text)), 0
	trim := func(first bool) {
		for len(words) > 0 {
			at := 0
			if !first {
				at = len(words) - 1
			}
			asked := hasForm(words[at], known)
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
	if trim(true); repeated == 0 {
		trim(false)
	}
	if at := slices.IndexFunc(words, connective); at > 0 && at < len(words)-1 && at <= 2 {
		words = words[at+1:] // the rest of its subject
	}
	if repeated == 0 || len(words) > maxPredicate || pointsBack(words, known) {
		return ""
	}
	return strings.Join(words, " ")
}

// pointsBack reports whether words tell nothing new: a pronoun, or words of the question with others behind them.
func pointsBack(words []string, known map[string]bool) bool {
	if len(words) == 1 && (person.MatchString(words[0]) || pronoun.MatchString(words[0])) {
		return true
	}
	new := false
	for _, w := range slices.Backward(words) {
		switch old := hasForm(w, known) || common.MatchString(w); {
		case !old:
			new = true
		case new && !common.MatchString(w):
			return true
		}
	}
	return !new && !slices.ContainsFunc(words, func(w string) bool {
		return !hasForm(w, known) && !connecting.MatchString(w)
	})
}

var person = regexp.MustCompile(`(?i)^(?:he|she|his|her|him|we|you|i)$`)

// ofQuestion matches a sentence on the question rather than on what its text has.
var ofQuestion = regexp.MustCompile(`(?i)\b(?:answer|question)\b`)

// hasForm reports whether a question has a word, or it without its ending.
func hasForm(w string, known map[string]bool) bool {
	for _, ending := range []string{"", "s", "es", "d", "ed"} {
		if bare, ok := strings.CutSuffix(w, ending); ok && known[bare] {
			return true
		}
	}
	return false
}

// connective reports whether a word joins a subject and what is said of it.
func connective(w string) bool { return w == "is" || w == "was" || w == "are" || w == "were" }

// allStems returns the beginnings of all words of a question.
func allStems(question string) map[string]bool {
	stems := make(map[string]bool)
	for w := range wordsOf(question) {
		stems[stem(w)] = true
	}
	return stems
}

// repeatsQuestion reports whether a sentence has no word that its question does not have too.
func repeatsQuestion(text string, stems map[string]bool) bool {
	words := strings.Fields(answer.NormalizeWords(text))
	for _, w := range words {
		if !stems[stem(w)] && !connecting.MatchString(w) && !person.MatchString(w) {
			return false
		}
	}
	return len(stems) > 0 && len(words) >= leastRepeated
}

// leastRepeated is the least words of a sentence that can repeat a question rather than answer it.
const leastRepeated = 4

// onTopic reports whether a sentence has a word that says what its question is about, or points to it.
func onTopic(text string, asked map[string]bool) bool {
	if len(asked) == 0 || pronoun.MatchString(text) || fragment.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(answer.NormalizeWords(text)), func(w string) bool {
		return asked[stem(w)] && !common.MatchString(w)
	})
}

// fragment begins what goes on after a question rather than a sentence.
var fragment = regexp.MustCompile(`^\p{Ll}`)

// pronoun begins a sentence that points to what was asked for.
var pronoun = regexp.MustCompile(`(?i)^(?:it|its|it's|they|their|this|that|these|those)\b`)

// readPhrase reads a name where no options are known: a statement, or a reply that is some words.
func readPhrase(reply string) answer.Answer {
	p := pageOf(reply, nil)
	all, _ := statements(p)
	for i := len(all) - 1; i >= 0; i-- {
		if text := strings.Trim(statedPart(all[i].text), ` ."'`); text != "" && !placeholder.MatchString(text) {
			return explicit(answer.Of(text))
		}
	}
	if last := p.last(); last >= 0 && isPhrase(p.lines[last].text) {
		if text := strings.Trim(p.lines[last].text, ` ."'`); text != "" {
			return explicit(answer.Of(text))
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// notAny matches a word that denies and is an answer by itself.
var notAny = regexp.MustCompile(`(?i)^(?:never|neither)\W*$`)

// letterA matches the letter A as an answer, which is no article.
var letterA = regexp.MustCompile(`^(?:[Tt]he )?["'(]*[Aa]["')]*$`)

// tag matches a tag of HTML.
var tag = regexp.MustCompile(`</?[a-z][a-z0-9_]{0,20}>`)

// move matches a move of chess with its number.
var move = regexp.MustCompile(`^[0-9]{1,3}\.(?:\.\.)? ?((?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|O-O(?:-O)?)[+#]*)[!?.]*$`)

// spanOf returns the canonical text of some words.
func spanOf(text string) answer.Answer {
	text = strings.TrimSpace(norm.NFC.String(markup.Replace(tag.ReplaceAllString(text, ""))))
	if placeholder.MatchString(strings.Trim(text, " :")) {
		return answer.Unparsed
	}
	if wordsUnknown.MatchString(strings.Trim(text, ` .!"'*`)) {
		return answer.Of(answer.NoSpan)
	}
	if denied.MatchString(text) && !notAny.MatchString(text) || strings.Contains(text, `\boxed`) {
		return answer.Unparsed
	}
	span := answer.NormalizeWords(move.ReplaceAllString(text, "$1"))
	if span == "" || len(strings.Fields(span)) > maxSpan || vague.MatchString(span) && !letterA.MatchString(text) {
		return answer.Unparsed
	}
	return answer.Of(span)
}
