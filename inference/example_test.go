//go:build cgo && !llama_none

package inference_test

import (
	"context"
	"fmt"
	"log"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models/stores"
)

// The simple face: open a model, ask, read along.
func ExampleOpen() {
	path, err := stores.Resolve("tiny") // or the path of any GGUF file
	if err != nil {
		log.Fatal(err)
	}
	engine, err := inference.Open(path, inference.Threads(2), inference.Context(2048))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	question := []inference.Message{{Role: "user", Content: "Who are you?"}}
	reply, err := engine.Predict(context.Background(), question, inference.Sampling{}, 64,
		func(text string) { fmt.Print(text) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\n%d tokens, %s\n", reply.Tokens, reply.Stop)
	// Output:
	// I am a tiny model trained on ordering puzzles and short sums. Ask me one of those.
	// 20 tokens, end
}
