package answer

import (
	"regexp"
	"strings"
)

// stated matches a mark behind which a reply states its answer, with the rest of the line.
var stated = regexp.MustCompile(`(?i)(?:\banswer(?:[*_` + "`" + `]*:| is\b:?)|####|final solution:)[ \t*_]*([^\n]*)`)

// nextQuestion matches the beginning of a question that a model invents after its answer.
var nextQuestion = regexp.MustCompile(`(?m)^[ \t]*(?:#+ *(?:Instruction|Question|Input|Problem)\b|(?:Question|Q|Human|User|Problem)[ 0-9]*:)`)

// ownPart returns the part of a reply before a question that the model invents after some words of its own.
func ownPart(reply string) string {
	for _, at := range nextQuestion.FindAllStringIndex(reply, -1) {
		if strings.TrimSpace(reply[:at[0]]) != "" {
			return reply[:at[0]]
		}
	}
	return reply
}

// explicitly reads the last statement of a reply from which read gets an answer.
func explicitly(reply string, read func(text string) Answer) Answer {
	all := stated.FindAllStringSubmatch(reply, -1)
	for i := len(all) - 1; i >= 0; i-- {
		if a := read(all[i][1]); a.Parsed || a.How == NoOption {
			if a.Parsed {
				a.How = Explicit
			}
			return a
		}
	}
	return Answer{How: Nothing}
}
