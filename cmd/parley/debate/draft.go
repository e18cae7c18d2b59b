package debate

import "github.com/parley-debate/parley/bench/wording"

// draft is what an agent has written so far in the round under way.
type draft struct {
	agent  int
	text   string
	tokens int  // of all its replies
	before int  // of its earlier replies
	done   bool // with its last reply

	reasoning bool // the text ends within reasoning
}

// reason adds what an agent says in reasoning.
func (a *draft) reason(text string) {
	if text != "" && !a.reasoning {
		a.reasoning, a.text = true, a.text+"[reasoning]\n"
	}
	a.text += text
}

// progress says how many tokens the agent has written in the round, and whether it is done.
func (a *draft) progress() string {
	if a.done {
		return wording.Count(a.tokens, "token") + ", done"
	}
	return wording.Count(a.tokens, "token") + " …"
}
