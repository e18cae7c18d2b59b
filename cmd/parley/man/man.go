// Package man writes manual pages: parley man.
package man

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/internal/outfile"
)

// New makes the command. It has no options to hand to a test: its only argument is the directory.
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of all commands into a directory",
		Long: `Writes one page of section 1 for each command, as help shows it: parley.1, parley-run.1 and so on.
Packages of parley have them already. To read one: man DIR/parley-run.1`,
		Args: flags.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return exit.Input(err)
			}
			date := program.Date() // so that the same program writes the same pages
			header := &doc.GenManHeader{Title: "PARLEY", Section: "1", Source: "parley", Manual: "Parley", Date: &date}
			root := cmd.Root()
			nameFlagValues(root)
			root.DisableAutoGenTag = true
			fresh, err := os.MkdirTemp(dir, ".parley-*")
			if err != nil {
				return exit.Input(err)
			}
			defer os.RemoveAll(fresh)
			if err := doc.GenManTree(root, header, fresh); err != nil {
				return err
			}
			pages, err := movePages(fresh, dir)
			if err != nil {
				return exit.Input(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s\n", pages, dir)
			return err
		},
	}
}

// nameFlagValues has the pages show what the value of a flag is called, which they take from its text alone.
func nameFlagValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(interface{ Unwrap() pflag.Value }); ok {
			f.Usage, f.Value = "`"+f.Value.Type()+"`: "+f.Usage, v.Unwrap()
		}
	})
	for _, below := range cmd.Commands() {
		nameFlagValues(below)
	}
}

// movePages moves all pages, or none if one would take the place of a file that is no page of parley.
func movePages(from, to string) (pages int, err error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return 0, err
	}
	kind := outfile.Kind{Name: "manual page of parley", Ours: outfile.Opening(`\.nh\n\.TH "PARLEY" `)}
	page := func(e os.DirEntry) outfile.File { return outfile.File{Kind: kind, Path: filepath.Join(to, e.Name())} }
	for _, e := range entries {
		if err := outfile.Check(page(e)); err != nil {
			return 0, err
		}
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = page(e).Write(text)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}
