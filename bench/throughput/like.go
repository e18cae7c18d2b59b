package throughput

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Like is a recorded run as a workload: its debates at once, each call with the prompt that it had and a reply of the
// recorded length, which is drawn anew. The calls of a round are handed in together. Calls that shared a generation
// share one again. What was scored and not generated is left out. render makes tokens of a conversation.
func Like(name string, outcomes []trial.Outcome, render func([]inference.Message) ([]int32, error)) (Workload, error) {
	w := Workload{Name: name, Title: "a recorded run", Kind: "recorded"}
	for _, o := range outcomes {
		var calls [][]Request
		for _, stage := range o.Transcript.Stages() {
			begin := len(calls)
			for _, turn := range stage {
				n := begin
				for call := range (debate.Transcript{Rounds: [][]debate.Turn{{turn}}}).Calls() {
					if call.Reply.Tokens == 0 || call.Messages == nil {
						continue
					}
					prompt, err := render(call.Messages)
					if err != nil {
						return w, fmt.Errorf("%s, question %s: %w", name, o.Question, err)
					}
					key := fnv.New64a()
					key.Write([]byte(call.Reply.Key))
					if n == len(calls) {
						calls = append(calls, nil)
					}
					calls[n] = append(calls[n], Request{Prompt: prompt, Tokens: call.Reply.Tokens,
						Seed: key.Sum64() >> 16, Agent: call.Agent})
					w.Full.Requests++
					n++
				}
			}
		}
		if len(calls) > 0 {
			w.recorded = append(w.recorded, calls)
		}
	}
	if len(w.recorded) == 0 {
		return w, errors.New(name + ": no reply was generated there")
	}
	w.Full.Questions = len(w.recorded)
	w.Small = w.Full
	return w, nil
}

// replay holds all recorded debates at once.
func (g generator) replay(ctx context.Context) error {
	return g.concurrently(ctx, len(g.recorded), func(ctx context.Context, client Client, i int) error {
		for _, call := range g.recorded[i] {
			requests := make([]Request, len(call))
			for k, r := range call {
				requests[k] = r
				requests[k].Seed |= g.seeds
			}
			if _, err := client.Generate(ctx, requests); err != nil {
				return err
			}
		}
		return nil
	})
}
