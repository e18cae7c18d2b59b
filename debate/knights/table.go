package knights

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// table is one debate of knights in progress. Agents and players are numbers.
type table struct {
	debate.Asker
	d       knights
	p       prompts.Knights
	t       *debate.Transcript
	game    string
	players []string
	names   []string // of the agents

	last      []debate.Turn         // the latest turn of each agent
	histories [][]inference.Message // by agent

	// Three records of the agents' latest roles, by agent and player; a role is "" where there is none.
	roles  [][]string // as the agent said them, or as they were filled in; shown to others
	known  [][]string // only roles that exist: fills in what a reply leaves out
	argued [][]string // it leaves out proposals, and fills in what a stance leaves out in the code's reading

	proposed  []string    // by player: the proposals of all agents, as a judge is shown them
	solutions []*Solution // the latest of each agent; nil if there is none
	debates   []debated   // including the one in progress
	final     []*Solution // each agent's reply in the final discussion; nil if it could not be read
}

// debated is the debate on one player.
type debated struct {
	player   int
	passes   [][]*Stance // by pass and agent; nil if the reply could not be read
	adjusted []int       // the agents that then adjusted their solutions
	outcome  []string    // the roles that these agents gave the player
}

// seat returns the state at the beginning of a debate.
func (d knights) seat(speaker debate.Speaker, c debate.Case, players []string, t *debate.Transcript) *table {
	unread := func(string) answer.Answer { return answer.Unparsed } // each phase reads the replies itself
	b := &table{Asker: d.For(speaker, c), d: d, p: d.Prompts, t: t, game: c.Question, players: players,
		names: t.Roles[:d.Agents]}
	b.Extract = unread
	b.solutions = make([]*Solution, d.Agents)
	for i := range d.Agents {
		for _, roles := range []*[][]string{&b.roles, &b.known, &b.argued} {
			*roles = append(*roles, make([]string, len(players)))
		}
		b.histories = append(b.histories, debate.Conversation(d.system(i, d.Prompts.System), ""))
	}
	return b
}

// system returns the system message of an agent.
func (d knights) system(agent int, text string) string {
	text = d.Prompts.With(text, "agent", d.speakerNames()[agent])
	if persona := d.Member(agent).Persona; persona != "" {
		text += "\n\n" + persona
	}
	return text
}

// phase asks all agents that are not silent, at once or in turn. ask returns the message to an agent, and read reads
// its reply.
func (b *table) phase(ctx context.Context, name debate.Phase, inTurn bool, ask func(*debate.Turn) string,
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
		turn.Round = len(b.t.Rounds) // not the agent's last round + 1, since the supervisor may have been asked since
		if !turn.Silent() {
			turn.Heard = b.heard(turn.Agent)
			turn.Messages = debate.WithMessage(b.Remember(b.histories[turn.Agent], turn.Agent), ask(turn))
		}
	}
	if debate.Spoken(turns) != nil { // all of them are silent
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

// solve is a phase in which every agent gives a whole solution. Solutions that cannot be read are nil.
func (b *table) solve(ctx context.Context, name debate.Phase, message func(agent int) string) ([]*Solution, error) {
	solutions := make([]*Solution, len(b.names))
	err := b.phase(ctx, name, false, func(turn *debate.Turn) string {
		turn.Grammar = solutionGrammar(b.players, b.confident())
		return message(turn.Agent)
	}, func(turn *debate.Turn) {
		solutions[turn.Agent] = b.solution(turn)
	})
	return solutions, err
}

// supervise asks the supervisor, which has no history. If it fails, read is given an empty reply.
func (b *table) supervise(ctx context.Context, name debate.Phase, text, grammar string,
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

// try asks for turns, without their grammars if replies are free.
func (b *table) try(ctx context.Context, turns []debate.Turn) error {
	for i := range turns {
		if b.d.Replies == debate.RepliesFree {
			turns[i].Grammar = ""
		}
	}
	return b.Asker.Try(ctx, turns)
}

// enter adds a phase to the transcript.
func (b *table) enter(name debate.Phase, turns []debate.Turn) {
	b.t.Rounds, b.t.Phases = append(b.t.Rounds, turns), append(b.t.Phases, name)
	b.Report(turns)
}

// confident reports whether agents are asked for a confidence: always in the paper, which varies only who sees it.
func (b *table) confident() bool {
	return b.d.Confidence == ConfidenceShown || b.d.Reading == debate.ReadingPaper
}

// solution reads a reply about all players and fills in what it leaves out. It returns nil if the reply cannot be read.
func (b *table) solution(turn *debate.Turn) *Solution {
	s, ok := ReadSolution(turn.Reply.Text, b.players)
	if b.d.Reading == debate.ReadingCode {
		s, ok = releasedSolution(turn.Reply.Text, b.players), true
	}
	if !ok {
		return nil
	}
	for player := range s.Roles {
		s.Roles[player] = b.recordRole(turn, player, s.Roles[player], b.known)
	}
	if s.Sure && b.confident() {
		share := s.Confidence / 10
		turn.Confidence = &share
	}
	turn.Answer = vote.Assignment(b.players, s.Roles)
	b.solutions[turn.Agent] = &s
	return &s
}

// stance does the same for a reply about one player.
func (b *table) stance(turn *debate.Turn, player int) *Stance {
	others := b.namesOf(b.others(turn.Agent))
	s, ok := ReadStance(turn.Reply.Text, b.players[player], others)
	earlier := b.known
	if b.d.Reading == debate.ReadingCode {
		s, ok, earlier = releasedStance(turn.Reply.Text, others), true, b.argued
	}
	if !ok {
		return nil
	}
	s.Role = b.recordRole(turn, player, s.Role, earlier)
	turn.Answer = answer.Of(b.players[player] + ": " + s.Role)
	return &s
}

// recordRole records and returns an agent's role for a player: the one that it gives, or else its latest earlier one,
// or else knight.
func (b *table) recordRole(turn *debate.Turn, player int, role string, earlier [][]string) string {
	if role == "" {
		role = cmp.Or(earlier[turn.Agent][player], PlayerRoles[0])
		turn.Filled = append(turn.Filled, b.players[player])
	}
	b.roles[turn.Agent][player] = role
	if slices.Contains(PlayerRoles, role) {
		b.known[turn.Agent][player] = role
		if len(b.t.Rounds) > 0 {
			b.argued[turn.Agent][player] = role
		}
	}
	return role
}

// speakers returns the agents that are not silent.
func (b *table) speakers() (agents []int) {
	for i := range b.names {
		if b.last == nil || !b.last[i].Silent() {
			agents = append(agents, i)
		}
	}
	return agents
}

// others returns the agents that are not silent, without one of them.
func (b *table) others(agent int) []int {
	return slices.DeleteFunc(b.speakers(), func(i int) bool { return i == agent })
}

// heard returns the agents whose last replies an agent hears: nobody's before there are any.
func (b *table) heard(agent int) []int {
	if b.last == nil {
		return nil
	}
	return b.others(agent)
}

// namesOf returns the names of agents, in the same order.
func (b *table) namesOf(agents []int) (names []string) {
	for _, i := range agents {
		names = append(names, b.names[i])
	}
	return names
}

// rule says in words how the players were decided.
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
