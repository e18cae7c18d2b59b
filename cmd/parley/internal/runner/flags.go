package runner

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/internal/bounds"
)

// Runner takes runs from their specification to their table. Its fields are flags. A run goes through three stages,
// each of which may refuse it before the next one costs anything:
//
//  1. openDirectory locks the run directory and reads its records;
//  2. prepare opens the engine, which reuses the recorded generations, and makes options and a header of the
//     specification; writeHeader compares the header with the recorded one and writes it;
//  3. execute runs the debates that are not recorded yet.
//
// A dry run is prepared in the same way, without a directory. forecast then takes the place of execute.
type Runner struct {
	Engine    engine.Flags
	stop      spec.Stopping
	Tests     spec.Tests // what is not given is that of the specification
	details   bool
	out       string // directory of the run, or of the experiment that the run is a task of
	leaveOut  bool   // whether the run may leave out what the directory has
	fork      string // new directory, which starts with the generations of out; "" to continue in out
	JSON      bool
	Dry       bool
	calibrate time.Duration
	budget    budget
	shard     shardFlag
}

// Register adds the flags of every command that runs something. Flags for shards are apart: demo has none.
func (r *Runner) Register(set *pflag.FlagSet) {
	r.Engine.Register(set)
	r.Engine.RegisterPlaces(set)
	r.Engine.RegisterRemote(set)
	r.Engine.RegisterChoices(set)
	r.registerTests(set)
	set.BoolVar(&r.details, "details", false, "also print how the debates went (rounds, changed answers, "+
		"agreement, entropy, costs) and how memory was used")
	flags.Text(set, &r.out, "out", "o", "DIR", "", "run directory; if it already holds this run, the run resumes "+
		"(default parley-runs/NAME-TIME)")
	set.BoolVar(&r.leaveOut, "leave-out", false, "let the run in --out lose conditions, questions or repeats that it "+
		"has and this command does not ask for; their replies stay recorded")
	flags.Text(set, &r.fork, "fork", "", "DIR", "",
		"start a new run in this directory, and reuse the generations of the run in "+
			"--out")
	set.BoolVar(&r.JSON, "json", false, "print only the results, as one JSON line per task")
	set.BoolVar(&r.Dry, "dry-run", false, "forecast what the run will take, and write nothing: some questions are "+
		"run, the others taken to be like them")
	r.budget.register(set)
	r.calibrate = 20 * time.Second
	flags.Duration(set, &r.calibrate, "calibrate", bounds.From(0.001, 86_400),
		"with --dry-run: how long to run questions, the first of which may take ten times as long; more time "+
			"makes the forecast more precise")
}

// registerTests adds the flags of what is tested.
func (r *Runner) registerTests(set *pflag.FlagSet) {
	flags.Text(set, &r.stop.Condition, "stop-when", "", "CONDITION", "", "stop as soon as this condition clearly "+
		"differs from the reference, by a sequential test that stays valid under repeated looks; or, with the word "+
		"decided, as soon as it is decided which condition is worth its tokens")
	flags.Number(set, &r.stop.Within, "stop-within", "", 0, spec.DifferenceRange.OrZero(), "with --stop-when decided: "+
		"how much better a condition that costs more may be and still not be worth it, such as 0.05")
	flags.Number(set, &r.stop.Every, "stop-every", "", spec.UsualBlock, spec.StopEveryRange,
		"questions between two looks of --stop-when")
	flags.Number(set, &r.Tests.Equivalence, "equivalence", "", 0, spec.DifferenceRange, "also test whether conditions "+
		"are equivalent to what they are compared with: whether accuracies differ by less than this, such as 0.05")
	flags.Text(set, &r.Tests.Cluster, "cluster", "", "FIELD", "", "field of the task file, such as subject or "+
		"context: intervals and tests count its values, as clusters of questions that may depend on each other")
	flags.Text(set, &r.Tests.Group, "group", "", "FIELD", "", "field of the task file, such as subject: --details "+
		"and the report also give the results for each of its values (SQuAD 2.0 needs no field: answerable, "+
		"unanswerable)")
	flags.Each(set, &r.Tests.Contrasts, "contrast", "", "DIFFERENCE", nil, "also test a difference between "+
		`conditions, such as "madc - mad", "(madc, vote) - single" for means of groups, or "madc/agents=* - `+
		`mad/agents=*" for each value of a sweep; "madc - mad by tokens" compares another measure, and "madc - mad `+
		`within 0.05" tests equivalence; may be given several times`)
}

// RegisterShards adds the flags that divide a run among machines.
func (r *Runner) RegisterShards(set *pflag.FlagSet) {
	r.shard.register(set)
}
