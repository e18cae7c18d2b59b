package show

import (
	"strings"

	"github.com/parley-debate/parley/bench/trial"
)

// askedIn is what was asked in a debate of a run. What the prompts of other questions have in common with it, such as
// examples, is left out.
func askedIn(outcomes []trial.Outcome, o trial.Outcome) string {
	text := o.Transcript.Asked()
	for _, other := range outcomes {
		if other.Question == o.Question || other.Condition != o.Condition {
			continue
		}
		if shared := sharedLines(text, other.Transcript.Asked()); shared > 0 && shared < len(text) {
			return "… " + strings.TrimSpace(text[shared:])
		}
		break
	}
	return text
}

// sharedLines is the length of the words with which two texts begin.
func sharedLines(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexAny(a[:n], " \n") + 1
}
