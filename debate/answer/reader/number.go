package reader

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// readNumber reads a number. It looks for these, in this order, in the part of the reply behind its reasoning and
// before an invented next question:
//
//  1. the last \boxed{} with a number;
//  2. the number behind the first ####;
//  3. the number of the last statement: "the answer is 7", "Answer: 7";
//  4. a number alone in the last line, unless it is one of a list;
//  5. which of two numbers is said to be greater, if the question asks that, and a first sentence that is an answer
//     and then explained, if the last line does not count anew;
//  6. in a complete reply that does not end in a question, of the last sentence with a number: that of what the
//     question counts, in figures or words, else that behind its last =, else that behind its last "is", else the last
//     before "if", "because" and the like; where the last line only announces the answer, of what stands above it.
//
// In a statement, the number behind its = counts, else the first; one with two values, such as "5 or 6", gives none. A
// number is read with sign, groups, decimals, exponent and fraction, whatever the notation; units, currencies and
// percent signs are left out, and digits that are a part of something, such as the 2 of m², are no number.
func readNumber(q answer.Question) answer.Extractor {
	return numericOf(q, numberIn).read
}

// numberIn gives the first number from an offset on.
func numberIn(text string, from int, all []value) answer.Answer {
	for _, v := range all {
		if v.from >= from && ratio.MatchString(text[v.to:]) {
			return answer.Unparsed
		}
		if v.from >= from {
			return v.number()
		}
	}
	return answer.Unparsed
}

// ratio follows the first number of a ratio.
var ratio = regexp.MustCompile(`^[ ]?:[ ]?[0-9]`)

// numeric reads values. Its function gives the answer of the first value of a text from an offset on.
type numeric struct {
	first func(text string, from int, all []value) answer.Answer
	pairs bool            // "6 or 12" is an answer
	asked map[string]bool // the beginnings of the words of the question, nil if it is not known
	theme theme           // of the question
	given map[string]bool // the values of the question
	text  string          // of the question, without spaces
	names string          // the unknown that it asks for, or the sum of unknowns; "" if it names none
	noun  string          // what the question counts, "" if nothing
	place *regexp.Regexp  // matches a place of those of which the question asks the number, nil if it does not
	// it asks which of its numbers is greater, or less
	greater, less bool
}

// numericOf makes a reader of values for the replies to a question.
func numericOf(q answer.Question, first func(text string, from int, all []value) answer.Answer) numeric {
	n := numeric{first: first, asked: allStems(q.Text), theme: questionTheme(q), given: make(map[string]bool),
		text: strings.ReplaceAll(q.Text, " ", ""), names: namedIn(q.Text[max(0, len(q.Text)-maxAsked):])}
	asks := q.Text[max(0, len(q.Text)-maxAsked):]
	n.noun, n.greater, n.less = countedIn(asks), asksGreater.MatchString(asks), asksLess.MatchString(asks)
	if m := placeOf.FindStringSubmatch(asks); m != nil {
		n.place = regexp.MustCompile(`(?i)\b(` + strings.Join(ordinals, "|") + `) ` + m[1] + `\b`)
	}
	for _, v := range valuesIn(figures.Replace(q.Text[max(0, len(q.Text)-maxAsked):])) {
		if v.rat != nil {
			n.given[v.rat.RatString()] = true
		}
	}
	return n
}

// ordinals are the words for places.
var ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")

// placeOf matches a question for the number of one of several places: "the number of the house where".
var placeOf = regexp.MustCompile(`(?i)\bwhat is the number of the (\pL+) (?:where|that|which|in|of|with)\b`)

// placed writes "house 2" for the second house, where the question asks for the number of a house.
func (n numeric) placed(reply string) string {
	if n.place == nil {
		return reply
	}
	return n.place.ReplaceAllStringFunc(reply, func(all string) string {
		word, noun, _ := strings.Cut(all, " ")
		return noun + " " + strconv.Itoa(slices.Index(ordinals, strings.ToLower(word))+1)
	})
}

func (n numeric) read(reply string) answer.Answer {
	if n.asked["dozen"] { // which the question counts
		reply = strings.ReplaceAll(reply, " dozen", " Dozen")
	}
	reply = n.placed(reply)
	p := pageOf(reply, n.theme)
	if p.abstains() {
		return answer.Answer{How: answer.Nothing}
	}
	all, hashes := statements(p)
	if a := n.readMarked(p, all, hashes); a.Parsed {
		return explicit(a)
	}
	if p.muses() {
		return n.checked(p, n.readConclusion)
	}
	p = p.withoutCheck()
	last := p.last()
	if last < 0 {
		return answer.Answer{How: answer.Nothing}
	}
	if above, unknown, ok := n.undangled(p); ok {
		if a := n.readStatement(above.assigned(unknown)); a.Parsed {
			a.How = answer.Fallback
			return a
		}
		return n.readConclusion(above)
	}
	if above, ok := n.halfConclusion(p); ok {
		return n.readConclusion(above)
	}
	if above := p.previous(last); above >= 0 && pointing.MatchString(p.lines[last].text) {
		p.lines, last, all = p.lines[:above+1], above, nil // what the last line calls the answer
	}
	if a := n.apart(p, last, len(all) > 0); a.Parsed {
		return explicit(a)
	}
	if len(all) == 0 {
		if a := n.readEdge(p); a.Parsed {
			return a
		}
	}
	if p.open || len(all) > 0 && (all[len(all)-1].line >= last && mark.MatchString(p.lines[last].text) ||
		all[len(all)-1].text == "") || asks.MatchString(p.lines[last].text) || n.isListed(p, last) {
		return answer.Answer{How: answer.Nothing}
	}
	if a := n.onlyBold(p); a.Parsed {
		return a
	}
	return n.readConclusion(p)
}

// onlyBold reads the only part in bold type of a page of one line, if that is a value.
func (n numeric) onlyBold(p page) answer.Answer {
	last := p.last()
	if bold := p.lines[last].bold; p.previous(last) < 0 && len(bold) == 1 && len(strings.Fields(bold[0])) <= briefName {
		if a := n.readStatement(bold[0]); a.Parsed {
			return answer.Answer{Text: a.Text, Parsed: true, How: answer.Fallback}
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// apart reads a value that stands apart: in the last line, or in the first if nothing is stated behind a mark.
func (n numeric) apart(p page, last int, marks bool) answer.Answer {
	if !p.open {
		if a := n.things(p); a.Parsed {
			return a
		}
		if a := n.alone(p.lines[last].text); a.Parsed && !n.isListed(p, last) &&
			(last == 0 || !numbering.MatchString(p.lines[last].text)) {
			return a
		}
	}
	if marks {
		return answer.Unparsed
	}
	if a := n.readExplained(p); a.Parsed && p.open {
		return a
	}
	return n.readOpening(p)
}

// readMarked reads the value in a box or behind a mark.
func (n numeric) readMarked(p page, all, hashes []statement) answer.Answer {
	if content, ok := p.boxed(); ok {
		if a := n.readStatement(content); a.Parsed {
			return a
		}
	}
	if k := len(hashes) - 1; k > 0 && hashes[k].line == p.last() && !p.open {
		hashes = hashes[k:] // the reply ends in it, so that those before it are of its steps
	}
	for _, s := range hashes {
		if a := n.readBehindHashes(s.text); a.Parsed {
			return a
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if a := n.readStatement(all[i].text); a.Parsed {
			return a
		}
	}
	return answer.Unparsed
}

// measures are units of which a value can have several.
const measures = `h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|days?|weeks?|months?|years?|ft|feet|foot|in|inch(?:es)?|yards?|` +
	`miles?|km|cm|mm|kg|g|lbs?|pounds?|oz|ounces?|stones?|dollars?|cents?|pence|euros?|gallons?|quarts?|pints?|cups?|degrees?`

// single reports whether a value of a text is one by itself, rather than one of several or a part of one.
func (n numeric) single(text string, v value) bool {
	before, rest := text[max(0, v.from-40):v.from], text[v.to:min(len(text), v.to+60)]
	if next := valuesIn(rest); len(next) > 0 && v.equals(next[0]) {
		return true // in two forms
	}
	return !listing.MatchString(rest) && !listedIn.MatchString(before) && !compound.MatchString(rest) &&
		(n.pairs || !doubled.MatchString(rest))
}

// equals reports whether two values are the same, one of them in percent or rounded to two places or more.
func (v value) equals(w value) bool {
	if v.rat == nil || w.rat == nil {
		return false
	}
	x, y := v.part(), w.part()
	if v.rat.Cmp(w.rat) == 0 || x.Cmp(y) == 0 {
		return true
	}
	places := leastPlaces(x, y)
	if places < leastRounded {
		return false
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	off := new(big.Rat).Sub(x, y)
	return off.Abs(off).Cmp(unit.Quo(unit, big.NewRat(2, 1))) <= 0
}

// exacter returns the one of two equal values that is not rounded, as a part.
func (v value) exacter(w value) *big.Rat {
	x, y := v.part(), w.part()
	n, ends := x.FloatPrec()
	if m, alsoEnds := y.FloatPrec(); ends && (!alsoEnds || m > n) {
		return y
	}
	return x
}

// leastRounded is the least number of places of a value that another one is taken to be rounded to.
const leastRounded = 2

// part returns a value of which one hundred percent is one.
func (v value) part() *big.Rat {
	if v.percent {
		return new(big.Rat).Quo(v.rat, big.NewRat(100, 1))
	}
	return v.rat
}

// leastPlaces returns the lesser number of decimal places of two values, 0 if neither ends.
func leastPlaces(x, y *big.Rat) int {
	n, ends := x.FloatPrec()
	m, alsoEnds := y.FloatPrec()
	switch {
	case ends && alsoEnds:
		return min(n, m, answer.MaxDigits)
	case ends:
		return min(n, answer.MaxDigits)
	case alsoEnds:
		return min(m, answer.MaxDigits)
	}
	return 0
}

// undenied returns the values of a text that it does not say to be none.
func undenied(text string, all []value) []value {
	return slices.DeleteFunc(slices.Clone(all), func(v value) bool {
		return disowns.MatchString(text[max(0, v.from-40):v.from]) || deniedBy.MatchString(window(text[v.to:]))
	})
}

// asks matches a line that ends in a question.
var asks = regexp.MustCompile(`\?["'\])]*$`)

// isListed reports whether a line and the two before it hold nothing but values: a list of them.
func (n numeric) isListed(p page, i int) bool {
	for range 3 {
		if i < 0 || !n.alone(p.lines[i].text).Parsed {
			return false
		}
		i = p.previous(i)
	}
	return true
}

var (
	// doubled joins two values of which none is the answer.
	doubled = regexp.MustCompile(`(?i)^[ $]*\(?(?:or|to|and|&) +(?:[a-z] ?= ?)?[$£€-]*[0-9]`)
	// listing follows the first of several values, and listed precedes the last.
	listing  = regexp.MustCompile(`(?i)^[-–][0-9]|^ [0-9]+ [0-9]|^[ $\pL]{0,12}[,;] ?(?:and |or )?(?:[a-z] ?= ?)?[$£€-]*[0-9][0-9.]*(?: \pL+)?[$]?(?:[,;)\]}]|,? and|,? or|[.]?$)`)
	listedIn = regexp.MustCompile(`(?i)[0-9]\$?(?: \pL+)?(?:[,;]|,? (?:and|or|&)) (?:[a-z] ?= ?)?[$£€(-]*$|` +
		`[0-9] ?(?:` + measures + `)\.?,? (?:and )?$`)
	// compound follows a value that goes on in another unit: 3 hours and 45 minutes, 5 ft 11 in.
	compound = regexp.MustCompile(`(?i)^ ?(?:` + strings.Replace(measures, "|in|", "|", 1) + `)\.?,? (?:and )?[0-9.]+ ?(?:` + measures + `)\b|` +
		`^ \pL+,? and [0-9.]+ \pL+[.)]*$`)
	// disowns precedes what a sentence says that the value is not, and deniedBy follows it.
	disowns = regexp.MustCompile(`(?i)(?:\bnot|n't|\bnever|\brather than|\binstead of|\bneither|\bnor|\bother than|\banything but)` +
		`(?: (?:be|been|equal|equal to|exactly|the|a|an|simply|really|necessarily))* [$£€(-]*$`)
	deniedBy = regexp.MustCompile(`(?i)^ (?:(?:is|was|would be|are) (?:not|wrong|incorrect)\b|(?:is|was|are)n't\b|(?:cannot|can't) be\b)`)
	between  = regexp.MustCompile(`(?i)\b(?:not|no longer|neither|if|unknown|unclear|cannot|can't)\b`)
	// ranging precedes a value that bounds others.
	ranging  = regexp.MustCompile(`(?i)\b(?:between|from)\b`)
	operator = regexp.MustCompile(`^[ ]*(?:[-+*/×÷–]|\bx\b|plus\b|minus\b|times\b)[ ]*[$(]?[0-9]|` +
		`^ times (?:the|as|that|his|her|their|its|more)\b`)
	// product follows a value of which only the unit stands before an operator.
	product = regexp.MustCompile(`^[ \pL]{1,30} [*×÷] ?[0-9]`)
	letters = regexp.MustCompile(`\pL{3,}`)
	// joined follows a number that is a part of a word.
	joined  = regexp.MustCompile(`^-\pL`)
	because = regexp.MustCompile(`(?i)[,;(]? *\b(?:because|since|as|so|which|where|when)\b`)
	// explaining begins a sentence on how the value before it was found.
	explaining = regexp.MustCompile(`(?i)^(?:this (?:allows|ensures|includes|(?:is|was|can be) (?:calculated|computed|done|found|obtained|determined|derived|based|because))\b|` +
		`(?:this|that|it|the)(?: (?:information|figure|value|amount|number|data|result|total))? (?:is|was|are|were|can be|comes?|came) ` +
		`(?:\pL+ly )?(?:found|recorded|listed|reported|shown|stated|located|taken|presented|disclosed|provided|mentioned|from) |` +
		`(?:this|that|it) (?:means|indicates|suggests|implies)\b[^.]* (?:for )?(?:every|each)\b|` +
		`(?:this|that|it|the|our|my)(?: (?:answer|calculation|count|estimate|figure|number|result|solution|total))? ` +
		`(?:assum(?:es|ing)|(?:is|was) (?:under|with|on) the assumption|presumes|presupposes|accounts? for|takes? into account|` +
		`(?:does not|doesn't) (?:include|count|account)|excludes)\b)`)
	// implying begins a sentence on what follows from the value before it.
	implying = regexp.MustCompile(`(?i)^(?:this|that|it) (?:means|indicates|suggests|implies|shows)\b`)
	// condition begins what a sentence supposes.
	condition = regexp.MustCompile(`(?i) (?:if|because|since|when|unless)\b`)
	// unnamed begins a statement with a placeholder, of which the sentence then speaks.
	unnamed = regexp.MustCompile(`^[:\s"'(*$]*X\b`)
	// described begins a statement on how the answer is found.
	described = regexp.MustCompile(`(?i)^[: ]*(?:given|obtained|found|calculated|determined|computed) (?:by|from|as|using)\b(?: *[^ 0-9$£€.-]|$)`)
	// instruction begins what a statement asks to do.
	instruction = regexp.MustCompile(`(?i)^[: ]*(?:write|explain|state|give|find|choose|select|describe|use|provide|show)\b`)
	asserted    = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|equals|equal to|totals)\b`)
)

// readStatement reads the value of a statement.
func (n numeric) readStatement(text string) answer.Answer {
	// so that a number at the beginning numbers no item
	text = ": " + spellInFigures(partsInFigures(figures.Replace(text)))
	if all := sentences(text); len(all) > 0 {
		text = all[0]
	}
	if valueless(text) {
		return answer.Unparsed
	}
	if at := because.FindStringIndex(text); at != nil && at[0] > 0 && len(valuesIn(text[:at[0]])) > 0 {
		text = text[:at[0]]
	}
	all := undenied(text, valuesIn(text))
	if len(all) == 0 {
		return answer.Unparsed
	}
	from := 0
	if at := strings.LastIndex(text, "="); at >= 0 && all[len(all)-1].from > at && plainSum(text[:at]) {
		from = at
	} else {
		from = behindVerb(text, all)
	}
	first := 0
	for first < len(all) && all[first].from < from {
		first++
	}
	v := all[first]
	if lead := text[from:v.from]; between.MatchString(lead) || ranging.MatchString(lead) && !besideVerb(lead) ||
		len(strings.Fields(lead)) > 12 && !besideVerb(text[:v.from]) {
		return answer.Unparsed
	}
	if rest := text[v.to:]; !n.single(text, v) || beginsSum(rest) || joined.MatchString(rest) {
		return answer.Unparsed
	}
	return n.first(text, from, all)
}

// behindVerb returns where the value stands that a statement gives its subject, which has values itself: behind the
// last verb with a value near; 0 if it is no such statement.
func behindVerb(text string, all []value) (from int) {
	if len(all) < 2 || len(letters.FindAllString(text[:all[0].from], 3)) < 2 {
		return 0
	}
	for _, at := range asserted.FindAllStringIndex(text, -1) {
		k := slices.IndexFunc(all, func(v value) bool { return v.from >= at[1] })
		if k > 0 && all[0].from < at[0] && len(strings.Fields(text[at[1]:all[k].from])) <= 4 {
			from = at[1]
		}
	}
	return from
}

// besideVerb reports whether the text before a value ends in a verb, with a name and its sign or a word or two between.
func besideVerb(before string) bool {
	all := asserted.FindAllStringIndex(before, -1)
	if len(all) == 0 {
		return false
	}
	between := before[all[len(all)-1][1]:]
	return len(strings.Fields(nameOf.ReplaceAllString(between, ""))) <= 2 && !ranging.MatchString(between)
}

// nameOf matches the name of a value with the sign behind it.
var nameOf = regexp.MustCompile(`[\\\w{}]+ ?[=≈] ?$`)

// beginsSum reports whether a value is the beginning of a sum, by what stands behind it.
func beginsSum(rest string) bool {
	return operator.MatchString(rest) || product.MatchString(rest) || strings.Contains(rest, "=") && plainSum(rest)
}

// valueless reports whether a statement asks, says what to do or how the answer is found, or names a placeholder.
func valueless(text string) bool {
	return described.MatchString(text) && !strings.Contains(text, "=") || unnamed.MatchString(text) ||
		instruction.MatchString(text) || strings.HasSuffix(strings.TrimSpace(text), "?")
}

// plainSum reports whether a text is a sum or a formula rather than words.
func plainSum(text string) bool { return len(letters.FindAllString(text, 3)) < 3 }

// readBehindHashes reads the value right behind ####, which also begins headings.
func (n numeric) readBehindHashes(text string) answer.Answer {
	plain := figures.Replace(text)
	all := valuesIn(plain)
	if len(all) == 0 || letters.MatchString(plain[:all[0].from]) && !mark.MatchString(plain[:all[0].from]) {
		return answer.Unparsed
	}
	return n.readStatement(text)
}

// alone reads a line that holds one value and at most a unit.
func (n numeric) alone(text string) answer.Answer {
	text = spellInFigures(partsInFigures(figures.Replace(text)))
	all := undenied(text, valuesIn(text))
	if len(all) == 0 || strings.Trim(text[:all[0].from], " *_$([:=#-≈"+"\\") != "" {
		return answer.Unparsed
	}
	a := n.first(text, 0, all)
	rest := text[all[len(all)-1].to:]
	if !a.Parsed || len(all) > 1 && !strings.ContainsAny(a.Text, ":o") || len(letters.FindAllString(rest, -1)) > 1 ||
		strings.ContainsAny(rest, "=?+") {
		return answer.Unparsed
	}
	return a
}

// pointing matches a line that says that the answer stands above it.
var pointing = regexp.MustCompile(`(?i)^(?:so |thus,? |therefore,? )?this is (?:the|our|your|my) (?:(?:final |correct )?answer\b|` +
	`(?:\pL+ )?(?:solution|result|integral|antiderivative|derivative|value)\b[^0-9=$\\]*$)`)

// things reads the number of a page that is nothing but some things with their number: "18 pink hats."
func (n numeric) things(p page) answer.Answer {
	text := figures.Replace(p.lines[p.last()].text)
	if p.previous(p.last()) >= 0 || len(strings.Fields(text)) > maxPhrase || verb.MatchString(text) {
		return answer.Unparsed
	}
	all := valuesIn(text)
	if len(all) != 1 || strings.Trim(text[:all[0].from], " $") != "" || operator.MatchString(text[all[0].to:]) ||
		strings.ContainsAny(text, "=?:") {
		return answer.Unparsed
	}
	return n.first(text, 0, all)
}

// readOpening reads a first line that is nothing but a value, and that the reply goes on after.
func (n numeric) readOpening(p page) answer.Answer {
	first := p.next(-1)
	if first < 0 {
		return answer.Unparsed
	}
	text, second := p.lines[first].text, p.next(first)
	if second < 0 || numbering.MatchString(text) || step.MatchString(text) || strings.ContainsAny(text, "=+*/:") ||
		valued.MatchString(p.lines[second].text) && n.alone(p.lines[second].text).Parsed {
		return answer.Unparsed
	}
	if !strings.HasSuffix(text, ".") && !strings.ContainsAny(text, "$€£%.") && !letters.MatchString(text) &&
		!bareNumber.MatchString(text) && !explains.MatchString(p.lines[second].text) || n.lists(p, first) {
		return answer.Unparsed
	}
	return n.alone(text)
}

// lists reports whether a page has other values in lines of their own than in one.
func (n numeric) lists(p page, first int) bool {
	a := n.alone(p.lines[first].text)
	return slices.ContainsFunc(p.lines[first+1:], func(l line) bool {
		b := n.alone(l.text)
		return b.Parsed && b != a
	})
}

// explains begins the line that explains an answer before it.
var explains = regexp.MustCompile(`(?i)^(?:reason(?:ing)?|explanation|because|why|breakdown|here's|justification)\b`)

// bareNumber matches a number that is too great to number a line.
var bareNumber = regexp.MustCompile(`^[0-9]{3,}$`)

var valued = regexp.MustCompile(`[0-9]`)

// readExplained reads the value of the first sentence if the next one begins to say how it was found: so a reply that
// is cut has stated it.
func (n numeric) readExplained(p page) answer.Answer {
	first := p.next(-1)
	if first < 0 {
		return answer.Unparsed
	}
	all := sentences(figures.Replace(head(p.lines[first].text)))
	if len(all) < 2 || !explaining.MatchString(all[1]) {
		return answer.Unparsed
	}
	if values := valuesIn(all[0]); len(values) == 1 {
		return n.conclusion(all[0], values)
	}
	return answer.Unparsed
}

// number returns the canonical text of a number: digits with a point, or a fraction that has no end.
func (v value) number() answer.Answer {
	if v.rat == nil {
		return answer.Unparsed
	}
	if places, finite := v.rat.FloatPrec(); finite && places <= answer.MaxDigits {
		return answer.Of(v.rat.FloatString(places))
	}
	return answer.Of(v.rat.RatString())
}

// readQuantity reads a number, a percentage, a fraction, a ratio, or one of two values, in the order in which
// readNumber looks. The answer is the value as a fraction in lowest terms, so that 75%, 0.75, 3/4 and \frac34 are
// equal; ratios such as 1:2 are reduced, "1 in 500" is a fraction, and 1/e and pairs such as "6 or 12" keep their form.
func readQuantity(q answer.Question) answer.Extractor {
	n := numericOf(q, amountIn)
	n.pairs = true
	return n.read
}

var (
	toRatio = regexp.MustCompile(`^[ ]?(?::|to[ ])[ ]?([0-9]+(?:\.[0-9]+)?)(?:[^0-9:]|$)`)
	toOther = regexp.MustCompile(`^[ ]?or[ ]?$`)
	// toForm stands between a value and the same one in another form.
	toForm = regexp.MustCompile(`(?i)^[ $]*(?:,? ?\(?(?:or|i\.e\.,?|that is,?|which is|equivalently,?|≈|=)|\()(?: (?:about|approximately|roughly|equal to|equivalent to))?[ $]*$`)
	oneIn  = regexp.MustCompile(`^ (?:parts? |chances? |times? |cases? )?(?:in|out of)(?: every)? $`)
	// ended follows a value behind which nothing is counted.
	ended = regexp.MustCompile(`^[*_"')}\]$]*(?:[.,;:!?)]|$)`)
	perE  = regexp.MustCompile(`^[ ]?/[ ]?e(?:[^\pL\pN_]|$)`)
)

// in reports whether two values of a text are one in the other, as 1 in 500, 3 out of 4 or 3 in 10; in days or years is
// no such one.
func (v value) in(all value, text string) bool {
	between := text[v.to:all.from]
	if v.rat == nil || all.rat == nil || all.rat.Sign() <= 0 || !oneIn.MatchString(between) {
		return false
	}
	year := all.rat.Cmp(big.NewRat(1900, 1)) >= 0 && all.rat.Cmp(big.NewRat(2100, 1)) <= 0
	return v.rat.Cmp(big.NewRat(1, 1)) == 0 || strings.Contains(between, "out") ||
		v.rat.Cmp(all.rat) < 0 && !year && ended.MatchString(window(text[all.to:]))
}

// amountIn gives the quantity that begins with the first value from an offset on.
func amountIn(text string, from int, all []value) answer.Answer {
	for i, v := range all {
		if v.from < from {
			continue
		}
		if v.rat == nil {
			return answer.Unparsed
		}
		rat := v.part()
		var m []string
		rest := text[v.to:]
		switch {
		case i+1 < len(all) && v.in(all[i+1], text):
			return answer.Of(new(big.Rat).Quo(rat, all[i+1].rat).RatString())
		case match(perE, rest, &m):
			return answer.Of(rat.RatString() + "/e")
		case match(toRatio, rest, &m) && strings.HasPrefix(strings.TrimLeft(rest, " "), ":"):
			second, ok := new(big.Rat).SetString(m[1])
			if !ok || second.Sign() == 0 {
				return answer.Unparsed
			}
			second.Quo(rat, second)
			return answer.Of(second.Num().String() + ":" + second.Denom().String())
		case i+1 < len(all) && v.equals(all[i+1]) && toForm.MatchString(text[v.to:all[i+1].from]):
			return answer.Of(v.exacter(all[i+1]).RatString())
		case i+1 < len(all) && all[i+1].rat != nil && toOther.MatchString(text[v.to:all[i+1].from]):
			return answer.Of(rat.RatString() + " or " + all[i+1].rat.RatString())
		}
		return answer.Of(rat.RatString())
	}
	return answer.Unparsed
}
