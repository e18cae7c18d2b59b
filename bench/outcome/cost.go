package outcome

import (
	"slices"

	"github.com/parley-debate/parley/debate"
)

// Cost is what calls take if no computation is shared between them.
type Cost struct {
	Replies      int `json:"replies"` // without closing turns
	PromptTokens int `json:"prompt_tokens"`
	Tokens       int `json:"tokens"` // generated
	// of the tokens, those of reasoning; and the replies that end within it
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
	ReasoningCut    int `json:"reasoning_cut,omitempty"`
	// replies that state no answer, so that it was asked for alone, and of the tokens, those of these calls
	Closings      int `json:"closing_turns,omitempty"`
	ClosingTokens int `json:"closing_tokens,omitempty"`
}

// CostOf is what the calls of debates take.
func CostOf(debates ...*Debate) (c Cost) {
	for _, o := range debates {
		for call := range o.Transcript.Calls() {
			c.Add(call)
		}
	}
	return c
}

// Add counts a call that was answered; a call that failed costs nothing.
func (c *Cost) Add(call debate.Turn) {
	if call.Error != "" {
		return
	}
	if call.Kind == debate.KindClosing {
		c.ClosingTokens += call.Reply.Tokens
	} else {
		c.Replies++
	}
	if slices.ContainsFunc(call.After, func(t debate.Turn) bool { return t.Error == "" }) { // in one order or several
		c.Closings++
	}
	c.PromptTokens += call.Reply.PromptTokens
	if c.ReasoningTokens += call.Reply.ReasoningTokens; call.Reply.ReasoningCut {
		c.ReasoningCut++
	}
	c.Tokens += call.Reply.Tokens
}
