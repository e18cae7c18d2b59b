package runner

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// headline prints what is about to run, with the work that is left of it, unless only JSON is wanted. Why the engine
// was set up so is for --details.
func (r *Runner) headline(cmd command.Line, p preparedRun, work bench.Foreseen) {
	if r.JSON {
		return
	}
	plan := strings.Split(p.engine.Plan(), "\n") // a line for each model, with reasons behind semicolons
	for i, line := range plan {
		if settings, _, _ := strings.Cut(line, "; "); !r.details {
			plan[i] = settings
		}
	}
	h := p.header
	what := fmt.Sprintf("%s: %s under %s", wording.Count(h.Debates, "debate"), wording.Count(h.Questions, "question"),
		wording.Count(len(h.Conditions), "condition"))
	if h.Stop != nil {
		what = "at most " + what
	}
	if most := work.String(); most != "" {
		what += "; " + most
	}
	_ = terminal.Printf(cmd.Err, "%s\n%s%splan     %s\n", what, h.Headline(), h.Power(),
		strings.Join(plan, "\n         "))
}

// checkFits refuses debates that cannot fit into the context, and warns about those that long replies might not fit,
// and of debates among copies.
func (r *Runner) checkFits(cmd command.Line, p preparedRun) (bench.Foreseen, error) {
	for _, warning := range p.header.Notes {
		terminal.Warn(cmd.Err, warning)
	}
	for _, m := range p.engine.Model().All() {
		if short := m.Short(p.header.Sampling, p.header.MaxTokens); short != "" {
			terminal.Warn(cmd.Err, short)
		}
	}
	look := r.lookAhead(cmd, p.engine.Survey())
	known, err := look.run(p.options, "")
	look.end()
	if known.Warning != "" {
		terminal.Warn(cmd.Err, known.Warning)
	}
	return known, err
}

// printRecorded prints what is reused, unless only JSON is wanted.
func (r *Runner) printRecorded(cmd command.Line, d *rundir.Directory) {
	count := d.Count()
	switch {
	case r.JSON:
	case r.fork != "":
		recorded, usable, damaged := d.Forked()
		fmt.Fprintf(cmd.Err, "forked   %s has %d recorded generations, %d of them by the same model and "+
			"computation; those that this run needs are reused\n", r.out, recorded, usable)
		if damaged > 0 {
			fmt.Fprintf(cmd.Err, "damaged  its journal in %d places; the intact records are reused\n",
				damaged)
		}
	case count.Generations > 0:
		fmt.Fprintf(cmd.Err, "recorded %d generations and %d debates in %s are reused\n", count.Generations,
			count.Debates, d.Path)
	}
}

// print prints the table, or JSON.
func (r *Runner) print(cmd command.Line, directory *rundir.Directory, result analysis.Comparison) error {
	if r.JSON {
		return json.NewEncoder(cmd.Out).Encode(result)
	}
	fmt.Fprintln(cmd.Err, "generations, debates and result are in", directory.Path)
	if n := result.Stats.Restored; n > 0 {
		fmt.Fprintf(cmd.Err, "%s replies were taken from recorded generations\n", humanize.Comma(int64(n)))
	}
	shown := result.Document()
	if r.details {
		shown = append(shown, report.Details(result))
	}
	return terminal.Show(cmd.Out, shown)
}

// forecast prints what a run will take. Replies that are recorded in the directory named by --out cost nothing.
func (r *Runner) forecast(cmd command.Line, spec Spec) error {
	if err := r.Engine.CheckForecast(spec.Experiment.EachModel); err != nil {
		return err
	}
	recorded := ""
	if r.out != "" {
		recorded = filepath.Join(rundir.ShardDirectory(r.out, r.shard.part()), spec.Part)
	}
	known, replies, err := rundir.Recorded(recorded)
	if err != nil {
		return exit.Usage(err)
	}
	meter, err := record.NewMeter()
	if err != nil {
		return err
	}
	journals := rundir.Measure{Meter: meter}
	p, err := r.prepare(cmd, spec, engine.Recorder{Known: known, Generation: journals.Generation})
	if err != nil {
		return err
	}
	defer p.engine.Close()
	r.headline(cmd, p, bench.Foreseen{})
	most, err := r.checkFits(cmd, p)
	if err != nil {
		return err
	}
	shown := terminal.WaitFor(cmd.Err, p.engine, "calibrating")
	defer shown.Finish()
	forecast, err := bench.DryRun(cmd.Context, p.options, bench.Calibration{Seed: p.header.Seed,
		Limit: r.calibrate, Says: shown.Say, Journals: journals, Known: known, Recorded: replies, Foreseen: most})
	shown.Finish()
	if err != nil {
		return err
	}
	budget := r.budget.foresee(forecast)
	if r.JSON {
		return json.NewEncoder(cmd.Out).Encode(budgeted{forecast, budget})
	}
	text := forecast.Document()
	if budget != nil {
		text = append(text, table.Text(budget.String()))
	}
	return terminal.Show(cmd.Out, text)
}
