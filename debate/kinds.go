package debate

// Kinds of turns in a discussion.
const (
	KindPersona    = "persona"
	KindStance     = "stance" // whether it agrees, where that is a call of its own
	KindMessage    = "message"
	KindSolution   = "solution" // taken out of a message
	KindFinal      = "final"    // an agent's final answer, which is voted on
	KindConfidence = "confidence"
	KindBallot     = "ballot"
	KindJudgement  = "judgement"
	KindChallenge  = "challenge"
)

// Kinds of turns outside of discussions.
const (
	KindGiven = "given" // of a centre: somebody else's reply, taken from a pool; the agent was not asked
	KindDonor = "donor" // of shuffled arguments: an answer to another question
)
