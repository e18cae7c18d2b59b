package knights

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/debate/vote"
	"parley/inference"
)

// table is one debate of Knights in progress. Agents and players are numbers.
type table struct {
	debate.Asker
	d       Knights
	p       prompts.Knights
	t       *debate.Transcript
	game    string
	players []string
	names   []string // of the agents

	last      []debate.Turn         // of all agents, the latest
	histories [][]inference.Message // by agent
	roles     [][]string            // by agent and player, the latest as it was said; empty if there is none
	// the same, but the latest that there is such a role: it fills in what a reply leaves out
	known     [][]string
	argued    [][]string  // the same without proposals: where the code looks for what a stance leaves out
	solutions []*Solution // by agent, the latest; nil if there is none
	debates   []debated   // the one in progress included
	final     []*Solution // by agent, as replied in the final discussion; nil if it could not be read
}

// debated is what was said on one player.
type debated struct {
	player   int
	passes   [][]*Stance // by pass and agent; nil if it could not be read
	adjusted []int       // agents who then adjusted their solutions
	outcome  []string    // their roles for the player
}

// seat prepares a debate.
func (d Knights) seat(speaker debate.Speaker, c debate.Case, players []string, t *debate.Transcript) *table {
	unread := func(string) answer.Answer { return answer.Unparsed } // until the phase has read it
	b := &table{Asker: d.For(speaker, c.ID, unread), d: d, p: d.Prompts, t: t, game: c.Question, players: players,
		names: t.Roles[:d.Agents]}
	b.solutions = make([]*Solution, d.Agents)
	for i := range d.Agents {
		for _, roles := range []*[][]string{&b.roles, &b.known, &b.argued} {
			*roles = append(*roles, make([]string, len(players)))
		}
		b.histories = append(b.histories, debate.Conversation(d.system(i, d.Prompts.System), ""))
	}
	return b
}

// system is the system message of an agent.
func (d Knights) system(agent int, text string) string {
	text = d.Prompts.With(text, "agent", d.called()[agent])
	if persona := d.Member(agent).Persona; persona != "" {
		text += "\n\n" + persona
	}
	return text
}

// phase asks all agents who are not silent, at once or in turn, one after the other: ask says what each is told, read
// takes each reply.
func (b *table) phase(ctx context.Context, name string, inTurn bool, ask func(*debate.Turn) string,
	read func(*debate.Turn)) error {
	turns, together := debate.NextRound(b.last, len(b.names)), len(b.names)
	if inTurn {
		together = 1
	}
	var err error
	for some := range slices.Chunk(turns, together) {
		if err = b.ask(ctx, some, ask, read); err != nil {
			break
		}
	}
	if err == nil {
		err = debate.Spoken(turns)
	}
	if err != nil {
		if left := b.t.BrokenOff(turns); len(left.Rounds) > len(b.t.Rounds) {
			b.enter(name, turns)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	b.last = turns
	b.enter(name, turns)
	return nil
}

// ask asks some agents at once.
func (b *table) ask(ctx context.Context, turns []debate.Turn, ask func(*debate.Turn) string,
	read func(*debate.Turn)) error {
	for i := range turns {
		turn := &turns[i]
		turn.Round = len(b.t.Rounds) // the supervisor may have been asked since
		if !turn.Silent() {
			turn.Heard = b.heard(turn.Agent)
			turn.Messages = debate.WithMessage(b.Remembered(b.histories[turn.Agent], turn.Agent), ask(turn))
		}
	}
	if debate.Spoken(turns) != nil { // nobody of them is left to be asked
		return nil
	}
	if err := b.try(ctx, turns); err != nil {
		return err
	}
	for i := range turns {
		if turn := &turns[i]; !turn.Silent() {
			b.histories[turn.Agent] = debate.WithReply(turn.Messages, *turn)
			read(turn)
		}
	}
	return nil
}

// solve is a phase in which everybody gives a whole solution; those that cannot be read are nil.
func (b *table) solve(ctx context.Context, name string, message func(agent int) string) ([]*Solution, error) {
	solutions := make([]*Solution, len(b.names))
	err := b.phase(ctx, name, false, func(turn *debate.Turn) string {
		turn.Grammar = solutionGrammar(b.players, b.confident())
		return message(turn.Agent)
	}, func(turn *debate.Turn) {
		solutions[turn.Agent] = b.solution(turn)
	})
	return solutions, err
}

// supervise asks the supervisor, who starts anew each time. If it cannot reply, nothing is read.
func (b *table) supervise(ctx context.Context, name, text, grammar string,
	read func(reply string) answer.Answer) error {
	messages := debate.Conversation(b.d.system(b.d.Agents, b.p.Supervisor), text)
	turns := []debate.Turn{{Agent: b.d.Agents, Round: len(b.t.Rounds), Messages: messages, Grammar: grammar}}
	if err := cmp.Or(b.try(ctx, turns), ctx.Err()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	turns[0].Answer = read(turns[0].Reply.Text)
	b.enter(name, turns)
	return nil
}

// some asks for turns; their grammars only hold where replies are to follow them.
func (b *table) try(ctx context.Context, turns []debate.Turn) error {
	for i := range turns {
		if b.d.Replies == debate.RepliesFree {
			turns[i].Grammar = ""
		}
	}
	return b.Asker.Try(ctx, turns)
}

func (b *table) enter(name string, turns []debate.Turn) {
	b.t.Rounds, b.t.Phases = append(b.t.Rounds, turns), append(b.t.Phases, name)
	b.Report(turns)
}

// confident reports whether agents say how sure they are of a solution: always in the paper, which varies who gets to
// see it.
func (b *table) confident() bool {
	return b.d.Confidence == ConfidenceShown || b.d.Reading == debate.ReadingPaper
}

// solution reads a reply about all players; what it leaves out is filled in. It is nil if the reply cannot be read.
func (b *table) solution(turn *debate.Turn) *Solution {
	s, ok := ReadSolution(turn.Reply.Text, b.players)
	if b.d.Reading == debate.ReadingCode {
		s, ok = releasedSolution(turn.Reply.Text, b.players), true
	}
	if !ok {
		return nil
	}
	for player := range s.Roles {
		s.Roles[player] = b.take(turn, player, s.Roles[player], b.known)
	}
	if s.Sure && b.confident() {
		share := s.Confidence / 10
		turn.Confidence = &share
	}
	turn.Answer = vote.Assignment(b.players, s.Roles)
	b.solutions[turn.Agent] = &s
	return &s
}

// stance reads a reply about one player in the same way.
func (b *table) stance(turn *debate.Turn, player int) *Stance {
	others := b.called(b.others(turn.Agent))
	s, ok := ReadStance(turn.Reply.Text, b.players[player], others)
	earlier := b.known
	if b.d.Reading == debate.ReadingCode {
		s, ok, earlier = releasedStance(turn.Reply.Text, others), true, b.argued
	}
	if !ok {
		return nil
	}
	s.Role = b.take(turn, player, s.Role, earlier)
	turn.Answer = answer.Of(b.players[player] + ": " + s.Role)
	return &s
}

// take is an agent's role for a player from now on: the one that it gives, or the latest that it gave earlier, or
// knight.
func (b *table) take(turn *debate.Turn, player int, role string, earlier [][]string) string {
	if role == "" {
		role = cmp.Or(earlier[turn.Agent][player], roleNames[0])
		turn.Filled = append(turn.Filled, b.players[player])
	}
	b.roles[turn.Agent][player] = role
	if slices.Contains(roleNames, role) {
		b.known[turn.Agent][player] = role
		if len(b.t.Rounds) > 0 {
			b.argued[turn.Agent][player] = role
		}
	}
	return role
}

// speaking are the agents who are not silent; others are those but one, and heard those whose last replies an agent
// hears.
func (b *table) speaking() (agents []int) {
	for i := range b.names {
		if b.last == nil || !b.last[i].Silent() {
			agents = append(agents, i)
		}
	}
	return agents
}

func (b *table) others(agent int) []int {
	return slices.DeleteFunc(b.speaking(), func(i int) bool { return i == agent })
}

func (b *table) heard(agent int) []int {
	if b.last == nil {
		return nil
	}
	return b.others(agent)
}

func (b *table) called(agents []int) (names []string) {
	for _, i := range agents {
		names = append(names, b.names[i])
	}
	return names
}

// rule says how the players were decided.
func (b *table) rule(votes []debate.PlayerVote) string {
	var first, settled, without []string
	for _, v := range votes {
		switch {
		case v.By != "":
			settled = append(settled, v.Player)
		case v.Tie:
			first = append(first, v.Player)
		}
	}
	for i, s := range b.final {
		if s == nil {
			without = append(without, b.names[i])
		}
	}
	rule := "majority per player"
	for _, part := range []struct {
		text  string
		names []string
	}{{"ties to the supervisor", settled}, {"ties to the role first in agent order", first},
		{"no vote from", without}} {
		if part.names != nil {
			rule += "; " + part.text + ": " + strings.Join(part.names, ", ")
		}
	}
	return rule
}
