package flags

import (
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/debate"
)

// reasoningMode is the value of the flag that says who sees the reasoning in replies.
type reasoningMode struct{ to *string }

// AddReasoning adds the flag. Its default may be "", where something else decides.
func AddReasoning(set *pflag.FlagSet, to *string, usual string) {
	*to = usual
	set.Var(reasoningMode{to}, "reasoning", "who sees the reasoning that a model marks in its "+
		"replies: hide (nobody), show (you), or share (you and the agents that hear the reply)")
}

// String implements pflag.Value.
func (m reasoningMode) String() string { return *m.to }

// Type implements pflag.Value.
func (m reasoningMode) Type() string { return "MODE" }

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
