package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/interrupt"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestMain runs the tests, or the program where the test binary is started under its name.
func TestMain(m *testing.M) {
	perCore, engine.DefaultThreads = engine.DefaultThreads, 1
	testscript.Main(tests{m}, map[string]func(){"parley": advised, "parley-panics": panics,
		"parley-interrupted": interruptedEarly})
}

// perCore is the default of --threads outside tests.
var perCore int

// tests are those of this package. They share what is expensive to prepare, which is removed after them.
type tests struct{ m *testing.M }

// Run implements testscript.TestingM.
func (t tests) Run() int {
	defer func() {
		if dir, err := sharedDir(); err == nil {
			os.RemoveAll(dir)
		}
	}()
	// What nohup or a shell in the background has this process ignore, programs that tests interrupt would ignore too.
	signal.Stop(interrupt.Take()) // for the program, and not for its tests
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	if dir, err := sharedDir(); err == nil {
		os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	}
	code := t.m.Run()
	if _, err := os.Stat("parley-runs"); err == nil {
		fmt.Fprintln(os.Stderr, "there is a cmd/parley/parley-runs: remove it, and have the test that left it run "+
			"with --out or in t.TempDir()")
		code = max(code, 1)
	}
	return code
}

var sharedDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "parley-tests") })

// warmCache has the user's cache of this test hold the embedded model and the measured cost of its steps, as it does
// for everybody who has run the program once. Measuring takes about as long as a small run.
func warmCache(t *testing.T) (directory string) {
	t.Helper()
	needsLlama(t)
	shared, err := sharedDir()
	if err != nil {
		t.Fatal(err)
	}
	if text := measured(); text != "" {
		t.Fatalf(`%v, want ""`, text)
	}
	return filepath.Join(shared, "cache")
}

// measured fills an empty cache, and says what is wrong with doing so.
var measured = sync.OnceValue(func() string {
	code, stdout, stderr := ran("doctor")
	if code != 0 {
		return fmt.Sprintf("doctor: exit %d: %s%s", code, stdout, stderr)
	}
	return ""
})

// sharedRun runs a command once for all tests that want an undisturbed run of it. It gives the run directory, which
// they only read, and the time that the run has taken.
func sharedRun(t *testing.T, name string, command func(out string) *exec.Cmd) (directory string, took time.Duration) {
	t.Helper()
	warmCache(t)
	shared, err := sharedDir()
	if err != nil {
		t.Fatal(err)
	}
	directory = filepath.Join(shared, name)
	sharedRuns.Lock()
	defer sharedRuns.Unlock()
	if _, done := sharedRuns.took[name]; !done {
		sharedRuns.took[name] = timed(t, command(directory))
	}
	return directory, sharedRuns.took[name]
}

// sharedRuns are those that there are, with their times.
var sharedRuns = struct {
	sync.Mutex
	took map[string]time.Duration
}{took: make(map[string]time.Duration)}

// timed is how long a command takes that nobody disturbs.
func timed(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	started := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(started)
}

// needsLlama skips in builds without llama.cpp.
func needsLlama(t *testing.T) {
	t.Helper()
	if llamacpp.Build().Llama == "none" {
		t.Skip(llamacpp.ErrNoCgo)
	}
}

// TestCommands runs the scripts in testdata, each a story of one command.
func TestCommands(t *testing.T) {
	cache := warmCache(t)
	shelf := shelfFor(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "share"))
			e.Setenv("HF_ENDPOINT", shelf.URL)
			e.Setenv("PIP_INDEX_URL", shelf.URL+"/simple")
			e.Setenv("PIP_CONFIG_FILE", os.DevNull)
			e.Setenv("PIP_NO_CACHE_DIR", "1")
			tiny, err := os.ReadFile("../../models/tiny/tiny.gguf")
			if err != nil {
				return err
			}
			return errors.Join(
				os.WriteFile(filepath.Join(e.WorkDir, "half.gguf"), tiny[:len(tiny)/2], 0o600),
				os.WriteFile(filepath.Join(e.WorkDir, "encoder.gguf"), modeltest.Encoder(), 0o600),
				writeTask(filepath.Join(e.WorkDir, "task.json"), 6))
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
	ts.Check(llamacpp.Quantize(context.Background(), tinyFile, ts.MkAbs(args[0]), args[1], 1))
}

// writeTask writes generated puzzles as a BIG-Bench Hard file.
func writeTask(path string, count int) error {
	puzzles, err := task.Generate(3, count, 9)
	if err != nil {
		return err
	}
	type example struct {
		Input  string `json:"input"`
		Target string `json:"target"`
	}
	var file struct {
		Examples []example `json:"examples"`
	}
	for _, q := range puzzles.Questions {
		file.Examples = append(file.Examples, example{q.Text, q.Target})
	}
	text, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// TestDemoRepeats runs the demo twice: equal journals and equal results, times apart.
func TestDemoRepeats(t *testing.T) {
	warmCache(t)
	demo := func() (journals []string, result map[string]any) {
		out := filepath.Join(t.TempDir(), "run")
		var stdout, stderr bytes.Buffer
		if code := parley([]string{"demo", "--puzzles", "2", "--out", out, "--json"}, nil, &stdout,
			&stderr); code != 0 {
			t.Fatalf("exit %d: %s, want 0", code, stderr.String())
		}
		for _, name := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
			journals = append(journals, records(t, filepath.Join(out, name))...)
		}
		line, err := record.WithoutTimes(stdout.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatal(err)
		}
		for _, drafts := range []string{"accepted", "attended", "drafted", "rows"} { // by a cost that is measured
			delete(result["scheduler"].(map[string]any), drafts)
		}
		return journals, result
	}
	journals, result := demo()
	again, resultAgain := demo()
	if diff := cmp.Diff(journals, again) + cmp.Diff(result, resultAgain); diff != "" {
		t.Error(diff)
	}
	if want := 2 + 2*11 + int(result["scheduler"].(map[string]any)["generations"].(float64)); len(journals) != want {
		t.Errorf("%d records, want %d", len(journals), want)
	}
}

// TestEveryProtocol runs each that is listed to its end on the embedded model, with short replies. Engines of one
// thread side by side take less of the machine than one of all its cores, whose threads mostly wait for each other with
// so small a model.
func TestEveryProtocol(t *testing.T) {
	warmCache(t)
	for _, p := range protocol.Protocols() {
		flags, question := "--max-tokens 8 --truth (A)", "Is a tomato a fruit? (A) yes (B) no"
		switch p.Form {
		case "knights":
			question = "Player name: Ann\nPlayer statement: Bob is a knave.\n---\nPlayer name: Bob\nPlayer " +
				"statement: Ann is a spy."
			flags = "--max-tokens 8 --agents 2"
		case "centre": // needs both right and wrong solutions
			flags, question = "--truth (C) --set samples=30", slippery
		case "discussion": // later rounds ask what the third one has asked, with longer prompts
			if debate.Value[int](p.Settings, "ablate") == 0 && !soak.On() {
				flags += " --rounds 3"
			}
		}
		switch p.Answer {
		case "number", "last-word":
			flags = "--max-tokens 8 --truth 42"
		case "square":
			flags = "--max-tokens 8 --truth e5"
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			runLine(t, "debate --protocol "+p.Name+" "+flags+` "`+question+`"`)
		})
	}
}

// slippery is a question on which one first answer in three of the embedded model is wrong.
const slippery = `The following paragraphs each describe a set of three objects arranged in a fixed order. The statements are logically consistent within each paragraph. In a golf tournament, there were three golfers: Dan, Ada, and Eve. Dan finished above Eve. Eve finished above Ada.
Options:
(A) Dan finished second
(B) Ada finished second
(C) Eve finished second`

// TestReadme runs the commands that the README shows: parley's on the embedded model and a small task, make's as far as
// make itself can tell (CI runs them).
func TestReadme(t *testing.T) {
	warmCache(t)
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	shelfFor(t)
	t.Chdir(t.TempDir()) // where runs without --out begin
	puzzles := filepath.Join(t.TempDir(), "puzzles.json")
	if err := writeTask(puzzles, 3); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(mine, []byte("prompt,gold\nWhat is 2 + 2?,4\nWhat is 3 + 5?,8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ran, run := 0, filepath.Join(t.TempDir(), "run")
	for line := range strings.Lines(string(text)) {
		command, indented := strings.CutPrefix(line, "    ")
		command, _, _ = strings.Cut(strings.TrimSpace(command), " #")
		switch name, arguments, _ := strings.Cut(command, " "); {
		case indented && name == "make":
			if out, err := exec.Command("make", "-C", root, "-n",
				strings.TrimSpace(arguments)).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", command, err, out)
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
		t.Errorf("only %d commands were found", ran)
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
	if code := parley(args, nil, &stdout, &stderr); code != 0 || stdout.Len() == 0 {
		t.Errorf("%v: exit %d\n%s", args, code, stderr.String())
	}
}
