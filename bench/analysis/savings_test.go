package analysis

import (
	"fmt"

	"github.com/parley-debate/parley/inference"
)

func Example_savings() {
	fmt.Print(savings(inference.Stats{Generations: 3, Joined: 2, PromptAsked: 500, PromptComputed: 100, Decoded: 90,
		Steps: 10, Rows: 190, BatchCapacity: 64, PeakSequences: 3, PeakCells: 190, Cells: 256}))
	// Output:
	//
	// prompt tokens  500 asked, 100 computed: 80.0 % saved by sharing prefixes and equal generations
	// generations    3 computed, 2 more requests shared an equal one
	// generated      90 tokens, – tokens/s; prefill – tokens/s
	// batches        10 steps, 19.0 of 64 rows filled on average; at most 3 generations at once, 190 of 256 KV cells
}
