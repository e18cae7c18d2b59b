package reader

import (
	"encoding/json"
	"regexp"
	"strings"
)

const (
	// tags are the names of tags around an answer other than "answer".
	tags = `(?:(?:final|my|selected|chosen|correct)?[ _-]?(?:ans|choice|option|solution|result|output|conclusion|verdict)|` +
		`final)`
	// key matches the name of an answer in JSON.
	key = `"(?:(?:my|the|your)[_ ])?(?:(?:final|correct|selected|chosen)[_ ]?)?` +
		`(?:answer|ans|choice|option|result|prediction|final)[a-z_]{0,8}"\s*:\s*`
)

// wrappers are the forms in which models are asked for an answer, or have learned to give it, beside a sentence. The
// first group that matches is the answer.
var wrappers = []*regexp.Regexp{
	// R1's training, and prompts that ask for tags
	regexp.MustCompile(`(?is)<(?:final[_ -]?)?answer(?: [^<>\n]{0,80})?>\s*(.{1,1000}?)\s*` +
		`(?:</(?:final[_ -]?)?answer>|\z)`),
	// such tags by other names, within which one of those may stand
	regexp.MustCompile(`(?is)<` + tags + `>\s*(.{1,1000}?)\s*(?:</` + tags + `>|\z)`),
	// GLM's of 2025, Apriel's training, and marks of one's own
	regexp.MustCompile(`(?is)(?:<\|begin_of_box\|>|\[begin final response\]|\[(?:final[ _])?answer\]|` +
		`<\|(?:answer|final)\|>)\s*(.{1,1000}?)\s*` +
		`(?:<\|end_of_box\|>|\[end final response\]|\[/(?:final[ _])?answer\]|<\|/?(?:answer|final|end)\|>|\z)`),
	// ReAct
	regexp.MustCompile(`(?i)\bfinish\[([^\[\]\n]{1,400})\]`),
	// JSON, also where it breaks off behind the answer, or has it as the only entry of a list
	regexp.MustCompile(`(?i)` + key + `(?:\{\s*"value"\s*:\s*)?` +
		`("(?:[^"\\\n]|\\.){1,1000}(?:"|\z)|-?[0-9][0-9.,]*|true|false)`),
	regexp.MustCompile(`(?i)` + key + `\[\s*("[^"\n]{1,400}"|-?[0-9][0-9.,]*)\s*\]`),
}

// command matches a command of LaTeX in JSON whose backslash was not doubled.
var command = regexp.MustCompile(`(?:^|[^\\])\\(?:[dt]?frac|boxed|sqrt|text|left|begin|theta|tan|times|beta|bar|not|neq|nu)`)

// unwrapped states the answers that a reply wraps, each in a line of its own.
func unwrapped(reply string) string {
	for _, w := range wrappers {
		var b strings.Builder
		from := 0
		for _, at := range w.FindAllStringSubmatchIndex(reply, -1) {
			content := reply[at[2]:at[3]]
			b.WriteString(reply[from:at[0]])
			from = at[1]
			if quoted := ""; !command.MatchString(content) && json.Unmarshal([]byte(content), &quoted) == nil {
				content = quoted
			}
			content = strings.Trim(content, `"`)
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
