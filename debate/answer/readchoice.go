package answer

import (
	"regexp"
	"slices"
	"strings"
)

// readChoice reads which of the question's options a reply chooses. It looks for these, in this order, in the part of
// the reply behind its reasoning and before an invented next question:
//
//  1. the last \boxed{} that names an option;
//  2. the last statement: "the answer is (B)", "Answer: B", "#### B", "(B) is correct", "I choose B";
//  3. an option alone in the last line, or in bold type or with its label in a line of its own, if only one is;
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

// alone reads the last line if it is nothing but an option, or the only option that stands in bold type.
func (c chooser) alone(p page) Answer {
	last := p.last()
	if last < 0 {
		return Unparsed
	}
	if l := p.lines[last]; !l.listed && !p.open {
		if a := c.whole(l.text); a.Parsed && !p.headed(last) {
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

// headed reports whether at least two of the first lines, which differ, are labels, as headings of what is said of each
// option.
func (p page) headed(lines int) bool {
	var found []string
	for _, l := range p.lines[:lines] {
		if m := halfEntry.FindStringSubmatch(l.text); m != nil && !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return len(found) > 1
}

// opening reads an option with which a page begins: its label with whatever text behind it, or its text alone, or yes
// or no before more words.
func (c chooser) opening(p page) Answer {
	first := p.next(-1)
	if first < 0 || p.lines[first].listed || p.open && first == p.last() && len(p.lines[first].text) < 20 {
		return Unparsed
	}
	text := p.lines[first].text
	if halfEntry.MatchString(text) && p.headed(len(p.lines)) {
		return Unparsed
	}
	if n := p.next(first); n >= 0 && (p.lines[n].listed || c.whole(p.lines[n].text).Parsed) && c.whole(text).Parsed {
		return Unparsed // a list with other labels, or with one twice
	}
	if m := beginning.FindStringSubmatch(text); m != nil && c.letters {
		if a, ok := c.labelled((m[1] + m[2])[0], text[len(m[0]):], m[1] >= "a"); ok {
			return a
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

// labelled reads the label with which a reply begins, unless it begins a list of them; a small one may as well be of a
// part of the reply.
func (c chooser) labelled(letter byte, rest string, small bool) (Answer, bool) {
	a := c.option(letter)
	if c.listing(letter, rest) {
		return Unparsed, false
	}
	return a, !small || strings.Trim(rest, " .") == "" || a.Parsed && c.begins(rest).Same(a)
}

// beginning matches the label with which a reply begins.
var beginning = regexp.MustCompile(`^(?:[^\pL\pN\s(\[]{1,3}[ \t]+)?(?:[(\[]([A-Za-z])[)\]]|([A-Z])[).:](?:\s|$))`)
