package experiment

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

// File is the name of the experiment's file in the directory of its runs, and in a bundle.
const File = "experiment.yaml"

// IsDirectory reports whether a directory is that of an experiment. The copy of the experiment's file tells it, not its
// runs: a directory in which no task has been run is one too.
func IsDirectory(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, File))
	return err == nil
}

//go:embed experiments/*.yaml
var files embed.FS

// fileOf returns the path of an embedded experiment.
func fileOf(name string) string { return "experiments/" + name + ".yaml" }

// List returns every embedded experiment, sorted by name.
func List() []Experiment { return slices.Clone(embedded()) }

// embedded parses the files once.
var embedded = sync.OnceValue(func() (all []Experiment) {
	names, err := fs.Glob(files, "experiments/*.yaml")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		e, err := Parse(text)
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		if fileOf(e.Name) != name {
			panic(fmt.Errorf("%s: the experiment in it is called %s", name, e.Name))
		}
		all = append(all, e)
	}
	return all
})

// Load finds an embedded experiment by its name, or reads one from a path that ends in .yaml or .yml.
func Load(name string) (Experiment, error) {
	if isYAML(name) {
		return read(name)
	}
	if text, err := files.ReadFile(fileOf(name)); err == nil {
		return Parse(text)
	}
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return Experiment{}, unknown.Listed("experiment", name, names, "parley experiments", "or name a .yaml file")
}

// read reads a file. Protocols and models that it names are looked for beside it first.
func read(path string) (Experiment, error) {
	text, err := strictyaml.ReadFile(path)
	if err != nil {
		return Experiment{}, fmt.Errorf("experiment: %w", err)
	}
	e, err := parse(text, filepath.Dir(path))
	if err != nil {
		return e, fmt.Errorf("experiment %q: %w", path, err)
	}
	return e, nil
}

// Parse reads an experiment. It refuses whatever is unknown, contradictory or missing, and shows the line.
func Parse(text []byte) (Experiment, error) { return parse(text, "") }

// parse reads and checks an experiment; what dir is: see resolve. On an error, the experiment has what was read.
func parse(text []byte, dir string) (Experiment, error) {
	e := Experiment{text: text, dir: dir}
	if err := strictyaml.Unmarshal(text, &e); err != nil {
		return e, err
	}
	return e, e.check()
}

// YAML returns the experiment as a file that Parse reads and that means the same in any directory: protocols and models
// that are files next to the original get absolute paths.
func (e Experiment) YAML() ([]byte, error) {
	dir := e.dir
	if dir != "" {
		var err error
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	e.Conditions = slices.Clone(e.Conditions)
	beside := func(model string) string { return e.beside(dir, model) }
	for i, c := range e.Conditions {
		c.Protocol = resolve(dir, c.Protocol)
		e.Conditions[i] = c.renameModels(beside)
	}
	e.Models = maps.Clone(e.Models)
	for role, model := range e.Models {
		e.Models[role] = protocol.Beside(dir, model)
	}
	return yaml.MarshalWithOptions(e, yaml.Indent(2), yaml.IndentSequence(true))
}

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

// Text returns the text of the file with its comments, or nil if the experiment was changed since.
func (e Experiment) Text() []byte { return e.text }

// resolve returns the path of a protocol that an experiment in dir names: next to the experiment, if it exists there,
// else as it is named. A name that is not of a YAML file stays as it is.
func resolve(dir, name string) string {
	if !isYAML(name) {
		return name
	}
	return protocol.Beside(dir, name)
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}
