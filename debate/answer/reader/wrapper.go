package reader

import (
	"encoding/json"
	"regexp"
	"strings"
)

const (
	// tags are the names of tags around an answer other than "answer", and short those of what may also be more.
	tags = `(?:(?:final|my|selected|chosen|correct)?[ _-]?(?:ans|choice|option|solution|result|output|conclusion|verdict)|` +
		`final|(?:correct|selected|chosen|my)[ _-]?answer|answer[ _-]?(?:letter|choice|option|value))`
	short = `(?:output|verdict|conclusion|(?:final[ _-]?)?(?:response|reply)|value|letter|selection|decision|prediction)`
	// key matches the name of an answer in JSON.
	key = `"(?:(?:my|the|your)[_ ])?(?:(?:final|correct|selected|chosen)[_ ]?)?` +
		`(?:answer|ans|choice|option|result|prediction|final)[a-z_]{0,8}"\s*:\s*`
)

const (
	// labels are the words before an answer that is all of what follows, and alone matches that.
	labels = `(?:conclusion|verdict|decision|result|selection|output|final|response|selected(?: option| answer| choice)?|` +
		`option selected|ans|pick|prediction|judge?ment|so|therefore|thus|hence)\.?`
	alone = `\$[^$\n]{1,100}\$|[^\s:]{0,60}[\\^][^\s:]{1,60}|-?[0-9][0-9.,/]*|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+){1,3})|` +
		`\(?[A-J]\)?|\(?[A-J][.):]\)?[ \t]+\S[^\n]{0,80}?|yes|no|true|false`
)

// wrappers are the forms in which models are asked for an answer, or have learned to give it, beside a sentence. The
// first group that matches is the answer.
var wrappers = []*regexp.Regexp{
	// tags with the answer as their attribute
	regexp.MustCompile(`(?i)<(?:final[_ -]?)?answer(?:[ ]+[a-z]{1,20}=["'][^"'<>\n]{0,40}["']){0,3}?[ ]+(?:value|text|choice|option|letter)=["']` +
		`([^"'<>\n]{1,200})["'] ?/?>(?:\s*</(?:final[_ -]?)?answer>)?`),
	// R1's training, and prompts that ask for tags
	regexp.MustCompile(`(?im)<(?:final[_ -]?)?answer>[ \t]*([^<>\n]{1,200}?)[ \t]*<(?:final[_ -]?)?answer>[ \t]*$`),
	regexp.MustCompile(`(?is)<(?:final[_ -]?)?answer(?: [^<>\n]{0,80})?>\s*(.{1,1000}?)\s*` +
		`(?:</(?:(?:final[_ -]?)?answer>?|ans>)|\z)`),
	// such tags by other names, within which one of those may stand
	regexp.MustCompile(`(?is)<` + tags + `>\s*(.{1,1000}?)\s*(?:</` + tags + `>|\z)`),
	regexp.MustCompile(`(?i)<` + short + `>\s*([^<>\n]{1,80}?)\s*</` + short + `>`),
	// GLM's of 2025, Sky-T1's and Apriel's training, and marks of one's own
	regexp.MustCompile(`(?is)(?:<\|begin_of_box\|>|<\|begin_of_solution\|>|\[begin final response\]|\[(?:final[ _])?answer\]|` +
		`<\|(?:answer|final)\|>)\s*(.{1,1000}?)\s*` +
		`(?:<\|end_of_box\|>|<\|end_of_solution\|>|\[end final response\]|\[/(?:final[ _])?answer\]|<\|/?(?:answer|final|end)\|>|\z)`),
	// ReAct
	regexp.MustCompile(`(?i)\bfinish\[([^\[\]\n]{1,400})\]`),
	// JSON, also where it breaks off behind the answer, or has it as the only entry of a list
	regexp.MustCompile(`(?i)` + key + `(?:\{\s*"value"\s*:\s*)?` +
		`("(?:[^"\\\n]|\\.){1,1000}(?:"|\z)|-?[0-9][0-9.,]*|true|false)`),
	regexp.MustCompile(`(?i)` + key + `\[\s*("[^"\n]{1,400}"|-?[0-9][0-9.,]*)\s*\]`),
	regexp.MustCompile(`(?i)"` + short + `"\s*:\s*("(?:[^"\\\n]|\\.){1,80}"|-?[0-9][0-9.,]*|true|false)\s*[,}]`),
	// programs
	regexp.MustCompile(`(?im)^[ \t]*(?:(?:final_?)?answer|submit(?:_answer)?|value)(?:[ \t]*=[ \t]*|\()["']?([^"'=\n]{1,200}?)(?:["']?\)|["'])?[ \t]*$`),
	// a label in the last line, or above it, or a word that concludes
	regexp.MustCompile(`(?i)(?:^|\n)[ \t>*_#]*(?:my |the |our )?(?:final )?` + labels +
		`(?:[*_ \t]*:[*_ \t]*(?:\n[ \t\n*_]*)?|[*_ \t]*\n[ \t\n*_]*)(` + alone + `)[*_ \t.]*\s*\z`),
	regexp.MustCompile(`(?i)(?:^|\n)[ \t>*_#]*(?:(?:in conclusion|therefore|thus|hence|so),?[ \t]*|a[*_ \t]*:[ \t]*)` +
		`[*_]*(\(?[A-J]\)?)[*_ \t.]*\s*\z`),
}

// needs is what a text must have for each of the wrappers to match: "" if it is not known.
var needs = func() (of []string) {
	first := regexp.MustCompile(`^(?:\(\?[ism]+\))?([<"]?)`)
	for _, w := range wrappers {
		of = append(of, first.FindStringSubmatch(w.String())[1])
	}
	return of
}()

// command matches a command of LaTeX in JSON whose backslash was not doubled.
var command = regexp.MustCompile(`(?:^|[^\\])\\(?:[dt]?frac|boxed|sqrt|text|left|begin|theta|tan|times|beta|bar|not|neq|nu)`)

var (
	// strong matches what HTML has in bold type, typeface other tags within a line, and block those that begin a line.
	strong   = regexp.MustCompile(`(?i)<(?:b|strong|mark)>([^<>\n]{1,400})</(?:b|strong|mark)>`)
	typeface = regexp.MustCompile(`(?i)</?(?:em|i|u|span|font)(?: [^<>\n]{0,80})?>`)
	block    = regexp.MustCompile(`(?i)</?(?:p|div|h[1-6]|center|section)(?: [^<>\n]{0,80})?>|<br ?/?>`)
	// boxing matches commands of LaTeX that box an answer under other names.
	boxing = regexp.MustCompile(`\\(?:fbox|framebox|answer|ans)\{|(?:^|[\s$*(])boxed\{`)
	// shown matches what stands between marks of other kinds of Markdown, and entities are the characters of HTML.
	shown    = regexp.MustCompile(`(^|[\s*_:(])(?:<<+([^<>=\n]{1,100})>>+|==([^\s=](?:[^=\n]{0,98}[^\s=])?)==)([\s*_).,]|$)`)
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&", "&nbsp;", " ")
	// underlined matches words that LaTeX underlines or has in another type.
	underlined = regexp.MustCompile(`\\(?:underline|textbf|textit|emph)\{((?:[^{}\n]|\{[^{}\n]*\}){1,200})\}`)
)

// inMarkdown writes a reply's types and boxes of HTML and LaTeX as most replies have them.
func inMarkdown(reply string) string {
	if strings.Contains(reply, "&") {
		reply = entities.Replace(reply)
	}
	if strings.Contains(reply, ">>") || strings.Contains(reply, "==") {
		reply = shown.ReplaceAllString(reply, "$1**$2$3**$4")
	}
	if strings.Contains(reply, "</") || strings.Contains(reply, "<br") {
		reply = typeface.ReplaceAllString(strong.ReplaceAllString(reply, "**$1**"), "")
		reply = block.ReplaceAllString(reply, "\n")
	}
	if !strings.Contains(reply, `\boxed{`) {
		reply = boxing.ReplaceAllString(reply, `\boxed{`)
	}
	return withBoxClosed(underlined.ReplaceAllString(reply, "$1"))
}

// unclosed matches a box that the end of a reply leaves open.
var unclosed = regexp.MustCompile(`\\boxed\{([^\n$]{1,100}?)(\$*[.\s]*)\z`)

// withBoxClosed closes the box that a reply ends in.
func withBoxClosed(reply string) string {
	at := unclosed.FindStringSubmatchIndex(reply)
	if at == nil {
		return reply
	}
	if content := reply[at[2]:at[3]]; depth(content) == 0 && !half(content) {
		reply = reply[:at[3]] + "}" + reply[at[3]:]
	}
	return reply
}

// announced matches a line that announces what something is, with the label and the text of an option below it.
var announced = regexp.MustCompile(`(?m)^[^\n]{4,300}\b(?:is|are|be)(?: likely)?:[*_]*[ \t]*\n\s*[*_]*(\(?[A-J][.):]\)?[ \t]+[^\n]+)$`)

// lastAnnounced states the last option that a reply announces so, if that begins no list.
func lastAnnounced(reply string) string {
	all := announced.FindAllStringSubmatchIndex(reply, maxStatements)
	if len(all) == 0 || strings.Contains(reply, `\boxed{`) {
		return reply
	}
	at := all[len(all)-1]
	next := strings.TrimLeft(reply[at[3]:], " \t\n*_")
	if listing := ofList.MatchString(reply[at[0]:at[2]]); listing || optionFirst.MatchString(next[:min(len(next), 8)]) {
		return reply
	}
	return reply[:at[2]] + "Final answer: " + reply[at[2]:]
}

// ofList matches what announces a list rather than one of it.
var ofList = regexp.MustCompile(`(?i)\b(?:questions?|options|choices|answers|statements|following)\b`)

// optionFirst matches the label of an option at the beginning of a text.
var optionFirst = regexp.MustCompile(`^[-•(]*[A-J][.):]`)

// unwrapped states the answers that a reply wraps, each in a line of its own.
func unwrapped(reply string) string {
	reply = lastAnnounced(inMarkdown(reply))
	for i, w := range wrappers {
		if !strings.Contains(reply, needs[i]) {
			continue // as most replies, which saves the time of looking
		}
		var b strings.Builder
		from := 0
		for _, at := range w.FindAllStringSubmatchIndex(reply, -1) {
			content := reply[at[2]:at[3]]
			b.WriteString(reply[from:at[0]])
			from = at[1]
			if quoted := ""; !command.MatchString(content) && json.Unmarshal([]byte(content), &quoted) == nil {
				content = quoted
			}
			if strings.HasPrefix(content, `"`) {
				content = strings.Trim(content, `"`)
			}
			content = strings.TrimSpace(content)
			if strings.Contains(content, "\n") || mark.MatchString(markup.Replace(content)) ||
				placeholder.MatchString(content) {
				b.WriteString("\n" + content + "\n")
				continue
			}
			b.WriteString("\nFinal answer: " + content + "\n")
		}
		b.WriteString(reply[from:])
		reply = b.String()
	}
	return reply
}

var (
	// fence matches a line that begins or ends a block of code.
	fence = regexp.MustCompile("(?m)^[ \t>]*(?:```|~~~)[a-zA-Z]*[ \t]*$")
	// display matches a formula in lines of its own, and steps the last of several in one.
	display = regexp.MustCompile(`(?s)\\\[\s*\n(.{1,800}?)\\\]|\$\$[ \t]*\n(.{1,800}?)\$\$`)
	steps   = regexp.MustCompile(`(?s)\\begin\{(?:align|aligned|gather|gathered|equation|eqnarray)\*?\}(.{1,1000}?)` +
		`\\end\{(?:align|aligned|gather|gathered|equation|eqnarray)\*?\}`)
)

// dollars matches a currency that LaTeX has to escape.
var dollars = regexp.MustCompile(`\\\$ ?([0-9])`)

// starred matches a power as programs write it, which is no bold type.
var starred = regexp.MustCompile(`([\pL0-9)\]])\*\*([0-9]+|\([^()*\n]{1,60}\))([^*0-9]|\*[^*]|$)`)

// flat puts each formula that has lines of its own in one line, without the steps before its last one, the signs of
// dollars, and powers that look like bold type.
func flat(reply string) string {
	reply = steps.ReplaceAllStringFunc(reply, func(all string) string {
		lines := strings.Split(strings.TrimRight(steps.FindStringSubmatch(all)[1], "\\ \t\n"), `\\`)
		return strings.ReplaceAll(lines[len(lines)-1], "&", "")
	})
	reply = starred.ReplaceAllString(dollars.ReplaceAllString(reply, "$1"), "$1^$2$3")
	return display.ReplaceAllStringFunc(reply, func(all string) string {
		m := display.FindStringSubmatch(all)
		return "$$" + strings.Join(strings.Fields(m[1]+m[2]), " ") + "$$"
	})
}
