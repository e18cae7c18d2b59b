// Package download fetches files for people: it says what will come, shows how much is there, and how to go on.
package download

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/models/hub"
)

// Network is what commands that download say about it.
const Network = `It connects to the server of the address, those that it redirects to, and the proxy in HTTP_PROXY or
HTTPS_PROXY, where one is set (NO_PROXY has exceptions). HF_ENDPOINT replaces https://huggingface.co.
HF_TOKEN is sent to that server only, and neither printed nor recorded.

What arrives is kept in FILE.part, and gets its name when it is complete and its SHA-256 is the one
that was announced. After an interruption, the same command asks for the rest only, unless the file
has changed on the server.`

// Register adds the flags that all commands share which download.
func Register(cmd *cobra.Command, to *string, dry *bool) {
	flags.Text(cmd.Flags(), to, "to", "", "DIR", "", "directory for the files")
	cmd.Flags().BoolVar(dry, "dry-run", false, "say what would be downloaded, and download nothing")
}

// NewClient makes a client whose notices the user sees.
func NewClient(cmd command.Line) (*hub.Client, error) {
	client, err := hub.New()
	if err != nil {
		return nil, exit.Usage(err)
	}
	client.Notify = func(text string) { fmt.Fprintln(cmd.Err, "parley:", text) }
	return client, nil
}

// Announce prints what a plan will download, and refuses what does not fit on the disk.
func Announce(cmd command.Line, plan hub.Plan, note string) error {
	out := cmd.Out
	fmt.Fprintf(out, "%s\n  licence: %s\n", plan.Source, plan.Licence)
	if plan.Gated {
		fmt.Fprintln(out, "  gated: accept its conditions on its page first")
	}
	if note != "" {
		fmt.Fprintln(out, "  note:", note)
	}
	for _, f := range plan.Files {
		size, hash := "size not known", "nobody says which"
		if f.Size >= 0 {
			size = humanize.IBytes(uint64(f.Size))
		}
		if f.SHA256 != "" {
			hash = f.SHA256
		}
		fmt.Fprintf(out, "  %s: %s, SHA-256 %s\n", f.Path, size, hash)
	}
	dir := filepath.Dir(plan.Files[0].Path)
	if free, err := hub.Free(dir); err == nil {
		fmt.Fprintf(out, "  %s are free there\n", humanize.IBytes(uint64(free)))
	}
	return plan.CheckSpace()
}

// File gets a file with a bar. If it fails and a part is left, again is the command that goes on.
func File(cmd command.Line, client *hub.Client, f hub.File, again string) (hub.Got, error) {
	client.Progress = terminal.ShowBytes(cmd.Err, filepath.Base(f.Path))
	got, err := client.Get(cmd.Context, f)
	client.Progress(-1, -1)
	part, left := os.Stat(f.Path + ".part")
	switch {
	case errors.Is(err, hub.ErrHash):
		return got, exit.Input(err)
	case err != nil && left == nil && part.Size() > 0:
		fmt.Fprintf(cmd.Err, "parley: %s have arrived and are kept in %s.part; to go on: %s\n",
			humanize.IBytes(uint64(part.Size())), f.Path, again)
		return got, err
	case err != nil:
		return got, err
	}
	state := "as announced"
	if !got.Checked {
		state = "which nobody announced: not checked"
	}
	if got.Before {
		state += "; it was there already"
	}
	_, err = fmt.Fprintf(cmd.Out, "%s: %s, SHA-256 %s, %s\n", f.Path, humanize.IBytes(uint64(got.Bytes)),
		got.SHA256, state)
	return got, err
}

// Again is a command as it was typed, but for addresses that may hold a password.
func Again(cmd command.Line, address, to string) string {
	if strings.ContainsAny(address, "?") || strings.Contains(address, "@") && !strings.HasPrefix(address, "hf:") {
		return "repeat the command"
	}
	words := []string{cmd.Path, wording.Shell(address)}
	if to != "" {
		words = append(words, "--to", wording.Shell(to))
	}
	return strings.Join(words, " ")
}
