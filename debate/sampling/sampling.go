// Package sampling is self-consistency on a budget: as many independent answers as another debate has cost.
package sampling

import (
	"context"
	"fmt"
	"math"

	"parley/debate"
	"parley/debate/prompts"
	"parley/debate/society"
	"parley/debate/vote"
)

// Sampling is self-consistency at the cost of another debate on the question: the majority of as many independent
// answers as that has cost calls or generated tokens. An agent is asked as in round 0 of a society, and agent i with
// the seed of its agent i, so that they have their first answers in common.
type Sampling struct {
	debate.Asking
	Budget     string // BudgetCalls, the default, or BudgetTokens
	Opening    string // as a society's, as are the next two
	Confidence string
	Prompts    prompts.Set
}

// What a debate may cost.
const (
	BudgetCalls  = "calls"
	BudgetTokens = "tokens" // generated
)

// Run asks for as many answers as the debate before had calls. On a budget of tokens it goes on asking until that is
// spent; the answers that count are then the first ones, as many as fit, and at least one.
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
	turns = fitting(t.Budget, turns)
	t.Budget.Used = tokens(turns)
	t.Rounds = [][]debate.Turn{turns}
	s.Report(turns)
	t.Decision = vote.Majority(turns)
	return t, nil
}

func (s Sampling) check(c debate.Case) error {
	if s.Budget != "" && s.Budget != BudgetCalls && s.Budget != BudgetTokens {
		return fmt.Errorf("budget %q; there are %s and %s", s.Budget, BudgetCalls, BudgetTokens)
	}
	return s.society(1).Check(c)
}

// society has the first round that answers are asked for in.
func (s Sampling) society(agents int) society.Society {
	return society.Society{Asking: s.Asking, Agents: agents, Rounds: 1, Opening: s.Opening, Confidence: s.Confidence,
		Prompts: s.Prompts}
}

// ask asks so many more agents, from the one that comes next.
func (s Sampling) ask(ctx context.Context, speaker debate.Speaker, c debate.Case, from, more int) ([]debate.Turn,
	error) {
	all := debate.NextRound(nil, from+more)
	for i := from; i < len(all); i++ {
		all[i].Messages = s.society(len(all)).FirstMessages(i, c)
	}
	return all[from:], s.For(speaker, c.ID, c.Extract).Ask(ctx, all[from:])
}

func (s Sampling) budget(prior debate.Transcript) *debate.Budget {
	b := &debate.Budget{In: BudgetCalls}
	if s.Budget != "" {
		b.In = s.Budget
	}
	for call := range prior.Calls() {
		b.Calls++
		b.Tokens += call.Reply.Tokens
	}
	return b
}

// left is how many more answers should spend the rest, if they are as long as those before.
func left(b *debate.Budget, turns []debate.Turn) int {
	spent := tokens(turns)
	if b.In == BudgetCalls || spent == 0 || spent >= b.Tokens {
		return 0
	}
	mean := float64(spent) / float64(len(turns))
	return min(int(math.Ceil(float64(b.Tokens-spent)/mean)), debate.MaxSize-len(turns))
}

// fitting are the first answers, as many as the budget has tokens for.
func fitting(b *debate.Budget, turns []debate.Turn) []debate.Turn {
	if b.In == BudgetCalls {
		return turns
	}
	spent := 0
	for i, t := range turns {
		if spent += t.Reply.Tokens; spent > b.Tokens && i > 0 {
			return turns[:i]
		}
	}
	return turns
}

func tokens(turns []debate.Turn) (n int) {
	for _, t := range turns {
		n += t.Reply.Tokens
	}
	return n
}
