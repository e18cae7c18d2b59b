package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/standard"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestEveryFlagIsTyped: each flag of each command stands in a script or in another test of its command, so that a new
// one without a test fails. Those of engines and of how agents are asked are one for all commands.
func TestEveryFlagIsTyped(t *testing.T) {
	var lines []string
	for _, pattern := range []string{"testdata/*.txtar", "*_test.go", "../../README.md",
		"../../docs/guide/*.md", "*/*_test.go", "*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v, want files", pattern, files, err)
		}
		for _, file := range files {
			text := datatest.Read(t, file)
			lines = append(lines, strings.Split(string(text), "\n")...)
		}
	}
	shared := &cobra.Command{}
	(&runner.Runner{}).Register(shared.Flags()) // and those of engines
	(&flags.Asking{}).Register(shared.Flags())
	for name, flags := range flagValues {
		for _, flag := range flags {
			lines = append(lines, name+" "+flag)
		}
	}
	for flag := range flagsElsewhere {
		lines = append(lines, flag)
	}
	society := &cobra.Command{} // of compare, which a demo is too
	(&standard.Comparison{}).Register(society.Flags())
	all := commands(cli.New())
	run := all[slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "run" })] // which a referee is
	for _, cmd := range all {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			command := cmd.Name()
			if command == "referee" && run.LocalNonPersistentFlags().Lookup(f.Name) != nil {
				command = "run"
			}
			if f.Name != "help" && !typed(lines, command, f, shared.Flags().Lookup(f.Name) != nil ||
				cmd.Name() == "demo" && society.Flags().Lookup(f.Name) != nil) {
				t.Errorf("no test types parley %s --%s, want one", cmd.Name(), f.Name)
			}
		})
	}
}

func commands(root *cobra.Command) (all []*cobra.Command) {
	for _, cmd := range root.Commands() {
		all = append(append(all, cmd), commands(cmd)...)
	}
	return all
}

// typed reports whether a line has the flag, and its command unless the flag is one for all.
func typed(lines []string, command string, f *pflag.Flag, common bool) bool {
	long := regexp.MustCompile(`--` + regexp.QuoteMeta(f.Name) + `\b`)
	short := regexp.MustCompile(`[ "]-` + regexp.QuoteMeta(f.Shorthand) + `[ "]`)
	for _, line := range lines {
		if (common || strings.Contains(line, command)) &&
			(long.MatchString(line) || f.Shorthand != "" && short.MatchString(line)) {
			return true
		}
	}
	return false
}

// flagsTried are command lines that each flag is added to, in the order of the table below.
var flagsTried = map[string]string{
	"compare": "compare --details --generated 2 --conditions single --agents 2 --max-tokens 12",
	"debate":  "debate --agents 3 --max-tokens 12 --order random",
}

// flagValues are tried on them: whatever is printed, recorded or planned has to change.
var flagValues = map[string][]string{
	"compare": {"--min-p 0.3", "--repeat-penalty 1.9", "--top-k 2", "--top-p 0.3", "--temperature 0", "--seed 4",
		"--max-tokens 5", "--agents 3", "--rounds 1", "--prompts madc-zero",
		"--reading paper", "--repeats 2", "--protocols lesson", "--conditions vote", "--threads 2", "--parallel 2",
		"--context 4096", "--speculate=false", "--kernels plain",
		"--mode reproducible", "--kv q8_0", "--generated 3", "--objects 5", "--questions 1"},
	"debate": {"--layout shared", "--reading paper", "--show answers", "--until agreement", "--decide first",
		"--topology ring", "--order fixed", "--rounds 1", "--agents 2", "--prompts madc-zero",
		"--protocol ring", "--set memory=1", "--seed 5"},
}

// flagsElsewhere are tried where they do something: by the tests of what they are passed to.
var flagsElsewhere = map[string]string{
	"bench --peer-expert": "another program", "bench --peer-flags": "another program",
	"bench --peer-in-flight": "another program",
	"import --task":          "bench/importer", "score --task": "bench", "synth --threads": "inference/llamacpp",
	"similarity --threads": "inference",
}

// TestFlagsAreObeyed adds each flag to a command that has an occasion for it.
func TestFlagsAreObeyed(t *testing.T) {
	parleytest.WarmCache(t)
	for name, base := range flagsTried {
		without := printed(t, name, base)
		if printed(t, name, base) != without {
			t.Fatalf("%s: it is not the same twice, so that nothing can be seen", base)
		}
		for _, flag := range flagValues[name] {
			with := strings.Join(parleytest.Instead(strings.Fields(base), strings.Fields(flag)...), " ")
			if strings.HasPrefix(flag, "--conditions") {
				with = base + " " + flag // a list, which grows
			}
			t.Run(name+" "+flag, func(t *testing.T) {
				t.Parallel()
				if printed(t, name, with) == without {
					t.Errorf("%s prints what is printed without it, want a difference", with)
				}
			})
		}
	}
}

// printed is all that a command line prints and records, but for times and places.
func printed(t *testing.T, command, line string) string {
	t.Helper()
	args, out := strings.Fields(line), filepath.Join(t.TempDir(), "out")
	if command == "compare" {
		args = append(args, "--out", out)
	} else {
		args = append(args, "--transcript", out, parleytest.Slippery)
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Run(args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("%s: exit %d: %s, want 0", line, code, stderr.String())
	}
	if text, err := os.ReadFile(out); err == nil {
		return stdout.String() + string(text)
	}
	text := strings.Split(stderr.String(), "generations, debates")[0]
	plan := regexp.MustCompile(`(?m)^plan .*$`).FindString(text)
	plan = regexp.MustCompile(` of [0-9.]+ [GM]iB free`).ReplaceAllString(plan, "")
	for _, journal := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
		plan += strings.Join(parleytest.Records(t, filepath.Join(out, journal)), "")
	}
	return plan
}
