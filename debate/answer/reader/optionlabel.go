package reader

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate/answer"
)

var (
	// named matches the label of an option within a sentence.
	named = regexp.MustCompile(`[(\[]([A-Za-z])[)\]]|\b([A-Z])(?:\)|\b)`)
	// approved matches what is said of the option before it.
	approved = regexp.MustCompile(`(?i)\b(?:is|are|would be|must be|seems|appears)(?: to be)?(?: therefore| thus| clearly| likely| ` +
		`probably)?(?: the)?(?: only| single| most)? (?:correct|right|best|accurate|appropriate|answer)\b`)
	// choosing comes before the option that somebody chooses.
	choosing = regexp.MustCompile(`(?i)\b(?:choose|chose|choosing|pick|picked|select|selected|go with|going with|opt for|` +
		`settle on|vote for|stick with|left with|leaves(?: us with)?|leaving|it is|it's|must be|therefore,?|thus,?|hence,?|so,?)[ \t]+` +
		`(?:(?:it is|it's|it must be|the )?[ \t]*(?:option|choice|answer|letter)[ \t]*)?$`)
	// ofRelative matches a negation that belongs to a clause on the option: "the one that is not warm is".
	ofRelative = regexp.MustCompile(`(?i)\b(?:that|which|who)\b[^,.;]*\b(?:not|never)\b[^,.;]* (?:is|are|must be) (?:option )?$`)
	topic      = regexp.MustCompile(`(?i)\b(?:answer|option|choice)\b`)
	// supposed begins a sentence that states nothing.
	supposed = regexp.MustCompile(`(?i)^(?:please |you (?:can|could|may|might|must|should|have to) )?(?:if|whether|suppose|assume|assuming|choose|select|pick|when|let's|let us)\b`)
)

// joining matches what comes before the last of several labels.
var joining = regexp.MustCompile(`(?i)\b(?:both|and|nor|or)[ \t]+(?:option[ \t]+)?[(\[]?$`)

// moreLikely matches what is said of the option that a question of what is likely wants.
var moreLikely = regexp.MustCompile(`(?i) (?:is|are|would be|seems)(?: the| therefore| clearly| thus)* (?:more|most) (?:likely|probable)\b`)

// maxLabels bounds the labels of a sentence that chooses one; one with more lists them.
const maxLabels = 8

// readChosen reads a sentence that says of an option that it is right, or that it is chosen.
func (c chooser) readChosen(sentence string) answer.Answer {
	if len(sentence) > maxStatement || strings.HasSuffix(sentence, "?") || supposed.MatchString(sentence) {
		return answer.Unparsed
	}
	best := answer.Unparsed
	if c.theme["likel"] {
		sentence = moreLikely.ReplaceAllString(sentence, " is right")
	}
	all := named.FindAllStringSubmatchIndex(sentence, -1)
	if len(all) > maxLabels {
		return answer.Unparsed
	}
	for _, at := range all {
		letter, bare := sentence[max(at[2], at[4])], at[4] >= 0 && sentence[at[1]-1] != ')'
		a, behind := c.option(letter), sentence[at[1]:]
		if c.several(string(rune(letter)), behind) {
			continue
		}
		if c.exact(strings.Trim(behind, " .:")).Same(a) {
			behind = "" // the option's own text
		}
		if a.Parsed && chooses(sentence[:at[0]], letter, bare, behind) {
			best = a
		}
	}
	return best
}

// chooses reports whether a sentence chooses the letter in it, which is bare if no parenthesis marks it as a label.
func chooses(before string, letter byte, bare bool, behind string) bool {
	said, nothing := approved.FindStringIndex(behind), strings.Trim(behind, " .*") == ""
	switch {
	case bare && isWordToo(letter) && !clause.MatchString(strings.TrimSpace(behind)) && !nothing:
		return false // the article or the pronoun
	case joining.MatchString(before):
		return false // one of several
	case negated.MatchString(tail(before)) && !ofRelative.MatchString(tail(before)):
		return false // "it is not (B)"
	case choosing.MatchString(before) && (!bare || !strings.HasPrefix(behind, "'")):
		return true // "I choose B", but not "so I'm"
	case strings.HasSuffix(before, " is ") && nothing && topic.MatchString(before):
		return true // "the option that fits is (B)"
	}
	if said == nil || said[0] >= 100 {
		return false
	}
	between := behind[:said[0]]
	return !negated.MatchString(between) && !named.MatchString(between)
}

// isWordToo reports whether a capital is a word as well: the article or the pronoun.
func isWordToo(letter byte) bool { return letter == 'A' || letter == 'I' }

// option returns the answer of a label, which is none of the options if it is not offered.
func (c chooser) option(label byte) answer.Answer {
	label &^= 0x20
	switch {
	case label < 'A' || label > 'Z':
		return answer.Unparsed
	case label == 'X' && len(c.plain) <= 'X'-'A':
		return answer.Unparsed // a placeholder
	case c.plain == nil || int(label-'A') < len(c.plain):
		return answer.Of("(" + string(rune(label)) + ")")
	}
	return answer.Answer{How: answer.NoOption}
}

var (
	// leading is what may stand before a label or an option in a statement.
	leading = regexp.MustCompile(`(?i)^(?:[\s"'*_$:=~#>.,–—→✅✔✓☑-]+|[(\[]X[)\]] |\\(?:text|mathbf|mathrm|textbf|boxed|bf|rm)\b|\{|\\[(\[]|` +
		`(?:the |my |your )?(?:final |correct )?(?:option|choice|answer|letter|statement|solution)\b(?:[ \t]+is\b)?|` +
		`(?:is|` + hedges + `|` + renders + `|(?:given|indicated|represented) by|about|approximately|roughly|around|approx\.?|a (?:clear|definite|firm|resounding|simple|qualified)|` +
		`closest to|nearest to)\b|≈)+`)
	label = regexp.MustCompile(`^(?:[(\[{<]\s*(?P<within>[A-Za-z])\s*(?:[)\]}>]|$)|` +
		`(?P<bare>[A-Za-z])(?P<end>[)\]}:.,;/"'*_$\\?!]|\s|$))`)
	// denied begins a statement that says what the answer is not, or that there is none yet.
	denied = regexp.MustCompile(`(?i)^(?:not|n't|never|neither|unclear|incorrect|wrong|unlikely|no longer|` +
		`(?:still )?(?:very (?:much )?)?(?:open to|unclear|unknown to))\b`)
	// clause begins what may follow a letter that has no punctuation behind it.
	clause = regexp.MustCompile(`(?i)^(?:because|since|as|and|or|is|with|for|due|given|which|so|but|if|here|based|in|-|–|—|\(|=|` +
		`according|not|rather|instead|therefore|thus)(?:\b|\s|$)`)
	another = regexp.MustCompile(`(?i)^[)\]\s,*_]*(?:or|and|/|&|,|;|\+)+\s*(?:and|or)?\s*(?:option\s+|choice\s+)?[*_]*(?P<bracket>[(\[]?)` +
		`(?P<letter>[A-Za-z])` +
		`(?:[)\].,;:/*_}<]|\s|$)`)
	noneOf = regexp.MustCompile(`(?i)^(?:none of|no option|neither of|not (?:listed|given|among|one of|any of))`)
)

// readLabel reads the label with which a text begins. Found is false if it begins with none.
func (c chooser) readLabel(text string) (a answer.Answer, found bool) {
	m := label.FindStringSubmatch(text)
	if m == nil {
		return answer.Unparsed, false
	}
	within, bare, end, rest := m[label.SubexpIndex("within")], m[label.SubexpIndex("bare")],
		m[label.SubexpIndex("end")], text[len(m[0]):]
	switch letter := within + bare; {
	case bare != "" && (end == "/" || end == "?"): // one of two, or a question
		return answer.Unparsed, true
	case bare != "" && !c.isLabel(letter, end, rest):
		return answer.Unparsed, false
	case c.several(letter, end+rest):
		return answer.Unparsed, true
	default:
		return c.option(letter[0]), true
	}
}

// isLabel reports whether a letter without a parenthesis before it is a label, by what ends it and the rest behind.
func (c chooser) isLabel(letter, end, rest string) bool {
	small := letter >= "a"
	switch {
	case end == "'" && rest != "" && rest[0] != ' ':
		return false // I'm, or d'accord
	case strings.TrimSpace(end) == "" && rest != "": // a capital before words, unless it is a word itself
		return !small && !c.word(letter, strings.TrimSpace(rest))
	case small && end != ")" && end != "]" && strings.Trim(rest, ` .*_"'$}`) != "":
		return false // a small letter within a sentence
	case end == "." && len(rest) > 1 && unicode.IsLetter(rune(rest[0])) && rest[1] == '.':
		return false // an abbreviation
	}
	return true
}

// several reports whether what stands behind a letter, or behind it and the text of its option, names another one.
func (c chooser) several(letter, rest string) bool {
	behind := rest
	if i := int(letter[0]&^0x20 - 'A'); i < len(c.plain) {
		behind = strings.TrimLeft(rest, ` )].:*_"'`)
		if plain := plainWords(behind); strings.HasPrefix(plain, c.plain[i]) && c.plain[i] != "" {
			behind = behindWords(behind, len(strings.Fields(c.plain[i])))
		}
	}
	for _, text := range []string{rest, behind} {
		m := another.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		bracket, next := m[another.SubexpIndex("bracket")], m[another.SubexpIndex("letter")]
		isLabel := bracket != "" || next < "a" && !isWordToo(next[0])
		if isLabel && !strings.EqualFold(next, letter) && c.option(next[0]).Parsed {
			return true
		}
	}
	return c.listsNext(letter[0], rest)
}

// word reports whether a capital before a blank is rather a word: the article or the pronoun, unless what follows is
// the option's text or goes on about the letter; any other capital if a name follows.
func (c chooser) word(letter, next string) bool {
	i := int(letter[0] - 'A')
	if i < len(c.plain) && c.plain[i] != "" && strings.HasPrefix(plainWords(next), c.plain[i]) {
		return false
	}
	return isWordToo(letter[0]) && !clause.MatchString(next)
}

// listsNext reports whether a text goes on with the next label of the same case: a list of them in one line.
func (c chooser) listsNext(label byte, rest string) bool {
	return strings.Contains(rest, "("+string(rune(label+1))+")") && !negated.MatchString(rest)
}

// onlyLabel reads the one label in parentheses of a sentence that states an answer.
func (c chooser) onlyLabel(sentence string) answer.Answer {
	all := named.FindAllStringSubmatchIndex(sentence, 2)
	if len(all) != 1 || all[0][2] < 0 || !c.letters || c.negates(quotation.ReplaceAllString(sentence, "")) ||
		strings.HasSuffix(sentence, "?") {
		return answer.Unparsed
	}
	a := c.option(sentence[all[0][2]])
	if c.plain != nil && !c.begins(sentence[all[0][1]:]).Same(a) {
		return answer.Unparsed // another list's
	}
	return a
}

// behindWords returns a text without its first n words, but with the comma behind them.
func behindWords(text string, n int) string {
	for range n {
		text = strings.TrimLeft(text, " ")
		at := strings.IndexByte(text, ' ')
		if at < 0 {
			return ""
		}
		text = text[len(strings.TrimRight(text[:at], ",;")):]
	}
	return text
}

var bracketed = regexp.MustCompile(`^\s*[(\[][A-Za-z][)\]]`)

// whole reads a line or a part in bold type that is nothing else than an option.
func (c chooser) whole(text string) answer.Answer {
	text = numbered.ReplaceAllString(text, "")
	if !c.letters {
		text = labelBefore.ReplaceAllString(text, "")
	}
	if i := yesByLetter(text); i >= 0 && !c.letters {
		return c.of(i)
	}
	if a := c.exact(text); a.Parsed {
		return a
	}
	text = text[len(leading.FindString(text)):]
	if a := c.exact(text); a.Parsed || !c.letters {
		return a
	}
	m := label.FindStringSubmatch(text)
	if m == nil || strings.TrimSpace(m[3]) == "" && m[2] != "" && len(m[0]) < len(text) ||
		m[1] != "" && !strings.ContainsAny(m[0], ")]}>") {
		return answer.Unparsed
	}
	a, rest := c.option((m[1] + m[2])[0]), strings.Trim(text[len(m[0]):], ` .)]}*_"'$:`)
	switch {
	case c.several(m[1]+m[2], m[3]+text[len(m[0]):]):
		return answer.Unparsed
	case rest == "":
		return a
	case m[2] >= "a" && m[3] != ")":
		return answer.Unparsed
	case a.Parsed && c.exact(rest).Same(a), c.plain == nil && len(strings.Fields(rest)) <= 8:
		return a
	}
	return answer.Unparsed
}

// readLabelBefore reads the label with which a reply begins, unless it begins a list of them; a small one may as well
// be of a part of the reply.
func (c chooser) readLabelBefore(letter byte, rest string, small bool) (answer.Answer, bool) {
	a := c.option(letter)
	if c.several(string(rune(letter)), rest) {
		return answer.Unparsed, false
	}
	return a, !small || strings.Trim(rest, " .") == "" || a.Parsed && c.begins(rest).Same(a)
}

// beginning matches the label with which a reply begins.
var beginning = regexp.MustCompile(`^(?:[^\pL\pN\s(\[]{1,3}[ \t]+)?(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[).:](?:\s|$)| [-–—] ))`)
