package debate

import (
	"maps"
	"slices"
)

// What agents are called in forms that tell them apart. Other agents are numbered, or have the names that their team
// gives them. Records have these words in Transcript.Roles, so they must never change.
const (
	RoleAffirmative = "affirmative"
	RoleNegative    = "negative" // the second debater; "negative 2" and so on are the others
	RoleModerator   = "moderator"
	RoleJudge       = "judge"
	RoleSummarizer  = "summarizer" // of a society, unless its team gives it a name
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
	case RoleModerator, RoleJudge, RoleSupervisor, RoleSummarizer, RoleChallenger:
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
