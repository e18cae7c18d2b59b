package reader

import (
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

var (
	// special and turned begin the turn of somebody else, in a template and in words.
	special = regexp.MustCompile(`<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|return|start|user|assistant)\|>|` +
		`<(?:end_of_turn|start_of_turn|eos)>|</s>|\[/?INST\]`)
	turned = regexp.MustCompile(`\b(?:USER|ASSISTANT|SYSTEM): `)
	// invented begins the line of a question that the reply goes on with; restated may also repeat the one that was
	// asked.
	invented = regexp.MustCompile(`(?im)^[ \t>*_#]*(?:instructions?|human|user|assistant|input|(?:student|teacher|senior)(?: [a-z])?|` +
		`next (?:question|problem))[ \t]*[0-9]*[*_ \t]*:|^[ \t]*#{1,6}[ \t*]*(?:instructions?|input|human|user)\b`)
	restated = regexp.MustCompile(`(?im)^[ \t>*_#]*(?:\pL+: )?(?:question|problem|q|exercise)[ \t]*` +
		`(?:\d+[*_ \t]*[:.]|[*_ \t]*:)|^[ \t]*#{1,6}[ \t*]*(?:question|problem|exercise)\b`)
)

// ownPart returns the part of a reply before the turn of somebody else, or before a question that the model invents. A
// heading of a question within reasoning is none of these: what ends in a statement is cut only behind another one,
// behind an answer that is all of a line, or before a question other than was asked.
func (t theme) ownPart(reply string) string {
	reply = headingWithin.ReplaceAllString(reply, "\n$1")
	some := func(head, _ string) bool { return strings.TrimSpace(head) != "" }
	goesOn := func(head, rest string) bool { return some(head, rest) && t.ends(head, rest) }
	reply = before(before(reply, special, some), turned, goesOn)
	reply = before(before(reply, invented, goesOn), restated, func(head, rest string) bool {
		return statesAnswer(head) && t.ends(head, rest)
	})
	reply = before(reply, numberedProblem, func(head, rest string) bool {
		behind, _, _ := strings.Cut(rest, "\n")
		return (head == "" || t.ends(head, rest)) && !states(behind)
	})
	return before(reply, askedAgain, func(head, _ string) bool { return states(head) })
}

// headingWithin matches a heading of a question or its answer within a line.
var headingWithin = regexp.MustCompile(`(?i)[ \t](#{2,6}[ \t*]*(?:question|problem|exercise|answer|solution)\b)`)

// ends reports whether the answer stands in the head of a reply rather than in the rest, which begins like a question:
// the head states it, the rest neither states nor boxes it, or the rest poses a question and answers it at once, and
// that is another one or the head is a line that can be the answer.
func (t theme) ends(head, rest string) bool {
	boxes := !strings.Contains(head, `\boxed{`) && strings.Contains(rest, `\boxed{`)
	if states(head) || !boxes && !endsInStatement(rest) {
		return true
	}
	asked := rest[:min(len(rest), 8*maxStatement)]
	at := answering.FindStringIndex(asked)
	if at == nil {
		return false
	}
	head, asked = strings.TrimSpace(head), strings.TrimSpace(asked[:at[0]])
	return !strings.Contains(asked, "\n\n") && (len(t) == 0 || t.isOther(asked) ||
		len(head) <= longest && !strings.Contains(head, "\n"))
}

// endsInStatement reports whether the end of a text, as long as a conclusion may be, states an answer.
func endsInStatement(text string) bool {
	text = strings.TrimSpace(text)
	text = text[max(0, len(text)-maxStatement):]
	return states(text) || strings.Contains(text, `\boxed{`) || slices.ContainsFunc(strings.Split(text, "\n"),
		func(line string) bool { return heading.MatchString(strings.TrimSpace(markup.Replace(line))) })
}

// numberedProblem matches the second problem, or a later one, of a list of them.
var numberedProblem = regexp.MustCompile(`(?m)^[ \t]*#(?:[2-9]|[1-9][0-9])[.)] [^\n]*\?`)

// afterQuestion returns what stands behind the label of the answer in a text that begins with a question under a label;
// nothing if there is no such label, or the question is another one than was asked.
func (t theme) afterQuestion(reply string) string {
	at := restated.FindStringIndex(reply)
	if at == nil || strings.TrimSpace(reply[:at[0]]) != "" {
		return reply
	}
	if text, _, asks := strings.Cut(reply[at[1]:], "?"); asks && len(text) < 8*maxStatement && t.isOther(text) &&
		t.isOther(ownSentence(text)) {
		return ""
	}
	if at := answering.FindStringIndex(reply); at != nil {
		return reply[at[1]:]
	}
	if endsInStatement(reply) {
		return reply
	}
	return ""
}

// theme are the beginnings of the words that say what a question is about, or none if it is not known.
type theme map[string]bool

// maxAsked bounds the bytes of a question that are looked at.
const maxAsked = 8192

// questionTheme returns what a question is about. Of a long question it reads the end, where it usually asks.
func questionTheme(q answer.Question) theme {
	text := q.Text[max(0, len(q.Text)-maxAsked):]
	return themeOf(text + "\n" + strings.Join(q.Options, "\n"))
}

// themeOf returns the theme of a text: its telling words, and its numbers.
func themeOf(text string) theme {
	words := wordsIn(text)
	t := theme(stemsOf(words))
	for w := range words {
		if valued.MatchString(w) {
			t[stem(w)] = true
		}
	}
	return t
}

// in reports whether a text has a word of a theme.
func (t theme) in(text string) bool {
	return slices.ContainsFunc(strings.Fields(answer.NormalizeWords(text)), func(w string) bool { return t[stem(w)] })
}

// posed matches a question with the label of its answer behind it.
var posed = regexp.MustCompile(`(?i)([^\n?.!]+)\?["')*]*\s*(?:answer|solution|a)[*_ \t]*:`)

// beforeOther returns the part of a reply before it poses another question than was asked, and answers that. Cut is
// true if the reply states nothing before.
func (t theme) beforeOther(reply string) (own string, cut bool) {
	for _, at := range posed.FindAllStringSubmatchIndex(reply, -1) {
		if t.isOther(reply[at[2]:at[3]]) {
			return reply[:at[0]], !states(reply[:at[0]])
		}
	}
	return reply, false
}

// isOther reports whether a question has hardly a word of the one that was asked, which must be known.
func (t theme) isOther(text string) bool {
	stems, old := themeOf(text), 0
	for s := range stems {
		if t[s] {
			old++
		}
	}
	return len(t) > 0 && len(stems) > 0 && 3*old < 2*len(stems)
}

// answering matches the label of an answer at the beginning of a line.
var answering = regexp.MustCompile(`(?im)^[ \t>*_#]*(?:answer|solution|a|response|explanation)[*_ \t]*:[*_]*`)

// askedAgain matches a question in a paragraph of its own with the answer below it.
var askedAgain = regexp.MustCompile(`\n[ \t]*\n[ \t]*\pL[^\n?]+\?[ \t]*\n\s*(?i:answer|solution|a)[ \t]*:`)

// states reports whether a text states an answer, so that a question behind it is another one.
func states(head string) bool { return mark.MatchString(markup.Replace(head)) }

// leastSaid is how often a reply says one sentence if it says nothing else.
const leastSaid = 4

// once returns the sentence that a reply says again and again, and nothing else but the beginning of one more time.
func once(reply string) (string, bool) {
	first, times, last := "", 0, false
	for text := range strings.SplitSeq(reply, "\n") {
		for _, s := range sentences(markup.Replace(text)) {
			s = strings.TrimSpace(numbered.ReplaceAllString(strings.TrimSpace(s), ""))
			switch {
			case s == "" || last:
				if last {
					return "", false // it goes on behind a part
				}
			case first == "":
				first, times = s, 1
			case s == first:
				times++
			case strings.HasPrefix(first, s) || strings.Trim(s, "0123456789.)") == "":
				last = true
			default:
				return "", false
			}
		}
	}
	return first, times >= leastSaid && endsSentence(first) && len(strings.Fields(first)) >= 3
}

// numbered matches the number of one of several lines or sentences.
var numbered = regexp.MustCompile(`^(?:\([0-9]{1,2}\)|[0-9]{1,2}[.)])\s+`)

// Bounds of a repetition: the bytes at the end of a reply that are looked at, and the least that repeat themselves.
// Long words repeat themselves sooner.
const repeatTail, repeatLeast, repeatTimes, repeatLong = 3000, 60, 4, 100

// repeats reports whether a text ends in the same words four times or more, or in the same long ones twice and in the
// beginning of a third time.
func repeats(text string) bool {
	text = strings.TrimSpace(text)
	text = text[max(0, len(text)-repeatTail):]
	at := func(i int) byte { return text[len(text)-1-i] } // from the end
	border := make([]int, len(text)+1)                    // of each beginning: how long a shorter one it also ends in
	for n, k := 1, 0; n < len(text); n++ {
		for k > 0 && at(n) != at(k) {
			k = border[k]
		}
		if at(n) == at(k) {
			k++
		}
		border[n+1] = k
		length, unit := n+1, n+1-k
		if length >= repeatLeast && length >= repeatTimes*unit || unit >= repeatLong && length > 2*unit {
			return true
		}
	}
	return false
}

// before cuts a text at the first match whose head and rest fit, of as many as are looked at: each takes as long as the
// text.
func before(text string, re *regexp.Regexp, fits func(head, rest string) bool) string {
	for _, at := range re.FindAllStringIndex(text, maxStatements) {
		if fits(text[:at[0]], text[at[1]:]) {
			return text[:at[0]]
		}
	}
	return text
}

// statesAnswer reports whether a text is more than the words before a question that it repeats: it states an answer, or
// has more than a line.
func statesAnswer(head string) bool {
	head = strings.TrimSpace(head)
	return len(head) > 80 || strings.Contains(head, "\n") || mark.MatchString(markup.Replace(head)) ||
		head != "" && !strings.HasSuffix(head, ":")
}
