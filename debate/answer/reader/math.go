package reader

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// readMath reads an expression. It looks for these, in this order, in the part of the reply behind its reasoning and
// before an invented next question:
//
//  1. the last \boxed{};
//  2. the formula or number behind the first ####;
//  3. the last statement: "the answer is $x^2$", "Answer: 7"; in it the first formula, else all of a short text;
//  4. a formula alone in the last line;
//  5. in a complete reply, the last formula of the last sentence that has one, behind its last =, else a number as
//     readNumber finds it.
//
// Equal values have one text as far as package symbolic can tell, so 0.75 and \frac{6}{8} are \frac{3}{4}; other texts
// are those of NormalizeMath. Placeholders such as \boxed{answer} are none.
func readMath(q answer.Question) answer.Extractor {
	numbers := numericOf(q, numberIn)
	return func(reply string) answer.Answer {
		p := pageOf(reply, numbers.theme)
		for i := range p.lines {
			p.lines[i].text = joinValues(p.lines[i].text)
		}
		if p.abstains() {
			return answer.Answer{How: answer.Nothing}
		}
		if content, ok := p.boxed(); ok {
			if all, ok := p.boxes(); ok {
				content = all
			}
			if a := numbers.expression(content); a.Parsed {
				return explicit(a)
			}
		}
		all, hashes := statements(p)
		for _, s := range hashes {
			if isFormula(s.text) {
				return explicit(expressionOf(unmarked(s.text)))
			}
			if a := numbers.readBehindHashes(s.text); a.Parsed {
				return explicit(expressionOf(a.Text))
			}
		}
		for i := len(all) - 1; i >= 0; i-- {
			if a := formula(all[i].text, numbers); a.Parsed {
				return explicit(a)
			}
		}
		if p.muses() {
			return numbers.checked(p, func(above page) answer.Answer { return fallbackMath(above, numbers) })
		}
		p = p.withoutCheck()
		last := p.last()
		if last < 0 {
			return answer.Answer{How: answer.Nothing}
		}
		if above, unknown, ok := numbers.undangled(p); ok {
			if a := expressionOf(above.assigned(unknown)); a.Parsed {
				a.How = answer.Fallback
				return a
			}
			return fallbackMath(above, numbers)
		}
		if above, ok := numbers.halfConclusion(p); ok {
			return fallbackMath(above, numbers)
		}
		for p.previous(last) >= 0 && definesLetter.MatchString(p.lines[last].text) {
			last = p.previous(last)
			p.lines = p.lines[:last+1]
			p.lines[last].text = strings.TrimRight(p.lines[last].text, ", ")
		}
		if above := p.previous(last); above >= 0 && pointing.MatchString(p.lines[last].text) {
			p.lines, last, all = p.lines[:above+1], above, nil // what the last line calls the answer
		}
		text := finally.ReplaceAllString(p.lines[last].text, "")
		if at := restricting.FindStringIndex(text); at != nil && !strings.Contains(text, "$") {
			text = text[:at[0]]
		}
		if list, ok := severalNamed(text); ok && !p.open {
			return explicit(expressionOf(list))
		}
		if isFormula(text) && !p.open {
			if a := numbers.expression(unmarked(text)); a.Parsed {
				return explicit(a)
			}
		}
		if p.open || len(all) > 0 && (all[len(all)-1].line >= last || all[len(all)-1].text == "") {
			return answer.Answer{How: answer.Nothing}
		}
		return fallbackMath(p, numbers)
	}
}

var (
	// inline matches formulas between the marks of LaTeX.
	inline = regexp.MustCompile(`\$\$?([^$\n]{1,300})\$\$?|\\\(([^\n]{1,300}?)\\\)|\\\[([^\n]{1,300}?)\\\]`)
	// placeholder is what stands for an answer in instructions.
	placeholder = regexp.MustCompile(`(?i)^(?:\\text\{)?[\[<({ ]*(?:(?:your |the |final |my )*(?:answer|solution|result|expression|value|` +
		`number|choice)(?: here)?|\.\.\.|…|_+|\?+|\\?_+|X{2,})[\]>)} ]*\}?$`)
)

// expressionOf returns the canonical text of an expression.
func expressionOf(text string) answer.Answer {
	text = bareSet.ReplaceAllString(text, `\in \{$1\}`)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(superscripts.Replace(text)), "."))
	if inside, ok := strings.CutPrefix(text, "$"); ok && strings.HasSuffix(inside, "$") {
		text = strings.TrimSpace(strings.TrimSuffix(inside, "$"))
	}
	text = ofSubject.ReplaceAllString(inBoldType.ReplaceAllString(text, "$1"), "$1")
	text = resultOf(unitBehind.ReplaceAllString(text, "$1"))
	if text == "" || placeholder.MatchString(text) || half(text) || strings.Contains(text, `\boxed`) {
		return answer.Unparsed // a box that has something in it was opened
	}
	text = partsInFigures(text)
	if n, to := spelled(textOf(text)); to > 0 && to == len(textOf(text)) {
		text = strconv.FormatInt(n, 10)
	} else if onlyWords.MatchString(text) {
		text = `\text{` + text + `}` // no product of letters
	}
	plain := figures.Replace(text)
	all := valuesIn(plain)
	if len(all) == 1 && all[0].rat != nil && strings.Trim(plain[:all[0].from]+plain[all[0].to:], " $") == "" {
		text = all[0].rat.RatString()
	}
	if len(all) == 2 && all[0].equals(all[1]) && toForm.MatchString(plain[all[0].to:all[1].from]) &&
		strings.Trim(plain[:all[0].from]+plain[all[1].to:], " $).") == "" {
		text = all[0].exacter(all[1]).RatString()
	}
	if spelled, ok := symbolic.Canonical(text); ok {
		return answer.Of(spelled)
	}
	if at := strings.LastIndex(text, "="); at >= 0 && !strings.ContainsAny(text, "<>!") { // a sum with its result
		if spelled, ok := symbolic.Canonical(text[at+1:]); ok && strings.Trim(spelled, `-0123456789\frac{}`) == "" {
			return answer.Of(spelled)
		}
	}
	if text = answer.NormalizeMath(text); text == "" {
		return answer.Unparsed
	}
	if spelled, ok := symbolic.Canonical(text); ok { // of what is a word without its spaces
		text = spelled
	}
	return answer.Of(text)
}

// onlyWords matches an answer of mathematics that is words.
var onlyWords = regexp.MustCompile(`^(?:\pL+ )*\pL{3,}(?: \pL+)* \pL{3,}$|(?i)^(?:odd|yes|no|all)$`)

// superscripts writes raised digits as exponents.
var superscripts = strings.NewReplacer(exponents()...)

func exponents() (pairs []string) {
	for digit, r := range []rune(raised) {
		pairs = append(pairs, string(r), "^"+strconv.Itoa(digit))
	}
	return pairs
}

// ofSubject matches a sentence that says what something is; its first group is that.
var ofSubject = regexp.MustCompile(`(?i)^(?:(?:it|this|that|x)|(?:the|our|its) [\pL ]{1,60}?) (?:is|are|equals) (?:equal to )?([^ ].*)$`)

// inBoldType matches a value that a formula has in bold type.
var inBoldType = regexp.MustCompile(`\\(?:mathbf|boldsymbol|bm)\{([^{}a-zA-Z]*)\}`)

// unitBehind matches a unit behind a value, in words of which none is a factor.
var unitBehind = regexp.MustCompile(`(?i)([0-9}√π)]) (?:square |cubic |sq\.? )?(?:units?|meters?|metres?|degrees?|cm|mm|km|kg|` +
	`inch(?:es)?|feet|ft|yards?|miles?|hours?|minutes?|seconds?|dollars?|in|m\^[23])(?:\^[23])?$`)

// resultOf returns what an equation comes to: the last side of a chain, that behind what is computed, the value before
// its approximation, and the values that it gives one unknown.
func resultOf(text string) string {
	if at := approximates.FindStringIndex(text); at != nil && !variable.MatchString(text[:at[0]]) {
		text = text[:at[0]]
	}
	if list, ok := valuesOfUnknown(text); ok {
		return list
	}
	at := strings.LastIndex(text, "=")
	if at < 0 || strings.ContainsAny(text, ",<>") || strings.Count(text[at:], "{") != strings.Count(text[at:], "}") ||
		related.MatchString(text) {
		return text
	}
	left := quantityName.ReplaceAllString(text[:at], "")
	if strings.Contains(left, "=") || computed.MatchString(left) || !unknowns.MatchString(left) &&
		strings.ContainsAny(left, "0123456789") || strings.TrimSpace(left) == "" {
		return strings.TrimSpace(text[at+1:])
	}
	return text
}

var (
	// approximates matches the sign before a value in decimals.
	approximates = regexp.MustCompile(`\s*(?:\\approx|≈)`)
	// related matches the signs of relations that are no equations.
	related = regexp.MustCompile(`\\(?:in|leq?|geq?|lt|gt|neq?|equiv|cup|pm)\b|[≤≥≠∈±]`)
	// computed begins what an equation computes.
	computed = regexp.MustCompile(`^\s*(?:\\(?:i*int|lim|sum|prod|det|gcd|frac\{d)|[∫∑∏]|d/d[a-z]\b|[a-z]'{1,2}\([a-z]\)|d?y'? */ *dx\b)`)
	// quantityName matches a name in words.
	quantityName = regexp.MustCompile(`\\(?:text|mathrm|textbf|mbox)\{[^{}]*\}`)
	// alternatives joins several values.
	alternatives = regexp.MustCompile(`(?:[ ,]|\\(?:q?quad|[;,: ]))*` +
		`(?:\\(?:text|mathrm|textbf|mbox)\{\s*(?:or|and)\s*\}|\b(?:or|and)\b|,)(?:[ ]|\\(?:q?quad|[;,: ]))*`)
	// givesUnknown matches the value of an unknown.
	givesUnknown = regexp.MustCompile(`^\s*(\\?[a-zA-Z]+(?:_\{?\w\}?)?)\s*=([^=]+)$`)
)

// valuesOfUnknown returns the values that a text gives one unknown, as a list: "3,-2" for "x = 3 or x = -2".
func valuesOfUnknown(text string) (list string, ok bool) {
	name, values := "", []string(nil)
	for _, part := range alternatives.Split(text, maxStatements) {
		m := givesUnknown.FindStringSubmatch(part)
		switch {
		case m != nil && (name == "" || indexless(m[1]) == name):
			name, part = indexless(m[1]), m[2]
		case m != nil, name == "", strings.Contains(part, "="),
			len(part) == 3 && strings.Trim(part, "0123456789") == "":
			return "", false // of another, or the end of a number
		}
		if related.MatchString(part) || letters.MatchString(commands.ReplaceAllString(part, " ")) || depth(part) != 0 {
			return "", false
		}
		values = append(values, strings.TrimSpace(part))
	}
	return strings.Join(values, ","), len(values) > 1
}

// severalGiven reports whether a formula gives one unknown several values.
func severalGiven(content string) bool {
	_, ok := valuesOfUnknown(content)
	return ok
}

// indexless returns the name of an unknown without its index.
func indexless(name string) string {
	name, _, _ = strings.Cut(name, "_")
	return name
}

// expression returns the canonical text of a formula, of one that begins with a formula of the question what it is
// equal to.
func (n numeric) expression(content string) answer.Answer {
	if n.equates(content) {
		content = content[strings.LastIndex(content, "=")+1:]
	}
	return expressionOf(content)
}

var (
	// twoValues matches two formulas that a sentence joins.
	twoValues = regexp.MustCompile(`(?:\$([^$\n]{1,100})\$|\\\(([^\n]{1,100}?)\\\))(?:, (?:and |or )?| and | or )` +
		`(?:\$([^$\n]{1,100})\$|\\\(([^\n]{1,100}?)\\\))`)
	// plural comes before several values of which each is an answer.
	plural = regexp.MustCompile(`(?i)\b(?:solutions|roots|values|zeros|answers|possibilities)\b[^.]*$`)
	// wholeBox matches a formula that is a box.
	wholeBox = regexp.MustCompile(`^\s*\\boxed\{(.*)\}\s*$`)
)

// joinValues returns a line in which the formulas are one that together give one unknown its values, are the boxes of
// one answer, or the values of a plural.
func joinValues(line string) string {
	for range maxLabels {
		at := twoValues.FindStringSubmatchIndex(line)
		if at == nil {
			return line
		}
		m := twoValues.FindStringSubmatch(line[at[0]:at[1]])
		a, b := m[1]+m[2], m[3]+m[4]
		boxA, boxB := wholeBox.FindStringSubmatch(a), wholeBox.FindStringSubmatch(b)
		_, same := valuesOfUnknown(a + ", " + b)
		both := strings.TrimSpace(a) + ", " + strings.TrimSpace(b)
		switch {
		case boxA != nil && boxB != nil:
			both = `\boxed{` + boxA[1] + ", " + boxB[1] + "}"
		case !same && (!plural.MatchString(line[:at[0]]) || strings.Contains(a+b, "=") ||
			unknowns.MatchString(strings.ReplaceAll(a+" "+b, "i", ""))):
			return line
		}
		line = line[:at[0]] + "$" + both + "$" + line[at[1]:]
	}
	return line
}

// boxes returns the contents of the boxes that end a page's last line one beside the other, as a list.
func (p page) boxes() (list string, ok bool) {
	m := boxedBeside.FindString(p.lines[p.last()].text)
	var all []string
	for _, box := range oneBox.FindAllStringSubmatch(m, -1) {
		all = append(all, box[1])
	}
	return strings.Join(all, ", "), len(all) > 1
}

var (
	// bareSet matches what something is in as one types it.
	bareSet = regexp.MustCompile(`∈ ?\{([^{}\\]*)\}`)
	// oneBox matches a box, and boxedBeside several at the end of a line.
	oneBox      = regexp.MustCompile(`\$?\\boxed\{([^{}]*)\}\$?`)
	boxedBeside = regexp.MustCompile(oneBox.String() + `(?:(?:, (?:and |or )?| and | or )` + oneBox.String() + `)+[ .]*$`)
)

// severalNamed returns the values of a line that gives them one unknown, or says that they are the solutions.
func severalNamed(text string) (list string, ok bool) {
	text = strings.TrimRight(text, ". ")
	if m := solutionsAre.FindStringSubmatch(text); m != nil {
		text = "x = " + strings.Join(valueAlone.FindAllString(m[1], -1), " or x = ")
	}
	return valuesOfUnknown(text)
}

var (
	// solutionsAre matches a sentence whose subject are solutions, with their values.
	solutionsAre = regexp.MustCompile(`(?i)\b(?:solutions|roots|zeros)\b[^.;:,=]{0,60} (?:are|were):? (` + number +
		`(?:(?:,|,? and|,? or) ` + number + `)+)$`)
	valueAlone = regexp.MustCompile(number)
)

// number matches a number, or a fraction of two.
const number = `-?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?`

// half reports whether an expression breaks off: at an operator, in a group, or before the mark that ends it.
func half(text string) bool {
	return halfOpen.MatchString(text) || strings.Count(text, "$")%2 == 1 && !money.MatchString(text) ||
		strings.Count(text, "{") > strings.Count(text, "}")
}

var (
	halfOpen = regexp.MustCompile(`(?:[=+*/^_(<]|\\(?:[dtc]?frac|sqrt|sin|cos|tan|log|times|cdot|mathbf))[ ]*\$?$`)
	money    = regexp.MustCompile(`\$[ ]?[0-9.,]+[^$]*$`)
)

// formula reads the formula of a statement.
func formula(text string, numbers numeric) answer.Answer {
	text = strings.TrimSpace(text)
	if quoted, ok := inQuotes(text); ok {
		text = quoted
	}
	if depth(text) < 0 { // what encloses the statement
		text = strings.TrimRight(text, ")]. ")
	}
	if denied.MatchString(text) || instruction.MatchString(text) || strings.HasSuffix(text, "?") {
		return answer.Unparsed
	}
	if at := because.FindStringIndex(text); at != nil && numbers.readStatement(text[:at[0]]).Parsed &&
		!strings.Contains(text[:at[0]], "$") {
		text = text[:at[0]] // the formulas behind it explain
	}
	if m := inline.FindStringSubmatch(text); m != nil && len(strings.Fields(text[:strings.Index(text, m[0])])) <= 8 {
		return firstFormula(m[1]+m[2]+m[3], text[strings.Index(text, m[0])+len(m[0]):], numbers)
	}
	if all := sentences(text); len(all) > 0 {
		text = all[0]
	}
	if isFormula(text) {
		return numbers.expression(unmarked(text))
	}
	if list, ok := valuesOfUnknown(text); ok {
		return expressionOf(list)
	}
	if m := inWordsOnly.FindString(text); m != "" {
		return expressionOf(m)
	}
	if a := numbers.readStatement(text); a.Parsed {
		return expressionOf(a.Text)
	}
	if plain := strings.Trim(text, ` ."'*:`); len(strings.Fields(plain)) <= 3 && plain != "" &&
		!placeholder.MatchString(plain) && !negated.MatchString(plain) &&
		(!vague.MatchString(plain) || letterA.MatchString(plain)) {
		return expressionOf(plain)
	}
	return answer.Unparsed
}

// inWordsOnly matches what mathematics says in words.
var inWordsOnly = regexp.MustCompile(`(?i)\b(?:infinitely many|no (?:real |integer )?solutions?|does not exist|undefined)\b`)

// firstFormula reads the first formula of a statement, by what stands behind it.
func firstFormula(content, rest string, numbers numeric) answer.Answer {
	switch {
	case anotherFormula.MatchString(rest):
		return answer.Unparsed // several
	case which.MatchString(rest):
		if a := numbers.readStatement(rest); a.Parsed {
			return expressionOf(a.Text)
		}
	case variable.MatchString(content) && namesValue.MatchString(rest):
		return answer.Unparsed // which it goes on about
	case numbers.repeats(content):
		return answer.Unparsed
	}
	return numbers.expression(content)
}

// vague matches words with which a statement says that it has no answer.
var vague = regexp.MustCompile(`(?i)^(?:unknown|unclear|unsure|given|as follows|below|above|the following|correct|that|this|` +
	`it|follows|found|obtained|a|an|the|[^\pL\pN\\∞∅]*)$`)

var (
	// which begins what goes on to say the value of a formula.
	which = regexp.MustCompile(`(?i)^,? (?:which )?(?:is|equals|is equal to) \$?-?[0-9.]+\$?\.?$`)
	// anotherFormula begins what joins a formula with another one.
	anotherFormula = regexp.MustCompile(`^ and \$[^$]*=`)
)

// isFormula reports whether a text is a formula rather than words.
func isFormula(text string) bool {
	text = unmarked(text)
	words := strings.Fields(commands.ReplaceAllString(text, " "))
	long := 0
	for _, w := range words {
		if len(letters.FindString(w)) > 0 {
			long++
		}
	}
	return text != "" && long == 0 && strings.ContainsAny(text, "0123456789\\=+xyzn") && !step.MatchString(text)
}

// commands matches the commands of LaTeX, with the words that they take, and functions as programs write them.
var commands = regexp.MustCompile(`\\(?:begin|end)\{[a-zA-Z*]+\}|\\(?:text|textbf|mathrm|mbox|operatorname)\{[^{}]*\}|\\[a-zA-Z]+|(?:sin|cos|tan)h?x\b|\b[0-9]*(?:a?(?:sin|cos|tan)h?|arc(?:sin|cos|tan)|cot|sec|csc|log|exp|sqrt|abs)\b`)

// unmarked returns a formula without the marks around it.
func unmarked(text string) string {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "."))
	for _, pair := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		inside, opens := strings.CutPrefix(text, pair[0])
		if inside, closes := strings.CutSuffix(inside, pair[1]); opens && closes && !strings.Contains(inside, pair[0]) {
			return strings.Trim(inside, " .")
		}
	}
	return text
}

// namesValue matches words that go on to say what something is.
var namesValue = regexp.MustCompile(`(?i)\b(?:is|are|equals)[ \t]+(?:about |approximately |equal to )?\$?-?[0-9.]`)

// subject matches what stands behind the subject of a sentence.
var subject = regexp.MustCompile(`(?i)^[ \t]+(?:is|are|was|were|has|have|can|must|people|students)\b|^, so we\b`)

// lastFormula reads the last formula of a line, or the value that the line goes on to give it; not ok if there is none.
func lastFormula(text string, numbers numeric) (a answer.Answer, ok bool) {
	all := inline.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return answer.Unparsed, false
	}
	m := all[len(all)-1]
	at := strings.LastIndex(text, m[0])
	rest, content := text[at+len(m[0]):], m[1]+m[2]+m[3]
	values := valuesIn(figures.Replace(rest))
	switch {
	case len(values) > 0 && namesValue.MatchString(rest):
		if a = numbers.conclusion(figures.Replace(rest), values); a.Parsed {
			a = expressionOf(a.Text)
		}
	case subject.MatchString(rest): // it says something of the formula
	case severalGiven(content):
		a = expressionOf(content)
	case sum.MatchString(content): // which is only asked for
	case variable.MatchString(content) || !assigns(content) && !numbers.equates(content) ||
		supposing.MatchString(concluded(text[:at])): // which is of the reasoning
	default:
		a = expressionOf(content[strings.LastIndex(content, "=")+1:])
		ok = a.Parsed
		a.How = answer.Fallback
		return a, ok
	}
	if a.How = answer.Nothing; a.Parsed {
		a.How = answer.Fallback
	}
	return a, true
}

// sum matches numbers that are to be added or multiplied, and have not been.
var sum = regexp.MustCompile(`^[0-9 .,]*[0-9] *(?:(?:[-+*×]|\\times|\\cdot|\\div)[0-9 .,]+)+$`)

// variable matches a formula that only names something.
var variable = regexp.MustCompile(`^\s*\\?[a-zA-Z]+(?:_\{?\w\}?)?\s*$`)

// assigns reports whether a formula gives the value of something, or of a sum of numbers: the left side of its
// equation, if it is one, has no unknown among numbers.
func assigns(content string) bool {
	at := strings.LastIndex(content, "=")
	if at < 0 {
		return true
	}
	if from := strings.LastIndex(content[:at], "="); from >= 0 {
		content, at = content[from+1:], at-from-1
	}
	left := content[:at]
	return !unknowns.MatchString(left) || !strings.ContainsAny(left, "+-*/^") && !strings.Contains(left, `\frac`)
}

// repeats reports whether a formula is one of the question, and no short one.
func (n numeric) repeats(content string) bool {
	content = strings.ReplaceAll(content, " ", "")
	return len(content) > leastFormula && strings.Contains(n.text, content)
}

// leastFormula is the least length of a formula that nobody repeats by chance.
const leastFormula = 12

// equates reports whether a formula gives the value of a formula of the question.
func (n numeric) equates(content string) bool {
	at := strings.LastIndex(content, "=")
	if at < 0 {
		return false
	}
	left := strings.ReplaceAll(content[:at], " ", "")
	return len(left) > 2 && strings.Contains(n.text, left)
}

// supposing matches the beginning of a sentence that goes on with what is given.
var supposing = regexp.MustCompile(`(?i)\b(?:with|where|let|denote|suppose|using|except|need to|must|have to|want to)\b[^.;]{0,60}$`)

// giving ends what comes before a result.
var giving = regexp.MustCompile(`(?i)\b(?:we (?:get|have|obtain|find)|gives?|giving|yields?|becomes|is|are|equals|simplifies to):? *$`)

// behindSo returns what a sentence concludes from what stands before it.
func behindSo(text string) string {
	if all := concluding.FindAllStringIndex(text, -1); len(all) > 0 {
		return text[all[len(all)-1][1]:]
	}
	return text
}

// concluded returns the words right before a formula of a sentence, nothing if they say that it is the result.
func concluded(before string) string {
	before = behindSo(before)
	if giving.MatchString(before) {
		return ""
	}
	return before
}

// unknowns matches letters that are no commands.
var unknowns = regexp.MustCompile(`(?:^|[^\\a-zA-Z])[a-zA-Z](?:[^a-zA-Z]|$)`)

// definesLetter matches a line that only says what a letter of the formula above it is.
var definesLetter = regexp.MustCompile(`(?i)^(?:where|here,?|with) (?:\$|\\\()?[a-z](?:\$|\\\))? (?:is|are|denotes|represents|being|an?|the)\b`)

// restricting begins for what a formula holds.
var restricting = regexp.MustCompile(`(?i),? (?:(?:for (?:all|every|any|each)|where|as long as|provided|with \$?[a-z]\$? (?:an?|the|as|being))\b|` +
	`(?:at|when|for|if) (?:\$|\\\()\s*[a-z]\s*=[^=$]*(?:\$|\\\))[.]?$)`)

// ordinal begins one of several steps.
var ordinal = regexp.MustCompile(`(?i)^(?:first|second|third|fourth|fifth|next|then)(?:ly)?,? `)

// bareFormula reads what the last sentence of a page says something is, if that is a formula without marks: "The
// number is 7i."
func bareFormula(p page) answer.Answer {
	all := sentences(p.lines[p.last()].text)
	text := all[len(all)-1]
	if negated.MatchString(text) {
		return answer.Unparsed
	}
	if at := restricting.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]] + "."
	}
	text = asResult.ReplaceAllString(text, ".")
	text = constantOf.ReplaceAllString(text, "+ C")
	content := ""
	if at := resulting.FindAllStringIndex(text, -1); len(at) > 0 && strings.HasSuffix(text, ".") {
		content = comesOf.ReplaceAllString(text[at[len(at)-1][1]:], "")
	}
	if m := obtained.FindStringSubmatch(text); m != nil {
		content = m[1]
	}
	if len(strings.Fields(content)) > 3 && !strings.ContainsAny(content, "+-*/^=") || !isFormula(content) ||
		variable.MatchString(unmarked(content)) {
		return answer.Unparsed
	}
	a := expressionOf(unmarked(content))
	a.How = answer.Fallback
	return a
}

// resulting matches the verb before a result, asResult what calls it that, comesOf begins what is behind the verb, and
// constantOf matches the constant of an integral.
var (
	resulting  = regexp.MustCompile(copula.String() + `|\b(?:(?:get|obtain|have|gives?(?: us)?|factors? (?:as|into)|simplifies to|becomes|equals)) `)
	asResult   = regexp.MustCompile(`(?i) as (?:the|our) (?:\pL+ ){0,2}\pL+\.$`)
	comesOf    = regexp.MustCompile(`(?i)^(?:(?:` + hedges + `|` + renders + `|given by|about|approximately|roughly)[:,]? +)+`)
	constantOf = regexp.MustCompile(`(?i)\+ *(?:an? )?(?:arbitrary )?constant\b`)
)

// obtained matches a formula with an unknown at the end of a sentence that says what comes of something.
var obtained = regexp.MustCompile(`(?i)(?:\b(?:obtain|get|have|becomes?|equals|simplifies to)|\pL:) ([^:$]{0,40}[0-9]?[a-z]\b[^:$]{0,40})$`)

// ends reports whether a last line is one sentence, or concludes, by its words or because its last sentence says what
// the question asks for, and neither denies what it names nor joins two formulas.
func (n numeric) ends(last string) bool {
	all := sentences(last)
	text := all[len(all)-1]
	return (len(all) == 1 || finally.MatchString(last) || finally.MatchString(text) || n.givesAsked(text)) &&
		!negated.MatchString(behindLast(clauses.ReplaceAllString(text, ""))) && !twoFormulas.MatchString(behindSo(text))
}

// givesAsked reports whether a sentence says nothing but the value of something that the question speaks of.
func (n numeric) givesAsked(text string) bool {
	m := ofSubject.FindStringSubmatch(text)
	return m != nil && n.theme.in(strings.TrimSuffix(text, m[1])) &&
		isFormula(comesOf.ReplaceAllString(strings.TrimRight(m[1], ". "), ""))
}

// behindLast returns a sentence from its last verb on, with what denies that, if it gives a value: its subject may deny
// something else.
func behindLast(text string) string {
	all := asserted.FindAllStringIndex(text, -1)
	if len(all) == 0 || !valued.MatchString(text[all[len(all)-1][1]:]) {
		return text
	}
	return text[max(0, all[len(all)-1][0]-len("cannot ")):]
}

// clauses matches what a sentence says of its words rather than of its value.
var clauses = regexp.MustCompile(`(?i)\b(?:such that|so that|who|which|that (?:do|does|is|are|can)) [^,$]*`)

// twoFormulas matches formulas of which none is the answer.
var twoFormulas = regexp.MustCompile(`\$ and \$`)

// pointAt matches a tuple or an interval at the end of a sentence.
var pointAt = regexp.MustCompile(`(?i) ([(\[][^()\[\]=]{1,60},[^()\[\]=]{1,60}[)\]])\.?$`)

// boldFormula reads the only formula that the last line of a page has in bold type, or the tuple at its end.
func (p page) boldFormula() answer.Answer {
	l, found := p.lines[p.last()], ""
	if m := pointAt.FindStringSubmatch(l.text); m != nil && isFormula(m[1]) {
		found = m[1]
	}
	for _, bold := range l.bold {
		bold = unitBehind.ReplaceAllString(strings.TrimRight(bold, ".:"), "$1")
		if !isFormula(bold) || found != "" && found != bold || variable.MatchString(bold) {
			return answer.Unparsed
		}
		found = bold
	}
	a := expressionOf(unmarked(found))
	a.How = answer.Fallback
	return a
}

// fallbackMath reads the last formula of the last sentence of a page that has one, or its number.
func fallbackMath(p page, numbers numeric) answer.Answer {
	if a := numbers.readEdge(p); a.Parsed {
		a.Text = expressionOf(a.Text).Text
		return a
	}
	if last := p.lines[p.last()].text; half(last) || !numbers.ends(last) || numbers.sums() && !numbers.sumsUp(last) {
		return answer.Answer{How: answer.Nothing}
	}
	if a := p.boldFormula(); a.Parsed {
		return a
	}
	for i := len(p.lines) - 1; i >= 0; i-- {
		text := endInFigures(p.lines[i].text)
		if repeatsQuestion(text, numbers.asked) {
			continue
		}
		if ordinal.MatchString(text) {
			break // of the reasoning
		}
		if at := restricting.FindStringIndex(text); at != nil && inline.MatchString(text[:at[0]]) {
			text = text[:at[0]]
		}
		if at := condition.FindStringIndex(text); at != nil && inline.MatchString(text[:at[0]]) {
			text = text[:at[0]]
		}
		if a, ok := lastFormula(text, numbers); ok {
			return a
		}
		if len(valuesIn(figures.Replace(text))) > 0 {
			break
		}
	}
	if a := bareFormula(p); a.Parsed && !repeatsQuestion(p.lines[p.last()].text, numbers.asked) {
		return a
	}
	a := numbers.readConclusion(p)
	if a.Parsed {
		a.Text = expressionOf(a.Text).Text
	}
	return a
}
