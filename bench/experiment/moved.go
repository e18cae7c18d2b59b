package experiment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-debate/parley/debate/protocol"
)

// MoveFiles returns the experiment for another directory: with the names that place gives to the protocols and the
// models of teams that are files. place is called with the path of each; models are visited as the file names them,
// with "model" true. A protocol that is a file may not name models itself.
func (e Experiment) MoveFiles(place func(path string, model bool) (string, error)) (Experiment, error) {
	var failed error
	move := func(path string, model bool) string {
		name, err := place(path, model)
		if failed == nil {
			failed = err
		}
		return name
	}
	models := e.Models
	e.Models, e.Conditions = maps.Clone(e.Models), slices.Clone(e.Conditions)
	for i, c := range e.Conditions {
		if path := resolve(e.dir, c.Protocol); isYAML(path) {
			p, err := protocol.LoadProtocol(path)
			if err != nil {
				return e, err
			}
			if err := p.EachModel(func(name string) error {
				return fmt.Errorf("protocol %q names the model %s: name it under models in the experiment", path, name)
			}); err != nil {
				return e, err
			}
			c.Protocol = move(path, false)
		}
		e.Conditions[i] = c.renameModels(func(name string) string {
			if _, role := models[name]; role {
				return name
			}
			return move(protocol.Beside(e.dir, name), true)
		})
	}
	for _, role := range slices.Sorted(maps.Keys(models)) { // in one order, so that one experiment gives one bundle
		if model := models[role]; model != "" {
			e.Models[role] = move(protocol.Beside(e.dir, model), true)
		}
	}
	e.dir, e.text = "", nil
	return e, failed
}
