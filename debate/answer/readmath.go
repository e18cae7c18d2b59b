package answer

import (
	"regexp"
	"strings"

	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// readMath reads an expression. It looks for these, in this order, in the part of the reply behind its reasoning and
// before an invented next question:
//
//  1. the last \boxed{};
//  2. what stands behind the first ####;
//  3. the last statement: "the answer is $x^2$", "Answer: 7"; in it the first formula, else all of a short text;
//  4. a formula alone in the last line;
//  5. in a complete reply, the last formula of the last sentence that has one, behind its last =, else a number as
//     readNumber finds it.
//
// Equal values have one text as far as package symbolic can tell, so 0.75 and \frac{6}{8} are \frac{3}{4}; other texts
// are those of NormalizeMath. Placeholders such as \boxed{answer} are none.
func readMath(q Question) Extractor {
	numbers := numeric{first: numberIn, asked: allStems(q.Text)}
	return func(reply string) Answer {
		p := pageOf(reply)
		if content, ok := lastBoxed(p.text()); ok {
			if a := expressionOf(content); a.Parsed {
				return explicit(a)
			}
		}
		all, hashes := statements(p)
		for _, s := range hashes {
			if a := numbers.hashed(s.text); a.Parsed {
				return explicit(expressionOf(a.Text))
			}
		}
		for i := len(all) - 1; i >= 0; i-- {
			if a := formula(all[i].text, numbers); a.Parsed {
				return explicit(a)
			}
		}
		last := p.last()
		if last < 0 {
			return Answer{How: Nothing}
		}
		if text := p.lines[last].text; isFormula(text) && !p.open {
			if a := expressionOf(unwrapped(text)); a.Parsed {
				return explicit(a)
			}
		}
		if p.open || len(all) > 0 && (all[len(all)-1].line >= last || all[len(all)-1].text == "") {
			return Answer{How: Nothing}
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
func expressionOf(text string) Answer {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "."))
	if inside, ok := strings.CutPrefix(text, "$"); ok && strings.HasSuffix(inside, "$") {
		text = strings.TrimSpace(strings.TrimSuffix(inside, "$"))
	}
	if text == "" || placeholder.MatchString(text) || half(text) || strings.Contains(text, `\boxed`) {
		return Unparsed // a box that has something in it was opened
	}
	plain := figures.Replace(text)
	all := valuesIn(plain)
	if len(all) == 1 && all[0].rat != nil && strings.Trim(plain[:all[0].from]+plain[all[0].to:], " $") == "" {
		text = all[0].rat.RatString()
	}
	if spelled, ok := symbolic.Canonical(text); ok {
		return Of(spelled)
	}
	if at := strings.LastIndex(text, "="); at >= 0 { // a sum with its result
		if spelled, ok := symbolic.Canonical(text[at+1:]); ok && strings.Trim(spelled, `-0123456789\frac{}`) == "" {
			return Of(spelled)
		}
	}
	if text = NormalizeMath(text); text == "" {
		return Unparsed
	}
	if spelled, ok := symbolic.Canonical(text); ok { // of what is a word without its spaces
		text = spelled
	}
	return Of(text)
}

// half reports whether an expression breaks off: at an operator, in a group, or before the mark that ends it.
func half(text string) bool {
	return halfOpen.MatchString(text) || strings.Count(text, "$")%2 == 1 && !money.MatchString(text) ||
		strings.Count(text, "{") > strings.Count(text, "}")
}

var (
	halfOpen = regexp.MustCompile(`(?:[=+*/^_(<]|\\(?:frac|sqrt|sin|cos|tan|log|times|cdot|mathbf))[ ]*\$?$`)
	money    = regexp.MustCompile(`\$[ ]?[0-9.,]+[^$]*$`)
)

// formula reads the formula of a statement.
func formula(text string, numbers numeric) Answer {
	text = strings.TrimSpace(text)
	if denied.MatchString(text) || instruction.MatchString(text) || strings.HasSuffix(text, "?") {
		return Unparsed
	}
	if m := inline.FindStringSubmatch(text); m != nil && len(strings.Fields(text[:strings.Index(text, m[0])])) <= 8 {
		return expressionOf(m[1] + m[2] + m[3])
	}
	if all := sentences(text); len(all) > 0 {
		text = all[0]
	}
	if isFormula(text) {
		return expressionOf(unwrapped(text))
	}
	if a := numbers.stated(text); a.Parsed {
		return expressionOf(a.Text)
	}
	if plain := strings.Trim(text, ` ."'*:`); len(strings.Fields(plain)) <= 3 && plain != "" &&
		!placeholder.MatchString(plain) && !negated.MatchString(plain) && !vague.MatchString(plain) {
		return expressionOf(plain)
	}
	return Unparsed
}

// vague matches words with which a statement says that it has no answer.
var vague = regexp.MustCompile(`(?i)^(?:unknown|unclear|unsure|none|given|as follows|below|above|the following|correct|that|this|` +
	`it|follows|found|obtained|a|an|the|[^\pL\pN\\]*)$`)

// isFormula reports whether a text is a formula rather than words.
func isFormula(text string) bool {
	text = unwrapped(text)
	words := strings.Fields(regexp.MustCompile(`\\[a-zA-Z]+`).ReplaceAllString(text, " "))
	long := 0
	for _, w := range words {
		if len(letters.FindString(w)) > 0 {
			long++
		}
	}
	return text != "" && long == 0 && strings.ContainsAny(text, "0123456789\\=+xyzn") && !step.MatchString(text)
}

// unwrapped returns a formula without the marks around it.
func unwrapped(text string) string {
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
var subject = regexp.MustCompile(`(?i)^[ \t]+(?:is|are|was|were|has|have|can|must|people|students)\b`)

// sum matches numbers that are to be added or multiplied, and have not been.
var sum = regexp.MustCompile(`^[0-9 .,]+(?:(?:[-+*/×]|\\times|\\cdot|\\div)[0-9 .,]+)+$`)

// fallbackMath reads the last formula of the last sentence of a page that has one, or its number.
func fallbackMath(p page, numbers numeric) Answer {
	if last := p.lines[p.last()].text; half(last) {
		return Answer{How: Nothing}
	}
	for i := len(p.lines) - 1; i >= 0; i-- {
		text := p.lines[i].text
		if repeatsQuestion(text, numbers.asked) {
			continue
		}
		if at := condition.FindStringIndex(text); at != nil && inline.MatchString(text[:at[0]]) {
			text = text[:at[0]]
		}
		if all := inline.FindAllStringSubmatch(text, -1); len(all) > 0 {
			m := all[len(all)-1]
			rest := text[strings.LastIndex(text, m[0])+len(m[0]):]
			if values := valuesIn(figures.Replace(rest)); len(values) > 0 && namesValue.MatchString(rest) {
				a := numbers.conclusion(figures.Replace(rest), values)
				if a.How = Nothing; a.Parsed {
					a = expressionOf(a.Text)
					a.How = Fallback
				}
				return a
			}
			if subject.MatchString(rest) {
				return Answer{How: Nothing} // it says something of the formula
			}
			content := m[1] + m[2] + m[3]
			if sum.MatchString(content) {
				return Answer{How: Nothing} // it is only asked for
			}
			if a := expressionOf(content[strings.LastIndex(content, "=")+1:]); a.Parsed {
				a.How = Fallback
				return a
			}
		}
		if len(valuesIn(figures.Replace(text))) > 0 {
			break
		}
	}
	a := numbers.concluded(p)
	if a.Parsed {
		a.Text = expressionOf(a.Text).Text
	}
	return a
}
