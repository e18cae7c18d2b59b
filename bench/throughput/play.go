package throughput

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"parley/bug"
)

// Side is somebody who generates: our engine, or a peer.
type Side interface {
	Name() string
	// Start begins a run from nothing: no prompt is known.
	Start(ctx context.Context) error
	// Join announces a debate; all join before the first one asks.
	Join(order int) Seat
	// Stop ends the run and says what it took.
	Stop() (Usage, error)
}

// Seat is one debate's place at a side.
type Seat interface {
	// Ask hands in requests that do not depend on each other and waits for all.
	Ask(ctx context.Context, asks []Ask) ([]Answer, error)
	Leave()
}

// Ask is one request; those with equal prompts and seeds are equal requests.
type Ask struct {
	Prompt []int32
	Reply  int // tokens to generate, neither more nor fewer
	Seed   uint64
	Agent  int
	Slot   int // of the peer, where this agent spoke before, plus 1
}

// Answer is what was generated.
type Answer struct {
	Tokens []int32
	Slot   int // of the peer, plus 1
}

// player is a workload being played.
type player struct {
	Sizes
	layout     string
	vocabulary int
	run        uint64 // makes the tokens of one repeat differ from those of another
	side       Side
}

// plays are the kinds of workload.
var plays = map[string]func(p player, ctx context.Context) error{
	"independent": player.independent,
	"resample":    player.resample,
	"sweep":       player.sweep,
	"debate":      player.debate,
	"experiment":  player.experiment,
}

// text is n tokens that depend on the run and on names.
func (p player) text(n int, names ...int) []int32 {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte{byte(name), byte(name >> 8), byte(name >> 16), 1})
	}
	random := rand.New(rand.NewPCG(p.run, h.Sum64()))
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(300 + random.IntN(p.vocabulary-600)) // between the bytes and the control tokens
	}
	return tokens
}

// together runs debates side by side, each with a seat of its own.
func (p player) together(ctx context.Context, n int, debate func(ctx context.Context, seat Seat, i int) error) error {
	seats := make([]Seat, n)
	for i := range seats {
		seats[i] = p.side.Join(i)
	}
	g, ctx := errgroup.WithContext(ctx)
	for i, seat := range seats {
		g.Go(func() (err error) {
			defer seat.Leave()
			defer bug.Catch(&err)
			return debate(ctx, seat, i)
		})
	}
	return g.Wait()
}

// W0: every prompt is another one.
func (p player) independent(ctx context.Context) error {
	return p.together(ctx, 1, func(ctx context.Context, seat Seat, _ int) error {
		var asks []Ask
		for i := range p.Requests {
			asks = append(asks, Ask{Prompt: p.text(p.Prompt, i), Reply: p.Reply, Seed: uint64(i), Agent: i})
		}
		_, err := seat.Ask(ctx, asks)
		return err
	})
}

// W1: many samples of one prompt (source 0, Figure 8).
func (p player) resample(ctx context.Context) error {
	return p.together(ctx, 1, func(ctx context.Context, seat Seat, _ int) error {
		var asks []Ask
		prompt := p.text(p.Prompt)
		for i := range p.Samples {
			asks = append(asks, Ask{Prompt: prompt, Reply: p.Reply, Seed: uint64(i)})
		}
		_, err := seat.Ask(ctx, asks)
		return err
	})
}

// W2: the first k solutions in one of several orders, for every k (source 0, Tables 6 to 11).
func (p player) sweep(ctx context.Context) error {
	return p.together(ctx, p.Orders, func(ctx context.Context, seat Seat, order int) error {
		var asks []Ask
		shown := p.text(p.Prompt)
		for k := range p.Steps {
			which := [...]int{k, p.Steps - 1 - k, (k*7 + order) % p.Steps}[min(order, 2)]
			shown = slices.Concat(shown, p.text(p.Solution, 1, which))
			prompt := slices.Concat(shown, p.text(p.Closing, 2))
			for i := range p.Samples {
				asks = append(asks, Ask{Prompt: prompt, Reply: p.Reply, Seed: uint64(i), Agent: k})
			}
		}
		_, err := seat.Ask(ctx, asks)
		return err
	})
}

// W3: several questions at once.
func (p player) debate(ctx context.Context) error {
	return p.together(ctx, p.Questions, func(ctx context.Context, seat Seat, question int) error {
		return p.one(ctx, seat, question, society{agents: p.Agents, rounds: p.Rounds, layout: p.layout})
	})
}

// W4: six conditions on the same questions. Agent i answers alone in round 0 of all of them with the same seed.
func (p player) experiment(ctx context.Context) error {
	conditions := []society{
		{agents: 1, rounds: 1},
		{agents: p.Agents, rounds: 1},
		{agents: p.Agents * p.Rounds, rounds: 1},
		{agents: p.Agents, rounds: p.Rounds},
		{agents: p.Agents, rounds: p.Rounds, shift: 1},
		{agents: p.Agents, rounds: p.Rounds, shift: 2},
	}
	n := len(conditions)
	return p.together(ctx, p.Questions*p.Seeds*n, func(ctx context.Context, seat Seat, i int) error {
		s := conditions[i%n]
		s.seed, s.layout = i/n%p.Seeds, "exact"
		return p.one(ctx, seat, i/n/p.Seeds, s)
	})
}

// society is one debate: how many agents speak how often, and in which order an agent reads the others.
type society struct {
	agents, rounds int
	shift, seed    int
	layout         string
}

// one is a debate on one question. In the exact layout an agent goes on from its own history, and reads the others in
// an order of its own; in the shared layout all replies come first, once and in one order, and the agent's part is
// last.
func (p player) one(ctx context.Context, seat Seat, question int, s society) error {
	asked := p.text(p.Prompt, 3, question)
	said := make([][]int32, s.agents)    // last round
	history := make([][]int32, s.agents) // of each agent
	slots := make([]int, s.agents)
	common := asked
	for round := range s.rounds {
		asks := make([]Ask, s.agents)
		for agent := range asks {
			switch {
			case round == 0:
				history[agent] = asked
			case s.layout == "shared":
				history[agent] = slices.Concat(common, p.text(p.Closing, 4, agent))
			default:
				parts := [][]int32{history[agent], said[agent]}
				for other := 1; other < s.agents; other++ {
					parts = append(parts, said[(agent+other+s.shift)%s.agents])
				}
				history[agent] = slices.Concat(append(parts, p.text(p.Closing, 5))...)
			}
			seed := uint64(s.seed)<<32 | uint64(round)<<16 | uint64(agent)
			asks[agent] = Ask{Prompt: history[agent], Reply: p.Reply, Seed: seed, Agent: agent, Slot: slots[agent]}
		}
		answers, err := seat.Ask(ctx, asks)
		if err != nil {
			return err
		}
		for agent, a := range answers {
			said[agent], slots[agent] = a.Tokens, a.Slot
		}
		common = slices.Concat(append([][]int32{common}, said...)...)
	}
	return nil
}
