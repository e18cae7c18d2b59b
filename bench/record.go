package bench

import (
	"context"
	"errors"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// Record runs Compare in a run directory, so that package report and all commands can read what came of it: open
// returns the engine, which has to journal into the directory and to know what it has (inference.OnGeneration with
// Directory.Generation, inference.Known with Directory.Reply). A directory that has a part of the run already resumes
// it. With the options that Options.Shard returns it is one of several directories, of which rundir.Merge makes one.
//
// The conditions may hold forms of debate that nobody else knows: of these the directory has the name, the meaning and
// all that was said. How agents are asked is, for the whole run, what the first form says that embeds a debate.Asking,
// unless Run.Asking has entered it.
//
// A program that does something in between, as the commands do, takes the same steps itself: Options.Complete,
// NewHeader, Directory.Begin, CompareIn, and Directory.End.
func Record(ctx context.Context, path string, o Options,
	open func(*rundir.Directory) (inference.Engine, error)) (c analysis.Comparison, err error) {
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, d.Discard()) }() // nothing is left of a run that could not begin
	engine, err := open(d)
	if err != nil {
		return c, err
	}
	defer engine.Close()
	o.Engine = engine
	if err := o.Complete(); err != nil {
		return c, err
	}
	header := NewHeader(o)
	header.Time = time.Now().UTC().Format(time.RFC3339)
	if err := d.Begin(header); err != nil {
		return c, err
	}
	c, err = CompareIn(ctx, d, o)
	return c, d.End(c, engine.Stats(), err)
}

// CompareIn is Compare in a directory that has begun the run. Each outcome is recorded there before Options.Observe
// gets it, and the work of earlier sessions counts in the times of the table. Directory.End ends the session.
func CompareIn(ctx context.Context, d *rundir.Directory, o Options) (c analysis.Comparison, err error) {
	if o.Earlier, err = d.TotalWork(); err != nil {
		return c, err
	}
	if err := d.Start(); err != nil {
		return c, err
	}
	observe := o.Observe
	o.Observe = func(held trial.Outcome) error {
		err := d.Outcome(held)
		if observe != nil {
			err = errors.Join(err, observe(held))
		}
		return err
	}
	return Compare(ctx, o)
}
