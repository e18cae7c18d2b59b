package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// table is one debate of Knights in progress. Agents and players are numbers.
type table struct {
	asker
	d       Knights
	p       prompts.Knights
	t       *Transcript
	game    string
	players []string
	names   []string // of the agents

	last      []Turn                // of all agents, the latest
	histories [][]inference.Message // by agent
	roles     [][]string            // by agent and player, the latest; empty if there is none
	solutions []*Solution           // by agent, the latest; nil if there is none
	debates   []debated             // the one in progress included
	final     []*Solution           // by agent, as replied in the final discussion; nil if it could not be read
}

// debated is what was said on one player.
type debated struct {
	player   int
	passes   [][]*Stance // by pass and agent; nil if it could not be read
	adjusted []int       // agents who then adjusted their solutions
	outcome  []string    // their roles for the player
}

// seat prepares a debate.
func (d Knights) seat(speaker Speaker, c Case, players []string, t *Transcript) *table {
	unread := func(string) answer.Answer { return answer.Unparsed } // until the phase has read it
	b := &table{asker: d.of(speaker, c.ID, unread), d: d, p: d.Prompts, t: t, game: c.Question, players: players, names: t.Roles[:d.Agents]}
	b.solutions = make([]*Solution, d.Agents)
	for i := range d.Agents {
		b.roles = append(b.roles, make([]string, len(players)))
		b.histories = append(b.histories, conversation(d.system(i, d.Prompts.System), ""))
	}
	return b
}

// system is the system message of an agent.
func (d Knights) system(agent int, text string) string {
	text = d.Prompts.With(text, "agent", d.called()[agent])
	if persona := d.member(agent).Persona; persona != "" {
		text += "\n\n" + persona
	}
	return text
}

// phase asks all agents at once who are not silent: ask says what each is told, read takes each reply.
func (b *table) phase(ctx context.Context, name string, ask func(*Turn) string, read func(*Turn)) error {
	turns := next(b.last, len(b.names))
	for i := range turns {
		turns[i].Round = len(b.t.Rounds) // the supervisor may have been asked since
		if !turns[i].silent() {
			turns[i].Heard = b.heard(i)
			turns[i].Messages = tell(b.remembered(b.histories[i], i), ask(&turns[i]))
		}
	}
	if err := b.round(ctx, turns); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range turns {
		if !turns[i].silent() {
			b.histories[i] = reply(turns[i].Messages, turns[i])
			read(&turns[i])
		}
	}
	b.last = turns
	b.enter(name, turns)
	return nil
}

// solve is a phase in which everybody gives a whole solution; those that cannot be read are nil.
func (b *table) solve(ctx context.Context, name string, message func(agent int) string) ([]*Solution, error) {
	solutions := make([]*Solution, len(b.names))
	err := b.phase(ctx, name, func(turn *Turn) string {
		turn.Grammar = solutionGrammar(b.players, b.d.Confidence == ConfidenceShown)
		return message(turn.Agent)
	}, func(turn *Turn) {
		solutions[turn.Agent] = b.solution(turn)
	})
	return solutions, err
}

// supervise asks the supervisor, who starts anew each time. If it cannot reply, nothing is read.
func (b *table) supervise(ctx context.Context, name, text, grammar string, read func(reply string) answer.Answer) error {
	messages := conversation(b.d.system(b.d.Agents, b.p.Supervisor), text)
	turns := []Turn{{Agent: b.d.Agents, Round: len(b.t.Rounds), Messages: messages, Grammar: grammar}}
	if err := b.round(ctx, turns); err != nil && (!errors.Is(err, ErrSilence) || ctx.Err() != nil) {
		return fmt.Errorf("%s: %w", name, err)
	}
	turns[0].Answer = read(turns[0].Reply.Text)
	b.enter(name, turns)
	return nil
}

// round asks for turns; their grammars only hold where replies are to follow them.
func (b *table) round(ctx context.Context, turns []Turn) error {
	for i := range turns {
		if b.d.Replies == RepliesFree {
			turns[i].Grammar = ""
		}
	}
	return b.asker.round(ctx, turns)
}

func (b *table) enter(name string, turns []Turn) {
	b.t.Rounds, b.t.Phases = append(b.t.Rounds, turns), append(b.t.Phases, name)
	b.observe(turns)
}

// solution reads a reply about all players; what it leaves out is filled in. It is nil if the reply cannot be read.
func (b *table) solution(turn *Turn) *Solution {
	s, ok := ReadSolution(turn.Reply.Text, b.players)
	if !ok {
		return nil
	}
	for player := range s.Roles {
		s.Roles[player] = b.take(turn, player, s.Roles[player])
	}
	turn.Answer = assignment(b.players, s.Roles)
	b.solutions[turn.Agent] = &s
	return &s
}

// stance reads a reply about one player in the same way.
func (b *table) stance(turn *Turn, player int) *Stance {
	s, ok := ReadStance(turn.Reply.Text, b.players[player], b.called(b.others(turn.Agent)))
	if !ok {
		return nil
	}
	s.Role = b.take(turn, player, s.Role)
	turn.Answer = answer.Of(b.players[player] + ": " + s.Role)
	return &s
}

// take is an agent's role for a player from now on: the one that it gives, or the latest that it gave, or knight.
func (b *table) take(turn *Turn, player int, role string) string {
	latest := &b.roles[turn.Agent][player]
	switch {
	case role != "":
		*latest = role
		return role
	case *latest == "":
		*latest = roleNames[0]
	}
	turn.Filled = append(turn.Filled, b.players[player])
	return *latest
}

// speaking are the agents who are not silent; others are those but one, and heard those whose last replies an agent hears.
func (b *table) speaking() (agents []int) {
	for i := range b.names {
		if b.last == nil || !b.last[i].silent() {
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

// votesOn are the votes of the final solutions on one player.
func (b *table) votesOn(player int) []Turn {
	votes := make([]Turn, len(b.final))
	for i, s := range b.final {
		votes[i].Agent = i
		if s != nil {
			votes[i].Answer = answer.Of(s.Roles[player])
		}
	}
	return votes
}

// rule says how the players were decided.
func (b *table) rule(votes []PlayerVote) string {
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
	}{{"ties to the supervisor", settled}, {"ties to the role first in agent order", first}, {"no vote from", without}} {
		if part.names != nil {
			rule += "; " + part.text + ": " + strings.Join(part.names, ", ")
		}
	}
	return rule
}
