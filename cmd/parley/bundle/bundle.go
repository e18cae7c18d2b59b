// Package bundle packs an experiment for a machine without a network: parley bundle.
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

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/bundle"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/chosen"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/docs"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/models"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	b := &Options{}
	cmd := &cobra.Command{
		Use:   "bundle --experiment NAME|FILE --out FILE",
		Short: "Pack an experiment with its model, data and this program, for a machine without a network",
		Long: `Writes one file that holds all that a run needs: this program, the models, the task files, the
experiment with its protocols, every prompt, and the documentation. parley unbundle checks and unpacks
it on the other machine and prints the command that runs the experiment; so do tar and sha256sum:

  mkdir lab && tar --zstd -xf FILE -C lab && cd lab && sha256sum -c SHA256SUMS

The other machine needs the same operating system and a CPU with the vector units that this program
was built for; parley unbundle tells if one is missing. make build ARCH=-march=x86-64-v3 builds a
program for most CPUs since 2013.`,
		Example: `  parley bundle --experiment madc-table1 --model qwen2.5-7b-instruct-q4_k_m.gguf \
    --data benchmarks --out madc.parley
  parley bundle --experiment madc-orders --small --out trial.parley`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(b, &b.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &b.experiment, "experiment", "e", "EXPERIMENT", "",
		"the experiment to pack, or a .yaml file with one")
	flags.Text(set, &b.model, "model", "m", "FILE", models.EmbeddedName,
		"GGUF file, or a name that parley models lists")
	flags.Text(set, &b.out, "out", "o", "FILE", "", "file to write")
	b.chosen.Register(set, "pack")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line       command.Line
	chosen     chosen.Experiment // what the other machine is to run
	model      string
	experiment string
	out        string

	parts []bundle.Part
	names map[string]string // in the bundle, by path
}

func run(b *Options) error {
	cmd := b.line
	if b.experiment == "" || b.out == "" {
		return exit.Usage(errors.New("parley bundle needs --experiment and --out; see parley bundle --help"))
	}
	if err := outfile.Check(bundle.Output(b.out)); err != nil {
		return exit.Usage(fmt.Errorf("--out: %w", err))
	}
	m, err := b.collect()
	if err != nil {
		return exit.Input(err)
	}
	add, end := terminal.AddBytes(cmd.Err, "packing", 2*b.size())
	m, err = bundle.Write(cmd.Context, b.out, m, b.parts, add)
	end()
	if err != nil {
		return err
	}
	info, err := os.Stat(b.out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Out, "%s: %s, %s of %s\non the other machine: parley unbundle %s\n", b.out,
		wording.Count(len(m.Parts), "file"), humanize.IBytes(uint64(info.Size())), humanize.IBytes(uint64(m.Size())),
		filepath.Base(b.out))
	return err
}

// collect lists everything that the run of the experiment reads.
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
	command := []string{"./parley", "run", "experiment.yaml", "--out", "run"}
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
	moved, err := e.Moved(func(path string, model bool) (string, error) {
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
	b.parts = append(b.parts, bundle.Part{Path: "experiment.yaml", What: bundle.ExperimentFile, Content: text})
	m = bundle.Manifest{Experiment: e.Name, Command: command, Program: bundle.Program{
		Version: program.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Features: program.Features()}}
	return m, b.addTexts(m)
}

// addModel adds all files of a model, and returns its name in the bundle. The embedded model is in the program.
func (b *Options) addModel(name string) (string, error) {
	if strings.EqualFold(cmp.Or(name, models.EmbeddedName), models.EmbeddedName) {
		return models.EmbeddedName, nil
	}
	from, err := models.Resolve(name)
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
`, m.Experiment, m.Program.Version, m.Program.Platform, command.Quote(m.Command...))
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

// size is the number of bytes to pack.
func (b *Options) size() (bytes int64) {
	for _, p := range b.parts {
		bytes += int64(len(p.Content))
		if info, err := os.Stat(p.From); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
