package reader

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// saidText returns what a page says in its concluding sentence, or in its first if none concludes; of a page that is
// one sentence, it may be all.
func saidText(p page, known, asked map[string]bool) string {
	all := p.sentences()
	if name := cmp.Or(namedAtLast(all, known), p.namedBelow(known)); name != "" {
		return name
	}
	text := concludes(all, stemsOf(known))
	switch reply := replying.FindString(text); {
	case text == "":
		return ""
	case reply != "":
		return leadingWord.FindString(reply)
	case saysUntold(all):
		return answer.NoSpan
	case undecided.MatchString(all[len(all)-1]):
		return ""
	case isPhrase(text) && !aboutText.MatchString(text):
		return text
	case agentOf(text, known) != "":
		return agentOf(text, known)
	case nameGiven(text, known) != "":
		return nameGiven(text, known)
	case repeatsQuestion(text, asked) || onText.MatchString(text) || ofText.MatchString(text):
		return ""
	}
	whole := ""
	if (len(all) == 1 || ofBoth.MatchString(text)) && !aboutText.MatchString(text) {
		whole = wholeSentence(text, asked)
	}
	switch {
	case whole != "" && (ofBoth.MatchString(text) || !verb.MatchString(text) && !strings.HasSuffix(text, ".")):
		return whole
	case located.MatchString(text) && len(known) > 0 && !asksWhere(known):
		return "" // where what was asked for is
	}
	return cmp.Or(trimLead(predicate(text, known), known), whole)
}

// namedAtLast returns the name that the last of several sentences gives to who is asked for, if the first gives none.
func namedAtLast(all []string, known map[string]bool) string {
	if !known["who"] || len(all) < 2 {
		return ""
	}
	named := func(s string) string {
		s = finally.ReplaceAllString(s, "")
		if at := behindAnswer.FindStringIndex(s); at != nil && at[0] > 0 {
			s = s[:at[0]]
		}
		return cmp.Or(agentOf(s, known), nameGiven(s, known))
	}
	if named(all[0]) != "" {
		return ""
	}
	return named(all[len(all)-1])
}

// namedBelow returns the name that a sentence in a line of its own at the end of a page gives to what is asked for.
func (p page) namedBelow(known map[string]bool) string {
	last := p.last()
	ending := sentences(p.lines[last].text)
	if p.previous(last) < 0 || len(ending) != 1 || p.lines[last].listed || !slices.ContainsFunc(
		[]string{"who", "what", "which", "where"}, func(w string) bool { return known[w] }) {
		return ""
	}
	text := isShort.ReplaceAllString(finally.ReplaceAllString(ending[0], ""), "$1 is ")
	if at := rejecting.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	at := tells.FindStringIndex(text)
	if at == nil || negated.MatchString(text) {
		return ""
	}
	subject, name := text[:at[0]], adverb.ReplaceAllString(strings.TrimRight(text[at[1]:], ".! "), "")
	if asksWhere(known) {
		name = placedIn.ReplaceAllString(name, "")
	}
	if !isName(name) || anyOld(name, known) || isName(subject) && len(strings.Fields(subject)) > 1 ||
		!pronoun.MatchString(subject+" ") && !person.MatchString(subject) && !anyOld(subject, known) {
		return ""
	}
	return name
}

var (
	// isShort matches a subject with its verb in short.
	isShort = regexp.MustCompile(`(?i)^(it|that|he|she)['’]s `)
	// tells matches the verb of a sentence that names something, and placedIn what may stand between it and a place.
	tells    = regexp.MustCompile(`(?i) (?:is|was|are|were|would be|must be|has to be|will be) `)
	placedIn = regexp.MustCompile(`(?i)^(?:born|built|found|founded|held|located|based|situated|made|set) (?:in|at|on) (?:the city of )?`)
)

// undecided matches a sentence by which somebody cannot answer.
var undecided = regexp.MustCompile(`(?i)\b(?:we|i|one) (?:cannot|can't|can not|could not|are unable to|am unable to) (?:\pL+ly )?(?:determine|tell|say|know|answer)\b`)

// concludes returns the concluding sentence of a reply, its first if none concludes, or "" if that says nothing of a
// question.
func concludes(all []string, asked map[string]bool) string {
	if len(all) == 0 {
		return ""
	}
	text, last := all[0], all[len(all)-1]
	if len(all) > 1 && strings.Contains(text, ": ") && !verb.MatchString(text) && !endsSentence(text) {
		return "" // a title
	}
	if m := finally.FindString(last); m != "" {
		text = last[len(m):]
	}
	if len(all) > 1 && (ofBoth.MatchString(last) || share(last, asked) > max(1, share(text, asked)) &&
		copula.MatchString(last) && endsSentence(text) && !isPhrase(text)) {
		text = last
	}
	if filler.MatchString(text) || titled.MatchString(text) || strings.TrimRight(text, "?:") != text {
		return ""
	}
	return text
}

// ofBoth begins a sentence that sums up what was said of several.
var ofBoth = regexp.MustCompile(`(?i)^(?:both|neither|all|none)(?: of)?(?: the)? \pL+ (?:is|are|was|were)\b`)

// asksWhere reports whether a question asks for a place.
func asksWhere(known map[string]bool) bool {
	return slices.ContainsFunc([]string{"where", "city", "country", "continent", "place"},
		func(w string) bool { return known[w] })
}

// trimLead returns what a sentence says of its subject without the words of the question that lead to it.
func trimLead(text string, known map[string]bool) string {
	text = adverb.ReplaceAllString(text, "")
	if empty.MatchString(text) {
		return ""
	}
	words := strings.Fields(text)
	if len(words) > 2 && hasForm(strings.ToLower(words[0]), known) && strings.HasSuffix(words[0], "ed") &&
		connecting.MatchString(words[1]) {
		return strings.Join(words[2:], " ")
	}
	return text
}

// adverb matches words before an answer that change nothing.
var adverb = regexp.MustCompile(`(?i)^(?:(?:` + hedges + `),? )+`)

// saysUntold reports whether a reply begins by saying that the text does not tell.
func saysUntold(all []string) bool {
	for i, s := range all[:min(len(all), 3)] {
		if untold.MatchString(s) && !instructing.MatchString(s) && (i == 0 || ofQuestion.MatchString(s)) {
			return true
		}
	}
	return false
}

// maxWhole bounds the words of a sentence that is an answer as it stands.
const maxWhole = 30

// wholeSentence returns a sentence that is an answer as it stands, "" if it is not: it breaks off, or it is about
// something else than the question.
func wholeSentence(text string, asked map[string]bool) string {
	words := len(strings.Fields(text))
	if endsSentence(text) && onTopic(text, asked) && !negated.MatchString(text) && !hedging.MatchString(text) &&
		words <= maxWhole ||
		!verb.MatchString(text) && !strings.HasSuffix(text, ".") && words <= maxPredicate {
		return text
	}
	return ""
}

// hedging matches words with which a sentence leaves open what it says, or speaks to somebody.
var hedging = regexp.MustCompile(`(?i)\b(?:depends?|depending|unclear|it seems|you would)\b`)

// located matches a sentence that says where something is.
var located = regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:found|located|situated|based) (?:in|at|on|near)\b`)

// fits reports whether words can answer what a question asks for: a number, a time, or something else than yes or no.
func fits(words string, known map[string]bool) bool {
	switch {
	case known["how"] && (known["many"] || known["much"] || known["far"] || known["long"] || known["old"]),
		known["year"] && (known["which"] || known["what"]):
		return !preposed.MatchString(words) && valued.MatchString(words) || counting.MatchString(words)
	case known["what"] || known["which"] || known["who"] || known["where"] || known["when"] || known["how"]:
		return !isReply(words)
	}
	return true
}

// preposed begins what says when or where.
var preposed = regexp.MustCompile(`^(?:during|after|before|until|since)\b`)

// counting matches a number in words, or what means that there is none.
var counting = regexp.MustCompile(`(?i)\b(?:zero|no|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\pL+teen|` +
	`\pL+ty|hundreds?|thousands?|millions?|billions?|dozens?|once|twice|half|unknown|few|several|many|infinite|never)\b`)

var (
	// aboutText begins a sentence that is rather about the question or its text than an answer.
	aboutText = regexp.MustCompile(`(?i)^(?:the |this |these )?(?:text|passage|paragraph|context|question|answers?|following)\b`)
	// ofText begins a sentence that is about the question or its text.
	ofText = regexp.MustCompile(`(?i)^(?:the |this |these )?(?:text|passage|paragraph|context|question)\b`)
	// onText matches a sentence on what there is to answer.
	onText = regexp.MustCompile(`(?i)\b(?:(?:given|provided) (?:text|passage|information)|(?:correct|right|only|logical|final) answers?|both (?:choices|options|answers))\b`)
	// partOf matches what a sentence says of its subject if either part of it may be the answer, or none.
	partOf = regexp.MustCompile(`(?i)^(?:(?:an?|one) .+ of |the one (?:that|who|which)\b)`)
	// titled matches a line that is a title rather than an answer.
	titled = regexp.MustCompile(`(?i)^(?:(?:another|additional|more|further|final|the) )?(?:answers?|information|details?|response|questions?|` +
		`text|passage)\.?$`)
)

// apposed matches what is said of a name behind it.
var apposed = regexp.MustCompile(`, (?:an?|the|one of|specifically|namely|especially) `)

// dropApposition returns a text before what it says of the name in it, unless that is one of several.
func dropApposition(text string) string {
	if at := apposed.FindStringIndex(text); at != nil && at[0] > 0 && !severalNames.MatchString(text[at[0]:]) {
		return text[:at[0]]
	}
	return text
}

// defining begins what a sentence says of its predicate.
var defining = regexp.MustCompile(`(?i) that (?:is|was|are|were|has|have|can)\b`)

// acrossCopula returns the side of "is" that the question does not have, where it has the other.
func acrossCopula(text string, known map[string]bool) string {
	at := copula.FindStringIndex(text)
	if at == nil || negated.MatchString(text) {
		return ""
	}
	before, behind := text[:at[0]], text[at[1]:]
	asked := func(part string) (old, new int) {
		for _, w := range strings.Fields(answer.NormalizeWords(part)) {
			switch {
			case hasForm(w, known) && !common.MatchString(w):
				old++
			case !hasForm(w, known) && !connecting.MatchString(w):
				new++
			}
		}
		return old, new
	}
	oldBefore, newBefore := asked(before)
	oldBehind, newBehind := asked(behind)
	switch {
	case oldBehind > 0 && newBefore > 0 && (newBehind == 0 || newBehind == 1 && oldBehind > 2 && oldBefore == 0):
		behind = beforeName.ReplaceAllString(before, "")
	case oldBefore > 1 && newBehind > 0 && newBefore > 0:
		behind, _, _ = strings.Cut(behind, " (")
	default:
		return ""
	}
	if len(strings.Fields(answer.NormalizeWords(behind))) > maxPredicate {
		return ""
	}
	return behind
}

// article matches a word with a capital that begins no name.
var article = regexp.MustCompile(`^(?:The|An?|This|That|It|He|She|They|These|Those|Both|All|Some|Most|My|Your|His|Her|Their|Its)$`)

// nameGiven returns the name that a sentence gives in answer to who or which: that behind its verb, or its subject, if
// the other side has words of the question; "" if there is none.
func nameGiven(text string, known map[string]bool) string {
	all := copula.FindAllStringIndex(text, -1)
	if len(all) == 0 || negated.MatchString(text) || !known["who"] && !known["which"] && !known["or"] {
		return ""
	}
	at := all[len(all)-1]
	before, behind := finally.ReplaceAllString(text[:at[0]], ""), strings.TrimRight(text[at[1]:], ".")
	subject, _, _ := strings.Cut(before, ", ")
	switch {
	case isName(behind) && !isName(before) && anyOld(before, known):
		return behind
	case isName(subject) && !isName(behind) && anyOld(behind, known) && !strings.Contains(behind, " by ") &&
		(known["or"] || !anyOld(subject, known) || superlative.MatchString(behind)):
		return subject
	}
	return ""
}

// agent matches a sentence in the passive that ends with who did it.
var agent = regexp.MustCompile(`(?i)\b(?:is|was|are|were|been) (?:\pL+ ){1,3}by ((?-i:\p{Lu})[^,.;:()\n]{1,60}?)(?: (?:in|on) (?:[\pL ]{0,12})?[0-9]{3,4}s?)?\.?$`)

// agentOf returns who did what a sentence in the passive says, where its question asks who; else "".
func agentOf(text string, known map[string]bool) string {
	m := agent.FindStringSubmatch(text)
	if m == nil || !known["who"] && !known["which"] || known["by"] || negated.MatchString(text) || !isName(m[1]) {
		return ""
	}
	return m[1]
}

// superlative begins what is said of one among several.
var superlative = regexp.MustCompile(`(?i)^the (?:\pL+est|most|least|first|last|only)\b`)

// isName reports whether a text is a name of some words.
func isName(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= maxPhrase && !article.MatchString(words[0]) &&
		!slices.ContainsFunc(words, func(w string) bool {
			return w == strings.ToLower(w) && !connecting.MatchString(w) && !particle.MatchString(w)
		})
}

// particle matches a small word within a name.
var particle = regexp.MustCompile(`^(?:d[aeiu]|de[lnr]|v[ao]n|l[ae]|el|al|bin|y)$`)

// beforeName matches the words before the name of something.
var beforeName = regexp.MustCompile(`(?i)^.*\b(?:known as|called|named) `)

// betweenCommas matches the name of a subject behind it: "The capital, Paris, is".
var betweenCommas = regexp.MustCompile(`^([^,]+), (\p{Lu}\pL*(?: \p{Lu}\pL*){0,3}), `)

// namedBehind returns the name behind what a sentence calls what was asked for: "its flower, the tulip"; the result is
// "" if there is none.
func namedBehind(text string, known map[string]bool) string {
	if m := betweenCommas.FindStringSubmatch(text); m != nil && nearlyOld(m[1], known) {
		return m[2]
	}
	at := apposed.FindStringIndex(text)
	if at == nil || !known[strings.ToLower(text[strings.LastIndexByte(text[:at[0]], ' ')+1:at[0]])] {
		return ""
	}
	name, _, _ := strings.Cut(text[at[1]:], "(")
	if verb := copula.FindStringIndex(name); verb != nil {
		name = name[:verb[0]]
	}
	if name = strings.Trim(name, " ."); len(strings.Fields(name)) > 4 || name == strings.ToLower(name) {
		return ""
	}
	return name
}

var severalNames = regexp.MustCompile(`^, [^,]*, (?:and|or) `)

// predicate returns the part of a sentence that the question does not have, else what follows its verb.
func predicate(text string, known map[string]bool) string {
	if number := onlyNumber(text, known); number != "" {
		return number
	}
	if at := behindAnswer.FindStringIndex(text); at != nil && at[0] > 0 {
		if text = text[:at[0]]; len(strings.Fields(text)) <= briefName && !verb.MatchString(text) {
			return "" // a clause on the subject
		}
	}
	return cmp.Or(namedBehind(text, known), acrossCopula(text, known), keepNew(text, known),
		behindCopula(dropApposition(text), known))
}

// keepNew returns a sentence without the words at its ends that the question has too, or "" if it has more of them.
func keepNew(text string, known map[string]bool) string {
	if !pastVerb.MatchString(text) || negated.MatchString(text) {
		return ""
	}
	for _, part := range []string{dropApposition(text), text} {
		if rest := trimAsked(part, known); rest != "" && !titled.MatchString(rest) && !anyOld(rest, known) {
			return rest
		}
	}
	return ""
}

// behindCopula returns what a sentence says of its subject, which the question must have or point to.
func behindCopula(text string, known map[string]bool) string {
	at := copula.FindStringIndex(text)
	if at == nil || negated.MatchString(text) {
		return ""
	}
	subject := text[:at[0]]
	text, _, _ = strings.Cut(text[at[1]:], ": ")
	if partOf.MatchString(text) || len(known) > 0 && !pronoun.MatchString(subject) && !anyOld(subject, known) {
		return ""
	}
	if clause, ok := strings.CutPrefix(text, "that "); ok {
		text, _, _ = strings.Cut(clause, ", ")
		if len(strings.Fields(answer.NormalizeWords(text))) <= maxClause {
			return text
		}
	} else if at := defining.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if len(strings.Fields(answer.NormalizeWords(text))) > maxPredicate && old(subject, known) &&
		!severalNames.MatchString(text) {
		text, _, _ = strings.Cut(text, ", ")
	}
	if len(strings.Fields(answer.NormalizeWords(text))) > maxPredicate {
		return ""
	}
	return text
}

// empty matches words that say nothing of a subject.
var empty = regexp.MustCompile(`(?i)^(?:also |often |usually |typically |the )*(?:known|called|named|considered|ideal|located|found|used|made|based)$`)

// briefName is how many words a name has at most.
const briefName = 3

// onlyNumber returns the only number of a sentence that its question, which asks how many or in which year, does not
// have, or "" if it asks for something else.
func onlyNumber(text string, known map[string]bool) string {
	year := known["year"] && (known["which"] || known["what"])
	if negated.MatchString(text) || !year && !(known["how"] && known["many"]) {
		return ""
	}
	found := ""
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, around)
		if valued.MatchString(w) && !known[answer.NormalizeWords(w)] && w != found {
			if found != "" || strings.Trim(w, "0123456789,.") != "" || year && len(w) != len("1984") {
				return ""
			}
			found = w
		}
	}
	return found
}

// pastVerb matches words by which a sentence is known from a title.
var pastVerb = regexp.MustCompile(`(?i)` + verb.String()[len("(?i)"):] + `|\b\pL{2,}ed\b|\b(?:wrote|made|gave|began|won|led|took|got|held|built)\b`)

// anyOld reports whether a text has a telling word of the question.
func anyOld(text string, known map[string]bool) bool {
	asked := stemsOf(known)
	words := strings.Fields(answer.NormalizeWords(text))
	return slices.ContainsFunc(words, func(w string) bool { return asked[stem(w)] })
}

// nearlyOld reports whether most of the telling words of a text are the question's.
func nearlyOld(text string, known map[string]bool) bool {
	stems, asked, n := stemsOf(wordsIn(text)), stemsOf(known), 0
	for s := range stems {
		if asked[s] {
			n++
		}
	}
	return n > 0 && 2*n >= len(stems)
}

// old reports whether a text has telling words, and all of them are the question's.
func old(text string, known map[string]bool) bool {
	stems, asked := stemsOf(wordsIn(text)), stemsOf(known)
	for s := range stems {
		if !asked[s] {
			return false
		}
	}
	return len(stems) > 0
}
