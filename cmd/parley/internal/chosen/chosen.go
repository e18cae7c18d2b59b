// Package chosen has the flags that choose an experiment, its tasks, and their files.
package chosen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

// Experiment has the flags that choose what of an experiment is run or packed, and where its files are.
type Experiment struct {
	data  []string
	files map[string]string
	Only  []string
	team  map[string]string
	Small bool
}

// Register adds the flags; does says in the help what the command does with tasks.
func (c *Experiment) Register(set *pflag.FlagSet, does string) {
	flags.List(set, &c.data, "data", "DIRS", "directories to search for task files (default data, and $PARLEY_DATA)")
	flags.List(set, &c.Only, "only", "TASKS", "tasks to "+does+" (default all)")
	flags.Pairs(set, &c.team, "team", "ROLE=FILE", "the model for the members of teams with ROLE")
	set.BoolVar(&c.Small, "small", false, does+" the experiment's small version")
}

// RegisterTask adds the flag that names the file of a task.
func (c *Experiment) RegisterTask(set *pflag.FlagSet) {
	flags.Pairs(set, &c.files, "task", "NAME=FILE", "use FILE for task NAME instead of searching")
}

// Load reads the experiment, with all of its tasks and the models of its roles. embedded tells that the embedded model
// runs it.
func (c *Experiment) Load(name string, embedded bool) (e experiment.Experiment, err error) {
	if e, err = experiment.Load(name); err != nil {
		return e, err
	}
	if e, err = e.With(experiment.Changes{Models: c.team}); err != nil {
		return e, err
	}
	if c.Small {
		if e, err = e.Miniature(embedded); err != nil {
			return e, err
		}
	}
	if roles := e.Unfilled(); len(roles) > 0 {
		return e, fmt.Errorf("experiment %s leaves open which models play the roles of its teams: name a GGUF file "+
			"for each, as in parley run %s --team %s=FILE", e.Name, name, strings.Join(roles, "=FILE --team "))
	}
	return e, nil
}

// Read has a task read a file that is not searched for.
func (c *Experiment) Read(task, file string) {
	if c.files == nil {
		c.files = make(map[string]string)
	}
	c.files[task] = file
}

// Searched says where to look for task files.
func (c *Experiment) Searched() experiment.Data {
	d := experiment.Data{Directories: c.data, Files: c.files}
	if len(d.Directories) == 0 {
		d.Directories = append([]string{"data"}, filepath.SplitList(os.Getenv("PARLEY_DATA"))...)
	}
	return d
}
