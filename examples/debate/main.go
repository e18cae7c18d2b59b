// Command debate holds one debate on the embedded model: three agents answer a puzzle, hear each other, answer again,
// and the majority decides.
//
//	eval "$(make env)" && go run ./examples/debate
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models/stores"
)

const puzzle = `The following paragraphs each describe a set of three objects arranged in a fixed order. ` +
	`The statements are logically consistent within each paragraph. In a golf tournament, there were three ` +
	`golfers: Dan, Ada, and Eve. Dan finished above Eve. Eve finished above Ada.
Options:
(A) Dan finished second
(B) Ada finished second
(C) Eve finished second`

func main() {
	log.SetFlags(0)
	path, err := stores.Resolve("tiny") // the embedded model, or the path of any GGUF file
	check(err)
	engine, err := inference.Open(path)
	check(err)
	defer engine.Close()

	transcript, err := protocol.Hold(context.Background(), engine, "society", puzzle) // `parley protocols` lists others
	check(err)
	for i, round := range transcript.Rounds {
		for _, turn := range round {
			fmt.Printf("round %d, agent %d: %s\n", i, turn.Agent, turn.Answer)
		}
	}
	fmt.Printf("decision: %s (%s)\n", transcript.Decision.Answer, transcript.Decision.Rule)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
