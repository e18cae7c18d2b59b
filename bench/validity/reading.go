// Package validity tells whether a run measured what it compares: how its replies were read, whether its conditions
// differ in what they send, and whether anybody was right more often than a constant answer is.
package validity

import (
	"fmt"
	"maps"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Reading says how the replies to the question were read, and how they ended.
type Reading struct {
	Answers         int `json:"answers"`          // replies of agents that were asked to answer the question
	UnparsedReplies int `json:"unparsed_replies"` // they have no readable answer
	// How counts the replies that were read, or not, in each way; nil with the rules of papers, which do not tell.
	How map[answer.How]int `json:"how_read,omitempty"`
	// ExplicitRight counts the replies that state their answer and are right.
	ExplicitRight int `json:"explicit_right,omitempty"`
	// AtLimit counts replies that end at the limit of tokens, Looped those that were ended as they repeated themselves,
	// whatever was read from either.
	AtLimit int `json:"at_limit,omitempty"`
	Looped  int `json:"looped,omitempty"`
	// Empty counts replies without a text, which nobody is sent, and Unfinished those of them that end within their
	// reasoning or at the limit of tokens.
	Empty      int `json:"empty,omitempty"`
	Unfinished int `json:"unfinished,omitempty"`
	// Orders counts in how many orders of their options closing turns were asked that have several, and OtherOrders
	// those that alone would have said another option than they say together.
	Orders      int `json:"closing_orders,omitempty"`
	OtherOrders int `json:"closing_other,omitempty"`
}

// Add counts the replies to the question in a debate.
func (r *Reading) Add(d *outcome.Debate) {
	for _, round := range d.Rounds() {
		for _, turn := range round.Turns {
			if turn.Answers {
				r.count(turn)
			}
		}
	}
}

func (r *Reading) count(turn outcome.Turn) {
	if r.Answers++; !turn.Answer.Parsed {
		r.UnparsedReplies++
	}
	switch turn.Reply.Stop {
	case inference.StopLength:
		r.AtLimit++
	case inference.StopLooped:
		r.Looped++
	}
	generated := turn.Reply.Key != "" || turn.Reply.Tokens > 0 // imported logs may lack texts
	if generated && !turn.Silent() && !debate.Visible(turn.Reply.Text) {
		if r.Empty++; turn.Reply.ReasoningTokens > 0 || turn.Reply.Stop == inference.StopLength {
			r.Unfinished++
		}
	}
	if turn.Answer.How == answer.ByClosing && len(turn.After) > 1 {
		for _, order := range turn.After {
			if r.Orders++; !order.Answer.Same(turn.Answer) {
				r.OtherOrders++
			}
		}
	}
	if turn.Answer.How == "" {
		return
	}
	if r.How == nil {
		r.How = make(map[answer.How]int)
	}
	if r.How[turn.Answer.How]++; turn.Answer.How == answer.Explicit && turn.IsRight() {
		r.ExplicitRight++
	}
}

// Told is how many replies were read by a rule that tells how it reads.
func (r Reading) Told() (n int) {
	for count := range maps.Values(r.How) {
		n += count
	}
	return n
}

// Share is the part of the replies that were read, or not, in this way, of those whose rule tells, or 0 if none does.
func (r Reading) Share(how answer.How) float64 { return stat.Share(r.How[how], r.Told()) }

// Measured counts the replies that state what their agents answer, of those whose rule tells how it reads. What an
// agent was asked for alone, in a closing turn, its reply does not state. The rules of papers do not tell; with these
// it counts the replies from which something was read, of all.
func (r Reading) Measured() (measured, of int) {
	if told := r.Told(); told > 0 {
		return r.How[answer.Explicit], told
	}
	return r.Answers - r.UnparsedReplies, r.Answers
}

// plus adds the counts of other debates.
func (r Reading) plus(o Reading) Reading {
	sum := Reading{Answers: r.Answers + o.Answers, UnparsedReplies: r.UnparsedReplies + o.UnparsedReplies,
		AtLimit: r.AtLimit + o.AtLimit, Looped: r.Looped + o.Looped, Empty: r.Empty + o.Empty,
		Unfinished: r.Unfinished + o.Unfinished, Orders: r.Orders + o.Orders,
		OtherOrders: r.OtherOrders + o.OtherOrders, ExplicitRight: r.ExplicitRight + o.ExplicitRight,
		How: make(map[answer.How]int)}
	for _, how := range []map[answer.How]int{r.How, o.How} {
		for h, n := range how {
			sum.How[h] += n
		}
	}
	return sum
}

// disputed says how far the orders in which closing turns list the options agree; "" if none has several.
func (r Reading) disputed() string {
	if r.Orders == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %% of their orders of the options alone would say another one)",
		100*stat.Share(r.OtherOrders, r.Orders))
}
