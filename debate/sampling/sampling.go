// Package sampling is self-consistency at equal cost: as many independent answers as another debate has cost.
package sampling

import (
	"context"
	"fmt"
	"math"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/vote"
)

// Sampling is self-consistency at the cost of an earlier debate on the question: the majority of as many independent
// answers as that debate had calls or generated tokens. Agent i is asked as agent i of a society in round 0, with the
// same seed, so that a society and its control have their first answers in common.
type Sampling struct {
	debate.Asking
	Budget     string // BudgetCalls, the default, or BudgetTokens
	Opening    string // this and Confidence are as in a society
	Confidence string
	Prompts    prompts.Set
}

// What is to cost as much as in the earlier debate.
const (
	BudgetCalls  = "calls"
	BudgetTokens = "tokens" // generated
)

// Run asks for as many answers as the earlier debate had calls. With a budget of tokens it continues until the budget
// is spent; the first answers that fit into the budget count then, but at least one.
func (s Sampling) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t := debate.Transcript{Protocol: "sampling", Case: c.ID}
	if err := s.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if c.Prior == nil {
		return t, fmt.Errorf("case %q: %w: form sampling spends what another debate on the question has cost: hold "+
			"it after one", c.ID, debate.ErrPrior)
	}
	t.Budget = s.budget(*c.Prior)
	var turns []debate.Turn
	for more := max(1, t.Budget.Calls); more > 0; more = left(t.Budget, turns) {
		block, err := s.ask(ctx, speaker, c, len(turns), more)
		if err != nil {
			return t.BrokenOff(append(turns, block...)), err
		}
		turns = append(turns, block...)
	}
	t.Budget.Asked = len(turns)
	turns = firstFitting(t.Budget, turns)
	t.Budget.Used = tokens(turns)
	t.Rounds = [][]debate.Turn{turns}
	s.Report(turns)
	t.Decision = vote.Majority(turns)
	return t, nil
}

// Copies implements debate.Copying.
func (s Sampling) Copies() bool { return s.Asking.Copies(2) }

// Echo implements debate.Echoing.
func (s Sampling) Echo() string {
	if !s.Copies() {
		return ""
	}
	return "all answers are asked the same at temperature 0 and are one text, copied: set a temperature above 0"
}

func (s Sampling) check(c debate.Case) error {
	if s.Budget != "" && s.Budget != BudgetCalls && s.Budget != BudgetTokens {
		return debate.About(fmt.Errorf("budget %q; there are %s and %s", s.Budget, BudgetCalls, BudgetTokens), "budget")
	}
	return s.society(1).Check(c)
}

// society returns the society in whose round 0 answers are asked for.
func (s Sampling) society(agents int) society.Society {
	return society.Society{Asking: s.Asking, Agents: agents, Rounds: 1, Opening: s.Opening, Confidence: s.Confidence,
		Prompts: s.Prompts}
}

// ask asks further agents, numbered from from, and returns their turns.
func (s Sampling) ask(ctx context.Context, speaker debate.Speaker, c debate.Case, from, more int) ([]debate.Turn,
	error) {
	all := debate.NextRound(nil, from+more)
	for i := from; i < len(all); i++ {
		all[i].Messages = s.society(len(all)).FirstMessages(i, c)
	}
	return all[from:], s.For(speaker, c).Ask(ctx, all[from:])
}

// budget returns what the earlier debate cost.
func (s Sampling) budget(prior debate.Transcript) *debate.Budget {
	b := &debate.Budget{In: BudgetCalls}
	if s.Budget != "" {
		b.In = s.Budget
	}
	for call := range prior.Calls() {
		if b.Tokens += call.Reply.Tokens; call.Kind != debate.KindClosing {
			b.Calls++ // its answer has a closing turn of its own where it needs one
		}
	}
	return b
}

// left returns how many more answers should use up the budget if they are as long as those so far, on average.
func left(b *debate.Budget, turns []debate.Turn) int {
	spent := tokens(turns)
	if b.In == BudgetCalls || spent == 0 || spent >= b.Tokens {
		return 0
	}
	mean := float64(spent) / float64(len(turns))
	return min(int(math.Ceil(float64(b.Tokens-spent)/mean)), debate.MaxSize-len(turns))
}

// firstFitting returns the first answers, as many as the budget has tokens for.
func firstFitting(b *debate.Budget, turns []debate.Turn) []debate.Turn {
	if b.In == BudgetCalls {
		return turns
	}
	spent := 0
	for i, t := range turns {
		if spent += t.Tokens(); spent > b.Tokens && i > 0 {
			return turns[:i]
		}
	}
	return turns
}

// tokens returns how many tokens turns took in all.
func tokens(turns []debate.Turn) (n int) {
	for _, t := range turns {
		n += t.Tokens()
	}
	return n
}
