// Package runs lists recorded runs, and what can be done with each: parley runs.
package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "runs [DIRECTORY ...]",
		Short: "List recorded runs with their state and size, and what to do next with each",
		Long: `Lists the runs and experiments in directories, those that were written last at the top: what was
asked of which model, how many debates are recorded, how large the record is, and a command that
goes on from there. Without a directory it lists ` + runner.Runs + `, where commands put a run that --out does
not name. Nothing is changed. Journals are read whole, which takes a second for some hundred
megabytes.`,
		Example: `  parley runs
  parley runs . /data/debates`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per run")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	json bool
}

// stateDamaged is the state of a run whose record cannot be read.
const stateDamaged = "damaged"

// recorded is a run, or all tasks of an experiment.
type recorded struct {
	Directory string    `json:"directory"`
	Tasks     []string  `json:"tasks"`
	Model     string    `json:"model"`
	State     string    `json:"state"` // damaged, running, ended or finished: the first of these that a task is in
	Debates   int       `json:"debates"`
	Failed    int       `json:"failed"` // of the debates, how many could not be held
	Expected  int       `json:"expected"`
	Bytes     int64     `json:"bytes"` // the size of the journals
	Written   time.Time `json:"time"`
	Next      string    `json:"next"` // a command, or advice where none is known

	resume string // the command that asks what a run lacks, "" where it is not recorded
	ended  string // when, where and why the last session of such a run ended
}

// run lists what is in the directories.
func run(o *Options) error {
	places := o.line.Args
	if len(places) == 0 {
		places = []string{runner.Runs}
	}
	var list []recorded
	for _, place := range places {
		found, err := in(place)
		if errors.Is(err, fs.ErrNotExist) && len(o.line.Args) == 0 {
			break // no run was ever made here
		}
		if err != nil {
			return exit.Input(err)
		}
		list = append(list, found...)
	}
	slices.SortStableFunc(list, func(a, b recorded) int { return b.Written.Compare(a.Written) })
	if o.json {
		for _, r := range list {
			if err := json.NewEncoder(o.line.Out).Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(o.line.Out, "no runs in %s; parley demo makes one\n", strings.Join(places, ", "))
		return err
	}
	err := terminal.Show(o.line.Out, tableOf(list))
	for _, r := range list {
		if r.resume != "" && err == nil { // on one line, however long, so that it can be copied
			_, err = fmt.Fprintf(o.line.Out, "\n%s %s:\n%s\n", r.Directory, r.lacks(), r.resume)
		}
	}
	return err
}

// in finds the runs of a directory: itself, if it is one or an experiment, and otherwise those directly in it.
func in(place string) (list []recorded, err error) {
	if members := members(place); len(members) > 0 {
		return []recorded{read(place, members)}, nil
	}
	entries, err := os.ReadDir(place)
	for _, e := range entries {
		directory := filepath.Join(place, e.Name())
		if members := members(directory); len(members) > 0 {
			list = append(list, read(directory, members))
		}
	}
	return list, err
}

// members are the run directories of a run, which is its own, or of an experiment; none for another directory.
func members(directory string) []string {
	if rundir.IsRun(directory) {
		return []string{directory}
	}
	if experiment.IsDirectory(directory) {
		return rundir.Begun(directory)
	}
	return nil
}

// read sums up the runs of a directory.
func read(directory string, members []string) recorded {
	r := recorded{Directory: directory}
	var all rundir.Status
	damaged := false
	for _, member := range members {
		s, err := rundir.ReadStatus(member)
		damaged = damaged || err != nil
		if s.Header != nil {
			r.Tasks, r.Model = append(r.Tasks, s.Header.TaskName()), s.Header.Model.Name
		}
		all.Add(s)
	}
	if left := unbegun(directory, members, all.Session); len(left) > 0 && all.State == rundir.StateFinished {
		r.Tasks, all.State = append(r.Tasks, left...), rundir.StateEnded
		if all.Session != nil {
			here, _ := os.Getwd()
			all.Resume = all.Session.Again(nil, members[len(members)-1], here)
		}
	}
	r.State, r.Debates, r.Failed, r.Expected = all.State, all.Debates, all.Failed, all.Expected
	r.Bytes, r.Written = all.Bytes, all.Written
	if !damaged && all.Lacks() {
		r.resume = all.Resume
	}
	if all.Session != nil {
		r.ended = all.Session.String()
	}
	if damaged {
		r.State = stateDamaged
	}
	r.Next = r.next()
	return r
}

// unbegun are the tasks of an experiment that none of its runs has asked, where its last session was to ask all of
// them.
func unbegun(directory string, members []string, last *rundir.Session) (names []string) {
	e, err := experiment.Load(filepath.Join(directory, experiment.File))
	if err != nil || last != nil && slices.ContainsFunc(last.Command, func(word string) bool {
		return strings.HasPrefix(word, "--only=")
	}) {
		return nil // a single run, or what was asked for
	}
	for _, t := range e.Tasks {
		if !slices.Contains(members, filepath.Join(directory, t.Name)) {
			names = append(names, t.Name)
		}
	}
	return names
}

// next says how to go on. Older records do not say how a run that ended early was begun.
func (r recorded) next() string {
	_, err := os.Stat(filepath.Join(r.Directory, "report.html"))
	verb := "report"
	switch {
	case r.State == stateDamaged:
		verb = "repair"
	case r.State == rundir.StateRunning:
		verb = "status"
	case r.State == rundir.StateEnded:
		return cmp.Or(r.resume, "the command that began it goes on with it")
	case err == nil:
		verb = "show"
	}
	return wording.Shell("parley", verb, r.Directory)
}

// lacks says why resume is given.
func (r recorded) lacks() string {
	if r.State == rundir.StateEnded {
		return "ended early, " + r.ended + "; to go on"
	}
	return "has " + wording.Count(r.Failed, "debate") + " that could not be held; to ask again"
}

// tableOf has a row for each run.
func tableOf(list []recorded) table.Table {
	return table.New([]table.Column[recorded]{
		table.Left("run", func(r recorded) string { return r.Directory }),
		table.Left("asked", func(r recorded) string {
			if len(r.Tasks) > 2 {
				return wording.Count(len(r.Tasks), "task")
			}
			return strings.Join(r.Tasks, ", ")
		}),
		table.Left("model", func(r recorded) string { return r.Model }),
		table.Left("state", func(r recorded) string { return r.State }),
		table.Right("debates", func(r recorded) string {
			text := wording.Comma(r.Debates) + " of " + wording.Comma(r.Expected)
			if r.Failed > 0 {
				text += ", " + wording.Comma(r.Failed) + " failed"
			}
			return text
		}),
		table.Right("size", func(r recorded) string { return humanize.IBytes(uint64(r.Bytes)) }),
		table.Left("written", func(r recorded) string {
			if r.Written.IsZero() {
				return ""
			}
			return humanize.Time(r.Written)
		}),
		table.Left("next, on this directory", func(r recorded) string {
			if r.State == rundir.StateEnded && r.resume != "" {
				return "go on: see below"
			}
			return strings.TrimSuffix(r.Next, " "+wording.Shell(r.Directory))
		}),
	}, list)
}
