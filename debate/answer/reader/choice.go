package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate/answer"
)

// readChoice reads which of the question's options a reply chooses. It looks for these, in this order, in the part of
// the reply behind its reasoning and before an invented next question:
//
//  1. the last \boxed{} that names an option;
//  2. the last statement: "the answer is (B)", "Answer: B", "#### B", "(B) is correct", "I choose B";
//  3. an option alone in the last line, or in bold type or with its label in a line of its own, if only one is;
//  4. in a complete reply that answers yes or no without options: that with which a sentence of the last line begins;
//  5. in a complete reply, the only option of a sentence that concludes, else the only one that the reply speaks of
//     without denying it: by its label, by its text, or in the last sentence by words that no other option has;
//  6. where the question is known and wants yes or no, whether a sentence that takes it up says that it is so: one of
//     the last line, else the one that takes up most of it.
//
// An option is named by its letter or, as a whole, by its text. Where a statement gives a letter and the text of
// another option, the letter counts. A letter that is not offered is no option, and nothing before it is read. Lists
// that repeat the options, statements that deny or ask, and the placeholder (X) are no statements. Without the
// options, any letter is one.
func readChoice(q answer.Question) answer.Extractor {
	options, letters := ownNames(q.Options)
	c := newChooser(answer.Question{Text: q.Text, Options: options})
	return func(reply string) answer.Answer { return c.read(c.own(pageOf(letters(reply), c.theme))) }
}

// ownNames returns options without the names that all of them begin with, such as "Action 1:", and what writes their
// letters for these.
func ownNames(options []string) (bare []string, inLetters func(reply string) string) {
	letters := map[string]string{}
	var names []string
	for i, option := range options {
		name, text, named := strings.Cut(option, ": ")
		if _, twice := letters[strings.ToLower(name)]; !named || twice || !endsInLabel.MatchString(name) {
			return options, strings.TrimSpace
		}
		bare = append(bare, text)
		letters[strings.ToLower(name)] = answer.OptionName(i)
		names = append(names, regexp.QuoteMeta(name))
	}
	if len(names) < 2 {
		return options, strings.TrimSpace
	}
	any := regexp.MustCompile(`(?i)\b(?:` + strings.Join(names, "|") + `)\b:?`)
	return bare, func(reply string) string {
		return any.ReplaceAllStringFunc(reply, func(name string) string {
			return letters[strings.ToLower(strings.TrimSuffix(name, ":"))]
		})
	}
}

// endsInLabel matches a name that tells options apart: "Action 1", "Solution B".
var endsInLabel = regexp.MustCompile(`^\pL[\pL ]{0,20} ?(?:[0-9]{1,2}|[A-Z])$`)

// readName reads which of the question's options, such as suspects, a reply names. It looks as readChoice does, and
// then for the last sentence that names only one. The answer is the option's text.
func readName(q answer.Question) answer.Extractor {
	if len(q.Options) == 0 {
		return readPhrase
	}
	c := newChooser(q)
	return func(reply string) answer.Answer {
		p := c.own(pageOf(reply, c.theme))
		a := c.read(p)
		if !a.Parsed && a.How == answer.Nothing && !p.open {
			a = c.lastNamed(p)
		}
		if a.Parsed {
			a.Text = q.Options[a.Text[1]-'A']
		}
		return a
	}
}

// readYesNo reads yes or no. If the question has options, it reads which of them, as readChoice does.
func readYesNo(q answer.Question) answer.Extractor {
	if len(q.Options) > 0 {
		return readChoice(q)
	}
	unlikely := strings.Contains(lastSentence(q.Text), " unlikely")
	if unlikely { // which denies nothing in what takes up such a question
		q.Text = strings.ReplaceAll(q.Text, " unlikely", " improbable")
	}
	c := chooser{plain: yesAndNo, same: 2, asked: tellingStems(lastSentence(q.Text)), theme: questionTheme(q)}
	c.advised = asksAdvice.MatchString(lastSentence(q.Text))
	c.existing = asksExistence.MatchString(lastSentence(q.Text))
	c.proposed = asksWhetherTo.MatchString(lastSentence(q.Text))
	if asks := lastSentence(q.Text); isThatSo.MatchString(asks) {
		c.asked = tellingStems(lastSentence(strings.TrimSuffix(strings.TrimSpace(q.Text), asks)))
		c.claimed = true
	}
	c.blamed = asksBlame.MatchString(q.Text)
	proposal := proposed.FindStringSubmatch(q.Text)
	return func(reply string) answer.Answer {
		if unlikely {
			reply = strings.ReplaceAll(reply, " unlikely", " improbable")
		}
		if c.blamed {
			reply = judged(judged(reply, noBlame, "No"), blame, "Yes")
		}
		if !c.claimed {
			reply = ofOneself.ReplaceAllString(reply, "$1")
		}
		reply = taking.ReplaceAllString(reply, "${1}Final answer: $2$3")
		reply = notSo.ReplaceAllString(inBrackets.Replace(reply), "${1}No, not $2$3")
		p := pageOf(noInWords.ReplaceAllString(reply, "${1}No$2"), c.theme)
		if last := p.last(); p.previous(last) >= 0 && byLabel.MatchString(p.lines[last].text) {
			p.lines = p.lines[:last] // of an option that is not known
		}
		a := c.read(p)
		if !a.Parsed && proposal != nil && !p.open {
			a = c.readReview(p, proposal[1])
		} else if !a.Parsed && a.How == answer.Nothing {
			for _, read := range []func(page) answer.Answer{c.quoted, c.takenUp, c.advises, c.deniesAtLast} {
				if a = read(p); a.Parsed {
					break
				}
			}
		}
		if a.Parsed {
			a.Text = c.plain[a.Text[1]-'A']
		}
		return a
	}
}

var (
	// ofOneself matches what a reply says of itself when somebody doubts it: nothing of the question.
	ofOneself = regexp.MustCompile(`(?im)^([*_#> ]*)(?:yes|no)[,.!]? (?:i am|i'm|i do|i remain|i feel) (?:not |very |quite |fully |still |\pL+ly )*` +
		`(?:certain|sure|confident|positive|stand(?:ing)? by)\b(?:[^.!?\n]{0,20} that\b|[^.!?\n]*[.!])\s*`)
	// taking matches a sentence that chooses yes or no.
	taking = regexp.MustCompile(`(?im)(^|[.!?:][*_"' ]+)(?:(?:so|therefore|thus|hence),? )?i(?:'d| would|'ll| will)? ` +
		`(?:choose|pick|select|vote|go with|opt for|vote for):? ["'*_(]*(yes|no|true|false)["'*_)]*([.,;!]|[ \t]*$)`)
	// asksBlame matches a question of who is to blame, in the words of the forum that asks it, and blame and noBlame
	// match its verdicts.
	asksBlame = regexp.MustCompile(`\b(?:AITAH?|WIBTAH?)\b|(?i:\b(?:am|was|would|will) i (?:be )?(?:being )?(?:the|an) (?:asshole|a-?hole)\b)`)
	blame     = regexp.MustCompile(`\b(?:YTA|YWBTA)\b(?: ?\([^)\n]{1,40}\))?|(?i:\byou(?:'re|’re| are|'d be| would be) (?:\pL+ly )?(?:the|an) asshole\b)`)
	noBlame   = regexp.MustCompile(`\b(?:NTA|NAH|YWNBTA)\b(?: ?\([^)\n]{1,40}\))?|(?i:\byou(?:'re|’re| are|'d| would) (?:\pL+ly )?not (?:be )?(?:\pL+ly )?` +
		`(?:the|an) asshole\b|\byou (?:aren|weren|wouldn)['’]t (?:be )?(?:the|an) asshole\b|\bno assholes here\b)`)
)

// judged states an answer where a verdict stands in a reply, other than on a condition.
func judged(reply string, verdict *regexp.Regexp, answer string) string {
	var b strings.Builder
	from := 0
	for _, at := range verdict.FindAllStringIndex(reply, -1) {
		if conditional.MatchString(ownSentence(reply[:at[0]])) {
			continue
		}
		b.WriteString(reply[from:at[0]] + "\n\nFinal answer: " + answer + "\n\n")
		from = at[1]
	}
	return b.String() + reply[from:]
}

// conditional matches the beginning of a sentence that supposes or leaves open what follows.
var conditional = regexp.MustCompile(`(?i)\b(?:if|whether|unless|then|assuming|provided|think)\b`)

// quoted reads the yes or no that a complete page puts in quotation marks, as of those who argue for it, if it does so
// with one of them only.
func (c chooser) quoted(p page) (found answer.Answer) {
	for _, s := range p.sentences() {
		for _, m := range inQuotation.FindAllStringSubmatch(s, -1) {
			a := c.exact(m[1])
			if p.open || supposed.MatchString(s) || hedged.MatchString(s) || found.Parsed && found.Text != a.Text {
				return answer.Answer{How: answer.Nothing}
			}
			found = a
			found.How = answer.Fallback
		}
	}
	if !found.Parsed {
		found.How = answer.Nothing
	}
	return found
}

// inQuotation matches yes or no in quotation marks.
var inQuotation = regexp.MustCompile(`(?i)["'](yes|no)[.,]?["']`)

// inBrackets writes out the letters of yes and no in parentheses.
var inBrackets = strings.NewReplacer("(Y)", "yes", "(N)", "no")

var (
	// proposed matches an answer that a question puts up for debate.
	proposed = regexp.MustCompile(`(?i)\b(?:candidate|proposed|suggested) answer[^:\n]{0,30}: *["*(]*(yes|no)\b`)
	// review matches what a reply says of it.
	review = regexp.MustCompile(`(?i)\banswer(?: \S+){0,3}? is (?:\pL+ly )?(not )?(?:(?:correct|right|valid|justified|supported|sound)|` +
		`((?:not (?:just|only|merely) )?(?:\pL+ly )?(?:incorrect|wrong|invalid|false|flawed|unsupported|untenable)))\b`)
	// byLabel matches a statement that is the letter of an option.
	byLabel = regexp.MustCompile(`(?i)\b(?:answer|option|choice)\b[^.]{0,20}(?:\bis|\bbe|:) [(*]*[A-D][)*]*\.?$`)
)

// readReview reads what the last sentence of a page that judges a proposed answer makes of it.
func (c chooser) readReview(p page, proposal string) answer.Answer {
	for _, s := range slices.Backward(p.sentences()) {
		m := review.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		a := c.exact(proposal)
		if m[1] != "" || m[2] != "" {
			a = c.contrary(a)
		}
		a.How = answer.Fallback
		return a
	}
	return answer.Answer{How: answer.Nothing}
}

// isThatSo matches a question on what was said before it.
var isThatSo = regexp.MustCompile(`(?i)^(?:is(?:n't)? (?:that|this|it)(?: not)? (?:right|true|correct|so|accurate)|(?:right|correct|true)|` +
	`(?:do|don't|would|wouldn't) you (?:agree|concur|think so)(?: with (?:me|this|that|(?:this|that|the|my) \pL+))?|` +
	`am i (?:right|correct))\?$`)

// asksAdvice begins a question of what should be.
var asksAdvice = regexp.MustCompile(`(?i)^(?:should|ought|(?:is|are|was|would) (?:it|this|that)? ?(?:be )?(?:right|ok|okay|fair|wise|good|ethical|moral|acceptable|` +
	`justified|better|safe)|do you (?:believe|think|support|agree)|would .* benefit)\b`)

var (
	// judging begins a sentence on what somebody said.
	judging = regexp.MustCompile(`(?i)^(?:[^.,:]{0,60}, )?(?:(?:but|and|so|well|actually|unfortunately|indeed),? )*` +
		`(?:i|i'm|i'd|you|you're|your|that|that's|this|it|it's|the (?:statement|claim|idea|belief|notion|assertion))\b`)
	// agreeing and disagreeing are what it says of it.
	agreeing    = regexp.MustCompile(`(?i)\b(?:agree|right|correct|true|accurate|valid)\b`)
	disagreeing = regexp.MustCompile(`(?i)\b(?:disagree|incorrect|inaccurate|untrue|false|mistaken|wrong|misconception|misunderstanding|myth)\b|` +
		`(?:\bnot|\bcannot|n't) (?:(?:\pL+ly|quite|strictly|in) )?(?:agree(?:ment)?|correct|right|true|accurate|valid|the case)\b`)
)

// agrees reads what the first sentences of a page say of what they are to agree with, or the last one of a complete
// page.
func (c chooser) agrees(p page) answer.Answer {
	all := p.sentences()
	if !c.claimed || len(all) == 0 {
		return answer.Unparsed
	}
	edge := slices.Clone(all[:min(len(all), edgeSentences)])
	if !p.open {
		edge = append(edge, all[len(all)-1])
	}
	for _, s := range edge {
		switch {
		case !judging.MatchString(s) || strings.HasSuffix(s, "?") || supposed.MatchString(s):
		case disagreeing.MatchString(s):
			return c.of(1)
		case agreeing.MatchString(s):
			return c.of(0)
		}
	}
	return answer.Unparsed
}

// edgeSentences is how many sentences at the beginning of a reply can say whether it agrees.
const edgeSentences = 3

// notSo matches a sentence that says no in other words, or a heading.
var notSo = regexp.MustCompile(`(?im)(^[*_# ]*|[:.!?][*_"' ]+)not (necessarily|really|at all|quite|exactly)([*_"]*(?:[,.;:!]| ?[–—]| - |$|(?: an?| the)? [^.:!?\n]{1,40}$))`)

// noInWords matches what means no and is all of a sentence or a statement.
var noInWords = regexp.MustCompile(`(?im)(^[*_# ]*(?:so,? )?|[:.!?][*_"' ]+(?:so,? )?|\banswer is )(?:(?:very |most |almost )?(?:probably|` +
	`definitely|absolutely|certainly|of course|surely|likely|clearly|obviously),? not|no way|` +
	`(?:it is |it's )?(?:highly |very |extremely )?unlikely)([*_"]*(?:[.,;:!]| ?[–—]| - |$))`)

// yesByLetter returns the index in yesAndNo of what a text that is one letter means, -1 if it is none.
func yesByLetter(text string) int {
	m := oneLetter.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	return strings.Index("yntf", strings.ToLower(m[1]))
}

// oneLetter matches the first letter of yes, no, true or false by itself.
var oneLetter = regexp.MustCompile(`^[\s"'*(\[:]*([YNTFyntf])[\s"'*)\].!]*$`)

// chooser finds options in texts.
type chooser struct {
	plain    []string        // the options as plainWords gives them; nil if they are not known
	bare     []string        // the options as bareLaTeX gives them
	values   []string        // the options' values, nil unless all have one
	letters  bool            // options have letters
	asked    map[string]bool // the words of a question that wants yes or no; nil if it is not known
	existing bool            // the question asks whether there is something
	claimed  bool            // the question asks whether what it says is right
	advised  bool            // the question asks whether something should be
	proposed bool            // the question asks whether to do something
	blamed   bool            // the question asks who is to blame
	theme    theme           // of the question
	told     map[string]bool // the telling words of the question by their beginnings, without those of its options
	denying  *regexp.Regexp  // matches the options that deny something themselves, such as false; nil if none does
	same     int             // if it is not 0, options with this distance are one, such as yes and true
}

// of returns the answer of an option, by its index.
func (c chooser) of(i int) answer.Answer {
	if c.same > 0 {
		i %= c.same
	}
	return answer.Of(answer.OptionName(i))
}

// newChooser prepares what the options of a question are compared by.
func newChooser(q answer.Question) chooser {
	c := chooser{letters: true, values: valuesOf(q.Options), theme: questionTheme(q),
		told: stemsOf(wordsIn(beforeOptions(q)))}
	for i, o := range q.Options {
		o = Narrow(o)
		if m := ownLabel.FindStringSubmatch(o); m != nil && m[1] == string(rune('A'+i)) {
			o = o[len(m[0]):] // whose text has its label
		}
		c.plain, c.bare = append(c.plain, plainWords(o)), append(c.bare, bareLaTeX.Replace(o))
	}
	var denying []string
	for _, o := range c.plain {
		if negated.MatchString(o) {
			denying = append(denying, regexp.QuoteMeta(o))
		}
	}
	if len(denying) > 0 {
		c.denying = regexp.MustCompile(`(?i)\b(?:` + strings.Join(denying, "|") + `)\b`)
	}
	if slices.Equal(c.plain, yesAndNo[:2]) {
		c.asked = tellingStems(lastSentence(q.Text))
	}
	return c
}

// negates reports whether a text denies something other than by the name of an option.
func (c chooser) negates(text string) bool {
	if c.denying != nil {
		text = c.denying.ReplaceAllString(text, "")
	}
	return negated.MatchString(text)
}

// beforeOptions returns the end of a question's text before the list of its options, if it has one.
func beforeOptions(q answer.Question) string {
	text := q.Text[max(0, len(q.Text)-maxAsked):]
	if at := strings.LastIndex(text, answer.OptionName(0)); at >= 0 {
		text = text[:at]
	}
	return text
}

// own returns a page up to the question that it makes up: one with a list of other options below it.
func (c chooser) own(p page) page {
	for i := 0; i < len(p.lines) && len(c.plain) > 0; i++ {
		if p.lines[i].listed || !asks.MatchString(p.lines[i].text) {
			continue
		}
		if end, others := c.others(p, i); others > 1 {
			return page{lines: p.lines[:i], open: p.open}
		} else if end > i {
			i = end - 1
		}
	}
	return p
}

// others counts the lines of the list below a line, none if one has the text of an option, and returns where it ends.
func (c chooser) others(p page, line int) (end, count int) {
	offered := false
	for end = p.next(line); end >= 0 && p.lines[end].listed; end = p.next(end) {
		at := entry.FindStringSubmatchIndex(p.lines[end].text)
		offered = offered || at != nil && c.begins(p.lines[end].text[at[3]+1:]).Parsed
		count++
	}
	if offered {
		return end, 0
	}
	return end, count
}

// yesAndNo are what a question can be answered with, and what means the same.
var yesAndNo = []string{"yes", "no", "true", "false", "yeah", "nope", "ja", "nein", "oui", "non", "sí", "falso", "sì",
	"falsch", "да", "нет", "是", "否", "是的", "不是", "对", "不对", "はい", "いいえ", "yep", "nah", "yup", "nay"}

// alsoYesNo are statements that mean yes or no, in turn, where nothing else is said.
var alsoYesNo = []string{"affirmative", "negative", "in affirmative", "in negative", "plausible", "implausible",
	"not no", "not yes", "not false", "not true", "correct", "incorrect", "entailed", "not entailed", "supported",
	"refuted", "supported", "not supported", "plausible", "not plausible", "correct", "not correct", "clear yes",
	"clear no", "definite yes", "definite no", "valid", "invalid", "valid", "not valid"}

// read implements the order that readChoice documents.
func (c chooser) read(p page) answer.Answer {
	if content, ok := p.boxed(); ok {
		a := c.stated(content, true)
		if a.Parsed || a.How == answer.NoOption {
			return explicit(a)
		}
	}
	a, last := c.statement(p)
	switch {
	case a.Parsed || a.How == answer.NoOption:
		return explicit(a)
	}
	if c.letters && p.last() >= 0 && severalLabels(p.lines[p.last()].text) && !c.exact(p.lines[p.last()].text).Parsed {
		return answer.Answer{How: answer.Nothing}
	}
	if a := c.alone(p); a.Parsed && !last {
		return explicit(a)
	}
	if a := c.readOpening(p); a.Parsed {
		return explicit(a)
	}
	switch {
	case p.open:
		return answer.Answer{How: answer.Nothing}
	case last && c.plain != nil: // the last words state something else
		return answer.Answer{How: answer.NoOption}
	case last:
		return answer.Answer{How: answer.Nothing}
	}
	if a := c.concludes(p); a.Parsed {
		return explicit(a)
	}
	return c.meant(p)
}

// meant reads what a complete reply can only mean.
func (c chooser) meant(p page) answer.Answer {
	for _, read := range []func(page) answer.Answer{c.implied, c.only, c.inOtherForms} {
		if a := read(p); a.Parsed {
			return a
		}
	}
	return c.readAffirmation(p)
}

// severalLabels reports whether a line is nothing but labels of different options.
func severalLabels(line string) bool {
	found := make(map[string]bool)
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;/&+|.()[]*", r) }) {
		switch {
		case len(w) == 1 && 'A' <= w[0] && w[0] <= 'Z':
			found[w] = true
		case !besideLabels.MatchString(w):
			return false
		}
	}
	return len(found) > 1
}

// besideLabels matches the words between the labels of several options.
var besideLabels = regexp.MustCompile(`(?i)^(?:and|or|both|either|options?|choices?)$`)

// concludes reads yes or no with which a sentence of the last line begins: "So, no, it could not."
func (c chooser) concludes(p page) answer.Answer {
	if c.letters || p.last() < 0 {
		return answer.Unparsed
	}
	if all := p.sentences(); len(all) > 1 {
		if m := surely.FindStringSubmatch(all[len(all)-1]); m != nil {
			return c.of(min(len(m[1]), 1))
		}
	}
	for _, s := range slices.Backward(sentences(head(p.lines[p.last()].text))) {
		s = finally.ReplaceAllString(regretting.ReplaceAllString(ruling.ReplaceAllString(s, ""), ""), "")
		if strings.HasSuffix(s, "?") {
			continue
		}
		if a := c.saysThereIs(s); a.Parsed {
			return a
		}
		if word := replying.FindString(s); word != "" {
			return c.exact(leadingWord.FindString(word))
		}
		if a := c.exact(s); a.Parsed {
			return a
		}
		all := saysYesNo.FindAllStringSubmatchIndex(s, 2)
		if len(all) != 1 || supposed.MatchString(s) || negated.MatchString(s[:all[0][0]]) && all[0][4] < 0 {
			continue
		}
		m := saysYesNo.FindStringSubmatch(s)
		return c.exact(m[1] + m[2])
	}
	return answer.Unparsed
}

// saysThereIs reads yes or no from a sentence that says whether there is what the question asks for.
func (c chooser) saysThereIs(s string) answer.Answer {
	switch {
	case !c.existing || supposed.MatchString(s) || hedged.MatchString(s),
		share(s, c.asked) == 0 && !pointsThere.MatchString(s): // of something else
		return answer.Unparsed
	case absent.MatchString(s):
		return c.of(1)
	case present.MatchString(s) && !denies.MatchString(s):
		return c.of(0)
	}
	return answer.Unparsed
}

var (
	// asksExistence matches a question of whether there is something.
	asksExistence = regexp.MustCompile(`(?i)^(?:is|are|was|were) there\b|^(?:does|do|did)\b[^?]* exist\b`)
	// absent matches a sentence that says that there is no such thing, present one that says that there is, and
	// pointsThere what stands for the thing.
	absent = regexp.MustCompile(`(?i)^(?:[^.;]{0,60}, )?(?:there (?:is|are|was|were|has been|have been) (?:\pL+ly )?(?:no|none|not|never)\b|` +
		`there (?:is|are|was|were|has|have)n't\b|no (?:such )?[^.;]{1,60} exist(?:s|ed)?\b|` +
		`[^.;]{1,80} (?:does not|doesn't|do not|don't|did not|didn't|never) (?:actually |currently |really )?exist(?:ed)?\b)`)
	present = regexp.MustCompile(`(?i)^there (?:is|are|was|were)(?: indeed)?(?: (?:one|some|such (?:an?|one)|an?) [^,;]*| one| some)?[.!]?$|` +
		`^[^.,;]{1,80} (?:(?:does|do|did) (?:indeed |actually )?|indeed )?exist(?:s|ed)?\b[^,;]*$`)
	pointsThere = regexp.MustCompile(`(?i)\b(?:one|any|it|they|such|none)\b|^there (?:is|are|was|were)(?: indeed| not|n't)?[.!]?$`)
	// surely matches a sentence that says no more than that it is surely so, or not.
	surely = regexp.MustCompile(`(?i)^(?:absolutely|certainly|definitely|of course|indeed|undoubtedly)(,? not)?[.!]*$`)
	// regretting begins a sentence that says yes or no.
	regretting = regexp.MustCompile(`(?i)^(?:(?:unfortunately|sadly|alas|sorry|fortunately|luckily|actually|well|honestly|frankly|in brief|short answer|simply put|` +
		`in a word|to (?:sum up|summari[sz]e|conclude)|ultimately|conclusion|indeed)[,:]? )+`)
	// ruling begins a line that gives the verdict on a question.
	ruling = regexp.MustCompile(`(?i)^(?:final |overall |my |short |the )*(?:conclusion|verdict|result|judge?ment|decision|prediction|output|` +
		`label|response|ruling|assessment):[ ]*`)
	// saysYesNo ends a sentence, or its first part, on what somebody says to a question.
	saysYesNo = regexp.MustCompile(`(?i)\b(?:(?:say|answer|respond|reply|conclude|vote|lean)(?:s|ed|ing)?(?: that| with| towards?)?|` +
		`(?:conclusion|verdict|result) (?:is|would be))[ :,]+` +
		`["'(]?(yes|no)["')]?(?:[.,;:!]|$| to (?:this|the) question)|, so,? (yes|no)\.?$`)
)

// explicit marks an answer that was read as stated.
func explicit(a answer.Answer) answer.Answer {
	if a.Parsed {
		a.How = answer.Explicit
	}
	return a
}

// statement reads the last statement of a page, and reports whether the page ends in a statement that names no option.
func (c chooser) statement(p page) (best answer.Answer, last bool) {
	all, hashes := statements(p)
	best, at, from, undecided := answer.Answer{How: answer.Nothing}, 0, 0, false
	restated := ""
	for _, s := range slices.Concat(hashes, all) {
		if s.text == restated && restated != "" {
			continue
		}
		if c.restates(p, s) || p.restarts(s, restated != "") {
			restated = s.text
			continue
		}
		a := c.stated(s.text, p.announces(s))
		if (a.Parsed || a.How == answer.NoOption) && s.line >= at {
			best, at, from = a, s.line, s.from // an option that is chosen before is taken back
		}
		undecided = !a.Parsed && len(spoken.FindAllString(head(s.text), -1)) > 1
		last = !a.Parsed && s.text != "" && s.line >= p.last() && !denied.MatchString(s.text) &&
			!placeholder.MatchString(strings.Trim(s.text, " .:")) && !unfilled.MatchString(s.text)
	}
	if c.letters && !undecided {
		if a := c.chosenFrom(p, at, from); a.Parsed || a.How != "" {
			best = a
		}
	}
	return best, last
}

// stated reads a statement, which is yes or no by its letter only where it is announced.
func (c chooser) stated(text string, announced bool) answer.Answer {
	if i := yesByLetter(text); i >= 0 && announced && c.same > 0 {
		return c.of(i)
	}
	return c.readStatement(text)
}

// announces reports whether a statement stands behind a colon or in a line of its own: "The answer is Y." rather names
// an option.
func (p page) announces(s statement) bool {
	before := strings.TrimSuffix(p.lines[s.line].text, s.text)
	return before == "" || strings.Contains(before[min(s.from, len(before)):], ":")
}

// restarts reports whether a page breaks off within a statement that may as well begin a list of options again.
func (p page) restarts(s statement, restated bool) bool {
	return p.open && s.line == p.last() && (restated || onlyLabels.MatchString(s.text) &&
		slices.ContainsFunc(p.lines, func(l line) bool { return l.listed }))
}

// chosenFrom reads the last sentence that chooses an option, from a place of a line on: nothing if three options are
// chosen, one after the other, before the page breaks off.
func (c chooser) chosenFrom(p page, line, from int) (best answer.Answer) {
	chosen := make(map[string]bool)
	for i := line; i < len(p.lines); i++ {
		text := p.lines[i].text
		if p.lines[i].listed {
			continue
		}
		if i == line {
			text = text[from:]
		}
		for _, sentence := range sentences(text) {
			if a := c.readChosen(sentence); a.Parsed {
				best, chosen[a.Text] = a, true
			}
		}
	}
	if p.open && len(chosen) > 2 {
		return answer.Answer{How: answer.Nothing}
	}
	return best
}

// unfilled matches the letter that stands for a label in instructions.
var unfilled = regexp.MustCompile(`^["'*([{<]*X["'*)\]}>]*\.?$`)

// onlyLabels matches a line of labels.
var onlyLabels = regexp.MustCompile(`^(?:[(\[][A-Z][)\]]\s*)+$`)

// restates reports whether a statement is the first line of a list of options.
func (c chooser) restates(p page, s statement) bool {
	m := entry.FindStringSubmatch(s.text)
	n := p.next(s.line)
	if n >= 0 && onlyLabels.MatchString(s.text) && onlyLabels.MatchString(p.lines[n].text) &&
		s.text != p.lines[n].text {
		return true
	}
	if m == nil || n < 0 || m[1] != "A" {
		return false
	}
	next := entry.FindStringSubmatch(p.lines[n].text)
	return next != nil && next[1] == "B" || p.open && n == p.last() && p.lines[n].text == "("
}

// readStatement reads the option that a statement gives.
func (c chooser) readStatement(text string) answer.Answer {
	text = markup.Replace(strings.TrimSpace(text))
	if text == "" {
		return answer.Unparsed
	}
	for _, text := range []string{text, numbered.ReplaceAllString(text, "")} {
		if a := c.exact(text); a.Parsed {
			return a
		}
	}
	if noneOf.MatchString(text) {
		return answer.Answer{How: answer.NoOption}
	}
	if denied.MatchString(text) {
		return answer.Unparsed
	}
	if !c.letters {
		text = labelBefore.ReplaceAllString(text, "")
	}
	rest := text[len(leading.FindString(text)):]
	switch {
	case denied.MatchString(rest):
		return answer.Unparsed
	case noneOf.MatchString(rest):
		return answer.Answer{How: answer.NoOption}
	}
	if a := c.exact(rest); a.Parsed {
		return a
	}
	if c.letters {
		if a, found := c.readLabel(rest); found {
			return a
		}
	}
	if a := c.begins(rest); a.Parsed {
		return a
	}
	if word := yesWithMore.FindStringSubmatch(rest); word != nil && !c.letters {
		return c.exact(word[1])
	}
	if all := sentences(rest); len(all) > 0 {
		if a := c.readMention(all[0], 4); a.Parsed && !strings.HasSuffix(all[0], "?") && !c.negates(all[0]) {
			return a
		}
		if a := c.onlyLabel(all[0]); a.Parsed {
			return a
		}
		if a := c.affirms(all[0]); a.Parsed {
			return a
		}
	}
	return c.readByValue(rest)
}

// labelBefore matches the label of an option that the question of yes or no lists.
var labelBefore = regexp.MustCompile(`^[(\[]?[A-D][)\].:]+\s+`)

// yesWithMore matches yes or no before words that say of what.
var yesWithMore = regexp.MustCompile(`(?i)^(yes|no) ?(?:(?:to|in|for|if|because|as|since|on|at|when|with|and|but|it|he|she|they)\b|[(-])`)

// alone reads the last line if it is nothing but an option, or the only option that stands in bold type.
func (c chooser) alone(p page) answer.Answer {
	last := p.last()
	if last < 0 {
		return answer.Unparsed
	}
	if l := p.lines[last]; !l.listed && !p.open && c.distinct(p) < 3 {
		if a := c.whole(l.text); a.Parsed && !p.isHeaded(last) && !c.isListed(p, last, a) {
			return a
		}
	}
	found := answer.Unparsed
	for _, l := range p.lines {
		parts := l.bold
		if !p.open && entry.MatchString(l.text[len(leading.FindString(l.text)):]) { // a label with its text
			parts = append(parts, l.text)
		}
		for _, bold := range parts {
			a := c.whole(bold)
			if word := replying.FindString(bold); word != "" && !c.letters {
				a = c.exact(leadingWord.FindString(word))
			}
			if a.Parsed && !l.listed {
				if found.Parsed && found != a {
					return answer.Unparsed
				}
				found = a
			}
		}
	}
	return found
}

// distinct counts the options that lines of a page are.
func (c chooser) distinct(p page) int {
	found := make(map[string]bool)
	for _, l := range p.lines {
		if a := c.whole(l.text); a.Parsed && !l.listed {
			found[a.Text] = true
		}
	}
	return len(found)
}

// isListed reports whether a line that is an option stands below one that is another, as in a list of them.
func (c chooser) isListed(p page, line int, a answer.Answer) bool {
	above := p.previous(line)
	if above < 0 {
		return false
	}
	b := c.whole(p.lines[above].text)
	return b.Parsed && b.Text != a.Text
}

// isHeaded reports whether at least two of the first lines, which differ, are labels, as headings of what is said of
// each option.
func (p page) isHeaded(lines int) bool {
	var found []string
	for _, l := range p.lines[:lines] {
		if m := halfEntry.FindStringSubmatch(l.text); m != nil && !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return len(found) > 1
}

// readOpening reads an option with which a page begins: its label with whatever text behind it, or its text alone, or
// yes or no before more words.
func (c chooser) readOpening(p page) answer.Answer {
	first := p.next(-1)
	if first < 0 || p.lines[first].listed || p.open && first == p.last() && len(p.lines[first].text) < 20 {
		return answer.Unparsed
	}
	text := p.lines[first].text
	if c.lists(p, first) || halfEntry.MatchString(text) && p.isHeaded(len(p.lines)) {
		return answer.Unparsed
	}
	if a, ok := c.readBeginning(text); ok {
		return a
	}
	if a := c.whole(text); a.Parsed {
		return a
	}
	if !c.letters && ofCourse.MatchString(text) {
		return c.of(0)
	}
	for i, s := range sentences(strings.TrimLeftFunc(head(text), pictured)) {
		if word := replying.FindString(s); word != "" && (i == 0 || thatIsSo.MatchString(s)) {
			return c.exact(leadingWord.FindString(word))
		}
	}
	if !c.letters && truthFirst.MatchString(text) {
		return c.exact(leadingWord.FindString(text))
	}
	if a := c.readInPassing(text); a.Parsed {
		return a
	}
	if a := c.agrees(p); a.Parsed {
		return a
	}
	return c.needNot(p)
}

// needNot reads no from one of the first sentences of a page, or the last of a complete one, that says of what the
// question is about that it need not be so.
func (c chooser) needNot(p page) answer.Answer {
	all := p.sentences()
	if c.letters || c.blamed || len(all) == 0 {
		return answer.Unparsed
	}
	edge := slices.Clone(all[:min(len(all), edgeSentences)])
	if !p.open {
		edge = append(edge, sentences(p.lines[p.last()].text)...)
	}
	for _, s := range edge {
		if at := necessarily.FindStringIndex(s); at != nil && share(s, c.theme) > 1 && !asks.MatchString(s) &&
			!conditional.MatchString(s[:at[0]]) {
			return c.of(1)
		}
	}
	return answer.Unparsed
}

// necessarily matches what a sentence says of what need not be so.
var necessarily = regexp.MustCompile(`(?i)(?:\bnot|n't)(?: \pL+)? necessarily\b`)

// pictured reports whether a character is an emoji or a blank.
func pictured(r rune) bool { return unicode.Is(unicode.So, r) || unicode.IsSpace(r) }

// truthFirst matches a reply that begins with its verdict.
var truthFirst = regexp.MustCompile(`(?i)^(?:true|false)[.,;:!]`)

// readBeginning reads the label with which the first line of a page begins.
func (c chooser) readBeginning(text string) (answer.Answer, bool) {
	m := beginning.FindStringSubmatch(text)
	if m == nil || !c.letters || listsLabels(text) || refuted.MatchString(text[len(m[0]):]) {
		return answer.Unparsed, false
	}
	return c.readLabelBefore((m[1] + m[2])[0], text[len(m[0]):], m[1] >= "a")
}

// refuted matches what is said behind a label of an option that is wrong.
var refuted = regexp.MustCompile(`(?i)^\s*(?:this|that|the) (?:statement|option|answer|choice) is (?:false|incorrect|wrong|not)\b`)

// ofCourse matches a word that is a sentence and means yes.
var ofCourse = regexp.MustCompile(`(?i)^(?:absolutely|definitely|indeed)[.!,]`)

// lists reports whether a line is the first of several items: numbered ones, or options with other labels or with one
// twice.
func (c chooser) lists(p page, first int) bool {
	n := p.next(first)
	if n < 0 {
		return false
	}
	text, next := p.lines[first].text, p.lines[n].text
	return numbered.MatchString(text) && numbered.MatchString(next) ||
		c.whole(text).Parsed && (p.lines[n].listed && c.offers(next) || c.whole(next).Parsed)
}

// readInPassing reads the only yes or no of a line of some words, such as "Sure I'd say yes."
func (c chooser) readInPassing(text string) (found answer.Answer) {
	words := strings.Fields(plainWords(text))
	if c.letters || len(words) > maxPhrase || strings.HasSuffix(text, "?") || negated.MatchString(text) {
		return answer.Unparsed
	}
	for i, w := range words {
		if w == "no" && i+1 < len(words) && determined.MatchString(text) {
			return answer.Unparsed
		}
		if a := c.exact(w); a.Parsed {
			if found.Parsed && found.Text != a.Text {
				return answer.Unparsed
			}
			found = a
		}
	}
	return found
}

// determined matches "no" before what there is none of, rather than before a sentence.
var determined = regexp.MustCompile(`(?i)\bno \pL`)

// thatIsSo matches a sentence that says yes or no to the one before.
var thatIsSo = regexp.MustCompile(`(?i)^(?:yes|no), (?:that|this|it)(?:'s| is) (?:not )?(?:correct|right|true|so)`)

// listsLabels reports whether a line has the labels of three options.
func listsLabels(line string) bool {
	found := make(map[string]bool)
	for _, label := range bracketedCapital.FindAllString(head(line), -1) {
		found[label] = true
	}
	return len(found) > 2
}

var bracketedCapital = regexp.MustCompile(`[(\[][A-Z][)\]]`)

// offers reports whether a line begins with the label of an option.
func (c chooser) offers(line string) bool {
	m := entry.FindStringSubmatch(line)
	return m != nil && c.option(m[1][0]).Parsed
}
