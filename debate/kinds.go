package debate

import (
	"slices"
	"strings"
)

// What a turn, a round and an agent are is written by the form that holds the debate, as one of the constants below.
// Whoever reads a transcript asks the functions of this file, and compares no texts: records have these words in them
// for good, and a form that needs another adds it here.

// Kind is what a turn was asked for.
type Kind string

// KindReply is the turn of a protocol whose agents are asked for one thing only: a reply to the question.
const KindReply Kind = ""

// Kinds of turns in a discussion.
const (
	KindPersona    Kind = "persona"
	KindStance     Kind = "stance" // whether it agrees, where that is a call of its own
	KindMessage    Kind = "message"
	KindSolution   Kind = "solution" // taken out of a message
	KindFinal      Kind = "final"    // an agent's final answer, which is voted on
	KindConfidence Kind = "confidence"
	KindBallot     Kind = "ballot"
	KindJudgement  Kind = "judgement"
	KindChallenge  Kind = "challenge"
)

// Kinds of turns outside of discussions.
const (
	KindGiven Kind = "given" // of a reversal: somebody else's reply, taken from a pool; the agent was not asked
	KindDonor Kind = "donor" // of shuffled arguments: an answer to another question
)

// AnswersQuestion reports whether a call of this kind asks for an answer to the question.
func (k Kind) AnswersQuestion() bool {
	switch k {
	case KindReply, KindMessage, KindSolution, KindFinal, KindChallenge:
		return true
	}
	return false
}

// Phase is what a round of knights is for.
type Phase string

// Phases that are not about one player.
const (
	PhaseProposal Phase = "proposal"
	PhaseOrder    Phase = "order" // the supervisor is asked for it
	PhaseFinal    Phase = "final"
)

// adjusting begins the phases in which agents go over their whole solutions.
const adjusting = "adjustment"

// PhaseDebate is the debate on a player.
func PhaseDebate(player string) Phase { return Phase("debate " + player) }

// PhaseAdjustment is when agents go over their whole solutions after the debate on a player.
func PhaseAdjustment(player string) Phase { return Phase(adjusting + " after " + player) }

// PhaseSettling is when the supervisor breaks the tie on a player.
func PhaseSettling(player string) Phase { return Phase("supervisor " + player) }

// Adjusts is the player after whose debate agents go over their solutions in this phase, if they do.
func (p Phase) Adjusts() (player string, ok bool) {
	return strings.CutPrefix(string(p), string(PhaseAdjustment("")))
}

// WholeAnswers reports whether the answers of a round are to the whole question; of knights, those of a debate about
// one player are not.
func (t Transcript) WholeAnswers(round int) bool {
	if round >= len(t.Phases) {
		return true
	}
	p := t.Phases[round]
	return p == PhaseProposal || p == PhaseFinal || strings.HasPrefix(string(p), adjusting)
}

// UntilRounds ends a debate after all its rounds; forms have other ends beside it.
const UntilRounds = "rounds"

// Roles of agents that a form tells apart. Agents of other forms are numbered, or are called what their team names
// them.
const (
	RoleAffirmative = "affirmative"
	RoleNegative    = "negative" // the second debater; "negative 2" and so on are the others
	RoleModerator   = "moderator"
	RoleJudge       = "judge"
	RoleSupervisor  = "supervisor" // of knights, unless its team gives it a name
)

// Presides reports whether an agent asks, rules or judges, and does not argue.
func (t Transcript) Presides(agent int) bool {
	switch t.Role(agent) {
	case RoleModerator, RoleJudge, RoleSupervisor:
		return true
	}
	return false
}

// HasSides reports whether the debate is one of two sides, as a tit for tat is.
func (t Transcript) HasSides() bool { return slices.Contains(t.Roles, RoleAffirmative) }

// AnswersQuestion reports whether a turn of a round is somebody's answer to the whole question. It leaves out who
// presides, silence, and calls that are about something else.
func (t Transcript) AnswersQuestion(round int, turn Turn) bool {
	return t.WholeAnswers(round) && turn.Error == "" && !t.Presides(turn.Agent) && turn.Kind.AnswersQuestion()
}

// HearsPool reports whether what agents hear are numbers of solutions in a pool and not of agents, as in a reversal.
func (t Transcript) HearsPool() bool {
	return len(t.Rounds) > 0 &&
		slices.ContainsFunc(t.Rounds[0], func(turn Turn) bool { return turn.Kind == KindGiven })
}

// RoundsHeld leaves out what stands around the rounds in a transcript: the answer that a side will defend, what a judge
// is asked, the casting of personas, and a challenge.
func (t Transcript) RoundsHeld() (rounds int) {
	if len(t.Records) > 0 {
		for _, r := range t.Records {
			rounds = max(rounds, r.Turn)
		}
		return min(rounds, len(t.Records)) // each turn has one at least, whatever a journal says
	}
	moderator := slices.Index(t.Roles, RoleModerator)
	if moderator < 0 {
		return len(t.Rounds)
	}
	for _, turns := range t.Rounds {
		if slices.ContainsFunc(turns, func(turn Turn) bool { return turn.Agent == moderator }) {
			rounds++
		}
	}
	return rounds
}
