package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/bundle"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/docs"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// collect lists everything that the run of the experiment reads. Paths in the packed experiment are rewritten to names
// inside the bundle, so that the command works wherever the bundle is unpacked.
func (b *Options) collect() (m bundle.Manifest, err error) {
	b.names = make(map[string]string)
	e, err := b.chosen.Load(b.experiment, strings.EqualFold(b.model, models.EmbeddedName))
	if err != nil {
		return m, err
	}
	if e, err = e.With(experiment.Changes{Only: b.chosen.Only}); err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	b.parts = append(b.parts, bundle.Part{Path: "parley", What: bundle.ProgramFile, From: self})
	command := []string{"./parley", "run", experiment.File, "--out", "run"}
	model, err := b.addModel(b.model)
	if err != nil {
		return m, err
	}
	command = append(command, "--model", model)
	files, err := e.TaskFiles(b.chosen.Searched())
	if err != nil {
		return m, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		command = append(command, "--task", name+"="+b.add("data", bundle.TaskFile, files[name]))
	}
	moved, err := e.MoveFiles(func(path string, model bool) (string, error) {
		if model {
			return b.addModel(path)
		}
		return b.add("protocols", bundle.ExperimentFile, path), nil
	})
	if err != nil {
		return m, err
	}
	text, err := moved.YAML()
	if err != nil {
		return m, err
	}
	b.parts = append(b.parts, bundle.Part{Path: experiment.File, What: bundle.ExperimentFile, Content: text})
	m = bundle.Manifest{Experiment: e.Name, Command: command, Program: bundle.Program{
		Version: program.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Features: program.Features()}}
	return m, b.addTexts(m)
}

// addModel adds all files of a model, and returns its name in the bundle. The embedded model is in the program.
func (b *Options) addModel(name string) (string, error) {
	if strings.EqualFold(cmp.Or(name, models.EmbeddedName), models.EmbeddedName) {
		return models.EmbeddedName, nil
	}
	from, err := stores.Resolve(name)
	if err != nil {
		return "", err
	}
	if _, err := models.Inspect(from); err != nil {
		return "", err
	}
	return b.add("models", bundle.ModelFile, models.Parts(from)...), nil
}

// add adds files that belong together once, below a directory of the bundle, and returns the name of the first there.
func (b *Options) add(dir string, what bundle.Kind, files ...string) string {
	key := files[0]
	if resolved, err := filepath.EvalSymlinks(key); err == nil {
		key = resolved
	}
	if b.names[key] != "" {
		return b.names[key]
	}
	within := dir
	taken := func(file string) bool { return b.has(path.Join(within, filepath.Base(file))) }
	for n := 2; slices.ContainsFunc(files, taken); n++ {
		within = path.Join(dir, strconv.Itoa(n))
	}
	for _, f := range files {
		b.parts = append(b.parts, bundle.Part{Path: path.Join(within, filepath.Base(f)), What: what, From: f})
	}
	b.names[key] = path.Join(within, filepath.Base(files[0]))
	return b.names[key]
}

// has reports whether a part of the bundle has a name, or one that differs from it in upper and lower case alone.
func (b *Options) has(name string) bool {
	return slices.ContainsFunc(b.parts, func(p bundle.Part) bool { return strings.EqualFold(p.Path, name) })
}

// addTexts adds every prompt of the program, the documents, and a page that says what to do.
func (b *Options) addTexts(m bundle.Manifest) error {
	readme := fmt.Sprintf(`The experiment %s, packed by parley %s for %s.

To check these files:     sha256sum -c SHA256SUMS
To run the experiment:    %s
To read about parley:     docs/structure.md, ./parley --help
What is said to models:   prompts/
`, m.Experiment, m.Program.Version, m.Program.Platform, wording.Shell(m.Command...))
	b.parts = append(b.parts, bundle.Part{Path: "README.txt", What: bundle.Documentation, Content: []byte(readme)})
	return errors.Join(b.addAll("docs", docs.Pages), b.addAll("prompts", prompts.Files))
}

// addAll adds documents below a directory of the bundle.
func (b *Options) addAll(dir string, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		b.parts = append(b.parts, bundle.Part{Path: path.Join(dir, name), What: bundle.Documentation, Content: text})
		return err
	})
}

// size returns the number of bytes to pack, of which each is read twice: for its sum and for the archive. A file that
// cannot be examined counts nothing here; packing reports it.
func (b *Options) size() (bytes int64) {
	for _, p := range b.parts {
		bytes += int64(len(p.Content))
		if info, err := os.Stat(p.From); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
