package bench

import (
	"context"
	"errors"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/inference"
)

// Record runs Compare in a run directory, so that package report and all commands can read what came of it: open
// returns the engine, which has to journal into the directory and to know what it has (inference.OnGeneration with
// Directory.Generation, inference.Known with Directory.Reply). A directory that has a part of the run already resumes
// it. With the options that Options.Shard returns it is one of several directories, of which rundir.Merge makes one.
//
// The conditions may hold forms of debate that nobody else knows: of these the directory has the name, the meaning and
// all that was said.
func Record(ctx context.Context, path string, o Options,
	open func(*rundir.Directory) (inference.Engine, error)) (c analysis.Comparison, err error) {
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
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
	if local, ok := engine.(inference.Running); ok {
		header.Threads, header.Cells = local.Threads(), local.Cells()
	}
	if err := d.Begin(header); err != nil {
		return c, err
	}
	if o.Earlier, err = d.TotalWork(); err != nil {
		return c, err
	}
	o.Observe = d.Outcome
	if c, err = Compare(ctx, o); err != nil {
		return c, errors.Join(err, d.RecordEnd(engine.Stats()))
	}
	return c, d.Finish(c)
}
