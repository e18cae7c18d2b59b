package reader

import (
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// readConclusion reads the last sentence with a value of a complete reply.
func (n numeric) readConclusion(p page) answer.Answer {
	last, later := p.last(), 0
	for i, near := last, 0; i >= 0 && near < nearEnd; i-- {
		if p.lines[i].text != "" {
			near++
		}
		all := sentences(endInFigures(aside.ReplaceAllString(figures.Replace(p.lines[i].text), "$1")))
		for k := len(all) - 1; k >= 0; k-- {
			values := valuesIn(all[k])
			if numbering.MatchString(all[k]) && len(p.lines) > 1 || explaining.MatchString(all[k]) && k+i > 0 ||
				implying.MatchString(all[k]) && k+i > 0 && len(values) == 0 || repeatsQuestion(all[k], n.asked) {
				continue
			}
			counted, _ := n.counted(all[k], values)
			if later++; len(values) > 0 || counted.Parsed {
				concludes := i == last && finally.MatchString(all[k])
				if i < last && !endsSentence(p.lines[last].text) || later > 1 && !concludes || p.itemises(i) {
					return answer.Answer{How: answer.Nothing} // it goes on, and breaks off, or speaks of something else
				}
				if counted.Parsed && (!n.givenAnswer(counted) || !n.restates(all[k], values)) {
					counted.How = answer.Fallback
					return counted
				}
				values = slices.DeleteFunc(values, func(v value) bool { return joined.MatchString(all[k][v.to:]) })
				if len(values) == 0 {
					return answer.Answer{How: answer.Nothing}
				}
				if refusing.MatchString(all[k]) || n.sums() && !n.sumsUp(all[k]) || p.enumerates(all[k]) ||
					(n.offTopic(all[k]) && !slices.ContainsFunc(values, n.isGiven) ||
						n.restates(all[k], values)) && !p.computes(i, values) {
					return answer.Answer{How: answer.Nothing}
				}
				a := n.conclusion(all[k], values)
				if a.Parsed {
					a.How = answer.Fallback
				} else {
					a.How = answer.Nothing
				}
				return a
			}
		}
	}
	return answer.Answer{How: answer.Nothing}
}

// concludesAnew reports whether the last line of a page, behind its first, comes to a number of what is counted.
func (n numeric) concludesAnew(p page) bool {
	last := p.last()
	ending := sentences(figures.Replace(p.lines[last].text))
	return last > p.next(-1) && slices.ContainsFunc(ending, func(s string) bool {
		a, _ := n.counted(s, valuesIn(s))
		return a.Parsed && finally.MatchString(s)
	})
}

// itemises reports whether a line is one of a list that the line above it announces.
func (p page) itemises(i int) bool {
	if !bulleted.MatchString(p.lines[i].text) || strings.Contains(p.lines[i].text, "=") {
		return false
	}
	for i >= 0 && bulleted.MatchString(p.lines[i].text) {
		i = p.previous(i)
	}
	return i >= 0 && strings.HasSuffix(p.lines[i].text, ":")
}

// bulleted matches the beginning of a line of a list without numbers.
var bulleted = regexp.MustCompile(`^[-*•]\s+\S`)

// computes reports whether a line before one comes to its last value behind an equals sign.
func (p page) computes(i int, values []value) bool {
	last := values[len(values)-1]
	return slices.ContainsFunc(p.lines[:i], func(l line) bool {
		at := strings.LastIndex(l.text, "=")
		all := valuesIn(figures.Replace(l.text[max(at, 0):]))
		return at >= 0 && len(all) > 0 && last.rat != nil && all[0].equals(last)
	})
}

// aside matches what a sentence adds to a value in parentheses.
var aside = regexp.MustCompile(`([0-9%°\pL]) \([^()=]*\pL{3,}[^()=]*\)`)

// offTopic reports whether a sentence neither concludes, nor computes, nor has a word of the question.
func (n numeric) offTopic(sentence string) bool {
	return len(n.theme) > 0 && len(strings.Fields(sentence)) > leastSentence && !finally.MatchString(sentence) &&
		!isFinal.MatchString(sentence) && !strings.Contains(sentence, "=") && !pronoun.MatchString(sentence) &&
		!n.theme.in(sentence)
}

// isFinal begins a sentence that gives the result.
var isFinal = regexp.MustCompile(`(?i)^(?:the |our )?(?:final|total|overall|resulting) (?:\pL+ )?(?:is|was|=)|` +
	`\b(?:(?:is|are):|(?:comes?|amounts?|adds? up|sums?) to|totals?|yields?|gives?|(?:has|have|had|'s) (?:\pL+ed|made|got|spent|won|left|sold)) [$£€]?-?[0-9.,]+(?: (?:as|for|in) [^0-9]*)?\.?$`)

// refusing matches a sentence that says what something is not.
var refusing = regexp.MustCompile(`(?i)\bis not [$-]?[0-9]|\b(?:cannot|can't|unable to|(?:impossible|not possible) to) (?:\pL+ly )?(?:be )?` +
	`(?:calculate|compute|determine|provide|find|say|tell|answer)d?\b|` +
	`\b(?:unknown|unclear|not (?:known|stated|given|said|clear)) (?:how|what|when|whether|which)\b`)

// abstains reports whether what a page boxes last is that it has no answer.
func (p page) abstains() bool {
	content, ok := p.boxed()
	return ok && abstaining.MatchString(content)
}

// abstaining matches what a box holds that is to have no answer.
var abstaining = regexp.MustCompile(`(?i)^\W*(?:text\w*\{)?\s*(?:(?:i(?:'m| am) )?(?:unsure|not sure)|unknown|i (?:don't|do not) know|idk)\W*$`)

// leastSentence is the least number of words of a sentence of which it is regarded what it is about.
const leastSentence = 4

// restates reports whether the values of a sentence that has nearly only words of the question are the question's.
func (n numeric) restates(sentence string, values []value) bool {
	words, old := strings.Fields(answer.NormalizeWords(finally.ReplaceAllString(sentence, ""))), 0
	for _, w := range words {
		if n.asked[stem(w)] {
			old++
		}
	}
	isNew := func(v value) bool { return v.rat == nil || !n.given[v.rat.RatString()] }
	return len(n.given) > 0 && !strings.Contains(sentence, "=") && len(words) > maxPhrase &&
		10*old >= 7*len(words) && !slices.ContainsFunc(values, isNew)
}

// nearEnd is how many lines at the end of a reply can have its conclusion.
const nearEnd = 4

// conclusion reads the value that a sentence comes to.
func (n numeric) conclusion(text string, all []value) answer.Answer {
	if all = undenied(text, all); len(all) == 0 {
		return answer.Unparsed
	}
	if n := len(all); n > 1 && inOtherWords.MatchString(text[all[n-2].to:all[n-1].from]) {
		if !letters.MatchString(text[all[n-1].to:]) && !all[n-2].equals(all[n-1]) {
			return answer.Unparsed // another value
		}
		all, text = all[:n-1], text[:all[n-2].to]
	}
	last := all[len(all)-1]
	if strings.HasSuffix(text, "?") || len(all) > 2 && strings.Trim(text, "0123456789.,; $") == "" {
		return answer.Unparsed // a question, or a list
	}
	if len(text) > 4*maxStatement {
		return n.first(text, last.from, all)
	}
	if at := strings.LastIndex(text, "="); at >= 0 {
		for _, v := range all {
			if v.from > at && operator.MatchString(text[v.to:]) {
				return answer.Unparsed // a sum that nobody has computed
			}
			if behind := asserted.FindStringIndex(text[v.to:]); v.from > at && behind != nil &&
				last.from >= v.to+behind[1] {
				break // which is of the subject
			}
			if v.from > at && n.single(text, v) {
				return n.first(text, at, all)
			} else if v.from > at {
				return answer.Unparsed
			}
		}
	}
	if m := isAskedFor.FindStringSubmatchIndex(text); m != nil && all[0].from <= m[3] && all[0].to >= m[3] {
		return n.first(text, all[0].from, all)
	}
	text, all = withoutRanges(text, all)
	if all = dropConditions(text, all); len(all) == 0 {
		return answer.Unparsed
	}
	from := n.concluded(text, all)
	if k := slices.IndexFunc(all, func(v value) bool { return v.from >= from }); !n.single(text, all[k]) {
		return answer.Unparsed
	}
	return n.first(text, from, all)
}

// isAskedFor begins a sentence that says of a value that it is what was asked for.
var isAskedFor = regexp.MustCompile(`(?i)^(?:(?:so|therefore|thus|hence|and),? )*(?:i (?:think|believe) (?:that )?)?\$?([0-9.,/]*[0-9])\$? (?:is|must be|should be) ` +
	`(?:indeed |also |therefore |clearly )?(?:the (?:\pL+est|least|maximum|minimum|only|correct|right|first|last|next)|our|my)\b`)

// inOtherWords matches what stands between a value and the same one in another unit or form.
var inOtherWords = regexp.MustCompile(`(?i)^[ \pL]{0,20}\((?:or|i\.e\.,?|that is,?|about|approximately|roughly|equal to|=|≈) *\$?$`)

// concluded returns where the value begins that a sentence concludes with: that behind its last verb, or the last.
func (n numeric) concluded(text string, all []value) int {
	last := all[len(all)-1]
	from := last.from
	if k := len(all) - 2; n.pairs && k >= 0 && oneIn.MatchString(text[all[k].to:from]) {
		from = all[k].from
	}
	for _, at := range asserted.FindAllStringIndex(text, -1) {
		if at[1] > last.from {
			break
		}
		for _, v := range all {
			if v.from >= at[1] {
				if len(strings.Fields(text[at[1]:v.from])) <= 4 {
					from = v.from
				}
				break
			}
		}
	}
	return from
}

// ranges matches the two values between which what is counted lies, or the one with which a sentence begins.
var ranges = regexp.MustCompile(`(?i)(?:^|[:,] )(?:(?:so|and|now|then|but|therefore|thus|hence),? )?(?:with|out of) [0-9][0-9.]*(?: \pL+){1,3}, |` +
	`\b(?:from|between) [0-9][0-9:.,]*(?: ?[ap]\.?m\b\.?| \pL+)? (?:to|and|until) [0-9][0-9:.,]*(?: ?[ap]\.?m\b\.?)?,?`)

// withoutRanges returns a text with spaces for the values between which what is counted lies, and its values without
// these, if there are others.
func withoutRanges(text string, all []value) (string, []value) {
	masked := ranges.ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat(" ", len(m)) })
	outside := slices.DeleteFunc(slices.Clone(all), func(v value) bool {
		return masked[v.from:v.to] != text[v.from:v.to]
	})
	if len(outside) == 0 {
		return text, all
	}
	return masked, outside
}

// dropConditions returns the values of a sentence without those that it supposes, and without those at its end that say
// how long, from what or for how many.
func dropConditions(text string, all []value) []value {
	if at := condition.FindStringIndex(text); at != nil {
		to := len(text)
		if comma := strings.Index(text[at[1]:], ", "); comma >= 0 && at[0] < all[0].from {
			to = at[1] + comma
		}
		all = slices.DeleteFunc(slices.Clone(all), func(v value) bool { return at[0] <= v.from && v.from < to })
	}
	for k := len(all) - 1; k > 0; k-- {
		between := text[all[k-1].to:all[k].from]
		verb := purpose.FindStringSubmatch(between)
		if all[k-1].in(all[k], text) || leaving.MatchString(between) || bringsIn.MatchString(between) ||
			!within.MatchString(between) && (verb == nil || comesTo.MatchString(verb[1])) {
			break
		}
		all = all[:k]
	}
	return all
}

// within comes before a value that says how long, from what or for how many.
var within = regexp.MustCompile(`(?i)\b(?:for|in|after|over|within|during|from|per|every|than|at|with|on|out of)(?: the| all| these| those)?` +
	` \$?$|\b(?:after|before|by|from) \pL+ing (?:\pL+ ){0,2}\$?$`)

// leaving comes before what is left.
var leaving = regexp.MustCompile(`(?i)\b(?:leaves?|leaving) \pL+ with(?: only)? \$?$`)

// bringsIn comes before what something comes to.
var bringsIn = regexp.MustCompile(`(?i)\b(?:br(?:ings?|ought|inging)|rakes?|takes?|pulls?|results?|resulting) in(?: a total of)? \$?$`)

var (
	// purpose matches what something is for, such as "to buy", and comesTo the verbs before a result.
	purpose = regexp.MustCompile(`(?i)^[^.;:]* to (\pL+) [^.;:]*$`)
	comesTo = regexp.MustCompile(`(?i)^(?:get|be|find|give|obtain|arrive|equal|have|yield|total|become|make|reach|see|the|an?|my|his|` +
		`her|their|our|your|determine|calculate|receive|produce|leave)$`)
)
