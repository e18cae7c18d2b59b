package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference/chat"
)

// page is the part of a reply in which our readers look for its answer, cut into lines.
type page struct {
	lines []line
	open  bool // it is not complete: it was cut, it repeats itself, or it ends in a step of a list
}

// line is one line without markup.
type line struct {
	text   string
	bold   []string // what the line has in bold type
	listed bool     // it belongs to a list of options that the reply repeats
}

// markup is removed before anything is read, and variants of punctuation get one spelling.
var markup = strings.NewReplacer(`"""`, `"`, `\*`, "*", "**", "", "__", "", "`", "", "\r\n", "\n", "\r", "\n", "’", "'",
	"‘", "'", "“", `"`, "”", `"`, "：", ":", "（", "(", "）", ")", "\u00a0", " ", "\u202f", " ", "\u2009", " ",
	"\u2007", " ", "\u200b", "", "⇒", "→", "⟹", "→", "➡\ufe0f", "→", "➡", "→", "👉", "→")

var (
	// parted matches groups of digits with a space between them that is none between words.
	parted = regexp.MustCompile(`([0-9])[\x{a0}\x{2007}-\x{2009}\x{202f}]([0-9]{3})\b`)
	// leaning matches a line of one answer in italics, between bars or behind an arrow.
	leaning = regexp.MustCompile(`^(?:[*_|] ?([^\s*_|][^*_|\n]{0,100}?)[ .]*[*_|]\.?|→ +(\S[^→\n]{0,100}))$`)
	inBold  = regexp.MustCompile(`\*\*([^*\n]{1,200})\*\*`)
)

// pageOf returns the part of a reply in which an answer counts: behind its reasoning, and before the turn or the
// question that a model invents when it goes on after its own answer.
func pageOf(reply string, about theme) page {
	p := page{}
	reply, p.open = strings.CutSuffix(reply, cutMark)
	said := chat.SplitRecorded(reply)
	if said.Cut {
		return page{open: true}
	}
	reply = flat(fence.ReplaceAllString(unwrapped(said.Answer), ""))
	reply, other := about.beforeOther(about.afterQuestion(about.ownPart(reply)))
	if sentence, ok := once(reply); ok {
		reply, p.open = sentence, false
	}
	for range 2 { // a match takes the last digit of the one before it
		reply = parted.ReplaceAllString(reply, "$1,$2")
	}
	for text := range strings.SplitSeq(reply, "\n") {
		l := line{text: leaning.ReplaceAllString(strings.TrimSpace(markup.Replace(text)), "$1$2")}
		for _, m := range inBold.FindAllStringSubmatch(text, -1) {
			l.bold = append(l.bold, strings.TrimSpace(markup.Replace(m[1])))
		}
		p.lines = append(p.lines, l)
	}
	p.dropCourtesy()
	p.findLists()
	last := p.last()
	if other || last >= 0 && p.breaksOff(last) || repeats(reply) || withinFormula(said.Answer) {
		p.open = true
	}
	return p
}

// courtesy begins a sentence behind an answer that says nothing of it.
var courtesy = regexp.MustCompile(`(?i)^(?:(?:please )?(?:let me know|feel free)|(?:i )?hope (?:this|that|it)|` +
	`if you (?:have|need|want|meant|would|'d|like|are)\b|(?:would|do) you (?:like|want|need)|is there anything|` +
	`do you have (?:any )?(?:other|more|further) (?:questions|requests)|` +
	`(?:i am|i'm) (?:happy|glad|here) to|(?:[^,.]{0,60}, )?that's the answer|(?-i:TERMINATE$))\b`)

// dropCourtesy takes the courtesies from the end of a page that has more than these.
func (p page) dropCourtesy() {
	for i := p.last(); i >= 0; i = p.previous(i) {
		all := sentences(p.lines[i].text)
		n := len(all)
		for n > 0 && (courtesy.MatchString(all[n-1]) || !strings.ContainsFunc(all[n-1], answer.Touching) && n > 1) {
			n--
		}
		if n > 0 || p.previous(i) < 0 {
			if n > 0 && n < len(all) {
				p.lines[i].text = strings.TrimSpace(p.lines[i].text[:strings.LastIndex(p.lines[i].text, all[n])])
			}
			return
		}
		p.lines[i].text, p.lines[i].bold = "", nil
	}
}

// withinFormula reports whether a reply ends within a formula in lines of its own.
func withinFormula(reply string) bool {
	return strings.Count(reply, `\[`) > strings.Count(reply, `\]`) || strings.Count(reply, "$$")%2 == 1 ||
		strings.LastIndex(reply, `\(`) > strings.LastIndex(reply, `\)`)
}

// checking begins a line that checks an answer, or gives it in another form.
var checking = regexp.MustCompile(`(?i)^(?:(?:check|verification|verify|verifying|checking)(?: [^:.]{0,30})?:|(?:to|let's|let us|let me|we can(?: also)?) ` +
	`(?:verify|check|confirm|double-check)\b|(?:that|this) is (?:about|approximately|roughly|equivalent to)\b|` +
	`this (?:value|result|number|probability|answer) is (?:very |extremely )?(?:close|about|approximately|roughly|consistent)\b|` +
	`(?:substituting|plugging) (?:\S+ ){0,3}back\b)`)

// withoutCheck returns a page before the lines at its end in which it checks its answer and comes to none anew.
func (p page) withoutCheck() page {
	for i, near := p.last(), 0; i >= 0 && near < nearCheck; i = p.previous(i) {
		if at := calledFinal.FindStringIndex(p.lines[i].text); at != nil {
			all := sentences(p.lines[i].text[:at[0]] + ".")
			return page{lines: append(slices.Clone(p.lines[:i]), line{text: all[len(all)-1]})}
		}
		if near++; slices.ContainsFunc(sentences(p.lines[i].text), finally.MatchString) {
			return p
		}
		if checking.MatchString(p.lines[i].text) && p.previous(i) >= 0 && !p.open {
			return page{lines: p.lines[:i]}
		}
	}
	return p
}

// calledFinal matches the end of a sentence that calls what it says the answer.
var calledFinal = regexp.MustCompile(`(?i),? (?:and|which|so)(?: this| that| it)? is (?:our|the|my) (?:final |correct )?answer\.`)

// nearCheck is how many lines at the end of a reply can check its answer.
const nearCheck = 8

// breaksOff reports whether the last line of a page ends within a sentence, or with the number of a step, although
// nothing says that the reply was cut.
func (p page) breaksOff(last int) bool {
	text, previous := p.lines[last].text, p.previous(last)
	switch {
	case stepNumber.MatchString(text):
		return previous >= 0 && numberedStep.MatchString(p.lines[previous].text) &&
			!strings.HasSuffix(strings.TrimRight(p.lines[previous].text, "."), "= "+text)
	case p.defines(last):
		return true
	case endsSentence(text), endsInValue.MatchString(text) && !step.MatchString(text):
		return false
	case depth(text) > 0:
		return true
	case isFormula(text) && !half(text) && strings.ContainsAny(text, "+-*/^="):
		return false
	case step.MatchString(text), unended.MatchString(text) && (strings.Contains(text, " ") || leadIn.MatchString(text)):
		return true
	case previous >= 0 && len(p.lines[previous].text) > len(text) && strings.HasPrefix(p.lines[previous].text, text):
		return true // the line before once more
	}
	all := sentences(text)
	return len(text) > longest || len(all) > 1 && len(text) > shortest ||
		len(strings.Fields(text)) > brief && previous >= 0
}

// depth returns how many more brackets of a text open than close.
func depth(text string) (n int) {
	for _, r := range text {
		switch r {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// defines reports whether a line is the last of a list of what the letters of a formula mean.
func (p page) defines(last int) bool {
	i := last
	for i >= 0 && step.MatchString(p.lines[i].text) {
		i = p.previous(i)
	}
	return i >= 0 && i < last && strings.HasSuffix(p.lines[i].text, " where:")
}

// shortest is the least length in bytes of a line of several sentences, longest that of any, and brief that of a last
// line in words, of which it is regarded whether it ends as a sentence does: a formula, a name or a list often does
// not.
const shortest, longest, brief = 80, 300, 8

var (
	// stepNumber matches what may be the beginning of a step.
	stepNumber = regexp.MustCompile(`(?i)^(?:[0-9]{1,2}[.)]?|step [0-9]{1,2}[:.]?)$`)
	// leadIn matches a word and the comma behind it.
	leadIn = regexp.MustCompile(`^\pL+,$`)
	// unended matches a line that ends in a word or a sign behind which something follows.
	unended = regexp.MustCompile(`(?:[+*/(<,;=]|\b(?:the|an?|of|to|on|at|by|for|with|from|and|or|than|that|is|are|was|were|be|` +
		`if|as|so|we|can|have|has|per|each|our|their|his|her|its|which))$`)
)

// step matches the beginning of a line that is one of several.
var step = regexp.MustCompile(`^(?:(?i:step)\s*[0-9]+\s*[:.)-]|#?[0-9]{1,2}[.)]\s+\S|[-*•]\s+\S)`)

// numberedStep matches the beginning of a line that is one of several with numbers, and endsInValue a line that ends in
// what it says something is.
var (
	numberedStep = regexp.MustCompile(`^(?:(?i:step)\s*|#)?[0-9]{1,2}\s*[:.)-]`)
	endsInValue  = regexp.MustCompile(`(?i) (?:is|are|equals):? [$£€]?-?[0-9][0-9.,]*[0-9%]?$`)
)

// endsSentence reports whether a line ends as a sentence or a formula does.
func endsSentence(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(",-+=*/(<;", r)
}

// last returns the index of the last line with a text, -1 if there is none.
func (p page) last() int {
	for i := len(p.lines) - 1; i >= 0; i-- {
		if p.lines[i].text != "" {
			return i
		}
	}
	return -1
}

// previous returns the last line with a text before a line; -1 if there is none.
func (p page) previous(i int) int {
	for i--; i >= 0 && p.lines[i].text == ""; i-- {
	}
	return i
}

// next returns the first line with a text behind a line; -1 if there is none.
func (p page) next(i int) int {
	for i++; i < len(p.lines); i++ {
		if text := p.lines[i].text; text != "" && text != "$$" && text != `\[` && text != `"` {
			return i
		}
	}
	return -1
}

// entry matches a line that begins with the label of an option.
var entry = regexp.MustCompile(`^(?:[-*•>]\s*|[0-9]{1,2}[.)]\s+)?[(\[]?([A-Za-z])[)\].:][)\]]?\s+\S`)

// halfEntry matches a last line that breaks off behind such a label.
var halfEntry = regexp.MustCompile(`^[(\[]?([A-Z])[)\].:]*$`)

// findLists marks lines that repeat the options: two or more in a row whose labels rise, whatever they say about them.
func (p page) findLists() {
	from, label := -1, byte(0)
	last := p.last()
	for i := 0; i <= len(p.lines); i++ {
		next := byte(0)
		if i < len(p.lines) {
			if p.lines[i].text == "" {
				continue
			}
			if inOneLine.MatchString(p.lines[i].text) {
				p.lines[i].listed = true
			}
			if m := entry.FindStringSubmatch(p.lines[i].text); m != nil {
				next = m[1][0] &^ 0x20
			} else if m := halfEntry.FindStringSubmatch(p.lines[i].text); m != nil && i == last && from >= 0 &&
				m[1][0] == label+1 {
				next = label + 1
			}
		}
		if from >= 0 && next > label {
			p.lines[from].listed, p.lines[i].listed, label = true, true, next
			from = i
			continue
		}
		if from, label = i, next; next == 0 {
			from = -1
		}
		if above := p.previous(i); next == 'A' && above >= 0 && titleOfList.MatchString(p.lines[above].text) {
			p.lines[i].listed = true
		}
	}
}

// inOneLine matches a line with the labels of three options.
var inOneLine = regexp.MustCompile(`^\(?A\) [^()]{1,80} \(?B\) [^()]{1,80} \(?C\) [^()]*(?:\(?D\) [^()]*)?$`)

// titleOfList matches the line above a list of options.
var titleOfList = regexp.MustCompile(`(?i)^(?:options|choices|answer choices|answer options):$`)

// sentences cuts a text behind the marks that end a sentence: a point, a question or an exclamation mark before white
// space.
func sentences(text string) (all []string) {
	from := 0
	for i := 0; i < len(text); i++ {
		if !strings.ContainsRune(".!?", rune(text[i])) || i > 0 && text[i-1] == '\\' ||
			factorial.MatchString(text[max(0, i-1):min(len(text), i+4)]) {
			continue
		}
		if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t' || text[i+1] == '"' || text[i+1] == ')' {
			if s := strings.TrimSpace(text[from : i+1]); s != "" && !numbering.MatchString(s) && !abbreviates(s) {
				all, from = append(all, s), i+1
			}
		}
	}
	if s := strings.TrimSpace(text[from:]); s != "" {
		all = append(all, s)
	}
	return all
}

// factorial matches a mark that is of mathematics.
var factorial = regexp.MustCompile(`^[0-9a-z)}]! ?[=+*/\\×·÷)-]`)

// sentences returns the sentences of a page that no list of options has.
func (p page) sentences() (all []string) {
	for _, l := range p.lines {
		if !l.listed {
			all = append(all, sentences(l.text)...)
		}
	}
	return all
}

// numbering matches what a point behind it does not make a sentence.
var numbering = regexp.MustCompile(`^(?:[0-9]{1,2}\.|[0-9]{1,3}\.{3}|[A-Za-z]\.)$`)

// abbreviates reports whether a text ends in an abbreviation rather than in a sentence.
func abbreviates(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	switch strings.ToLower(strings.TrimLeft(word, `("'`)) {
	case "mr.", "mrs.", "ms.", "dr.", "st.", "e.g.", "i.e.", "v.", "vs.", "no.", "prof.", "sr.", "jr.", "approx.",
		"u.s.", "a.m.", "p.m.", "gen.", "gov.", "sen.", "rep.", "lt.", "col.", "capt.", "sgt.", "rev.", "mt.", "ft.",
		"cf.", "fig.", "eq.", "ca.":
		return true
	}
	return len(text) > 2 && initials.MatchString(word)
}

// initials matches the initials of a name.
var initials = regexp.MustCompile(`^(?:\p{Lu}\.)+$`)

// negated matches words with which a sentence denies what it names.
var negated = regexp.MustCompile(`(?i)\b(?:not|cannot|never|neither|nor|isn't|aren't|can't|doesn't|don't|won't|` +
	`wasn't|wouldn't|shouldn't|couldn't|incorrect|wrong|false|eliminated?|rule[sd]? out|excluded?|unlikely|` +
	`rather than|instead of|irrelevant|inaccurate)\b`)

// text returns the lines of a page as one text.
func (p page) text() string {
	var b strings.Builder
	for _, l := range p.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// inBox matches what a box holds.
var inBox = regexp.MustCompile(`\\boxed\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}`)

// boxed returns what the last box of a page holds: nothing if the page breaks off while it boxes one thing and another
// in turn.
func (p page) boxed() (content string, found bool) {
	text, turns := p.text(), 0
	if content, found = answer.LastBoxed(text); !found || !p.open {
		return content, found
	}
	all := inBox.FindAllStringSubmatch(text, -1)
	for i := max(1, len(all)-maxTurns); i < len(all); i++ {
		if all[i][1] != all[i-1][1] {
			turns++
		}
	}
	return content, turns < leastTurns
}

// maxTurns bounds the boxes at the end of a reply that are compared, and leastTurns is how often they change in one
// that has no answer.
const maxTurns, leastTurns = 12, 4

// around is what does not belong to a word that it touches.
const around = ".,;:!?\"'()[]{}*_$\\#<>"

// plainWords returns the words of a text in one spelling: in lower case, composed, with one apostrophe, and without
// articles and the punctuation around them, so that texts can be compared. Numbers keep what changes them.
func plainWords(text string) string {
	var b strings.Builder
	words := strings.Fields(strings.ToLower(norm.NFC.String(markup.Replace(text))))
	for i, w := range words {
		if w = plainWord(w, i == len(words)-1); w == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	if b.Len() == 0 { // nothing but articles and punctuation
		return strings.ToLower(strings.TrimSpace(text))
	}
	return b.String()
}

// plainWord returns a word in small letters without the punctuation around it, or "" if it is an article: not as the
// last word, such as the letter of vitamin A.
func plainWord(w string, last bool) string {
	bare := strings.TrimRight(strings.TrimLeft(w, strings.TrimPrefix(around, ".")), around)
	if w == "a" && !last || w == "an" || w == "the" {
		return ""
	}
	if w = strings.TrimRight(w, ".,;:!?\"')"); bare != "" && compared.MatchString(w) {
		return w
	}
	return bare
}

// compared matches a word that marks make another one, such as <5 and c#.
var compared = regexp.MustCompile(`^(?:[<>]=?[0-9.]+|\pL#)$`)
