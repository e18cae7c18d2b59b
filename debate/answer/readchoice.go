package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// readChoice reads which of the question's options a reply chooses. It looks for these, in this order, in the part of
// the reply behind its reasoning and before an invented next question:
//
//  1. the last \boxed{} that names an option;
//  2. the last statement: "the answer is (B)", "Answer: B", "#### B", "(B) is correct", "I choose B";
//  3. an option alone in the last line, or in bold type, if only one is;
//  4. in a complete reply, the only option that it speaks of without denying it: by its label, else by its text.
//
// An option is named by its letter or, as a whole, by its text. Where a statement gives a letter and the text of
// another option, the letter counts. A letter that is not offered is no option, and nothing before it is read. Lists
// that repeat the options, statements that deny or ask, and the placeholder (X) are no statements. Without the
// options, any letter is one.
func readChoice(q Question) Extractor {
	c := newChooser(q.Options)
	return func(reply string) Answer { return c.read(pageOf(reply, len(c.plain))) }
}

// readName reads which of the question's options, such as suspects, a reply names. It looks as readChoice does, and
// then for the last sentence that names only one. The answer is the option's text.
func readName(q Question) Extractor {
	if len(q.Options) == 0 {
		return readPhrase
	}
	c := newChooser(q.Options)
	return func(reply string) Answer {
		p := pageOf(reply, len(c.plain))
		a := c.read(p)
		if !a.Parsed && a.How == Nothing && !p.open {
			a = c.lastNamed(p)
		}
		if a.Parsed {
			a.Text = q.Options[a.Text[1]-'A']
		}
		return a
	}
}

// readYesNo reads yes or no. If the question has options, it reads which of them, as readChoice does.
func readYesNo(q Question) Extractor {
	if len(q.Options) > 0 {
		return readChoice(q)
	}
	c := chooser{plain: []string{"yes", "no", "true", "false"}, same: 2}
	return func(reply string) Answer {
		a := c.read(pageOf(reply, 0))
		if a.Parsed {
			a.Text = c.plain[a.Text[1]-'A']
		}
		return a
	}
}

// chooser finds options in texts.
type chooser struct {
	plain   []string // the options as plainWords gives them; nil if they are not known
	values  []string // the options' values, nil unless all have one
	letters bool     // options have letters
	same    int      // if it is not 0, options with this distance are one, such as yes and true
}

// of returns the answer of an option, by its index.
func (c chooser) of(i int) Answer {
	if c.same > 0 {
		i %= c.same
	}
	return Of(optionName(i))
}

func newChooser(options []string) chooser {
	c := chooser{letters: true, values: valuesOf(options)}
	for _, o := range options {
		c.plain = append(c.plain, plainWords(o))
	}
	return c
}

// read implements the order that readChoice documents.
func (c chooser) read(p page) Answer {
	if content, ok := lastBoxed(p.text()); ok {
		if a := c.stated(content); a.Parsed || a.How == NoOption {
			return explicit(a)
		}
	}
	a, last := c.statement(p)
	switch {
	case a.Parsed || a.How == NoOption:
		return explicit(a)
	}
	if a := c.alone(p); a.Parsed && !last {
		return explicit(a)
	}
	if a := c.opening(p); a.Parsed {
		return explicit(a)
	}
	switch {
	case p.open:
		return Answer{How: Nothing}
	case last && c.plain != nil: // the last words state something else
		return Answer{How: NoOption}
	case last:
		return Answer{How: Nothing}
	}
	return c.only(p)
}

// explicit marks an answer that was read as stated.
func explicit(a Answer) Answer {
	if a.Parsed {
		a.How = Explicit
	}
	return a
}

// statement reads the last statement of a page, and reports whether the page ends in a statement that names no option.
func (c chooser) statement(p page) (best Answer, last bool) {
	all, hashes := statements(p)
	best, at := Answer{How: Nothing}, 0
	restated := ""
	for _, s := range slices.Concat(hashes, all) {
		if s.text == restated && restated != "" {
			continue
		}
		if c.restates(p, s) {
			restated = s.text
			continue
		}
		a := c.stated(s.text)
		if (a.Parsed || a.How == NoOption) && s.line >= at {
			best, at = a, s.line
		}
		last = !a.Parsed && s.text != "" && s.line >= p.last() && !denied.MatchString(s.text) &&
			!placeholder.MatchString(strings.Trim(s.text, " .:")) && !unfilled.MatchString(s.text)
	}
	for i := at; i < len(p.lines) && c.letters; i++ {
		for _, sentence := range sentences(p.lines[i].text) {
			if a := c.chosen(sentence); a.Parsed {
				best = a
			}
		}
	}
	return best, last
}

// unfilled matches the letter that stands for a label in instructions.
var unfilled = regexp.MustCompile(`^["'*([{<]*X["'*)\]}>]*\.?$`)

// restates reports whether a statement is the first line of a list of options.
func (c chooser) restates(p page, s statement) bool {
	m := entry.FindStringSubmatch(s.text)
	n := p.next(s.line)
	if m == nil || n < 0 || m[1] != "A" {
		return false
	}
	next := entry.FindStringSubmatch(p.lines[n].text)
	return next != nil && next[1] == "B" || p.open && n == p.last() && p.lines[n].text == "("
}

var (
	// named matches the label of an option within a sentence.
	named = regexp.MustCompile(`[(\[]([A-Za-z])[)\]]|\b([A-Z])(?:\)|\b)`)
	// approved matches what is said of the option before it.
	approved = regexp.MustCompile(`(?i)\b(?:is|are|would be|must be|seems|appears)(?: to be)?(?: therefore| thus| clearly| likely| ` +
		`probably)?(?: the)?(?: only| single| most)? (?:correct|right|best|accurate|appropriate|answer)\b`)
	// choosing comes before the option that somebody chooses.
	choosing = regexp.MustCompile(`(?i)\b(?:choose|chose|choosing|pick|picked|select|selected|go with|going with|opt for|` +
		`settle on|vote for|stick with|it is|it's|must be|therefore,?|thus,?|hence,?|so,?)[ \t]+` +
		`(?:(?:it is|it's|it must be|the )?[ \t]*(?:option|choice|answer|letter)[ \t]*)?$`)
	topic = regexp.MustCompile(`(?i)\b(?:answer|option|choice)\b`)
	// supposed begins a sentence that states nothing.
	supposed = regexp.MustCompile(`(?i)^(?:if|whether|suppose|assume|assuming|choose|select|pick|when|let's|let us)\b`)
)

// maxLabels bounds the labels of a sentence that chooses one; one with more lists them.
const maxLabels = 8

// chosen reads a sentence that says of an option that it is right, or that it is chosen.
func (c chooser) chosen(sentence string) Answer {
	if len(sentence) > maxStatement || strings.HasSuffix(sentence, "?") || supposed.MatchString(sentence) {
		return Unparsed
	}
	best := Unparsed
	all := named.FindAllStringSubmatchIndex(sentence, -1)
	if len(all) > maxLabels {
		return Unparsed
	}
	for _, at := range all {
		before, behind := sentence[:at[0]], sentence[at[1]:]
		bare := at[4] >= 0 && sentence[at[1]-1] != ')'
		letter := sentence[max(at[2], at[4])]
		said := approved.FindStringIndex(behind)
		switch {
		case bare && (letter == 'A' || letter == 'I') && !clause.MatchString(strings.TrimSpace(behind)) &&
			strings.Trim(behind, " .*") != "":
			continue
		case negated.MatchString(tail(before)):
			continue
		case choosing.MatchString(before) && (!bare || !strings.HasPrefix(behind, "'")):
		case !bare && strings.HasSuffix(before, " is ") && strings.Trim(behind, " .*") == "" && topic.MatchString(before):
		case said != nil && said[0] < 100 && !negated.MatchString(behind[:said[0]]) && !named.MatchString(behind[:said[0]]):
		default:
			continue
		}
		if a := c.option(letter); a.Parsed {
			best = a
		}
	}
	return best
}

// option returns the answer of a label, which is none of the options if it is not offered.
func (c chooser) option(label byte) Answer {
	label &^= 0x20
	switch {
	case label < 'A' || label > 'Z':
		return Unparsed
	case c.plain == nil || int(label-'A') < len(c.plain):
		return Of("(" + string(rune(label)) + ")")
	case label == 'X':
		return Unparsed // a placeholder
	}
	return Answer{How: NoOption}
}

var (
	// leading is what may stand before a label or an option in a statement.
	leading = regexp.MustCompile(`(?i)^(?:[\s"'*_$:=~#>.,–—-]+|[(\[]X[)\]] |\\(?:text|mathbf|mathrm|textbf|boxed|bf|rm)\b|\{|\\[(\[]|` +
		`(?:the |my |your )?(?:final |correct )?(?:option|choice|answer|letter|statement|solution)\b(?:[ \t]+is\b)?|` +
		`(?:that|is|likely|probably|definitely|most|clearly|most likely|indeed|indicated|given|represented|by)\b)+`)
	label = regexp.MustCompile(`^(?:[(\[{<]\s*([A-Za-z])\s*(?:[)\]}>]|$)|([A-Za-z])([)\]}:.,;/"'*_$\\?!]|\s|$))`)
	// denied begins a statement that says what the answer is not, or that there is none yet.
	denied = regexp.MustCompile(`(?i)^(?:not|n't|never|neither|unclear|incorrect|wrong|unlikely|no longer)\b`)
	// clause begins what may follow a letter that has no punctuation behind it.
	clause = regexp.MustCompile(`(?i)^(?:because|since|as|and|or|is|with|for|due|given|which|so|but|if|here|based|in|-|–|—|\(|=|` +
		`according|not|rather|instead|therefore|thus)(?:\b|\s|$)`)
	another = regexp.MustCompile(`(?i)^[)\]\s,]*(?:or|and|/|&|,|;)+\s*(?:option\s+|choice\s+)?([(\[]?)([A-Za-z])(?:[)\].,;:]|\s|$)`)
	noneOf  = regexp.MustCompile(`(?i)^(?:none of|no option|neither of|not (?:listed|given|among|one of|any of))`)
)

// stated reads the option that a statement gives.
func (c chooser) stated(text string) Answer {
	text = markup.Replace(strings.TrimSpace(text))
	if text == "" {
		return Unparsed
	}
	if a := c.exact(text); a.Parsed {
		return a
	}
	if noneOf.MatchString(text) {
		return Answer{How: NoOption}
	}
	if denied.MatchString(text) {
		return Unparsed
	}
	rest := text[len(leading.FindString(text)):]
	switch {
	case denied.MatchString(rest):
		return Unparsed
	case noneOf.MatchString(rest):
		return Answer{How: NoOption}
	}
	if a := c.exact(rest); a.Parsed {
		return a
	}
	if c.letters {
		if a, found := c.lettered(rest); found {
			return a
		}
	}
	if a := c.begins(rest); a.Parsed {
		return a
	}
	if all := sentences(rest); len(all) > 0 && !strings.HasSuffix(all[0], "?") && !negated.MatchString(all[0]) {
		if a := c.mentioned(all[0], 4); a.Parsed {
			return a
		}
	}
	return c.valued(rest)
}

// valued reads the option with the value of a statement, if all options are different values.
func (c chooser) valued(text string) Answer {
	if c.values == nil {
		return Unparsed
	}
	a := numeric{first: numberIn}.stated(text)
	if i := slices.Index(c.values, a.Text); i >= 0 && a.Parsed {
		return c.of(i)
	}
	return Unparsed
}

// valuesOf returns the values of options, nil unless each has one and they differ.
func valuesOf(options []string) (values []string) {
	for _, option := range options {
		all := valuesIn(": " + figures.Replace(option))
		if len(all) != 1 || !all[0].number().Parsed || slices.Contains(values, all[0].number().Text) {
			return nil
		}
		values = append(values, all[0].number().Text)
	}
	return values
}

// lettered reads the label with which a text begins. Found is false if it begins with none.
func (c chooser) lettered(text string) (a Answer, found bool) {
	m := label.FindStringSubmatch(text)
	if m == nil {
		return Unparsed, false
	}
	letter, rest := m[1]+m[2], text[len(m[0]):]
	if small := letter >= "a"; m[2] != "" {
		switch end := m[3]; {
		case end == "'" && rest != "" && rest[0] != ' ':
			return Unparsed, false // I'm, or d'accord
		case end == "/", end == "?":
			return Unparsed, true
		case strings.TrimSpace(end) == "" && rest != "":
			if next := strings.TrimSpace(rest); small || c.word(letter, next) {
				return Unparsed, false
			}
		case small && end != ")" && end != "]" && strings.Trim(rest, ` .*_"'$}`) != "":
			return Unparsed, false
		case end == "." && len(rest) > 1 && unicode.IsLetter(rune(rest[0])) && rest[1] == '.':
			return Unparsed, false // an abbreviation
		}
		rest = m[3] + rest
	}
	a = c.option(letter[0])
	behind := rest
	if i := int(letter[0]&^0x20 - 'A'); i < len(c.plain) {
		behind = strings.TrimLeft(rest, ` )].:*_"'`)
		if plain := plainWords(behind); strings.HasPrefix(plain, c.plain[i]) && c.plain[i] != "" {
			behind = behindWords(behind, len(strings.Fields(c.plain[i])))
		}
	}
	for _, text := range []string{rest, behind} {
		if m := another.FindStringSubmatch(text); m != nil && !strings.EqualFold(m[2], letter) {
			if b := c.option(m[2][0]); b.Parsed && (m[1] != "" || m[2] < "a" && m[2] != "A" && m[2] != "I") {
				return Unparsed, true // two options
			}
		}
	}
	if c.listing(letter[0], rest) {
		return Unparsed, true
	}
	return a, true
}

// word reports whether a capital before a blank is rather a word: the article or the pronoun, unless what follows is
// the option's text or goes on about the letter; any other capital if a name follows.
func (c chooser) word(letter, next string) bool {
	if i := int(letter[0] - 'A'); i < len(c.plain) && c.plain[i] != "" && strings.HasPrefix(plainWords(next), c.plain[i]) {
		return false
	}
	return (letter == "A" || letter == "I") && !clause.MatchString(next)
}

// listing reports whether a text goes on with the next label of the same case: a list of them in one line.
func (c chooser) listing(label byte, rest string) bool {
	return strings.Contains(rest, "("+string(rune(label+1))+")") && !negated.MatchString(rest)
}

// behindWords returns a text without its first n words.
func behindWords(text string, n int) string {
	for range n {
		text = strings.TrimLeft(text, " ")
		at := strings.IndexByte(text, ' ')
		if at < 0 {
			return ""
		}
		text = text[at:]
	}
	return text
}

// exact reads a text that is an option's text and nothing else.
func (c chooser) exact(text string) Answer {
	plain := plainWords(text)
	if bracketed.MatchString(text) && len(plain) == 1 { // a label, whatever the options are called
		return Unparsed
	}
	for _, plain := range []string{plain, turnedRound(plain)} {
		if at := slices.Index(c.plain, plain); at >= 0 && plain != "" && !slices.Contains(c.plain[at+1:], plain) {
			return c.of(at)
		}
	}
	return Unparsed
}

// turnedRound returns "Y is X" of the words "X is Y"; "" of others.
func turnedRound(plain string) string {
	x, y, ok := strings.Cut(plain, " is ")
	if !ok {
		return ""
	}
	return y + " is " + x
}

var bracketed = regexp.MustCompile(`^\s*[(\[][A-Za-z][)\]]`)

// begins reads a text that begins with an option's text; of several, the longest. A short one, such as no, must be
// followed by punctuation.
func (c chooser) begins(text string) Answer {
	words, best := strings.Fields(head(text)), -1
	plain := make([]string, 0, len(words))
	for _, w := range words {
		plain = append(plain, plainWord(strings.ToLower(norm.NFC.String(markup.Replace(w)))))
	}
	for i, option := range c.plain {
		n := countWords(plain, option)
		if n == 0 || len(option) < 4 && n < len(words) && !strings.ContainsAny(words[n-1][len(words[n-1])-1:], ".,;:!)") {
			continue
		}
		if best < 0 || len(option) > len(c.plain[best]) {
			best = i
		} else if option == c.plain[best] {
			return Unparsed
		}
	}
	if best < 0 {
		return Unparsed
	}
	return c.of(best)
}

// countWords returns how many of the first words make up an option; 0 if they do not.
func countWords(plain []string, option string) int {
	rest := option
	for n, w := range plain {
		if w == "" {
			continue
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, w); !ok {
			return 0
		}
		if rest == "" {
			return n + 1
		}
		if rest, ok = strings.CutPrefix(rest, " "); !ok {
			return 0
		}
	}
	return 0
}

// mentioned reads the only option whose text a text has as words of its own. Texts with fewer letters than least are
// not looked for, and one that is a part of another counts only apart from it.
func (c chooser) mentioned(text string, least int) Answer {
	found, plain := -1, " "+plainWords(text)+" "
	order := make([]int, len(c.plain))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(c.plain[b]) - len(c.plain[a]) })
	for _, i := range order {
		if len(c.plain[i]) < least {
			continue
		}
		if without := strings.ReplaceAll(plain, " "+c.plain[i]+" ", " | "); without != plain {
			if found >= 0 {
				return Unparsed
			}
			found, plain = i, without
		}
	}
	if found < 0 {
		return Unparsed
	}
	return c.of(found)
}

// whole reads a line or a part in bold type that is nothing else than an option.
func (c chooser) whole(text string) Answer {
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
		return Unparsed
	}
	a, rest := c.option((m[1] + m[2])[0]), strings.Trim(text[len(m[0]):], ` .)]}*_"'$:`)
	switch {
	case rest == "":
		return a
	case m[2] >= "a" && m[3] != ")":
		return Unparsed
	case a.Parsed && c.exact(rest).Same(a), c.plain == nil && len(strings.Fields(rest)) <= 8:
		return a
	}
	return Unparsed
}

// alone reads the last line if it is nothing but an option, or the only option that stands in bold type.
func (c chooser) alone(p page) Answer {
	last := p.last()
	if last < 0 {
		return Unparsed
	}
	if l := p.lines[last]; !l.listed && !p.open {
		if a := c.whole(l.text); a.Parsed && !c.headed(p, last) {
			return a
		}
	}
	found := Unparsed
	for _, l := range p.lines {
		parts := l.bold
		if !p.open && entry.MatchString(l.text[len(leading.FindString(l.text)):]) { // a label with its text
			parts = append(parts, l.text)
		}
		for _, bold := range parts {
			if a := c.whole(bold); a.Parsed && !l.listed {
				if found.Parsed && found != a {
					return Unparsed
				}
				found = a
			}
		}
	}
	return found
}

// headed reports whether at least two lines before this one, which differ, are labels too, as headings of what is said
// of each option.
func (c chooser) headed(p page, last int) bool {
	var found []string
	for _, l := range p.lines[:last] {
		if m := halfEntry.FindStringSubmatch(l.text); m != nil && !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return len(found) > 1
}

// opening reads an option with which a page begins: its label with whatever text behind it, or its text alone, or yes or
// no before more words.
func (c chooser) opening(p page) Answer {
	first := p.next(-1)
	if first < 0 || p.lines[first].listed || p.open && first == p.last() && len(p.lines[first].text) < 20 {
		return Unparsed
	}
	text := p.lines[first].text
	if n := p.next(first); n >= 0 && (p.lines[n].listed || c.whole(p.lines[n].text).Parsed) && c.whole(text).Parsed {
		return Unparsed // a list with other labels, or with one twice
	}
	if m := beginning.FindStringSubmatch(text); m != nil && c.letters && !c.listing((m[1] + m[2])[0], text[len(m[0]):]) {
		a, rest := c.option((m[1] + m[2])[0]), text[len(m[0]):]
		if part := m[1] >= "a" && strings.Trim(rest, " .") != ""; !part || a.Parsed && c.begins(rest).Same(a) {
			return a // a small letter may as well be of a part of the reply
		}
	}
	if a := c.whole(text); a.Parsed {
		return a
	}
	if word := replying.FindString(text); word != "" {
		return c.exact(leadingWord.FindString(word))
	}
	return Unparsed
}

// beginning matches the label with which a reply begins.
var beginning = regexp.MustCompile(`^(?:[^\pL\pN\s(\[]{1,3}[ \t]+)?(?:[(\[]([A-Za-z])[)\]]|([A-Z])[).:](?:\s|$))`)

// spoken matches the labels of which a text speaks.
var spoken = regexp.MustCompile(`[(\[]([A-Za-z])[)\]]|(?:^|[\s"'])([A-Z])\)|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|OPTION) ([A-Z])\b|` +
	`^([A-Z])[.:,](?:\s|$)`)

// only reads the one option that a complete reply speaks of, by labels or else by texts, in its first or last sentence.
func (c chooser) only(p page) Answer {
	var all []string
	for _, l := range p.lines {
		if !l.listed {
			all = append(all, sentences(l.text)...)
		}
	}
	byLabel, byText := Unparsed, Unparsed
	for i, s := range all {
		if strings.HasSuffix(s, "?") || negated.MatchString(s) {
			continue
		}
		edge := i == 0 || i == len(all)-1
		for _, m := range spoken.FindAllStringSubmatch(s, -1) {
			if !c.letters {
				break
			}
			if a := c.option(strings.Join(m[1:], "")[0]); a.Parsed && !c.agree(&byLabel, a, edge) {
				return Answer{How: Nothing}
			}
		}
		a := c.begins(s)
		if !a.Parsed || !edge {
			a = c.mentioned(s, 4)
		}
		if a.Parsed && !c.agree(&byText, a, edge) {
			byText.How = NoOption // several
		}
	}
	for _, a := range []Answer{byLabel, byText} {
		if a.Parsed && a.How == Fallback {
			return a
		}
	}
	return Answer{How: Nothing}
}

// agree adds an option to those that were found and reports whether it is the only one. Fallback marks one that was
// found at the edge of the reply.
func (c chooser) agree(found *Answer, a Answer, edge bool) bool {
	if found.Parsed && found.Text != a.Text {
		return false
	}
	if a.How = found.How; edge && a.How == "" {
		a.How = Fallback
	}
	*found = a
	return true
}

// lastNamed reads the last sentence that names an option, if it names only one.
func (c chooser) lastNamed(p page) Answer {
	for i := len(p.lines) - 1; i >= 0; i-- {
		all := sentences(p.lines[i].text)
		for k := len(all) - 1; k >= 0 && !p.lines[i].listed; k-- {
			if !c.any(all[k]) {
				continue
			}
			a := c.mentioned(all[k], 1)
			if !a.Parsed || negated.MatchString(all[k]) || strings.HasSuffix(all[k], "?") {
				return Answer{How: Nothing}
			}
			a.How = Fallback
			return a
		}
	}
	return Answer{How: Nothing}
}

// any reports whether a text has an option's text.
func (c chooser) any(text string) bool {
	plain := " " + plainWords(text) + " "
	return slices.ContainsFunc(c.plain, func(option string) bool {
		return option != "" && strings.Contains(plain, " "+option+" ")
	})
}
