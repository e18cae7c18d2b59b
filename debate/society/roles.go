package society

import (
	"cmp"
	"errors"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Whether agents keep their roles, which are the personas and methods of the team.
const (
	RolesFixed = "fixed"
	// RolesRotating gives each agent, in each later round, the role of the next one (source 0, dynamic role switching,
	// for which its program has no action). The agent keeps its history, its model and its sampling.
	RolesRotating = "rotating"
)

// hasRoles reports whether there are roles to exchange.
func (s Society) hasRoles() bool {
	return slices.ContainsFunc(s.Team[:min(s.Agents, len(s.Team))],
		func(a debate.Agent) bool { return a.Persona != "" || a.Method != "" })
}

// recast returns the history of an agent with the system message of the role that it has in a turn, and the instruction
// how to reason that comes with the role. Where roles are fixed, the history stays as it is.
func (s Society) recast(history []inference.Message, t debate.Turn) (recast []inference.Message,
	method string) {
	if s.Roles != RolesRotating {
		return history, ""
	}
	role := s.Member((t.Agent + t.Round) % s.Agents)
	for len(history) > 0 && history[0].Role == "system" {
		history = history[1:]
	}
	if role.Method != "" {
		method = "\n\n" + s.Prompts.Reason(role.Method)
	}
	return slices.Concat(debate.Conversation(cmp.Or(role.Persona, s.Prompts.System), ""), history), method
}

// Which agent leaves before each later round, as long as more than two are left (source 0, preliminaries: agents can be
// removed; its program removes none). Who has left is not asked, not heard, and has no vote.
const (
	RemovalNone = "none"
	// RemovalRarest is an agent whose answer the fewest agents gave; unreadable answers were given by nobody else. Of
	// several agents it is the last one.
	RemovalRarest = "rarest"
	RemovalLast   = "last" // the agent with the highest number
)

var errLeft = errors.New("not asked: it has left the debate")

// dismiss has an agent leave before a round whose turns are still empty, and returns what was said last without it.
func (s Society) dismiss(turns, last []debate.Turn) (left []debate.Turn) {
	leaving, fewest, speaking := -1, 0, 0
	for i, t := range last {
		if t.Silent() || t.Kind == debate.KindConfederate {
			continue
		}
		speaking++
		given := 1
		for j, other := range last {
			if s.Removal == RemovalRarest && i != j && t.Answer.Equal(other.Answer) {
				given++
			}
		}
		if leaving < 0 || given <= fewest {
			leaving, fewest = i, given
		}
	}
	if speaking <= 2 {
		return last
	}
	left = slices.Clone(last)
	for _, turns := range [][]debate.Turn{turns, left} {
		turns[leaving].Reply.Err, turns[leaving].Error = errLeft, errLeft.Error()
	}
	return left
}
