package sampling

import (
	"parley/debate"
)

// parts are the values that settings can have in sampling.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("budget", BudgetCalls, "as many answers as the debate before had calls (sampling)", "")
	add("budget", BudgetTokens, "as many answers as fit into the tokens that the debate before generated "+
		"(sampling)",
		"")
	return all
}
