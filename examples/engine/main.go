// Command engine holds a debate on an engine of your own. A debate needs nothing but a debate.Speaker: something that
// answers messages, such as a client of another server, a recorded log, or the canned answers here.
//
//	go run -tags llama_none ./examples/engine
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// canned answers each agent's k-th request with its k-th text.
type canned map[int][]string

// Generate implements debate.Speaker: one reply for each request, in their order. An error in a reply silences that
// agent alone; the error returned ends the debate.
func (c canned) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		texts := c[r.Agent]
		if len(texts) == 0 {
			replies[i].Err = fmt.Errorf("agent %d has nothing left to say", r.Agent)
			continue
		}
		replies[i].Text, c[r.Agent] = texts[0], texts[1:]
	}
	return replies, nil
}

func main() {
	log.SetFlags(0)
	loaded, err := protocol.LoadProtocol("society")
	check(err)
	society, err := loaded.Compose(debate.Asking{})
	check(err)
	transcript, err := society.Run(context.Background(), canned{
		0: {"Botanists say so. (A)", "I stay with (A)."},
		1: {"It is served as a vegetable. (B)", "The botanist is right. (A)"},
		2: {"It has seeds. (A)"},
	}, debate.Case{ID: "tomato", Question: "Is a tomato a fruit? (A) yes (B) no", Extract: answer.Choice})
	check(err)
	for i, round := range transcript.Rounds {
		for _, turn := range round {
			said := turn.Answer.String()
			if turn.Error != "" {
				said = "failed: " + turn.Error
			}
			fmt.Printf("round %d, agent %d: %s\n", i, turn.Agent, said)
		}
	}
	fmt.Printf("decision: %s (%s)\n", transcript.Decision.Answer, transcript.Decision.Rule)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
