package debate

import (
	"maps"
	"slices"
	"strings"
)

// The form that holds a debate says what each turn and round is for, in the constants below. Readers of a transcript
// call the functions of this file and of roles.go instead of comparing strings. Records contain these strings, so a
// constant must never change; a form that needs another adds it here.

// Kind is what a turn was asked for.
type Kind string

// KindReply is the kind of turns in forms that ask their agents for one thing only: a reply to the question.
const KindReply Kind = ""

// Kinds of turns in a discussion.
const (
	KindPersona    Kind = "persona"
	KindStance     Kind = "stance" // whether the agent agrees, if that is asked in a call of its own
	KindMessage    Kind = "message"
	KindSolution   Kind = "solution" // extracted from a message
	KindFinal      Kind = "final"    // the agent's final answer, which is voted on
	KindConfidence Kind = "confidence"
	KindBallot     Kind = "ballot"
	KindJudgement  Kind = "judgement"
	KindChallenge  Kind = "challenge"
)

// Kinds of turns outside of discussions.
const (
	KindGiven   Kind = "given"   // in a reversal: a reply taken from the pool as the agent's own; nobody was asked
	KindSummary Kind = "summary" // of a round, by an agent that does nothing else
	// in a society: which replies of a round are shown, by an agent that does nothing else
	KindSelection Kind = "selection"
	KindDonor     Kind = "donor" // where arguments are shuffled or noise: an answer to another question
	// in knights: the judge rates the arguments of the agent that Turn.Heard names
	KindSoundness Kind = "soundness"
	// the same of why it agreed and why it disagreed with others on one player
	KindReasons Kind = "reasons"
	// in a society: whether the reply of the agent that Turn.Heard names agrees with a fact, asked of a judge
	KindFact Kind = "fact"
	// KindConfederate is what the confederate of a society says: its script, for which nobody is asked. It has no vote.
	KindConfederate Kind = "confederate"
	// KindClosing is a call for the answer alone, behind a turn whose reply states none: see Asking.Closing.
	KindClosing Kind = "closing"
	// KindScored is a sample that another program scored, whose reply is not known.
	KindScored Kind = "scored"
)

// AnswersQuestion reports whether a call of this kind asks for an answer to the question.
func (k Kind) AnswersQuestion() bool {
	switch k {
	case KindReply, KindMessage, KindSolution, KindFinal, KindChallenge:
		return true
	}
	return false
}

// Verdict is what an agent says of its answer after it has heard others.
type Verdict string

// The verdicts.
const (
	VerdictKeep   Verdict = "keep"
	VerdictRevise Verdict = "revise"
)

// Phase is what a round of knights is for.
type Phase string

// Phases that are not about a single player.
const (
	PhaseProposal Phase = "proposal"
	PhaseOrder    Phase = "order" // the supervisor or the agents name the order of the players
	PhaseFinal    Phase = "final"
	// PhaseSoundness follows the decision: a judge rates what each agent argued. It is the Kind of PhaseReasons too.
	PhaseSoundness Phase = "soundness"
)

// adjusting is the prefix of phases in which agents adjust their whole solutions.
const adjusting = "adjustment"

// PhaseDebate is the phase of the debate on a player.
func PhaseDebate(player string) Phase { return Phase("debate " + player) }

// PhaseAdjustment is the phase in which agents adjust their whole solutions after the debate on a player.
func PhaseAdjustment(player string) Phase { return Phase(adjusting + " after " + player) }

// PhaseReasons is the phase after the decision in which a judge rates the reasons that were given in one debate on a
// player. There is one for each PhaseDebate in which somebody could be read, in their order.
func PhaseReasons(player string) Phase { return PhaseSoundness + Phase(" "+player) }

// PhaseSettling is the phase in which the supervisor breaks the tie on a player.
func PhaseSettling(player string) Phase { return Phase("supervisor " + player) }

// Kind returns what the phase is, without the player: proposal, debate, adjustment, final and so on.
func (p Phase) Kind() Phase {
	kind, _, _ := strings.Cut(string(p), " ")
	return Phase(kind)
}

// Adjusts returns the player after whose debate this phase adjusts solutions, if it is such a phase.
func (p Phase) Adjusts() (player string, ok bool) {
	return strings.CutPrefix(string(p), string(PhaseAdjustment("")))
}

// Debates returns the player that this phase debates, if it is such a phase.
func (p Phase) Debates() (player string, ok bool) {
	return strings.CutPrefix(string(p), string(PhaseDebate("")))
}

// WholeAnswers reports whether the answers of a round answer the whole question. In knights, those of a debate on one
// player do not.
func (t Transcript) WholeAnswers(round int) bool {
	if round >= len(t.Phases) {
		return true
	}
	p := t.Phases[round]
	return p == PhaseProposal || p == PhaseFinal || strings.HasPrefix(string(p), adjusting)
}

// UntilRounds, a value of the setting until, ends a debate after all of its rounds. Forms have other values of their
// own.
const UntilRounds = "rounds"

// AnswersQuestion reports whether a turn of a round is an agent's answer to the whole question. The turns of agents
// that preside, failed turns, and calls for something else are not.
func (t Transcript) AnswersQuestion(round int, turn Turn) bool {
	return t.WholeAnswers(round) && turn.Error == "" && !t.Presides(turn.Agent) && turn.Kind.AnswersQuestion()
}

// HearsPool reports whether Turn.Heard has the places of solutions in a pool instead of agents, as in a reversal.
func (t Transcript) HearsPool() bool {
	return len(t.Rounds) > 0 &&
		slices.ContainsFunc(t.Rounds[0], func(turn Turn) bool { return turn.Kind == KindGiven })
}

// RoundsHeld returns the number of rounds of debate. Rounds of the transcript that only prepare or follow the debate do
// not count: the answer that a side will defend, requests to a judge, the choice of personas, and a challenge.
func (t Transcript) RoundsHeld() (rounds int) {
	if len(t.Records) > 0 {
		for _, r := range t.Records {
			rounds = max(rounds, r.Turn)
		}
		return min(rounds, len(t.Records)) // a turn has at least one record; a journal may claim anything
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

// What agents are called in forms that tell them apart. Other agents are numbered, or have the names that their team
// gives them. Records have these words in Transcript.Roles, so they must never change.
const (
	RoleAffirmative = "affirmative"
	RoleNegative    = "negative" // the second debater; "negative 2" and so on are the others
	RoleModerator   = "moderator"
	RoleJudge       = "judge"
	RoleSummarizer  = "summarizer" // of a society, unless its team gives it a name
	RoleSelector    = "selector"   // of a society, unless its team gives it a name
	RoleChairman    = "chairman"   // of a society, unless its team gives it a name
	RoleAggregator  = "aggregator" // of a society, unless its team gives it a name
	RoleArbiter     = "arbiter"    // of a society, unless its team gives it a name
	RoleSupervisor  = "supervisor" // of knights, unless its team gives it a name
	RoleChallenger  = "challenger" // of a discussion: a model that gives wrong answers to challenge the panelists with
)

// Presides reports whether an agent moderates, supervises or judges instead of arguing. The supervisor of knights is
// known by its place, the last one, since its team may give it any name. The judge of its arguments comes after it.
func (t Transcript) Presides(agent int) bool {
	if len(t.Phases) > 0 && len(t.Roles) > 0 {
		return agent >= len(t.Roles)-1
	}
	switch t.Role(agent) {
	case RoleModerator, RoleJudge, RoleSupervisor, RoleSummarizer, RoleSelector, RoleChallenger, RoleChairman,
		RoleAggregator, RoleArbiter:
		return true
	}
	return false
}

// HasSides reports whether the debate is one between two sides, as a tit for tat is.
func (t Transcript) HasSides() bool { return slices.Contains(t.Roles, RoleAffirmative) }

// Argues reports whether a turn is one of an agent that argues.
func (t Transcript) Argues(turn Turn) bool {
	return !t.Presides(turn.Agent)
}

// Voters returns the agents whose answers a decision may count, in ascending order: those that argue. The neutral agent
// of a discussion, which only drafts, has no vote.
func (t Transcript) Voters() []int {
	voters := make(map[int]bool)
	for _, round := range t.Rounds {
		for _, turn := range round {
			drafts := t.hasNeutral() && turn.Agent == 0
			if t.Argues(turn) && !drafts {
				voters[turn.Agent] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(voters))
}

// Agents returns the number of agents, those that preside included.
func (t Transcript) Agents() int {
	agents := len(t.Roles)
	for _, round := range t.Rounds {
		for _, turn := range round {
			agents = max(agents, turn.Agent+1)
		}
	}
	return agents
}
