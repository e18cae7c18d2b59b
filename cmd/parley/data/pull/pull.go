// Package pull downloads benchmark files: parley data pull.
package pull

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/download"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/taskfile"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/models/hub"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "pull [NAME...]",
		Short: "Download benchmark files",
		Long: `Downloads files of public benchmarks from where their authors publish them. Without a name, lists what
there is, with licences. First says licence, size, SHA-256 and where the file will be: in NAME below
$XDG_DATA_HOME/parley/data (~/.local/share/parley/data), or below the directory of --to. "pinned" files
are refused unless they have the SHA-256 that Parley knows; of others, the SHA-256 that arrived is
printed. Each file is read as parley data reads it.

` + download.Network,
		Example: `  parley data pull
  parley data pull gsm8k math500
  parley run du-gsm8k --model MODEL.gguf --data ~/.local/share/parley/data --out RUN`,
		ValidArgsFunction: completePublished,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	download.Register(cmd, &o.to, &o.dry)
	cmd.Flags().BoolVar(&o.json, "json", false, "without a name: print one JSON line per file")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	to   string
	dry  bool
	json bool
}

// run lists the files that there are, or downloads some.
func run(o *Options) error {
	names := o.line.Args
	all, err := task.AllPublished()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return listPublished(o.line, all, o.to, o.dry, o.json)
	}
	files, unknown := task.PublishedNamed(all, names...)
	switch {
	case len(unknown) > 0:
		return exit.Usage(fmt.Errorf("no benchmark file is called %s; parley data pull lists their names",
			strings.Join(unknown, ", ")))
	case o.json:
		return exit.Usage(errors.New("--json has no effect with a name"))
	case o.to == "" && stores.OwnData() == "":
		return exit.Usage(errors.New("there is no home directory: name a directory with --to"))
	case o.to == "":
		o.to = filepath.Join(stores.OwnData(), "data")
	}
	return pullData(o.line, files, o.to, o.dry)
}

// listPublished lists all files that can be downloaded. It refuses flags that need a
// name.
func listPublished(cmd command.Line, all []task.Published, to string, dry, asJSON bool) error {
	if to != "" || dry {
		return exit.Usage(errors.New("--to and --dry-run have no effect without a name"))
	}
	if asJSON {
		return command.PrintEach(json.NewEncoder(cmd.Out), all)
	}
	return terminal.WriteTabbed(cmd.Out, func(w io.Writer) {
		for _, p := range all {
			pinned := "not pinned"
			if p.SHA256 != "" {
				pinned = "pinned"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n\t  %s\n", p.Name, p.Family, p.Licence, pinned, p.URL)
		}
	})
}

// pullData downloads files, each into a directory of its own, and reads them.
func pullData(cmd command.Line, files []task.Published, to string, dry bool) error {
	client, err := download.NewClient(cmd)
	if err != nil {
		return err
	}
	defer client.Close()
	var paths []string
	for _, p := range files {
		f, err := hub.NewFile(p.URL, filepath.Join(to, p.Name, p.File), p.SHA256)
		if err == nil {
			err = client.Size(cmd.Context, &f)
		}
		if err != nil {
			return err
		}
		plan := hub.Plan{Source: p.Name + ": " + p.URL, Licence: p.Licence, Files: []hub.File{f}}
		if err := download.Announce(cmd, plan, p.Note); err != nil {
			return err
		}
		if dry {
			continue
		}
		f.SHA256 = p.SHA256 // what a server announces is compared with what arrives, but pins nothing
		if _, err := download.File(cmd, client, f, download.Again(cmd, p.Name, to)); err != nil {
			return err
		}
		if p.SHA256 == "" {
			fmt.Fprintln(cmd.Out, "  not pinned: Parley does not know which SHA-256 the file should have")
		}
		paths = append(paths, f.Path)
	}
	if dry {
		return nil
	}
	return taskfile.Check(cmd.Out, paths, task.Mapping{}, false)
}

// completePublished completes names of benchmark files.
func completePublished(_ *cobra.Command, _ []string, _ string) (names []string, how cobra.ShellCompDirective) {
	all, _ := task.AllPublished() // a shell is told nothing
	for _, p := range all {
		names = append(names, p.Name+"\t"+p.Licence)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
