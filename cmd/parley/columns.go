package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate/answer"
)

// columnFlags say how to read a task file that belongs to no public benchmark.
type columnFlags struct{ columns, rule string }

func (f *columnFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.columns, "columns", "", "columns of your own data: a `LIST` such as "+
		"question=prompt,answer=gold,choices=A,B,C,D, or a .yaml file that names them (default those with "+
		"obvious names)")
	cmd.Flags().StringVar(&f.rule, "rule", "", "answer `RULE` of your own data: "+strings.Join(answer.Names(), ", ")+
		" (default the one that fits the answers)")
}

// ruled reports whether the flags name an answer rule.
func (f columnFlags) ruled() bool {
	m, err := f.mapping()
	return err == nil && m.Rule != ""
}

// mapping returns what the flags say of a file; the zero value if none is given.
func (f columnFlags) mapping() (m task.Mapping, err error) {
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

// load reads a task file as the flags say.
func (f columnFlags) load(file string) (task.Task, error) {
	m, err := f.mapping()
	if err != nil {
		return task.Task{}, exit.Usage(err)
	}
	t, err := m.Load(file)
	return t, exit.Input(err)
}
