package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// reasoningMode is the value of the flag that says who sees the reasoning in replies.
type reasoningMode struct{ to *string }

// addReasoning adds the flag. Its default may be "", where something else decides.
func addReasoning(flags *pflag.FlagSet, to *string, usual string) {
	*to = usual
	flags.Var(reasoningMode{to}, "reasoning", "`MODE`: who sees the reasoning that a model marks in its "+
		"replies: hide (nobody), show (you), or share (you and the agents that hear the reply)")
}

// String implements pflag.Value.
func (m reasoningMode) String() string { return *m.to }

// Type implements pflag.Value.
func (m reasoningMode) Type() string { return "string" }

// Set implements pflag.Value.
func (m reasoningMode) Set(text string) error {
	if text == "" {
		text = "none"
	}
	if err := debate.CheckReasoning(text); err != nil {
		return err
	}
	*m.to = text
	return nil
}

// reasoned is the text of a reply for a reader who sees the reasoning, or not, with what there is to say about it.
func reasoned(r inference.Reply, mode string) string {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Raw == "":
	case mode != debate.HideReasoning && r.Reasoning != "":
		text = strings.TrimSpace("[reasoning, " + wording.Count(r.ReasoningTokens, "token") + "]\n" + r.Reasoning +
			"\n[answer]\n" + text)
	case r.ReasoningTokens > 0:
		text += fmt.Sprintf("\n[after %s of reasoning: --reasoning show]", wording.Count(r.ReasoningTokens, "token"))
	}
	if r.ReasoningCut {
		text += "\n[it ends within its reasoning, without an answer]"
	}
	return strings.TrimSpace(text)
}
