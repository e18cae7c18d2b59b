package models

import (
	"encoding/json"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// listArchitectures prints which of the architectures that Parley can name this build's llama.cpp knows. The question
// goes to the library itself, since a list of ours would be out of date after each upgrade.
func listArchitectures(cmd command.Line, asJSON bool) error {
	g := table.Grid{Heads: []string{"ARCHITECTURE", "THIS BUILD"}}
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
		g.Rows = append(g.Rows, []string{name, word[known]})
	}
	if asJSON {
		return nil
	}
	return terminal.Show(cmd.Out, g)
}
