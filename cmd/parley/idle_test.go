package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/standard"
)

// TestIdleFlags: a flag that could not be obeyed is refused before anything is opened, and the error names it.
func TestIdleFlags(t *testing.T) {
	facts := filepath.Join(t.TempDir(), "facts.txt")
	if err := os.WriteFile(facts, []byte("One is less than two."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"compare --generated 2 !--stop-every 5", "demo !--calibrate 3s", "compare --generated 2 !--details --json",
		"run madc-table1 !--details --dry-run", "run madc-table1 !--columns question=q",
		"run madc-table1 !--rule number",
		"run madc-table1 !--data . --on x", "run madc-table1 !--only math500 --on x",
		"run madc-table1 !--task math500=x --on x",
		"score x !--list --json", "score x !--details --json", "diff x y !--list --json", "debate !--device CUDA0 q",
		"replay x y !--device CUDA0", "bench !--device CUDA0",
		"compare --task x.json !--objects 5", "compare --power 0.1 !--generated 5", "compare --power 0.1 !--agents 5",
		"compare --generated 2 !--columns question=q", "compare --generated 2 !--rule number",
		"import --from du x !--columns question=q", "data !--columns question=q", "data !--rule number",
		"experiments --schema !--json", "experiments --schema !madc-table1",
		"show x !--width 80 --messages", "show " + facts + " !--case 1", "debate !--facts " + facts + " q",
		"debate !--wrong (B) q",
		"debate --protocol lesson !--answer letter q", "debate --protocol knights !--answer letter q",
		"debate !--kernels parley --gpu-layers 1 q",
		"debate --protocol ablation !--agents 5 q", "debate --protocol dmad !--agents 2 q",
		"debate --protocol consensus-majority --set !vote-from=2 q",
	} {
		t.Run(line, func(t *testing.T) {
			_, flag, _ := strings.Cut(line, "!")
			flag = strings.TrimPrefix(regexp.MustCompile("[ =]").Split(flag, 2)[0], "--")
			if flag == "agents" && strings.Contains(line, "dmad") {
				flag = "a team of 3 members for a debate of 2"
			}
			var stderr bytes.Buffer
			if code := parley(strings.Fields(strings.ReplaceAll(line, "!", "")), nil, io.Discard,
				&stderr); code != exit.CodeUsage || !strings.Contains(stderr.String(), flag) {
				t.Errorf("%s: exit %d: %s, want %v and %q in it", line, code, stderr.String(), exit.CodeUsage, flag)
			}
		})
	}
}

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
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
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
	for _, cmd := range commands(newRoot()) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !typed(lines, cmd, f, shared.Flags().Lookup(f.Name) != nil ||
				cmd.Name() == "demo" && society.Flags().Lookup(f.Name) != nil) {
				t.Errorf("parley %s --%s: no test types it", cmd.Name(), f.Name)
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
func typed(lines []string, cmd *cobra.Command, f *pflag.Flag, common bool) bool {
	long := regexp.MustCompile(`--` + regexp.QuoteMeta(f.Name) + `\b`)
	short := regexp.MustCompile(`[ "]-` + regexp.QuoteMeta(f.Shorthand) + `[ "]`)
	for _, line := range lines {
		if (common || strings.Contains(line, cmd.Name())) &&
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
	warmCache(t)
	for name, base := range flagsTried {
		without := printed(t, name, base)
		if printed(t, name, base) != without {
			t.Fatalf("%s: it is not the same twice, so that nothing can be seen", base)
		}
		for _, flag := range flagValues[name] {
			with := strings.Join(instead(strings.Fields(base), strings.Fields(flag)...), " ")
			if strings.HasPrefix(flag, "--conditions") {
				with = base + " " + flag // a list, which grows
			}
			t.Run(name+" "+flag, func(t *testing.T) {
				t.Parallel()
				if printed(t, name, with) == without {
					t.Errorf("%s: nothing changes", with)
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
		args = append(args, "--transcript", out, slippery)
	}
	var stdout, stderr bytes.Buffer
	if code := parley(args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("%s: exit %d: %s, want 0", line, code, stderr.String())
	}
	if text, err := os.ReadFile(out); err == nil {
		return stdout.String() + string(text)
	}
	text := strings.Split(stderr.String(), "generations, debates")[0]
	plan := regexp.MustCompile(`(?m)^plan .*$`).FindString(text)
	plan = regexp.MustCompile(` of [0-9.]+ [GM]iB free`).ReplaceAllString(plan, "")
	for _, journal := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
		plan += strings.Join(records(t, filepath.Join(out, journal)), "")
	}
	return plan
}
