package titfortat

import "github.com/parley-debate/parley/debate"

// parts returns the values that settings can have in a tit for tat.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("until", untilModerator, "when the moderator ends it, by the rule of the reading (tit-for-tat)",
		"Liang et al., Encouraging Divergent Thinking")
	add("until", untilAnswer, "when the moderator gives an answer (tit-for-tat)", "Liang et al., their code")
	add("until", untilPreference, "when the moderator has a preference (tit-for-tat)", "Liang et al., their paper")
	add("judge-sees", judgeSeesFirst, "the arguments of the first round (tit-for-tat)", "Liang et al., their code")
	add("judge-sees", judgeSeesAll, "the arguments of all rounds (tit-for-tat)", "Liang et al., their paper")
	add("reading", ReadingRecorded, "as in the program that recorded the published debates (tit-for-tat)",
		"Liang et al., their logs")
	return all
}
