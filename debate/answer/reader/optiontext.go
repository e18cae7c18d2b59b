package reader

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/parley-debate/parley/debate/answer"
)

// readByValue reads the option with the value of a statement, if all options are different values.
func (c chooser) readByValue(text string) answer.Answer {
	if c.values == nil {
		return answer.Unparsed
	}
	a := numeric{first: numberIn}.readStatement(text)
	if i := slices.Index(c.values, a.Text); i >= 0 && a.Parsed {
		return c.of(i)
	}
	return answer.Unparsed
}

// valuesOf returns the values of options. It returns nil unless each has one and all differ.
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

// exact reads a text that is an option's text and nothing else but its label.
func (c chooser) exact(text string) answer.Answer {
	plain := plainWords(text)
	if bracketed.MatchString(text) && len(plain) == 1 { // a label, whatever the options are called
		return answer.Unparsed
	}
	if m := ownLabel.FindStringSubmatch(text); m != nil && c.letters && m[1] >= "A" {
		if at := int(m[1][0] - 'A'); at < len(c.plain) && c.plain[at] == plainWords(text[len(m[0]):]) {
			return c.of(at) // "B. A", where the text of (B) is A
		}
	}
	if at := slices.Index(alsoYesNo, plain); at >= 0 && c.same > 0 {
		return c.of(at)
	}
	if strings.ContainsAny(text, `\$`) {
		bare := bareLaTeX.Replace(text)
		if at := slices.Index(c.bare, bare); at >= 0 && bare != "" && !slices.Contains(c.bare[at+1:], bare) {
			return c.of(at)
		}
	}
	for _, plain := range []string{plain, turnRound(plain), strings.Replace(plain, " is indeed ", " is ", 1)} {
		if at := slices.Index(c.plain, plain); at >= 0 && plain != "" && !slices.Contains(c.plain[at+1:], plain) {
			return c.of(at)
		}
	}
	return answer.Unparsed
}

// bareLaTeX takes from a formula what does not change it.
var bareLaTeX = strings.NewReplacer(" ", "", "~", "", "$", "", "{", "", "}", "", `\,`, "", `\;`, "", `\ `, "", `\(`, "",
	`\)`, "", `\mathrm`, "", `\text`, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\left`, "", `\right`, "", ".", "")

// turnRound turns the words "X is Y" into "Y is X". It returns "" for all others.
func turnRound(plain string) string {
	x, y, ok := strings.Cut(plain, " is ")
	if !ok {
		return ""
	}
	return y + " is " + x
}

// begins reads a text that begins with an option's text. If several fit, the longest counts. A short one, such as no,
// must be followed by punctuation.
func (c chooser) begins(text string) answer.Answer {
	words, best := strings.Fields(head(text)), -1
	plain := make([]string, 0, len(words))
	for _, w := range words {
		plain = append(plain, plainWord(strings.ToLower(norm.NFC.String(markup.Replace(w))), true))
	}
	for i, option := range c.plain {
		n := countWords(plain, option)
		if n == 0 {
			continue
		}
		last := words[n-1]
		if len(option) < 4 && n < len(words) && !strings.ContainsAny(last[len(last)-1:], ".,;:!)\"'") {
			continue
		}
		if best < 0 || len(option) > len(c.plain[best]) {
			best = i
		} else if option == c.plain[best] {
			return answer.Unparsed
		}
	}
	if best < 0 {
		return answer.Unparsed
	}
	return c.of(best)
}

// countWords returns how many of the first words make up an option, or 0 if they do not.
func countWords(plain []string, option string) int {
	rest := option
	for n, w := range plain {
		more, ok := strings.CutPrefix(rest, w)
		switch {
		case w == "", w == "a" && !(ok && (more == "" || more[0] == ' ')): // an article
			continue
		case !ok:
			return 0
		case more == "":
			return n + 1
		}
		if rest, ok = strings.CutPrefix(more, " "); !ok {
			return 0
		}
	}
	return 0
}

// readMention reads the only option whose text a text has as words of its own. Texts with fewer letters than least are
// not looked for, and one that is a part of another counts only apart from it.
func (c chooser) readMention(text string, least int) answer.Answer {
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
				return answer.Unparsed
			}
			found, plain = i, without
		}
	}
	if found < 0 {
		return answer.Unparsed
	}
	return c.of(found)
}

// any reports whether a text has an option's text.
func (c chooser) any(text string) bool {
	plain := " " + plainWords(text) + " "
	return slices.ContainsFunc(c.plain, func(option string) bool {
		return option != "" && strings.Contains(plain, " "+option+" ")
	})
}

// spoken matches the labels of which a text speaks.
var spoken = regexp.MustCompile(`[(\[]([A-Za-z])[)\]]|(?:^|[\s"'{])([A-Z])\)|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|OPTION) ([A-Z])\b|` +
	`^([A-Z])[.:,](?:\s|$)`)

// only reads the one option that a complete reply speaks of, by labels or else by texts, in its first or last sentence.
func (c chooser) only(p page) answer.Answer {
	all, byLabel, byText := p.sentences(), answer.Unparsed, answer.Unparsed
	if p.entries() >= leastDiffering {
		return answer.Answer{How: answer.Nothing} // a list
	}
	for i, s := range all {
		if strings.HasSuffix(s, "?") || c.negates(s) || !c.letters && couldBe.MatchString(s) {
			continue
		}
		edge := i == 0 || i == len(all)-1
		for _, at := range spoken.FindAllStringSubmatchIndex(s, -1) {
			if !c.letters {
				break
			}
			end := slices.Max([]int{at[3], at[5], at[7], at[9]}) // of the one group that matched
			a := c.option(s[end-1])
			if a.Parsed && (c.several(s[end-1:end], s[end:]) || !c.agree(&byLabel, a, edge)) {
				return answer.Answer{How: answer.Nothing}
			}
		}
		a := c.begins(s)
		if !a.Parsed || !edge {
			a = c.readMention(s, 4)
		}
		if a.Parsed && !c.agree(&byText, a, edge) {
			byText.How = answer.NoOption // several
		}
	}
	for _, a := range []answer.Answer{byLabel, byText} {
		if a.Parsed && a.How == answer.Fallback {
			return a
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// couldBe matches a sentence that leaves open whether something is true.
var couldBe = regexp.MustCompile(`(?i)\b(?:could|may|might|possibly|perhaps|if|whether)\b`)

// implied reads the one option that the last concluding sentence of a page speaks of, before what it is compared with,
// in its text or in most of its words.
func (c chooser) implied(p page) answer.Answer {
	all := p.sentences()
	i := len(all) - 1
	for i >= 0 && !finally.MatchString(all[i]) {
		i--
	}
	if i < 0 || !c.letters || asks.MatchString(all[i]) || spoken.MatchString(all[i]) {
		return answer.Unparsed
	}
	said := all[i]
	if at := comparing.FindStringIndex(said); at != nil {
		said = said[:at[0]]
	}
	if c.negates(clauses.ReplaceAllString(said, "")) || hedging.MatchString(said) {
		return answer.Unparsed
	}
	a := c.readMention(said, 4)
	if !a.Parsed {
		a = c.closest(said)
	}
	if a.Parsed {
		a.How = answer.Fallback
	}
	return a
}

// closest reads the option of which a sentence has at least half of the telling words, and clearly more than of others.
func (c chooser) closest(said string) answer.Answer {
	best, second, found := 0.0, 0.0, answer.Unparsed
	for i, option := range c.plain {
		own := stemsOf(wordsIn(option))
		part := float64(share(said, own)) / float64(max(len(own), 1))
		if part > best {
			best, second, found = part, best, c.of(i)
		} else {
			second = max(second, part)
		}
	}
	if best < 0.5 || best < second+0.25 {
		return answer.Unparsed
	}
	return found
}

// inOtherForms reads the one option of which the last sentence of a page has the words, in whatever form, that neither
// the question nor another option has.
func (c chooser) inOtherForms(p page) answer.Answer {
	all := p.sentences()
	if len(all) == 0 || !c.letters || len(c.plain) == 0 {
		return answer.Unparsed
	}
	last := all[len(all)-1]
	if at := comparing.FindStringIndex(last); at != nil {
		last = last[:at[0]]
	}
	if negated.MatchString(last) || hedging.MatchString(last) || asks.MatchString(last) || spoken.MatchString(last) {
		return answer.Unparsed
	}
	found := answer.Unparsed
	for i, option := range c.plain {
		own := stemsOf(wordsIn(option))
		for k, other := range c.plain {
			for s := range stemsOf(wordsIn(other)) {
				if k != i {
					delete(own, s)
				}
			}
		}
		for s := range c.told {
			delete(own, s)
		}
		switch n := share(last, own); {
		case n == 0:
		case found.Parsed || 3*n < 2*len(own):
			return answer.Unparsed
		default:
			found = c.of(i)
			found.How = answer.Fallback
		}
	}
	return found
}

// comparing begins what something is compared with.
var comparing = regexp.MustCompile(`(?i)\b(?:than|rather than|instead of|as opposed to|compared (?:to|with)|unlike)\b`)

// entries counts the lines of a page that begin with a label.
func (p page) entries() (n int) {
	for _, l := range p.lines {
		if entry.MatchString(l.text) {
			n++
		}
	}
	return n
}

// agree adds an option to those that were found and reports whether it is the only one. Fallback marks one that was
// found at the edge of the reply.
func (c chooser) agree(found *answer.Answer, a answer.Answer, edge bool) bool {
	if found.Parsed && found.Text != a.Text {
		return false
	}
	if a.How = found.How; edge && a.How == "" {
		a.How = answer.Fallback
	}
	*found = a
	return true
}

// lastNamed reads the last sentence that names an option, if it names only one.
func (c chooser) lastNamed(p page) answer.Answer {
	for i := len(p.lines) - 1; i >= 0; i-- {
		all := sentences(p.lines[i].text)
		for k := len(all) - 1; k >= 0 && !p.lines[i].listed; k-- {
			if !c.any(all[k]) {
				continue
			}
			a := c.readMention(all[k], 1)
			if !a.Parsed || negated.MatchString(all[k]) || strings.HasSuffix(all[k], "?") {
				return answer.Answer{How: answer.Nothing}
			}
			a.How = answer.Fallback
			return a
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// readAffirmation reads yes or no from what a complete reply says of what the question asks, or denies: in its only
// sentence, or in the last of its last line that takes up the question.
func (c chooser) readAffirmation(p page) answer.Answer {
	first, last := p.next(-1), p.last()
	if first < 0 {
		return answer.Answer{How: answer.Nothing}
	}
	ending := sentences(numbered.ReplaceAllString(p.lines[last].text, ""))
	single := first == last && len(ending) == 1
	a := answer.Unparsed
	for _, s := range slices.Backward(ending) {
		said, _ := inTermsOf(s, c.asked)
		takesUp := (single || len(c.asked) >= leastAsked) && 3*share(said, c.asked) >= 2*len(c.asked)
		takesUp = takesUp || finally.MatchString(s) || verdict.MatchString(s) || inShort.MatchString(s)
		if a = c.affirms(s); a.Parsed && takesUp {
			break
		}
		a = answer.Unparsed
	}
	if a.How = answer.Nothing; a.Parsed {
		a.How = answer.Fallback
	}
	return a
}

// takenUp reads yes or no from the sentence of several that takes up the question most, and says what it asks or denies
// it: of sentences that do so alike the first one of the page, else the last. Of an incomplete page only the
// first sentences count, and only if they deny it or judge a claim.
func (c chooser) takenUp(p page) answer.Answer {
	all, best, most := p.sentences(), answer.Answer{How: answer.Nothing}, 0
	if len(all) < 2 || len(c.asked) < 2 {
		return best
	}
	if p.open {
		all = all[:len(all)-1] // it may be half
		if !c.claimed {
			all = all[:min(len(all), edgeSentences)]
		}
	}
	for i := range all {
		s := all[(len(all)-i)%len(all)] // the first one, then from the end
		said, _ := inTermsOf(s, c.asked)
		n := share(said, c.asked)
		if n <= most {
			continue
		}
		if a := c.affirms(s); a.Parsed {
			best, most = a, n
			best.How = answer.Fallback
		}
	}
	if p.open && !c.claimed && best.Text == c.of(0).Text {
		return answer.Answer{How: answer.Nothing} // which it may go on to take back
	}
	return best
}

// asksWhetherTo matches a question of whether to do something, and advising what a reply says of what it proposes.
var (
	asksWhetherTo = regexp.MustCompile(`(?i)\bmakes? sense\b|\bgood idea\b|\bworth\b|^(?:so,? )?should (?:i|we)\b`)
	advising      = regexp.MustCompile(`(?i)\b(?:recommend(?:ed|ation|s)?|advisable|prudent|sensible|wise|safest|` +
		`ideal|suitable|best (?:bet|option|approach|choice|path|way)|(?:opt|go) for|start with|` +
		`makes? (?:the most |good |more )?sense|(?:could|would|can) (?:both )?work)\b`)
)

// advises reads yes from the last sentence of a complete page that recommends what a question proposes.
func (c chooser) advises(p page) answer.Answer {
	if !c.proposed || p.open {
		return answer.Answer{How: answer.Nothing}
	}
	for _, s := range slices.Backward(p.sentences()) {
		if advising.MatchString(s) && share(s, c.asked) > 0 && !strings.HasSuffix(s, "?") && !supposed.MatchString(s) {
			a := c.of(0)
			if denies.MatchString(s) {
				a = c.of(1)
			}
			a.How = answer.Fallback
			return a
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// deniesAtLast reads no from a complete page's last sentence that has a good part of the question's words and denies
// something.
func (c chooser) deniesAtLast(p page) answer.Answer {
	all := p.sentences()
	if stated, _ := statements(p); p.open || len(stated) > 0 || len(c.asked) < 2 || len(all) < 2 {
		return answer.Answer{How: answer.Nothing}
	}
	best, most := "", 1
	for _, s := range slices.Backward(all) {
		said, _ := inTermsOf(s, c.asked)
		if n := share(said, c.asked); n > most && 5*n >= 2*len(c.asked) && !strings.HasSuffix(s, "?") &&
			!supposed.MatchString(s) {
			best, most = said, n
		}
	}
	if best == "" || !denies.MatchString(best) || undetermined.MatchString(best) {
		return answer.Answer{How: answer.Nothing}
	}
	a := c.of(1)
	a.How = answer.Fallback
	return a
}

// undetermined matches a sentence that leaves open what is asked.
var undetermined = regexp.MustCompile(`(?i)^as an? .*\b(?:ai|assistant|model)\b|` +
	`\b(?:depends?|unclear|unknown|uncertain|determine|` +
	`(?:no|not|insufficient) (?:\pL+ ){0,2}(?:information|data|evidence)|whether|if)\b`)

// leastAsked is how many words a question has at least of which a sentence has most.
const leastAsked = 3

// interrogative begins a question that wants yes or no.
var interrogative = regexp.MustCompile(`^(?:Did|Does|Do|Is|Are|Was|Were|Can|Could|Would|Should|Will|Has|Have|Had) `)

// affirms reads yes from a sentence that says what the question asks, and no from one that denies it.
func (c chooser) affirms(said string) answer.Answer {
	if len(c.asked) == 0 || strings.HasSuffix(said, "?") || interrogative.MatchString(said) {
		return answer.Unparsed
	}
	if at := concluding.FindStringIndex(said); at != nil {
		said = said[at[1]:]
	}
	if c.contrasts(said) {
		return c.of(1)
	}
	said = c.mainClause(said)
	if at := behindAnswer.FindStringIndex(said); at != nil && !c.theme.in(said[at[0]:at[1]]) {
		said = said[:at[0]]
	}
	if first, second, ok := strings.Cut(said, "; "); ok && share(second, c.asked) > share(first, c.asked) {
		said = second
	} else if ok {
		said = first
	}
	if m := inShort.FindStringSubmatch(said); m != nil {
		return c.of(min(len(m[1]), 1))
	}
	if c.asksWhatFollows() && unproven.MatchString(said) {
		return c.of(1)
	}
	untrue := untrueThat.MatchString(said)
	if said = untrueThat.ReplaceAllString(said, " "); untrue {
		return c.contrary(c.affirms(said))
	}
	if m := verdict.FindStringSubmatch(said); m != nil && !hedged.MatchString(said) {
		no := false
		for _, denial := range m[1:] {
			no = no != (denial != "")
		}
		if no {
			return c.of(1)
		}
		return c.of(0)
	}
	said, contrary := inTermsOf(said, c.asked)
	switch {
	case hedged.MatchString(denyingBoth.ReplaceAllString(orOther.Replace(said), "$1 and ")) ||
		2*share(said, c.asked) <= len(c.asked):
		return answer.Unparsed
	case denies.MatchString(said) != (contrary != (c.advised && harmful.MatchString(said))):
		return c.of(1)
	}
	return c.of(0)
}

// contrasts reports whether a sentence tells apart the two things of which a question asks whether they are the same.
func (c chooser) contrasts(said string) bool {
	at := contrasting.FindStringIndex(said)
	return at != nil && c.asked["same"] && share(said, c.asked)+1 >= len(c.asked) &&
		share(said[:at[0]], c.asked) > 0 && share(said[at[1]:], c.asked) > 0
}

// contrasting stands between what is said of one thing and of another.
var contrasting = regexp.MustCompile(`(?i),? \b(?:while|whereas)\b|[,;] (?:but|on the other hand,?) |; `)

// harmful matches what is said of something that should not be.
var harmful = regexp.MustCompile(`(?i)\b(?:undermin(?:es?|ing)|contradicts?|threatens?|jeopardi[sz]es?|endangers?|harms?|weakens?|strains?|violates?|` +
	`(?:poses?|presents?|creates?|carries|carry|brings?) (?:\pL+ ){0,3}(?:risks?|threats?|challenges?|dangers?|problems?)|` +
	`(?:rewards?|encourages?) (?:illegal|bad|criminal)|dangerous|risky|unwise|irresponsible|reckless|unfair|unjust|unethical|immoral|` +
	`wrong|a mistake|detrimental|unsustainable|counterproductive|disastrous|(?:far )?outweighs? (?:the|any|its|their) (?:potential )?benefits?)\b`)

// conceding begins a clause that a sentence grants before it says something else, or within that.
var conceding = regexp.MustCompile(`(?i)(?:^|, |\bthat,? )(?:(?:while|although|though|even (?:if|though)|despite|whereas) )`)

// granting begins a sentence whose second half, behind "but", is what it says.
var granting = regexp.MustCompile(`(?i)^(?:i (?:can |do |fully )?(?:understand|appreciate|see|know|recogni[sz]e|respect|apologi[sz]e|hear)|thank|` +
	`(?:it|that|this) (?:is|may be|might be|can be) (?:true|understandable|tempting)|there (?:is|are) (?:some|many|different|several))\b`)

// turning begins a sentence that goes against the one before.
var turning = regexp.MustCompile(`(?i)^(?:however|nevertheless|nonetheless|still|yet|that said|even so|but|instead),? `)

// maxCommas bounds the commas at which a clause that is conceded may end.
const maxCommas = 8

// mainClause returns a sentence without what it only concedes: "While ..., it is", "It is, though ..., not".
func (c chooser) mainClause(said string) string {
	said = turning.ReplaceAllString(said, "")
	if first, second, ok := strings.Cut(said, ", but "); ok && granting.MatchString(first) {
		said = second
	}
	at := conceding.FindStringIndex(said)
	if at == nil || len(said) > maxStatement {
		return said
	}
	before, best, most := said[:at[0]], "", 0
	for rest, n := said[at[1]:], 0; n < maxCommas; n++ {
		_, behind, ok := strings.Cut(rest, ", ")
		if !ok {
			break
		}
		if k := share(behind, c.asked); k >= most && k > 0 || best == "" {
			best, most = behind, k
		}
		rest = behind
	}
	if best == "" {
		return said
	}
	return strings.TrimSpace(before + " " + best)
}

// contrary returns no for yes, and yes for no.
func (c chooser) contrary(a answer.Answer) answer.Answer {
	if a.Parsed {
		return c.of(1 - int(a.Text[1]-'A'))
	}
	return a
}

// asksWhatFollows reports whether a question asks whether something must be so.
func (c chooser) asksWhatFollows() bool {
	return slices.ContainsFunc([]string{"must", "concl", "infer", "entai", "neces"},
		func(stem string) bool { return c.asked[stem] })
}

var (
	// unproven matches a sentence by which something need not be so.
	unproven = regexp.MustCompile(`(?i)(?:\b(?:not|cannot)|n't)\b(?: (?:be|we|\pL+ly))* (?:concluded?|determined?|inferred|infer|follows?|certain|definitive|` +
		`guaranteed?|necessary|necessarily|imply|implied|mean|enough|sufficient|proven?|entailed)\b`)
	// untrueThat begins a clause that is denied as a whole.
	untrueThat = regexp.MustCompile(`(?i)\bit(?: is|'s)(?: therefore| thus| simply)? (?:false|improbable|untrue|incorrect|wrong|(?:not|n't) (?:true|correct|the case)) that\b|` +
		`\bit isn't (?:true|correct|the case) that\b`)
)

// inShort matches a sentence that only says that it is so, or not.
var inShort = regexp.MustCompile(`(?i)^(?:(?:so|indeed|therefore|thus),? )?(?:it|they|he|she|this|that) (?:can|could|did|does|do|is|are|was|were|would|` +
	`will|has|have|had)( ?not|n't)?\.?$`)

// opposites are words of which one denies the other, by the beginnings of the words.
var opposites = map[string]string{"tails": "heads", "heads": "tails", "diffe": "same", "same": "diffe",
	"lies": "truth", "lying": "truth", "lie": "truth", "liar": "truth",
	"small": "large", "large": "small", "usual": "unusu", "commo": "uncom", "legal": "illeg", "rare": "commo",
	"uncom": "commo", "likel": "impro"}

// weakening are words that deny what they stand with.
var weakening = regexp.MustCompile(`^(?:less|fewer|rarely|seldom|hardly|scarcely|barely|(?:avoid|refus|lack|refrain|abstain|reject)(?:e?s|e?d|ing)?|refuse)$`)

var (
	// concluding stands before what follows from the beginning of a sentence.
	concluding = regexp.MustCompile(`(?i), (?:(?:and )?(?:so|therefore|thus|hence),?|which means(?: that)?|meaning(?: that)?) `)
	// verdict matches what a sentence says of the one that it was asked about.
	verdict = regexp.MustCompile(`(?i)(?:\b(?:statement|claim|assertion|proposition|hypothesis|conclusion|inference|sentence|scenario)\b.*|` +
		`^(?:(?:so|therefore|thus|hence),? )?(?:it|this|that) ?)` +
		`(?:\b(?:is|was|would be|would have been)|'s)(n't)?(?: therefore| thus| (?:most )?likely| probably| considered)? (not )?(?:a )?(?:true|correct|accurate|` +
		`entailed|supported|plausible|valid|logically valid|` +
		`(false|wrong|incorrect|inaccurate|untrue|implausible|invalid|contradicted|refuted))` +
		`(?: (?:sentence|statement|claim|conclusion|by the (?:premises|text|passage|evidence|context)))?\.?$|` +
		`\b(?:hypothesis|conclusion|statement|claim)\b.*? (?:(does not|doesn't|cannot) )?(?:\pL+ly )?(?:follows?\b|holds?\.?$)|` +
		`\b(?:hypothesis|conclusion|statement|claim)\b.*? (?:must|has to|(cannot|can't)) be true\.?$`)
)

// opposing matches the beginning that makes a word its opposite.
var opposing = regexp.MustCompile(`^(?:un|im|in|il|ir)`)

// inTermsOf returns a sentence in which the opposite of a word of the question is that word, and whether it has one: so
// it denies what it seems to say.
func inTermsOf(said string, asked map[string]bool) (inTerms string, contrary bool) {
	words := strings.Fields(said)
	for i, w := range words {
		w = strings.ToLower(strings.Trim(w, around))
		if weakening.MatchString(w) && !asked[stem(w)] {
			contrary = !contrary
		}
		for _, other := range []string{opposites[stem(w)], opposing.ReplaceAllString(w, "")} {
			if other != "" && other != w && !asked[stem(w)] && asked[stem(other)] {
				words[i], contrary = other, !contrary
			}
		}
		for _, prefix := range []string{"un", "im", "in", "il", "ir"} {
			if other := prefix + w; len(w) > stemLetters && !asked[stem(w)] && asked[stem(other)] {
				words[i], contrary = other, !contrary
			}
		}
	}
	return strings.Join(words, " "), contrary
}

// denyingBoth matches what is denied of one thing as well as of another.
var denyingBoth = regexp.MustCompile(`(?i)(\b(?:no|not|never|cannot|neither|without)\b[^,.;:]{0,60}?),? or `)

// orOther writes an "or" that leaves nothing open as "and".
var orOther = strings.NewReplacer(" or any other ", " and any other ")

var (
	hedged = regexp.MustCompile(`(?i)\b(?:little|may|might|depends?|depending|unclear|unknown|possibly|perhaps|if|whether|but|although|though|` +
		`however|while|or|definitive|not possible to (?:say|tell|know|determine|answer|provide))\b`)
	denies = regexp.MustCompile(`(?i)\b(?:not|cannot|never|no|unable|impossible|unlikely|neither|nor)\b|n't\b`)
	// common words say nothing of what a question is about.
	common = regexp.MustCompile(`^(?:.{1,3}|does|would|could|should|with|from|that|this|have|been|were|will|there|their|than|` +
		`into|your|about|what|when|which|they|them|then|some|more|most|many|much|true|false)$`)
)

// contracted matches a verb with "not" without its apostrophe.
var contracted = regexp.MustCompile(`^(?:is|are|was|were|do|does|did|ca|could|would|should|wo|has|have|had|must|might|need)nt$`)

// tellingStems returns the words of a question by which a sentence about it is known, by their beginnings; nil of a
// question that denies something.
func tellingStems(question string) map[string]bool {
	known := wordsOf(question)
	for w := range known {
		if denies.MatchString(w) || contracted.MatchString(w) {
			return nil
		}
	}
	return stemsOf(known)
}

// stemsOf returns the beginnings of words that say what a question is about.
func stemsOf(known map[string]bool) map[string]bool {
	found := make(map[string]bool)
	for w := range known {
		if !common.MatchString(w) {
			found[stem(w)] = true
		}
	}
	return found
}

// stemLetters is how much of a word is compared: enough to tell words apart, and the same in most of their forms.
const stemLetters = 5

// stem returns the beginning of a word.
func stem(w string) string {
	letters := []rune(w)
	return string(letters[:min(len(letters), stemLetters)])
}

// share returns how many of the words of a question a sentence has.
func share(sentence string, asked map[string]bool) int {
	found := make(map[string]bool)
	for _, w := range strings.Fields(answer.NormalizeWords(sentence)) {
		if s := stem(w); asked[s] {
			found[s] = true
		}
	}
	return len(found)
}
