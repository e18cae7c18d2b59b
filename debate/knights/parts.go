package knights

import (
	"parley/debate"
)

// parts are the values that settings can have in knights.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("order", OrderGiven, "players as they stand in the game (knights)",
		"source 2, Can LLM Agents Really Debate?")
	add("order", OrderChosen, "players as the supervisor says (knights)",
		"source 2, Can LLM Agents Really Debate?")
	add("confidence", ConfidenceHidden, "it is not asked for; in the code's reading all solutions are shown "+
		"with "+
		"5.0 (knights)", "source 2, Can LLM Agents Really Debate?")
	add("confidence", ConfidenceShown, "it is asked for and shown (knights)",
		"source 2, Can LLM Agents Really Debate?")
	return all
}
