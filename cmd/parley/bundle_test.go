package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// bundled is an experiment that reads a task file, a protocol and two models from other places.
const bundled = `name: bundled
tasks:
  - {name: letters, family: bbh, file: "*.json"}
  - {name: puzzles, generated: 2}
controls: false
max-tokens: 40
models: {other: ""}
conditions:
  - {name: mine, protocol: mine.yaml}
  - {name: mixed, protocol: society, set: {agents: 2, rounds: 1, team: [{}, {model: other}]}}
`

// TestAirGap packs an experiment, unpacks it where there is no network, and runs it there: no connection is tried, and
// the generations are those of a run on this machine.
func TestAirGap(t *testing.T) {
	parleytest.WarmCache(t)
	for _, tool := range []string{"unshare", "strace"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here: nothing can be said about connections", tool)
		}
	}
	isolated := []string{"--map-root-user", "--net", "strace", "-qq"}
	if out, err := exec.Command("unshare", append(isolated, "true")...).CombinedOutput(); err != nil {
		t.Skipf("a network namespace, or tracing in it, is not allowed here: %s", out)
	}
	dir := t.TempDir()
	tiny := datatest.Read(t, parleytest.TinyFile)
	write(t, dir, map[string]string{"study/mine.yaml": "form: society\nagents: 2\nrounds: 1\n", "study/e.yaml": bundled,
		"models/main.gguf": string(tiny), "models/second/main.gguf": string(tiny)})
	if err := parleytest.WriteTask(filepath.Join(dir, "questions.json"), 3); err != nil {
		t.Fatal(err)
	}
	what := []string{"--model", filepath.Join(dir, "models/main.gguf"), "--team",
		"other=" + filepath.Join(dir, "models/second/main.gguf"), "--task",
		"letters=" + filepath.Join(dir, "questions.json")}
	packed := filepath.Join(dir, "bundled.tar")
	stdout := parleytest.Must(t, slices.Concat([]string{"bundle", "--experiment", filepath.Join(dir, "study/e.yaml"),
		"--out", packed}, what))
	command := regexp.MustCompile(`(?m)^  (mkdir lab && .*)\n  (\./parley .*)$`).FindStringSubmatch(stdout)
	if command == nil || !strings.Contains(command[2], "models/main.gguf") {
		t.Fatalf("packing tells how to unpack, and the command that runs the model's file: got %s", stdout)
	}
	parleytest.Must(t, slices.Concat([]string{"run", filepath.Join(dir, "study/e.yaml"), "--out", filepath.Join(dir,
		"here")}, what))

	for _, moved := range []string{"study", "models", "questions.json"} {
		// what the bundle was made of is gone
		if err := os.RemoveAll(filepath.Join(dir, moved)); err != nil {
			t.Fatal(err)
		}
	}
	unpack := exec.Command("sh", "-c", command[1])
	unpack.Dir = dir
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpacking the bundle failed: %v, want no error:\n%s", err, out)
	}
	there, trace := filepath.Join(dir, "lab"), filepath.Join(dir, "trace")
	run := exec.Command("unshare", append(isolated, "--follow-forks", "--trace=network,execve", "--output", trace, "sh",
		"-c", command[2])...)
	run.Dir = there
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("the bundle's command failed without a network: %v, want no error:\n%s", err, out)
	}
	calls, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(string(calls), `execve("./parley"`) {
		t.Fatalf("strace saw no start of the program: %v\n%s", err, calls)
	}
	if found := regexp.MustCompile(`(?m)^.*\b(connect|socket|sendto|bind)\(.*AF_INET.*$`).Find(calls); found != nil {
		t.Errorf("the run reached out to the network, want nothing of the kind: %s", found)
	}
	for _, task := range []string{"letters", "puzzles"} {
		t.Run(task, func(t *testing.T) {
			if diff := cmp.Diff(generations(t, filepath.Join(dir, "here", task)),
				generations(t, filepath.Join(there, "run", task))); diff != "" {
				t.Errorf("%s: the run has the generations of the machine that it came from (-want +got):\n%s", task,
					diff)
			}
		})
	}
}

// generations are those of a run, as they are recorded, without their times, sorted.
func generations(t *testing.T, run string) (lines []string) {
	t.Helper()
	for _, line := range parleytest.Records(t, filepath.Join(run, "generations.jsonl.zst")) {
		if strings.Contains(line, `"kind":"generation"`) { // the header has the paths of files
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no generations, want some", run)
	}
	slices.Sort(lines)
	return lines
}

// write makes files with directories.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		datatest.Write(t, path, text)
	}
}
