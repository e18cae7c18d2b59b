package knights

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// order returns the order in which players are debated.
func (b *table) order(ctx context.Context) ([]int, error) {
	given := make([]int, len(b.players))
	for i := range given {
		given[i] = i
	}
	switch b.d.Order {
	case OrderChosen:
		return b.chooseOrder(ctx, given)
	case OrderAgreed:
		return b.agreeOrder(ctx, given)
	}
	return given, nil
}

// orderText asks for an order, after all proposals.
func (b *table) orderText() string {
	replies := b.p.List(b.replies(debate.PhaseProposal, b.last, b.speakers()))
	return b.p.With(b.p.Order, "game", b.game, "replies", replies, "form", b.p.FormOf(orderForm, false))
}

// chooseOrder asks the supervisor. A reply that is no permutation leaves the players as given.
func (b *table) chooseOrder(ctx context.Context, order []int) ([]int, error) {
	grammar := orderGrammar(b.players)
	err := b.supervise(ctx, debate.PhaseOrder, b.orderText(), grammar, func(reply string) answer.Answer {
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

// agreeOrder asks every agent, and orders the players by the sum of their points: see OrderAgreed.
func (b *table) agreeOrder(ctx context.Context, order []int) ([]int, error) {
	text, points := b.orderText(), make([]int, len(b.players)) // text before the phase, whose replies it must not have
	err := b.phase(ctx, debate.PhaseOrder, false, func(turn *debate.Turn) string {
		turn.Grammar = orderGrammar(b.players)
		return text
	}, func(turn *debate.Turn) {
		names, ok := readOrder(turn.Reply.Text, b.players)
		if !ok {
			return
		}
		turn.Answer = answer.Of(strings.Join(names, ", "))
		for place, name := range names {
			points[index(b.players, name)] += len(names) - 1 - place
		}
	})
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(points[j], points[i]) })
	var told []string
	for _, i := range order {
		told = append(told, fmt.Sprintf("%s %d", b.players[i], points[i]))
	}
	b.t.Notes = append(b.t.Notes, "points of the players in the agents' orders: "+strings.Join(told, ", "))
	return order, err
}
