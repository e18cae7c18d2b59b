package knights

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate"
)

// The methods below return the parts of the messages to agents. Lines about the reader itself are marked. Silent agents
// have no lines.

// longExplanation is the length, in characters, from which an explanation is no longer shown with a solution, as in the
// code.
const longExplanation = 200

// solutionForm returns how a prompt describes the reply with a whole solution.
func (b *table) solutionForm() string {
	return b.p.FormOf(solutionForm(b.players, b.confident()), b.confident())
}

// positions returns what all agents think of a player: the stance of those that have taken one in this pass, and the
// role that the others gave it last. If explained is set, that role comes with the explanation of the agent's solution.
func (b *table) positions(reader, player int, explained bool, stances []*Stance) string {
	var lines []string
	for _, i := range b.speakers() {
		explanation := ""
		if s := b.solutions[i]; explained && s != nil {
			explanation = s.Explanation
		}
		if stances[i] != nil {
			lines = append(lines, b.stanceOf(reader, i, *stances[i]))
		} else {
			lines = append(lines, b.position(reader, i, b.roles[i][player], explanation))
		}
	}
	return b.p.List(lines)
}

// position returns the line that says which role an agent gives a player, and why.
func (b *table) position(reader, agent int, role, explanation string) string {
	return b.line(b.p.Position, reader, agent, "role", b.showRole(role), "explanation", explanation)
}

// debateFor returns the stances on a player, pass by pass.
func (b *table) debateFor(reader int, d debated) string {
	var lines []string
	for _, stances := range d.passes {
		for i, s := range stances {
			if s != nil {
				lines = append(lines, b.stanceOf(reader, i, *s))
			}
		}
	}
	return b.p.List(lines)
}

// stanceOf returns the line with an agent's stance: its role for the player, and whom it agrees or disagrees with.
func (b *table) stanceOf(reader, agent int, s Stance) string {
	return b.line(b.p.Stance, reader, agent, "role", s.Role,
		"agree", b.listNames(s.Agree), "agree_reason", s.AgreeReason,
		"disagree", b.listNames(s.Disagree), "disagree_reason", s.DisagreeReason)
}

// earlier returns the first so many debates with their outcomes.
func (b *table) earlier(reader, debates int) string {
	var parts []string
	for _, d := range b.debates[:debates] {
		var outcome []string
		for i, agent := range d.adjusted {
			outcome = append(outcome, b.position(reader, agent, d.outcome[i], ""))
		}
		parts = append(parts, b.p.With(b.p.Earlier,
			"player", b.players[d.player], "debate", b.debateFor(reader, d), "outcome", b.p.List(outcome)))
	}
	return b.p.List(parts)
}

// latest returns the latest solutions of some agents, with the players in alphabetical order.
func (b *table) latest(reader int, agents []int) string {
	var lines []string
	for _, i := range agents {
		roles, explanation, sure := b.p.Unread, "", ""
		if s := b.solutions[i]; s != nil {
			if utf8.RuneCountInString(s.Explanation) < longExplanation {
				explanation = s.Explanation
			}
			roles, sure = b.byName(s.Roles), b.sure(s)
		}
		lines = append(lines, b.line(b.p.Solution, reader, i, "roles", roles, "explanation", explanation, "confidence",
			sure))
	}
	return b.p.List(lines)
}

// sure returns the confidence of a solution as others see it.
func (b *table) sure(s *Solution) string {
	if b.d.Confidence == confidenceHidden && b.d.Reading == debate.ReadingPaper {
		return ""
	}
	return b.p.With(b.p.Sure, "confidence", fmt.Sprintf("%.1f", s.Confidence))
}

// byName lists the players with their roles, sorted by name, so that the text does not depend on the order of the game.
func (b *table) byName(roles []string) string {
	var parts []string
	for i, player := range b.players {
		parts = append(parts, player+": "+roles[i])
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// saidBy returns all replies of some agents so far; orders of the players are no part of the argument.
func (b *table) saidBy(agents []int) string {
	var parts []string
	for r, round := range b.t.Rounds {
		if b.t.Phases[r] != debate.PhaseOrder && round[0].Agent < len(b.names) { // not the supervisor
			parts = append(parts, b.replies(b.t.Phases[r], round, agents)...)
		}
	}
	return b.p.List(parts)
}

// replies returns what agents said in one phase.
func (b *table) replies(phase debate.Phase, turns []debate.Turn, agents []int) (parts []string) {
	for _, i := range agents {
		if turns[i].Tells() {
			parts = append(parts, b.p.With(b.p.Said, "agent", b.names[i], "phase", string(phase), "reply",
				boundReply(turns[i].Told())))
		}
	}
	return parts
}

// line returns one line about an agent.
func (b *table) line(text string, reader, agent int, namesAndValues ...string) string {
	own := ""
	if reader == agent {
		own = b.p.Own
	}
	return strings.TrimRight(b.p.With(text, append(namesAndValues, "agent", b.names[agent], "own", own)...), " ")
}

// listNames joins names for a prompt, which has a word of its own for an empty list.
func (b *table) listNames(names []string) string {
	if len(names) == 0 {
		return b.p.None
	}
	return strings.Join(names, ", ")
}

// showRole returns a role for a prompt, which has a word of its own for a role that could not be read.
func (b *table) showRole(role string) string {
	if role == "" {
		return b.p.Unread
	}
	return role
}
