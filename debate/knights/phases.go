package knights

import (
	"context"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// debateAll has the agents debate each player, once in each pass, and then the whole solution. The order of the players
// is settled before the first pass and stays.
func (b *table) debateAll(ctx context.Context) error {
	order, err := b.order(ctx)
	if err != nil {
		return err
	}
	for range b.d.passes() {
		for _, player := range order {
			if err := b.consider(ctx, player); err != nil {
				return err
			}
		}
	}
	return b.discuss(ctx)
}

// nobody reads as none of the agents.
const nobody = -1

// propose has every agent solve the puzzle alone. The proposals are the final solutions unless others follow.
func (b *table) propose(ctx context.Context) (err error) {
	b.final, err = b.solve(ctx, debate.PhaseProposal, func(int) string {
		return b.p.With(b.p.Propose, "game", b.game, "form", b.solutionForm())
	})
	for player := range b.players {
		b.proposed = append(b.proposed, b.positions(nobody, player, true, make([]*Stance, len(b.names))))
	}
	return err
}

// consider has the agents debate a player and then adjust their solutions.
func (b *table) consider(ctx context.Context, player int) error {
	b.debates = append(b.debates, debated{player: player})
	for pass := range b.d.stances() {
		if err := b.debate(ctx, player, pass); err != nil {
			return err
		}
	}
	return b.adjust(ctx, player)
}

// debate has every agent take a stance on a player; it is shown what all agents think of that player. In the paper
// agents take turns, and each sees the stances before its own.
func (b *table) debate(ctx context.Context, player, pass int) error {
	before, stances := len(b.debates)-1, make([]*Stance, len(b.names))
	err := b.phase(ctx, debate.PhaseDebate(b.players[player]), b.d.Reading == debate.ReadingPaper,
		func(turn *debate.Turn) string {
			others := b.others(turn.Agent)
			turn.Grammar = stanceGrammar(b.namesOf(others))
			return b.p.With(b.p.Debate, "game", b.game, "player", b.players[player], "positions",
				b.positions(turn.Agent, player, pass == 0, stances),
				"earlier", b.earlier(turn.Agent, before), "solutions", b.latest(turn.Agent, others),
				"others", b.listNames(b.namesOf(others)), "form", b.p.FormOf(stanceForm, false))
		}, func(turn *debate.Turn) {
			stances[turn.Agent] = b.stance(turn, player)
		})
	b.debates[before].passes = append(b.debates[before].passes, stances)
	return err
}

// adjust has every agent adjust its whole solution after the debate on a player.
func (b *table) adjust(ctx context.Context, player int) error {
	now := len(b.debates) - 1
	d := &b.debates[now]
	_, err := b.solve(ctx, debate.PhaseAdjustment(b.players[player]), func(agent int) string {
		return b.p.With(b.p.Adjust, "player", b.players[player], "debate", b.debateFor(agent, *d),
			"earlier", b.earlier(agent, now), "solutions", b.latest(agent, b.speakers()), "form", b.solutionForm())
	})
	d.adjusted = b.speakers()
	for _, i := range d.adjusted {
		d.outcome = append(d.outcome, b.roles[i][player])
	}
	return err
}

// discuss has every agent solve the puzzle once more; it is shown all that was said. Nobody sees another's final reply.
func (b *table) discuss(ctx context.Context) (err error) {
	b.final, err = b.solve(ctx, debate.PhaseFinal, func(agent int) string {
		return b.p.With(b.p.Final, "game", b.game, "earlier", b.earlier(agent, len(b.debates)),
			"replies", b.saidBy(b.others(agent)), "solutions", b.latest(agent, b.speakers()), "form", b.solutionForm())
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
	d.Rule = debate.OtherRule(b.rule(d.Players))
	return d, nil
}

// settle asks the supervisor to break a tie. If the reply names none of the tied roles, the tie goes to the role first
// in agent order.
func (b *table) settle(ctx context.Context, v *debate.PlayerVote, solutions []debate.Turn) error {
	var tied []string
	for _, c := range v.Roles {
		if len(c.Agents) == len(v.Roles[0].Agents) {
			tied = append(tied, c.Answer)
		}
	}
	phase := debate.PhaseFinal
	if b.d.Until == UntilProposals {
		phase = debate.PhaseProposal
	}
	text := b.p.With(b.p.Settle, "game", b.game, "player", v.Player, "roles", strings.Join(tied, " and "),
		"replies", b.p.List(b.replies(phase, solutions, b.speakers())), "form",
		b.p.FormOf(settlingForm(tied), false))
	return b.supervise(ctx, debate.PhaseSettling(v.Player), text, settlingGrammar(tied),
		func(reply string) answer.Answer {
			s, _ := ReadStance(reply, v.Player, nil)
			if !slices.Contains(tied, s.Role) {
				return answer.Unparsed
			}
			v.Winner, v.By = s.Role, b.t.Role(b.d.Agents)
			return answer.Of(v.Player + ": " + s.Role)
		})
}
