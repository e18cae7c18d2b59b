package sampling

import "github.com/parley-debate/parley/debate"

// parts returns the values that settings can have in sampling.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("budget", BudgetCalls, "as many answers as the earlier debate had calls (sampling)", "")
	add("budget", BudgetTokens, "as many answers as fit into the tokens that the earlier debate generated "+
		"(sampling)", "")
	return all
}
