package flags

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate/answer"
)

// Columns has the flags that say how to read a task file that belongs to no public benchmark.
type Columns struct{ columns, rule string }

// Register adds the flags.
func (f *Columns) Register(set *pflag.FlagSet) {
	Text(set, &f.columns, "columns", "", "LIST", "", "columns of your own data: a list such as "+
		"question=prompt,answer=gold,choices=A,B,C,D, or a .yaml file that names them (default those with "+
		"obvious names)")
	Text(set, &f.rule, "rule", "", "RULE", "", "answer rule of your own data: "+strings.Join(answer.Names(), ", ")+
		" (default the one that fits the answers)")
}

// Ruled reports whether the flags name an answer rule.
func (f Columns) Ruled() bool {
	m, err := f.Mapping()
	return err == nil && m.Rule != ""
}

// Mapping returns what the flags say of a file; the zero value if none is given.
func (f Columns) Mapping() (m task.Mapping, err error) {
	if f.columns != "" {
		if m, err = task.ParseMapping(f.columns); err != nil {
			return m, err
		}
	}
	if f.rule != "" && m.Rule != "" {
		return m, errors.New("the file of --columns has a rule already: leave out --rule")
	}
	if f.rule != "" {
		m.Rule = f.rule
	}
	return m, m.Check()
}

// Load reads a task file as the flags say.
func (f Columns) Load(file string) (task.Task, error) {
	m, err := f.Mapping()
	if err != nil {
		return task.Task{}, exit.Usage(err)
	}
	t, err := m.Load(file)
	return t, exit.Input(err)
}
