// Command relay measures a protocol of your own: agents answer one after the other, and the last one decides. It runs
// on ten puzzles beside a debate, in a run directory, and writes its report. The documentation of bench.Record says how
// it runs in shards.
//
//	eval "$(make env)" && go run ./examples/relay DIRECTORY
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models/stores"
)

// relay is a form: all that a debate.Debate needs is Run.
type relay struct{ debate.Asking }

// Run implements debate.Debate. Each of three agents is asked with what the one before it said.
func (r relay) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, ask, heard := debate.Transcript{Protocol: "relay", Case: c.ID}, r.For(speaker, c), ""
	for agent := range 3 {
		turn := debate.Turn{Agent: agent, Round: agent, Messages: []inference.Message{{Role: "user",
			Content: c.Question + "\n\nAnswer with the letter of one option, such as (A)." + heard}}}
		turns := []debate.Turn{turn}
		if err := ask.Ask(ctx, turns); err != nil {
			return t, err
		}
		t.Rounds, heard = append(t.Rounds, turns), "\n\nAnother agent says:\n"+turns[0].Reply.Text
	}
	t.Decision = vote.Majority(t.Last())
	return t, nil
}

func main() {
	log.SetFlags(0)
	puzzles, err := task.Generate(3, 10, 1) // task.Load reads a benchmark file
	check(err)
	model, err := stores.Resolve("tiny") // the embedded model, or the path of any GGUF file
	check(err)
	asking := debate.Asking{Seeds: debate.Seeds{Run: 1}}
	society, err := protocol.LoadProtocol("society")
	check(err)
	other, err := trial.Held(society, "tiny", asking)
	check(err)
	own := trial.Condition{Name: "relay", Meaning: "one agent after the other", Agents: 3, Debate: relay{asking}}
	result, err := bench.Record(context.Background(), os.Args[1], bench.Options{Task: puzzles,
		Conditions: []trial.Condition{other, own}, Run: spec.Run{Reference: "society"}},
		func(d *rundir.Directory) (inference.Engine, error) {
			return inference.Open(model, inference.OnGeneration(d.Generation), inference.Known(d.Reply))
		})
	check(err)
	for _, row := range result.Rows {
		fmt.Printf("%s: %d of %d right\n", row.Condition, row.Right, row.N)
	}
	written, err := report.Of(os.Args[1], "", report.Options{}) // or `parley report DIRECTORY`
	check(err)
	fmt.Println(written.Debates, "debates in the report")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
