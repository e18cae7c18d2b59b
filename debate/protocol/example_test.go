package protocol_test

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// A debate from Go: an engine, the name of a protocol, a question. Here a script stands in for the model: agent 0 errs,
// hears the two others, and changes its mind. With a model it is inference.Open(path) instead.
func ExampleHold() {
	engine := inference.NewScript(func(r inference.Request) string {
		if r.Agent == 0 && len(r.Messages) < 3 {
			return "60 / 80 hours is 48 minutes. The answer is (B)."
		}
		return "60 km at 80 km/h take 45 minutes. The answer is (A)."
	})
	defer engine.Close()
	transcript, err := protocol.Hold(context.Background(), engine, "madc",
		"How long do 60 km take? (A) 45 min (B) 48 min")
	if err != nil {
		log.Fatal(err)
	}
	for r, round := range transcript.Rounds {
		for _, turn := range round {
			fmt.Printf("round %d, %s: %s\n", r, transcript.Role(turn.Agent), turn.Answer)
		}
	}
	fmt.Println(transcript.Decision.Answer, "by", transcript.Decision.Rule)
	// Output:
	// round 0, agent 0: (B)
	// round 0, agent 1: (A)
	// round 0, agent 2: (A)
	// round 1, agent 0: (A)
	// round 1, agent 1: (A)
	// round 1, agent 2: (A)
	// (A) by majority, ties to the answer first in agent order
}
