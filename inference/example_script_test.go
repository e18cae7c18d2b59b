package inference_test

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/inference"
)

// Two agents of one debate ask at the same time. A Script stands in for a model; with inference.Open in its place
// nothing else changes.
func Example() {
	engine := inference.NewScript(func(r inference.Request) string {
		return fmt.Sprintf("Agent %d has read: %s", r.Agent, r.Messages[0].Content)
	})
	defer engine.Close()

	debate := engine.Join(0)
	defer debate.Leave()

	question := []inference.Message{{Role: "user", Content: "Is 91 a prime number?"}}
	replies, err := debate.Generate(context.Background(), []inference.Request{
		{Messages: question, Agent: 0, Sampling: inference.Sampling{Temperature: 1, Seed: 1}},
		{Messages: question, Agent: 1, Sampling: inference.Sampling{Temperature: 1, Seed: 2}},
	})
	if err != nil {
		log.Fatal(err) // the call failed; a request that failed alone has Reply.Err
	}
	for _, reply := range replies {
		fmt.Println(reply.Text)
	}
	fmt.Println(engine.Stats().Generations, "generations")
	// Output:
	// Agent 0 has read: Is 91 a prime number?
	// Agent 1 has read: Is 91 a prime number?
	// 2 generations
}
