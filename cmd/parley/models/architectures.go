package models

import (
	"encoding/json"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// listArchitectures prints which of the architectures that Parley can name this build's llama.cpp knows. The question
// goes to the library itself, since a list of ours would be out of date after each upgrade.
func listArchitectures(cmd command.Line, asJSON bool) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"architecture", "this build"})
	word := map[bool]string{true: "yes", false: "no"}
	for _, name := range models.Architectures() {
		known, err := llamacpp.Knows(name)
		if err == nil && asJSON {
			err = json.NewEncoder(cmd.Out).Encode(struct {
				Architecture string `json:"architecture"`
				Known        bool   `json:"known"`
			}{name, known})
		}
		if err != nil {
			return err
		}
		t.AppendRow(table.Row{name, word[known]})
	}
	if !asJSON {
		fmt.Fprintln(cmd.Out, t.Render())
	}
	return nil
}
