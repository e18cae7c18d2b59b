package debate

import (
	"fmt"

	"github.com/parley-debate/parley/inference"
)

// Validate refuses transcripts that no debate produces, so that readers may rely on their numbers: a transcript comes
// from a file, which anybody can write. It cannot tell whether the debate was really held.
func (t Transcript) Validate() error {
	v := validator{agents: len(t.Roles)}
	if t.Beliefs != nil {
		v.believed = len(t.Beliefs.Answers)
	}
	rounds := t.Stages()
	for _, turns := range rounds {
		v.agents += turnsIn(turns)
	}
	for _, turns := range rounds {
		v.turns(turns, 0)
	}
	for _, r := range t.Records {
		v.agent("a record", r.Agent)
		v.numbers("a record", "turn", r.Turn)
		v.numbers("a record", "agent", r.To...)
	}
	if len(t.Personas) > v.agents {
		v.fail("the personas", "%d of them: there are roles or turns for %d agents at most", len(t.Personas), v.agents)
	}
	for _, c := range t.Challenges {
		v.agent("a challenge", c.Agent)
	}
	for _, c := range t.Decision.Votes {
		v.numbers("a vote", "agent", c.Agents...)
	}
	for _, b := range t.Decision.Ballots {
		v.agent("a ballot", b.Agent)
		v.numbers("a ballot", "candidate", b.Ranking...)
	}
	if tally := t.Decision.Tally; tally != nil && (tally.Winner < -1 || tally.Winner >= len(tally.Scores)) {
		v.fail("a tally", "winner %d of %d candidates", tally.Winner, len(tally.Scores))
	}
	return v.err
}

// mostNumber bounds the numbers of rounds, attempts, agents and candidates.
const mostNumber = 1_000_000

// turnsIn counts turns with the calls before them and their probes.
func turnsIn(turns []Turn) (n int) {
	for _, t := range turns {
		n += 1 + turnsIn(t.Before) + turnsIn(t.After) + turnsIn(t.Probes)
	}
	return n
}

// validator keeps the first error.
type validator struct {
	agents int // more cannot take part, since each has a role or a turn
	// believed is the number of answers whose probabilities were measured
	believed int
	err      error
}

// fail keeps an error unless there is one already: later ones may follow from the first.
func (v *validator) fail(where, format string, values ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(where+": "+format, values...)
	}
}

// agent checks that an agent takes part in the debate.
func (v *validator) agent(where string, agent int) {
	if agent < 0 || agent >= v.agents {
		v.fail(where, "agent %d: there are roles or turns for %d at most", agent, v.agents)
	}
}

// numbers checks rounds, attempts, agents or candidates against mostNumber.
func (v *validator) numbers(where, what string, list ...int) {
	for _, n := range list {
		if n < 0 || n > mostNumber {
			v.fail(where, "%s %d: must be from 0 to %d", what, n, mostNumber)
		}
	}
}

// held checks logarithms of the probabilities of answers, if there are any.
func (v *validator) held(where string, logs []float64) {
	if len(logs) > 0 && len(logs) != v.believed {
		v.fail(where, "%d probabilities of %d answers", len(logs), v.believed)
	}
	for _, l := range logs {
		if l > 0 {
			v.fail(where, "logarithm of a probability %g: must be 0 at most", l)
		}
	}
}

// turns checks turns and, one level deep, the calls before them and their probes, each with its closing turn.
func (v *validator) turns(turns []Turn, depth int) {
	for _, t := range turns {
		where := fmt.Sprintf("round %d, agent %d", t.Round, t.Agent)
		v.agent(where, t.Agent)
		v.numbers(where, "round", t.Round)
		v.numbers(where, "sample", t.Sample)
		v.numbers(where, "heard agent", t.Heard...)
		v.numbers(where, "option", t.Options...)
		if c := t.Confidence; c != nil && (*c < 0 || *c > 1) {
			v.fail(where, "confidence %g: must be from 0 to 1", *c)
		}
		if said := t.Verdict; said != "" && said != VerdictKeep && said != VerdictRevise {
			v.fail(where, "verdict %q: must be %s or %s", said, VerdictKeep, VerdictRevise)
		}
		if held := t.Held; held != nil {
			v.held(where, held.Before)
			v.held(where, held.After)
		}
		if err := ValidateReply(t.Reply); err != nil {
			v.fail(where, "%w", err)
		}
		if depth > 0 && len(t.Before)+len(t.Probes) > 0 {
			v.fail(where, "a call before another turn, or a probe, has such calls of its own")
		}
		for _, c := range t.After {
			if c.Kind != KindClosing || len(c.After) > 0 {
				v.fail(where, "what follows a turn must be a closing turn, without one of its own")
			}
		}
		v.turns(t.Before, depth+1)
		v.turns(t.After, depth+1)
		v.turns(t.Probes, depth+1)
	}
}

// ValidateReply refuses replies that no engine gives.
func ValidateReply(r inference.Reply) error {
	for _, n := range []int{r.PromptTokens, r.CachedTokens, r.Tokens} {
		if n < 0 || n > mostTokens {
			return fmt.Errorf("a reply of %d tokens to %d, %d of them cached: each must be from 0 to %d", r.Tokens,
				r.PromptTokens, r.CachedTokens, mostTokens)
		}
	}
	if r.LoopFrom < 0 || r.LoopFrom > r.Tokens {
		return fmt.Errorf("a reply of %d tokens that repeats itself since token %d", r.Tokens, r.LoopFrom)
	}
	if r.ReasoningTokens < 0 || r.ReasoningTokens > r.Tokens {
		return fmt.Errorf("a reply of %d tokens with %d of reasoning", r.Tokens, r.ReasoningTokens)
	}
	if c := r.Choice; c != nil && (c.Index < 0 || c.Index >= c.Of || c.Of < 2) {
		return fmt.Errorf("a reply is choice %d of %d, counted from 0", c.Index, c.Of)
	}
	return nil
}

// mostTokens bounds the tokens of one request.
const mostTokens = 1 << 32
