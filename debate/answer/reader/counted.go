package reader

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

var (
	// countingOf comes before the name of what a question counts.
	countingOf = regexp.MustCompile(`(?i)\b(?:how many|number of|wie viele|hoeveel|combien de|cu[aá]nt[oa]s|quant[ie])((?: [^\s.,;:?!]+){1,4})`)
	// endsName is no part of that name.
	endsName = regexp.MustCompile(`(?i)^(?:is|are|was|were|am|be|been|do|does|did|can|could|will|would|should|must|may|has|have|had|in|of|on|at|` +
		`that|who|which|he|she|they|it|you|we|i|there|left|to|for|with|from|hat|haben|sind|heeft|a-t-il|hay|tiene)$`)
	// anyCounted names nothing by itself.
	anyCounted = regexp.MustCompile(`(?i)^(?:times?|total|ways?|more|of|the|such|different|possible)$`)
)

// countedIn returns the word for what a question counts, without its plural: "race" of "How many races do you need?",
// or of what it names a number before "how many are left?". It returns "" if it counts nothing, or different things.
func countedIn(question string) (noun string) {
	question = bareNames.Replace(question)
	for _, at := range countingOf.FindAllStringSubmatchIndex(question, -1) {
		last := ""
		for _, w := range strings.Fields(question[at[2]:at[3]]) {
			if endsName.MatchString(w) {
				break
			}
			last = strings.ToLower(w)
		}
		if m := firstCounted.FindStringSubmatch(question[:at[0]]); last == "" && m != nil && !timed.MatchString(m[1]) {
			last = strings.ToLower(m[1])
		}
		switch last = strings.TrimSuffix(last, "s"); {
		case last == "" || anyCounted.MatchString(last):
		case noun != "" && noun != last:
			return ""
		default:
			noun = last
		}
	}
	return noun
}

// firstCounted matches the first things of which a question has a number.
var firstCounted = regexp.MustCompile(`\b[0-9]+ (\pL{3,})\b`)

// timed matches what measures time rather than being counted.
var timed = regexp.MustCompile(`(?i)^(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)$`)

// bareNames writes what is counted without marks of quotation.
var bareNames = strings.NewReplacer("'", "", `"`, "", "“", "", "”", "", "„", "", "‘", "", "’", "", "*", "", "`", "",
	"‑", " ")

// maxBetween is how many words stand between a number and what it counts at most.
const maxBetween = 2

// counts reports whether a text goes on with the name of what the question counts.
func (n numeric) counts(rest string) bool {
	words := strings.Fields(rest[:min(len(rest), maxStatement)])
	for i, w := range words[:min(len(words), maxBetween+1)] {
		bare := strings.ToLower(strings.Trim(bareNames.Replace(w), around))
		if strings.TrimSuffix(bare, "s") == n.noun {
			return true
		}
		if i == maxBetween || endsName.MatchString(bare) || joins.MatchString(bare) ||
			strings.ContainsAny(w, ",;:=+*/()0123456789") {
			return false
		}
	}
	return false
}

// joins is a word behind which something else is counted.
var joins = regexp.MustCompile(`(?i)^(?:using|by|and|or|as|than|times|per|\pL+ing)$`)

var (
	// inWord matches a number in words, and none that it may be.
	inWord = regexp.MustCompile(`(?i)\b(?:` + strings.Join(numberWords, "|") +
		`|\pL{3,5}ty(?:-\pL+)?|no|zwei|drei|vier)\b`)
	// thereAre comes before what there is none of.
	thereAre = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|contains?|needs?|includes?) $`)
	// foreign are words for numbers of other languages.
	foreign = map[string]int64{"no": 0, "zwei": 2, "drei": 3, "vier": 4}
)

// counted returns the one number of a sentence that counts what the question counts, in figures or in words.
func (n numeric) counted(text string, all []value) (a answer.Answer, from int) {
	if n.noun == "" || len(text) > 2*maxStatement || strings.HasSuffix(text, "?") {
		return answer.Unparsed, 0
	}
	if at := condition.FindStringIndex(text); at != nil {
		if a, from = n.counted(text[:at[0]], slices.DeleteFunc(slices.Clone(all), func(v value) bool {
			return v.to > at[0]
		})); a.Parsed {
			return a, from
		}
	}
	add := func(found answer.Answer, at int) bool {
		same := !a.Parsed || a == found
		a, from = found, at
		return same && found.Parsed
	}
	for _, v := range all {
		if v.rat == nil || !n.counts(text[v.to:]) || ofWhich.MatchString(text[:v.from]) ||
			leads.MatchString(text[:v.from]) && v != all[len(all)-1] {
			continue
		}
		if clause := text[strings.LastIndex(text[:v.from], ", ")+1:]; hypothetical.MatchString(clause) ||
			!add(v.number(), v.from) {
			return answer.Unparsed, 0
		}
	}
	for _, at := range inWord.FindAllStringIndex(text, maxLabels) {
		word := strings.ToLower(text[at[0]:at[1]])
		k, to := spelled(text[at[0]:])
		if other, ok := foreign[word]; ok {
			k, to = other, at[1]-at[0]
		}
		if to == 0 || joined.MatchString(text[at[0]+to:]) || !n.counts(text[at[0]+to:]) ||
			word == "no" && !thereAre.MatchString(text[:at[0]]) {
			continue
		}
		if clause := text[strings.LastIndex(text[:at[0]], ", ")+1:]; hypothetical.MatchString(clause) ||
			!add(answer.Of(strconv.FormatInt(k, 10)), at[0]) {
			return answer.Unparsed, 0
		}
	}
	return a, from
}

// ofWhich comes before the number of a whole: "30 of her 36 pens".
var ofWhich = regexp.MustCompile(`(?i)(?:\b(?:of|from|among) (?:the|her|his|their|its|my|our|your|these|those|all)(?: \pL+)?|[0-9] (?:out )?of) \$?$`)

// leads comes before what a sentence begins with, and of which it then speaks: "With 36 pens, 28 are left".
var leads = regexp.MustCompile(`(?i)(?:^|[:,] )(?:(?:so|and|now|then|but|therefore|thus|hence),? )?(?:with|out of|starting with) (?:the |his |her |their )?$`)

// hypothetical matches a clause that says what would be, or that something is not so.
var hypothetical = regexp.MustCompile(`(?i)\b(?:if|unless|suppose|assum(?:e|ing)|not|cannot|never|with (?:only|just)|at most|more than|less than|fewer than|each|every|per)\b|n't\b`)

var (
	// asksGreater and asksLess match a question for the one of two numbers that is greater, or less.
	asksGreater = regexp.MustCompile(`(?i)\b(?:which|what)\b[^?]*\b(?:bigger|larger|greater|higher|biggest|largest|greatest|highest)\b[^?]*\bor\b`)
	asksLess    = regexp.MustCompile(`(?i)\b(?:which|what)\b[^?]*\b(?:smaller|less|lower|smallest|lowest|least)\b[^?]*\bor\b`)
	// compares matches a sentence that says of two numbers which is greater or less.
	compares = regexp.MustCompile(`(?i)^(?:\pL+,? )?(?:(?:the )?(?:number|decimal|value) )?(\S+) (?:is|>|<) ?(?:(?:the|a|indeed|actually|clearly|therefore|thus|numerically|still) )*` +
		`(?:(bigger|larger|greater|higher)|(smaller|less|lower))(?: (?:number|value|one|decimal))?(?: than (\S+)|[.,]|$| )`)
)

// readCompared reads the last sentence, or last clause of one, that says which number of the question is greater.
func (n numeric) readCompared(p page) answer.Answer {
	if !n.greater && !n.less {
		return answer.Unparsed
	}
	for _, s := range slices.Backward(p.sentences()) {
		for _, clause := range []string{s, s[strings.LastIndex(s, ", ")+1:]} {
			if a := n.comparedIn(strings.TrimSpace(clause)); a.Parsed && !hypothetical.MatchString(clause) {
				a.How = answer.Fallback
				return a
			}
		}
	}
	return answer.Unparsed
}

// comparedIn reads which of two numbers of the question a sentence says to be what the question asks for.
func (n numeric) comparedIn(text string) answer.Answer {
	if !n.greater && !n.less {
		return answer.Unparsed
	}
	m := compares.FindStringSubmatch(text)
	if m == nil {
		return answer.Unparsed
	}
	said := m[1]
	if (m[2] != "") != n.greater {
		said = m[4]
	}
	v, ok := wholeValue(strings.TrimRight(strings.Trim(said, `*"'(),`), "."))
	if !ok || !n.given[v.rat.RatString()] {
		return answer.Unparsed
	}
	return v.number()
}

// reasons begins a sentence that rather begins to reason than to answer.
var reasons = regexp.MustCompile(`(?i)^(?:to|let|let's|first|firstly|step|we|given|if|since|because|start|starting|okay|ok|sure|here|note|assume|assuming|suppose|` +
	`consider|using|after|when|for|initially|originally|now|next|then|before|each|every|as|in order|this (?:is|problem))\b`)

// untellable matches a sentence by which there is no answer.
var untellable = regexp.MustCompile(`(?i)\b(?:(?:not possible|impossible|not enough information) ?(?:to )?` +
	`(?:say|tell|know|determine|answer|conclude)?|(?:cannot be|unable to (?:be )?) ?(?:say|tell|know|determined?|answer(?:ed)?|conclude|said|known|told))\b`)

// readEdge reads what a page says of which number is greater, or its first sentence if the last does not count anew.
func (n numeric) readEdge(p page) answer.Answer {
	if a := n.readCompared(p); a.Parsed {
		return a
	}
	if a := n.readFirst(p); a.Parsed && !n.concludesAnew(p) {
		return a
	}
	return answer.Unparsed
}

// readFirst reads the first sentence of a page if that is an answer which the page then explains: it counts what the
// question counts, says which number is greater, or has nothing but the value in bold type.
func (n numeric) readFirst(p page) answer.Answer {
	first := p.next(-1)
	if first < 0 || p.lines[first].listed || slices.ContainsFunc(p.sentences(), untellable.MatchString) {
		return answer.Unparsed
	}
	l := p.lines[first]
	all := sentences(figures.Replace(head(l.text)))
	if len(all) == 0 || p.next(first) < 0 && len(all) < 2 && p.open {
		return answer.Unparsed
	}
	if a := n.shown(p, first); a.Parsed {
		a.How = answer.Fallback
		return a
	}
	s := all[0]
	if !endsSentence(s) || strings.HasSuffix(s, "?") || step.MatchString(s) || strings.HasPrefix(s, "#") {
		return answer.Unparsed
	}
	a := n.computed(s)
	if !a.Parsed && !reasons.MatchString(s) && !strings.Contains(s, "=") {
		bold := answer.Unparsed
		if len(l.bold) == 1 {
			bold = n.boldIn(s, l.bold[0])
		}
		if a, _ = n.counted(s, valuesIn(s)); !a.Parsed {
			a = bold
		}
		if a.Parsed && n.givenAnswer(a) && (!bold.Parsed || len(all) > 1) {
			a = answer.Unparsed
		}
	}
	if a.Parsed {
		a.How = answer.Fallback
	}
	return a
}

// computed reads what a sentence says that a sum of the question comes to.
func (n numeric) computed(text string) answer.Answer {
	m := sumOf.FindStringSubmatch(text)
	if m == nil || !strings.Contains(figures.Replace(n.text), strings.ReplaceAll(m[1], " ", "")) ||
		operator.MatchString(text[strings.Index(text, m[0])+len(m[0]):]) {
		return answer.Unparsed
	}
	v, ok := wholeValue(strings.TrimRight(m[2], ".,"))
	if !ok {
		return answer.Unparsed
	}
	return v.number()
}

// shown reads what a page begins to show that a program prints of a sum of the question.
func (n numeric) shown(p page, first int) answer.Answer {
	second := p.next(first)
	if second < 0 || !showing.MatchString(p.lines[first].text) {
		return answer.Unparsed
	}
	text := strings.TrimRight(p.lines[first].text, ":") + " = " + p.lines[second].text
	if third := p.next(second); third >= 0 && strings.HasSuffix(text, ":") {
		text += " " + p.lines[third].text
	}
	return n.computed(text)
}

// showing matches a line of a program, or what announces one.
var showing = regexp.MustCompile(`(?i)[0-9]:$|\b(?:equals|is|returns|outputs|gives|prints):$|^(?:print\(|>>> )`)

// sumOf matches a sum with what it comes to.
var sumOf = regexp.MustCompile(`([0-9.]+(?: ?[-+*/×÷] ?[0-9.]+)+)\)? *(?:(?:=|equals|is|gives|returns|evaluates to|#? ?[Oo]utput):? *)+\(?(-?[0-9][0-9.,]*)`)

// boldIn reads a value in bold type that is the only one of a sentence, with its unit at most.
func (n numeric) boldIn(sentence, bold string) answer.Answer {
	bold = strings.TrimRight(bold, ".!")
	if !strings.Contains(sentence, figures.Replace(bold)) || len(strings.Fields(bold)) > briefName ||
		negated.MatchString(sentence) {
		return answer.Unparsed
	}
	if _, to := spelled(bold); to == len(bold) && to > 0 {
		return n.alone(bold + ".")
	}
	return n.alone(bold)
}

// isGiven reports whether a value is one of the question.
func (n numeric) isGiven(v value) bool { return v.rat != nil && n.given[v.rat.RatString()] }

// givenAnswer reports whether an answer is a number of the question.
func (n numeric) givenAnswer(a answer.Answer) bool {
	v, ok := wholeValue(a.Text)
	return ok && n.isGiven(v)
}
