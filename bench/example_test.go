package bench_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// Two protocols on the same generated puzzles, paired question by question. Here a script stands in for the model: it
// is wrong until it hears others. With a model it is inference.Open(path) instead, and task.Load reads a benchmark
// file.
func ExampleCompare() {
	puzzles, err := task.Generate(3, 20, 1)
	if err != nil {
		log.Fatal(err)
	}
	engine := inference.NewScript(func(r inference.Request) string {
		for _, q := range puzzles.Questions {
			if strings.Contains(r.Messages[0].Content, q.Text) && len(r.Messages) > 1 {
				return "The answer is " + q.Target
			}
		}
		return "The answer is (Z)"
	})
	defer engine.Close()
	var conditions []trial.Condition
	for _, name := range []string{"self-consistency", "madc"} {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			log.Fatal(err)
		}
		c, err := trial.Held(p, "tiny", debate.Asking{Seeds: debate.Seeds{Run: 1}})
		if err != nil {
			log.Fatal(err)
		}
		conditions = append(conditions, c)
	}
	result, err := bench.Compare(context.Background(), bench.Options{Run: spec.Run{Reference: "self-consistency"},
		Task: puzzles, Conditions: conditions, Engine: engine})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range result.Rows {
		fmt.Printf("%s: accuracy %.2f (95 %% interval %.2f to %.2f)\n",
			row.Condition, row.Accuracy, row.Interval.Low, row.Interval.High)
	}
	// Output:
	// self-consistency: accuracy 0.00 (95 % interval 0.00 to 0.16)
	// madc: accuracy 1.00 (95 % interval 0.84 to 1.00)
}
