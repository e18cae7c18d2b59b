// Command protocol holds a debate by a protocol of your own, a YAML file. The replies are written by a script, so that
// the course of the debate can be followed without a model:
//
//	go run -tags llama_none ./examples/protocol examples/protocol/ring.yaml
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// reply is what an agent says: agent 0 insists on (B), the others repeat the first answer that they hear.
func reply(r inference.Request) string {
	heard := r.Messages[len(r.Messages)-1].Content
	switch {
	case r.Agent == 0:
		return "The answer is: (B)."
	case len(r.Messages) > 1 && strings.Contains(heard, "is: (B)"):
		return "I am convinced. The answer is: (B)."
	}
	return "The answer is: (A)."
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: protocol FILE.yaml")
	}
	loaded, err := protocol.LoadProtocol(os.Args[1]) // refuses unknown and contradictory settings, with their line
	check(err)
	composed, err := loaded.Compose(debate.Asking{Observe: show})
	check(err)
	transcript, err := composed.Run(context.Background(), inference.NewScript(reply).Join(0),
		debate.Case{ID: "tomato", Question: "Is a tomato a fruit? (A) no (B) yes", Extract: answer.Choice})
	check(err)
	fmt.Printf("decision of %s: %s (%s)\n", transcript.Protocol, transcript.Decision.Answer, transcript.Decision.Rule)
}

// show prints a round as soon as it is over.
func show(round []debate.Turn) {
	fmt.Printf("round %d:", round[0].Round)
	for _, turn := range round {
		fmt.Printf(" %s", turn.Answer)
		if turn.Heard != nil {
			fmt.Printf(" after %v", turn.Heard)
		}
	}
	fmt.Println()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
