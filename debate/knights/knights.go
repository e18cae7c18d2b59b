// Package knights is source 2's debate on puzzles of knights, knaves and spies: player by player, by stances and
// adjusted solutions. Run is the loop, table the state of one debate, messages.go what agents see, assignment.go how
// replies are read, and released.go how the source's own program reads them.
package knights

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/debate/vote"
)

// Knights is source 2's debate (Wu, Li, Li, Can LLM Agents Really Debate?, section 3) on a puzzle of knights, knaves
// and spies. All agents propose roles for all players. Then the players are debated one after the other: each agent
// sees what all think of the player and takes a stance, and then adjusts its whole solution. After a final discussion
// the last solutions are counted player by player.
//
// Each agent keeps its whole history; the code sends it as one text with the roles written in it, we send it as the
// messages of a chat. What the code sends as one more message for each other agent is part of the one message here,
// since many chat templates want user and assistant to take turns.
type Knights struct {
	debate.Asking     // Team[Agents], if it is there, is the supervisor
	Agents        int // 0 means 3
	// in the paper, how often all players are gone through; in the code, stances on a player before solutions are
	// adjusted; 0 means 1
	Depth      int
	Order      string // in which players are debated: OrderGiven, the default, or OrderChosen
	Confidence string // ConfidenceHidden, the default, or ConfidenceShown
	Reading    string // ReadingCode or ReadingPaper
	Replies    string // RepliesJSON, the default, or RepliesFree
	Prompts    prompts.Knights
}

// Orders in which players are debated.
const (
	OrderGiven = "given" // as they stand in the game
	// as the supervisor says, asked in both readings with all proposals; as given if that is no permutation
	OrderChosen = "chosen"
)

// What agents get to see of each other's confidence.
const (
	// not seen: the paper asks for it all the same; the code does not, and shows its default, 5.0
	ConfidenceHidden = "hidden"
	ConfidenceShown  = "shown" // it is asked for, 1 to 10, and shown
)

// Run holds one debate. In the transcript every phase is a round, named in Phases; those in which the supervisor was
// asked have its turn only. Its Roles are the names of the agents, then of the supervisor. An agent whose request fails
// falls silent as in a Society.
//
// A reply without some player's role stands for the agent's latest role of that player, or else for "knight", as in the
// code; Turn.Filled says which. Case.Extract is not asked: whole replies are read by the rule of Roles, with these
// additions. What agents say of their confidence, 1 to 10, is Turn.Confidence, as a share of ten.
//
// Where paper and code differ:
//   - The agents take turns in the debate on a player, and each sees the stances before its own; in the code all are
//     asked at once. All other phases are at once in both.
//   - Depth is how often all players are gone through; in the code, how many stances in a row are taken on each.
//   - The supervisor breaks the tie on a player; in the code ties go to the role met first in agent order.
//   - A confidence is always asked for, and shown or not; in the code every solution is shown with one, asked for or
//     not.
//   - A reply that cannot be read has no answer and no vote, and leaves what the agent said before as it was: the paper
//     says nothing of such replies. In the code all but none is beyond reading (releasedObject): what is missing is
//     filled in, and that votes.
//
// Different from both: a stance on one player has no confidence here, and the code asks for one where confidence is
// shown; it also writes a confidence into the agent's own history, where here everybody's own replies stay as they
// were.
func (d Knights) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "knights", Case: c.ID, Order: d.Order, Reading: d.Reading, Roles: d.called()}
	players, err := PlayersOf(c.Question)
	if err == nil {
		err = d.check(c)
	}
	if err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	table := d.seat(speaker, c, players, &t)

	if err := table.propose(ctx); err != nil {
		return t, err
	}
	order, err := table.order(ctx)
	if err != nil {
		return t, err
	}
	for range d.passes() {
		for _, player := range order {
			if err := table.consider(ctx, player); err != nil {
				return t, err
			}
		}
	}
	if err := table.discuss(ctx); err != nil {
		return t, err
	}
	t.Decision, err = table.decide(ctx)
	return t, err
}

// passes are how often all players are debated, and stances how often in a row each of them is: depth is the former in
// the paper, the latter in the code.
func (d Knights) passes() int {
	if d.Reading == debate.ReadingPaper {
		return d.Depth
	}
	return 1
}

func (d Knights) stances() int { return d.Depth / d.passes() }

// complete fills in what is not given.
func (d Knights) complete() Knights {
	if d.Agents == 0 {
		d.Agents = 3
	}
	if d.Depth == 0 {
		d.Depth = 1
	}
	for setting, usual := range map[*string]string{&d.Order: OrderGiven, &d.Confidence: ConfidenceHidden,
		&d.Replies: debate.RepliesJSON} {
		if *setting == "" {
			*setting = usual
		}
	}
	return d
}

// called are the names of the agents and of the supervisor.
func (d Knights) called() (names []string) {
	for i := range d.Agents + 1 {
		name := d.Member(i).Name
		switch {
		case name == "" && i == d.Agents:
			name = "supervisor"
		case name == "":
			name = fmt.Sprintf("Agent %d", i+1)
		}
		names = append(names, name)
	}
	return names
}

func (d Knights) RoleNames() []string { return d.called() }

func (d Knights) check(debate.Case) error {
	for _, s := range []struct{ what, setting, one, other string }{
		{"order", d.Order, OrderGiven, OrderChosen}, {"confidence", d.Confidence, ConfidenceHidden, ConfidenceShown},
		{"reading", d.Reading, debate.ReadingCode, debate.ReadingPaper},
		{"replies", d.Replies, debate.RepliesJSON, debate.RepliesFree},
	} {
		if s.setting != s.one && s.setting != s.other {
			return fmt.Errorf("no %s %q; there are %s and %s", s.what, s.setting, s.one, s.other)
		}
	}
	if d.Agents < 1 || d.Depth < 1 {
		return fmt.Errorf("a debate of %d agents and depth %d: at least one of each is needed", d.Agents, d.Depth)
	}
	names := d.called()
	for i, name := range names {
		if index(names[:i], name) >= 0 {
			return fmt.Errorf("two agents are called %q: they speak of each other by name", name)
		}
	}
	if d.Prompts.Propose == "" {
		return errors.New("no prompts: set Knights.Prompts")
	}
	return nil
}

// propose has everybody solve the puzzle alone.
func (b *table) propose(ctx context.Context) error {
	_, err := b.solve(ctx, "proposal", func(int) string {
		return b.p.With(b.p.Propose, "game", b.game, "form", b.solutionForm())
	})
	return err
}

// order is the order in which players are debated.
func (b *table) order(ctx context.Context) ([]int, error) {
	order := make([]int, len(b.players))
	for i := range order {
		order[i] = i
	}
	if b.d.Order == OrderGiven {
		return order, nil
	}
	replies := b.p.List(b.replies("proposal", b.last, b.speaking()))
	text := b.p.With(b.p.Order, "game", b.game, "replies", replies, "form", b.p.FormOf(orderForm, false))
	err := b.supervise(ctx, "order", text, orderGrammar(b.players), func(reply string) answer.Answer {
		names, ok := readOrder(reply, b.players)
		if !ok {
			return answer.Unparsed
		}
		for i, name := range names {
			order[i] = index(b.players, name)
		}
		return answer.Of(strings.Join(names, ", "))
	})
	return order, err
}

// consider has everybody debate a player and then go over its solution.
func (b *table) consider(ctx context.Context, player int) error {
	b.debates = append(b.debates, debated{player: player})
	for pass := range b.d.stances() {
		if err := b.debate(ctx, player, pass); err != nil {
			return err
		}
	}
	return b.adjust(ctx, player)
}

// debate has everybody take a stance on a player, with what all hold of it before their eyes. In the paper they take
// turns, and each sees the stances before it.
func (b *table) debate(ctx context.Context, player, pass int) error {
	before, stances := len(b.debates)-1, make([]*Stance, len(b.names))
	err := b.phase(ctx, "debate "+b.players[player], b.d.Reading == debate.ReadingPaper,
		func(turn *debate.Turn) string {
			others := b.others(turn.Agent)
			turn.Grammar = stanceGrammar(b.called(others))
			return b.p.With(b.p.Debate, "game", b.game, "player", b.players[player], "positions",
				b.positions(turn.Agent, player, pass == 0, stances),
				"earlier", b.earlier(turn.Agent, before), "solutions", b.latest(turn.Agent, others),
				"others", b.listed(b.called(others)), "form", b.p.FormOf(stanceForm, false))
		}, func(turn *debate.Turn) {
			stances[turn.Agent] = b.stance(turn, player)
		})
	b.debates[before].passes = append(b.debates[before].passes, stances)
	return err
}

// adjust has everybody go over its whole solution after the debate on a player.
func (b *table) adjust(ctx context.Context, player int) error {
	now := len(b.debates) - 1
	d := &b.debates[now]
	_, err := b.solve(ctx, "adjustment after "+b.players[player], func(agent int) string {
		return b.p.With(b.p.Adjust, "player", b.players[player], "debate", b.debateFor(agent, *d),
			"earlier", b.earlier(agent, now), "solutions", b.latest(agent, b.speaking()), "form", b.solutionForm())
	})
	d.adjusted = b.speaking()
	for _, i := range d.adjusted {
		d.outcome = append(d.outcome, b.roles[i][player])
	}
	return err
}

// discuss has everybody solve the puzzle once more, with all that was said before its eyes. Nobody sees another's last
// reply.
func (b *table) discuss(ctx context.Context) (err error) {
	b.final, err = b.solve(ctx, "final", func(agent int) string {
		return b.p.With(b.p.Final, "game", b.game, "earlier", b.earlier(agent, len(b.debates)),
			"replies", b.saidBy(b.others(agent)), "solutions", b.latest(agent, b.speaking()), "form", b.solutionForm())
	})
	return err
}

// decide counts the last solutions player by player.
func (b *table) decide(ctx context.Context) (debate.Decision, error) {
	solutions := b.t.Last()
	d := vote.Majority(solutions)
	d.Tie = false
	winners := make([]string, len(b.players))
	for i, v := range vote.Players(solutions, b.players) {
		if v.Tie && b.d.Reading == debate.ReadingPaper {
			if err := b.settle(ctx, &v, solutions); err != nil {
				return d, err
			}
		}
		winners[i], d.Tie, d.Players = v.Winner, d.Tie || v.Tie, append(d.Players, v)
	}
	if d.Answer.Parsed { // somebody's solution could be read
		d.Answer = vote.Assignment(b.players, winners)
	}
	d.Rule = b.rule(d.Players)
	return d, nil
}

// settle asks the supervisor to break a tie; if its reply does not, the tie goes to the role met first in agent order
// after all.
func (b *table) settle(ctx context.Context, v *debate.PlayerVote, solutions []debate.Turn) error {
	var tied []string
	for _, c := range v.Roles {
		if len(c.Agents) == len(v.Roles[0].Agents) {
			tied = append(tied, c.Answer)
		}
	}
	text := b.p.With(b.p.Settle, "game", b.game, "player", v.Player, "roles", strings.Join(tied, " and "),
		"replies", b.p.List(b.replies("final", solutions, b.speaking())), "form", b.p.FormOf(settlingForm(tied), false))
	return b.supervise(ctx, "supervisor "+v.Player, text, settlingGrammar(tied), func(reply string) answer.Answer {
		s, _ := ReadStance(reply, v.Player, nil)
		if !slices.Contains(tied, s.Role) {
			return answer.Unparsed
		}
		v.Winner, v.By = s.Role, b.t.Role(b.d.Agents)
		return answer.Of(v.Player + ": " + s.Role)
	})
}
