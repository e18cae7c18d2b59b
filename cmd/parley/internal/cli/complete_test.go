package cli_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
)

// offered are the values that a shell offers for the last word of a line, without their meanings.
func offered(t *testing.T, words ...string) (values []string) {
	t.Helper()
	code, stdout, stderr := parleytest.Ran(append([]string{"__complete"}, words...)...)
	if code != 0 {
		t.Fatalf("%q: exit %d: %s, want 0", words, code, stderr)
	}
	for line := range strings.Lines(stdout) {
		if value, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(value, ":") {
			values = append(values, value)
		}
	}
	return values
}

// TestCompletion offers the names of everything that has names, wherever they can be typed.
func TestCompletion(t *testing.T) {
	var protocols, experiments []string
	for _, p := range protocol.Protocols() {
		protocols = append(protocols, p.Name)
	}
	for _, e := range experiment.List() {
		experiments = append(experiments, e.Name)
	}
	var settings, tasks []string
	table, err := experiment.Load("madc-table1")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range table.Tasks {
		tasks = append(tasks, task.Name)
	}
	for _, s := range debate.SettingNames() {
		if s != "form" {
			settings = append(settings, s+"=")
		}
	}
	for _, c := range []struct {
		line string // the last word is the one that is typed
		want []string
	}{
		{"debate --show ", protocol.ValuesOf("show", protocol.Parts())},
		{"debate --order truth-l", []string{"truth-last", "truth-last-mispaired"}},
		{"debate --protocol ", protocols},
		{"debate --set ", settings},
		{"debate --set layout=", []string{"layout=history", "layout=shared", "layout=anonymous", "layout=marked"}},
		{"debate --answer ", answer.Names()},
		{"debate --kv ", []string{"f16", "q8_0"}},
		{"compare --conditions single,vo", []string{"single,vote"}},
		{"compare --protocols madc,tit-for-tat-s", []string{"madc,tit-for-tat-swapped"}},
		{"compare --stop-when sing", []string{"single"}},
		{"run ", experiments},
		{"run madc-table1 --only ", tasks},
		{"experiments mallm-challenge-f", []string{"mallm-challenge-facts"}},
		{"protocols tit-for-tat-s", []string{"tit-for-tat-swapped"}},
		{"stat", []string{"stats", "status"}},
		{"run madc-table1 --quest", []string{"--questions"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			got := offered(t, strings.Split(c.line, " ")...)
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(slices.Compact(got), want) {
				t.Errorf("%q: got %q, want %q", c.line, got, want)
			}
		})
	}
}

// TestHelpNamesValues: help shows what a flag takes in the user's words, such as FILE, and no type of Go.
func TestHelpNamesValues(t *testing.T) {
	parleytest.EachCommand(cli.New(), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name := f.Value.Type()
			if name != "bool" && (name == "" || name != strings.ToUpper(name) || strings.Contains(f.Usage, "`")) {
				t.Errorf("%s --%s takes %q (%s): let its type name the value in capitals", c.CommandPath(), f.Name,
					name,
					f.Usage)
			}
		})
	})
}

// TestCompletionOfRecords offers the conditions and questions that a run has.
func TestCompletionOfRecords(t *testing.T) {
	parleytest.NeedsLlama(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, stderr := parleytest.Ran("compare", "--generated", "2", "--conditions", "single", "--max-tokens", "2",
		"--out",
		dir); code != 0 {
		t.Fatalf("exit %d: %s, want 0", code, stderr)
	}
	for flag, want := range map[string][]string{"--condition": {"single", "mad"},
		"--case": {"generated_3_objects/1/1", "generated_3_objects/1/2"}} {
		if got := offered(t, "show", dir, flag, ""); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", flag, got, want)
		}
	}
	if got := offered(t, "show", "nowhere", "--case", ""); len(got) > 0 {
		t.Errorf("a run that does not exist offers %q, want nothing", got)
	}
}
