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

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/docs"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// collect lists everything that the run of the experiment reads, and returns the command that runs it. Paths in the
// packed experiment are rewritten to names inside the bundle, so that the command works wherever it is unpacked.
func (b *Options) collect() (command []string, err error) {
	b.names = make(map[string]string)
	e, err := b.chosen.Load(b.experiment, strings.EqualFold(b.model, models.EmbeddedName))
	if err != nil {
		return nil, err
	}
	if e, err = e.With(experiment.Changes{Only: b.chosen.Only}); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b.parts = []part{{path: "parley", from: self, mode: 0o755}}
	command = []string{"./parley", "run", experiment.File, "--out", "run"}
	model, err := b.addModel(b.model)
	if err != nil {
		return nil, err
	}
	command = append(command, "--model", model)
	files, err := e.TaskFiles(b.chosen.Searched())
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		command = append(command, "--task", name+"="+b.add("data", files[name]))
	}
	moved, err := e.MoveFiles(func(path string, model bool) (string, error) {
		if model {
			return b.addModel(path)
		}
		return b.add("protocols", path), nil
	})
	if err != nil {
		return nil, err
	}
	text, err := moved.YAML()
	if err != nil {
		return nil, err
	}
	b.addText(experiment.File, text)
	b.parts = slices.Insert(b.parts, 0, part{path: readmeName, content: readme(e.Name, command), mode: 0o644})
	return command, errors.Join(b.addAll("docs", docs.Pages), b.addAll("prompts", prompts.Files))
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
	return b.add("models", models.Parts(from)...), nil
}

// add adds files that belong together once, below a directory of the bundle, and returns the name of the first there.
func (b *Options) add(dir string, files ...string) string {
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
		b.parts = append(b.parts, part{path: path.Join(within, filepath.Base(f)), from: f, mode: 0o644})
	}
	b.names[key] = path.Join(within, filepath.Base(files[0]))
	return b.names[key]
}

// has reports whether a name is taken: a part of the bundle has it or lies below it, or it lies below a part. Upper and
// lower case are the same.
func (b *Options) has(name string) bool {
	name = strings.ToLower(name) + "/"
	return slices.ContainsFunc(b.parts, func(p part) bool {
		other := strings.ToLower(p.path) + "/"
		return strings.HasPrefix(name, other) || strings.HasPrefix(other, name)
	})
}

// readme is the page that says what to do with the bundle of an experiment.
func readme(name string, command []string) []byte {
	return fmt.Appendf(nil, `The experiment %s, packed by parley %s for %s.
The program needs a CPU with %s.

To check these files:     sha256sum -c SHA256SUMS
To run the experiment:    %s
To read about parley:     docs/structure.md, ./parley --help
What is said to models:   prompts/
`, name, program.Version(), runtime.GOOS+"/"+runtime.GOARCH, strings.Join(program.Features(), ", "),
		wording.Shell(command...))
}

// addText adds a document under its name in the bundle.
func (b *Options) addText(name string, text []byte) {
	b.parts = append(b.parts, part{path: name, content: text, mode: 0o644})
}

// addAll adds documents below a directory of the bundle.
func (b *Options) addAll(dir string, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		b.addText(path.Join(dir, name), text)
		return err
	})
}

// size returns the number of bytes to pack. A file that cannot be examined counts nothing here; packing reports it.
func (b *Options) size() (bytes int64) {
	for _, p := range b.parts {
		bytes += int64(len(p.content))
		if info, err := os.Stat(p.from); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
