package throughput

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/internal/bug"
)

// generator sends the requests of one run of a workload.
type generator struct {
	Sizes
	layout     string
	vocabulary int
	run        uint64 // makes the tokens of one repeat differ from those of another
	seeds      uint64 // makes the seeds of one pass over the same prompts differ from those of another
	system     System
	recorded   [][][]Request
}

// kinds are the kinds of workload, by their names in files.
var kinds = map[string]func(g generator, ctx context.Context) error{
	"independent": generator.independent,
	"sweep":       generator.sweep,
	"debate":      generator.debate,
	"experiment":  generator.experiment,
	"recorded":    generator.replay,
}

// fewestTokens of a vocabulary are none of a text: half of them at its beginning, the bytes, half at its end, the
// control tokens.
const fewestTokens = 600

// text is n tokens that are a function of the run and of names.
func (g generator) text(n int, names ...int) []int32 {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte{byte(name), byte(name >> 8), byte(name >> 16), 1})
	}
	random := rand.New(rand.NewPCG(g.run, h.Sum64()))
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(fewestTokens/2 + random.IntN(g.vocabulary-fewestTokens))
	}
	return tokens
}

// concurrently runs n debates at the same time, each with a client of its own.
func (g generator) concurrently(ctx context.Context, n int,
	debate func(ctx context.Context, client Client, i int) error) error {
	clients := make([]Client, n)
	for i := range clients {
		clients[i] = g.system.Join(i)
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, client := range clients {
		group.Go(func() (err error) {
			defer client.Leave()
			defer bug.Catch(&err)
			return debate(ctx, client, i)
		})
	}
	return group.Wait()
}

// independent is W0, and W1 where there are many samples of one prompt (MADC, Figure 8): prompts that have at most a
// prefix in common.
func (g generator) independent(ctx context.Context) error {
	return g.concurrently(ctx, 1, func(ctx context.Context, client Client, _ int) error {
		var requests []Request
		prefix := g.text(g.Prefix, 6)
		for i := range max(1, g.Requests) {
			prompt := slices.Concat(prefix, g.text(g.Prompt, i))
			for sample := range max(1, g.Samples) {
				requests = append(requests, Request{Prompt: prompt, Tokens: g.Reply, Agent: i,
					Seed: g.seeds | uint64(i)<<24 | uint64(sample)})
			}
		}
		_, err := client.Generate(ctx, requests)
		return err
	})
}

// sweep is W2: the first k solutions in one of several orders, for every k (MADC, Tables 6 to 11).
func (g generator) sweep(ctx context.Context) error {
	return g.concurrently(ctx, g.Orders, func(ctx context.Context, client Client, order int) error {
		var requests []Request
		shown := g.text(g.Prompt)
		for k := range g.Steps {
			which := [...]int{k, g.Steps - 1 - k, (k*7 + order) % g.Steps}[min(order, 2)]
			shown = slices.Concat(shown, g.text(g.Solution, 1, which))
			prompt := slices.Concat(shown, g.text(g.Closing, 2))
			for i := range g.Samples {
				requests = append(requests, Request{Prompt: prompt, Tokens: g.Reply, Agent: k,
					Seed: g.seeds | uint64(i)})
			}
		}
		_, err := client.Generate(ctx, requests)
		return err
	})
}

// debate is W3: debates on several questions at once.
func (g generator) debate(ctx context.Context) error {
	return g.concurrently(ctx, g.Questions, func(ctx context.Context, client Client, question int) error {
		return g.debateOn(ctx, client, question, society{agents: g.Agents, rounds: g.Rounds, layout: g.layout})
	})
}

// experiment is W4: six conditions on the same questions. In round 0 of all of them agent i has the same seed, so that
// the conditions share its first answer.
func (g generator) experiment(ctx context.Context) error {
	conditions := []society{
		{agents: 1, rounds: 1},
		{agents: g.Agents, rounds: 1},
		{agents: g.Agents * g.Rounds, rounds: 1},
		{agents: g.Agents, rounds: g.Rounds},
		{agents: g.Agents, rounds: g.Rounds, shift: 1},
		{agents: g.Agents, rounds: g.Rounds, shift: 2},
	}
	n := len(conditions)
	return g.concurrently(ctx, g.Questions*g.Seeds*n, func(ctx context.Context, client Client, i int) error {
		s := conditions[i%n]
		s.seed, s.layout = i/n%g.Seeds, "exact"
		return g.debateOn(ctx, client, i/n/g.Seeds, s)
	})
}

// society says how the agents of one debate talk.
type society struct {
	agents, rounds int
	shift          int // rotates the order in which an agent reads the others
	seed           int
	layout         string
}

// debateOn holds a debate on one question. In the exact layout an agent's prompt continues its own history, followed by
// the others' replies in an order of its own. In the shared layout all replies come first, once and in one order, and
// what concerns the agent alone comes last.
func (g generator) debateOn(ctx context.Context, client Client, question int, s society) error {
	asked := g.text(g.Prompt, 3, question)
	said := make([][]int32, s.agents)    // in the last round
	history := make([][]int32, s.agents) // of each agent
	slots := make([]int, s.agents)
	common := asked
	for round := range s.rounds {
		requests := make([]Request, s.agents)
		for agent := range requests {
			switch {
			case round == 0:
				history[agent] = asked
			case s.layout == "shared":
				history[agent] = slices.Concat(common, g.text(g.Closing, 4, agent))
			default:
				parts := [][]int32{history[agent], said[agent]}
				for other := 1; other < s.agents; other++ {
					parts = append(parts, said[(agent+other+s.shift)%s.agents])
				}
				history[agent] = slices.Concat(append(parts, g.text(g.Closing, 5))...)
			}
			seed := g.seeds | uint64(s.seed)<<32 | uint64(round)<<16 | uint64(agent)
			requests[agent] = Request{Prompt: history[agent], Tokens: g.Reply, Seed: seed, Agent: agent,
				Slot: slots[agent]}
		}
		replies, err := client.Generate(ctx, requests)
		if err != nil {
			return err
		}
		for agent, reply := range replies {
			said[agent], slots[agent] = reply.Tokens, reply.Slot
		}
		common = slices.Concat(append([][]int32{common}, said...)...)
	}
	return nil
}
