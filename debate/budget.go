package debate

import (
	"context"
	"fmt"
	"math"

	"parley/debate/prompts"
)

// Sampling is self-consistency at the cost of another debate on the question: the majority of as many independent
// answers as that has cost calls or generated tokens. An agent is asked as in round 0 of a society, and agent i with
// the seed of its agent i, so that they have their first answers in common.
type Sampling struct {
	Asking
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

// Budget is what a debate on a budget could spend and has spent.
type Budget struct {
	In     string `json:"in"`     // BudgetCalls or BudgetTokens
	Calls  int    `json:"calls"`  // of the debate before
	Tokens int    `json:"tokens"` // that it generated
	Used   int    `json:"used"`   // tokens of the answers that count
	Asked  int    `json:"asked"`  // answers asked for: those that count, and those whose tokens did not fit
}

// Run asks for as many answers as the debate before had calls. On a budget of tokens it goes on asking until that is
// spent; the answers that count are then the first ones, as many as fit, and at least one.
func (s Sampling) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	t := Transcript{Protocol: "sampling", Case: c.ID}
	if err := s.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if c.Prior == nil {
		return t, fmt.Errorf("case %q: %w: form sampling spends what another debate on the question has cost: hold "+
			"it after one", c.ID, ErrPrior)
	}
	t.Budget = s.budget(*c.Prior)
	var turns []Turn
	for more := max(1, t.Budget.Calls); more > 0; more = t.Budget.left(turns) {
		block, err := s.ask(ctx, speaker, c, len(turns), more)
		if err != nil {
			return t.left(append(turns, block...)), err
		}
		turns = append(turns, block...)
	}
	t.Budget.Asked = len(turns)
	turns = t.Budget.fitting(turns)
	t.Budget.Used = tokens(turns)
	t.Rounds = [][]Turn{turns}
	s.observe(turns)
	t.Decision = Vote(turns)
	return t, nil
}

func (s Sampling) check(c Case) error {
	if s.Budget != "" && s.Budget != BudgetCalls && s.Budget != BudgetTokens {
		return fmt.Errorf("budget %q; there are %s and %s", s.Budget, BudgetCalls, BudgetTokens)
	}
	return s.society(1).check(c)
}

// society has the first round that answers are asked for in.
func (s Sampling) society(agents int) Society {
	return Society{Asking: s.Asking, Agents: agents, Rounds: 1, Opening: s.Opening, Confidence: s.Confidence,
		Prompts: s.Prompts}
}

// ask asks so many more agents, from the one that comes next.
func (s Sampling) ask(ctx context.Context, speaker Speaker, c Case, from, more int) ([]Turn, error) {
	all := next(nil, from+more)
	for i := from; i < len(all); i++ {
		all[i].Messages = s.society(len(all)).message(all, all[i], hearing{}, c)
	}
	return all[from:], s.of(speaker, c.ID, c.Extract).round(ctx, all[from:])
}

func (s Sampling) budget(prior Transcript) *Budget {
	b := &Budget{In: BudgetCalls}
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
func (b *Budget) left(turns []Turn) int {
	spent := tokens(turns)
	if b.In == BudgetCalls || spent == 0 || spent >= b.Tokens {
		return 0
	}
	mean := float64(spent) / float64(len(turns))
	return min(int(math.Ceil(float64(b.Tokens-spent)/mean)), most-len(turns))
}

// fitting are the first answers, as many as the budget has tokens for.
func (b *Budget) fitting(turns []Turn) []Turn {
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

func tokens(turns []Turn) (n int) {
	for _, t := range turns {
		n += t.Reply.Tokens
	}
	return n
}
