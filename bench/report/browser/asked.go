package browser

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
)

// asked is the first message that was sent to somebody in a debate: the question, as a rule.
func asked(t debate.Transcript) string {
	for _, turn := range trial.Turns(t) {
		for _, m := range turn.Messages {
			if m.Role == "user" {
				return m.Content
			}
		}
		if len(turn.Messages) > 0 {
			return turn.Messages[0].Content
		}
	}
	return ""
}

// mostAsked is how many bytes of a question the index has.
const mostAsked = 2000

// shorten leaves out of each question the words with which the one before it or behind it begins too: they are the
// prompt's. Questions are of one task.
func shorten(questions []Question) {
	whole := make([]string, len(questions))
	for i, q := range questions {
		whole[i] = q.Asks
	}
	for i := range questions {
		shared := 0
		for _, near := range []int{i - 1, i + 1} {
			if near >= 0 && near < len(whole) && whole[near] != whole[i] {
				shared = max(shared, common(whole[i], whole[near]))
			}
		}
		shared = len(strings.TrimRightFunc(whole[i][:shared], func(r rune) bool { return !unicode.IsSpace(r) }))
		questions[i].Asks = strings.Join(strings.Fields(whole[i][shared:]), " ")
		if rest := questions[i].Asks; len(rest) > mostAsked {
			cut := mostAsked
			for !utf8.RuneStart(rest[cut]) {
				cut--
			}
			questions[i].Asks = rest[:cut] + " …"
		}
		if shared > 0 && questions[i].Asks != "" {
			questions[i].Asks = "… " + questions[i].Asks
		}
	}
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
