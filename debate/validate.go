package debate

import (
	"fmt"
	"slices"

	"parley/inference"
)

// Validate refuses a transcript that no debate leaves behind, so that whatever reads it may take its numbers for
// granted: a transcript is a file, which anybody can write. It does not say that the debate was held.
func (t Transcript) Validate() error {
	v := validator{agents: len(t.Roles)}
	rounds := slices.Concat(t.Rounds, t.Voting)
	for _, turns := range rounds {
		v.agents += turnsIn(turns)
	}
	for _, turns := range rounds {
		v.turns(turns, 0)
	}
	for _, r := range t.Records {
		v.agent("a record", r.Agent)
		v.numbers("a record", "turn", append(r.To, r.Turn)...)
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
	return v.err
}

// mostNumber bounds numbers of rounds, attempts and candidates.
const mostNumber = 1_000_000

// turnsIn counts turns, with those on the way to them.
func turnsIn(turns []Turn) (n int) {
	for _, t := range turns {
		n += 1 + turnsIn(t.Before) + turnsIn(t.Probes)
	}
	return n
}

// validator keeps the first error.
type validator struct {
	agents int // there can be: each has a role or a turn
	err    error
}

func (v *validator) fail(where, format string, values ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(where+": "+format, values...)
	}
}

func (v *validator) agent(where string, agent int) {
	if agent < 0 || agent >= v.agents {
		v.fail(where, "agent %d, where %d at most have a role or a turn", agent, v.agents)
	}
}

// numbers checks numbers of what there can be many of.
func (v *validator) numbers(where, what string, list ...int) {
	for _, n := range list {
		if n < 0 || n > mostNumber {
			v.fail(where, "%s %d, from 0 to %d can be", what, n, mostNumber)
		}
	}
}

// turns checks turns, and those on the way to them, which have none on the way to them.
func (v *validator) turns(turns []Turn, depth int) {
	for _, t := range turns {
		where := fmt.Sprintf("round %d, agent %d", t.Round, t.Agent)
		v.agent(where, t.Agent)
		v.numbers(where, "round", t.Round)
		v.numbers(where, "sample", t.Sample)
		v.numbers(where, "heard agent", t.Heard...)
		if c := t.Confidence; c != nil && (*c < 0 || *c > 1) {
			v.fail(where, "confidence %g, from 0 to 1 can be", *c)
		}
		if err := ValidateReply(t.Reply); err != nil {
			v.fail(where, "%w", err)
		}
		if depth > 0 && len(t.Before)+len(t.Probes) > 0 {
			v.fail(where, "a turn on the way to another has turns on the way to it")
		}
		v.turns(t.Before, depth+1)
		v.turns(t.Probes, depth+1)
	}
}

// ValidateReply refuses a reply that no engine gives.
func ValidateReply(r inference.Reply) error {
	for _, n := range []int{r.PromptTokens, r.CachedTokens, r.Tokens} {
		if n < 0 || n > mostTokens {
			return fmt.Errorf("a reply of %d tokens to %d, %d of them cached: each is from 0 to %d", r.Tokens,
				r.PromptTokens, r.CachedTokens, mostTokens)
		}
	}
	return nil
}

// mostTokens bounds those of one request.
const mostTokens = 1 << 32
