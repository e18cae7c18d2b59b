package knights

import "github.com/parley-debate/parley/debate"

// parts returns the values that settings can have in knights.
func parts() (all []debate.Part) {
	add := func(setting, value, meaning, source string) {
		all = append(all, debate.Part{Setting: setting, Value: value, Meaning: meaning, Source: source})
	}
	add("order", orderGiven, "as the puzzle lists the players (knights)",
		"Wu et al., Can LLM Agents Really Debate?")
	add("order", OrderChosen, "as the supervisor chooses (knights)",
		"Wu et al., C4, as their code does")
	add("order", OrderAgreed, "as the agents agree: each names an order, and the sums of places decide (knights)",
		"Wu et al., C4, as their paper says")
	add("confidence", confidenceHidden, "agents do not see it; in the code's reading nobody is asked, and all "+
		"solutions are shown with 5.0 (knights)", "Wu et al., Can LLM Agents Really Debate?")
	add("confidence", ConfidenceShown, "agents are asked for it and see it (knights)",
		"Wu et al., Can LLM Agents Really Debate?")
	add("until", debate.UntilRounds, "after the debates on all players and the final discussion (knights)",
		"Wu et al., Can LLM Agents Really Debate?")
	add("until", UntilProposals, "with the proposals, which are counted player by player (knights)",
		"Wu et al., Figure 2: each model alone")
	add("judge", judgeNone, "nobody rates the arguments (knights)", "Wu et al., Can LLM Agents Really Debate?")
	add("judge", judgeSoundness, "after the decision, a judge rates the soundness of what each agent argued, from 1 "+
		"to 4, without the solution (knights)", "our own")
	add("judge", judgeReasons, "after the decision, a judge who sees the solution rates why each agent agreed and why "+
		"it disagreed with others on each player, from 0 to 4 (knights)", "Wu et al., appendix D")
	return all
}
