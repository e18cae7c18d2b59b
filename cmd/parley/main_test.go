package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestMain has tests run the whole program.
func TestMain(m *testing.M) { parleytest.Main(m, nil) }

// TestCommands runs the scripts in testdata, each a story of one command.
func TestCommands(t *testing.T) {
	cache := parleytest.WarmCache(t)
	shelf := parleytest.ShelfFor(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "share"))
			e.Setenv("HF_ENDPOINT", shelf.URL)
			e.Setenv("PIP_INDEX_URL", shelf.URL+"/simple")
			e.Setenv("PIP_CONFIG_FILE", os.DevNull)
			e.Setenv("PIP_NO_CACHE_DIR", "1")
			tiny, err := os.ReadFile(parleytest.TinyFile)
			if err != nil {
				return err
			}
			return errors.Join(
				os.WriteFile(filepath.Join(e.WorkDir, "half.gguf"), tiny[:len(tiny)/2], 0o600),
				os.WriteFile(filepath.Join(e.WorkDir, "encoder.gguf"), modeltest.Encoder(), 0o600),
				parleytest.WriteTask(filepath.Join(e.WorkDir, "task.json"), 6))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mistake": mistake,
			"quantize": quantizeTiny},
		Condition:     knownHere,
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// quantizeTiny writes the embedded model in another quantization: quantize FILE TYPE.
func quantizeTiny(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: quantize FILE TYPE")
	}
	ts.Check(llamacpp.Quantize(context.Background(), parleytest.TinyFile, ts.MkAbs(args[0]), args[1], 1))
}

// TestReadme runs the commands that the README shows: parley's on the embedded model and a small task, make's as far as
// make itself can tell (CI runs them).
func TestReadme(t *testing.T) {
	parleytest.WarmCache(t)
	text := datatest.Read(t, "../../README.md")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	parleytest.ShelfFor(t)
	t.Chdir(t.TempDir()) // where runs without --out begin
	puzzles := filepath.Join(t.TempDir(), "puzzles.json")
	if err := parleytest.WriteTask(puzzles, 3); err != nil {
		t.Fatal(err)
	}
	mine := datatest.File(t, "mine.csv", "prompt,gold\nWhat is 2 + 2?,4\nWhat is 3 + 5?,8\n")
	ran, run := 0, filepath.Join(t.TempDir(), "run")
	for line := range strings.Lines(string(text)) {
		command, indented := strings.CutPrefix(line, "    ")
		command, _, _ = strings.Cut(strings.TrimSpace(command), " #")
		switch name, arguments, _ := strings.Cut(command, " "); {
		case indented && name == "make":
			if out, err := exec.Command("make", "-C", root, "-n",
				strings.TrimSpace(arguments)).CombinedOutput(); err != nil {
				t.Errorf("README's %s failed: %v, want no error:\n%s", command, err, out)
			}
			ran++
		case indented && name == "bin/parley":
			runLine(t, strings.NewReplacer("MODEL.gguf", "tiny", "--data BENCHMARKS", "--small", "--dry-run",
				"--dry-run --calibrate 1ms", "TABLE1",
				filepath.Join(filepath.Dir(run), "table1"), "logical_deduction_seven_objects.json", puzzles,
				"MINE.csv", mine, "--questions 50", "--questions 2", "RUN", run).Replace(arguments))
			ran++
		}
	}
	if ran < 5 {
		t.Errorf("%d commands were found in README, want at least 5", ran)
	}
}

func runLine(t *testing.T, line string) {
	t.Helper()
	line, quoted, _ := strings.Cut(line, ` "`)
	args := strings.Fields(line)
	if quoted != "" {
		args = append(args, strings.TrimSuffix(quoted, `"`))
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Run(args, nil, &stdout, &stderr); code != 0 || stdout.Len() == 0 {
		t.Errorf("parley %v ended with status %d, want 0 and some output:\n%s", args, code, stderr.String())
	}
}
