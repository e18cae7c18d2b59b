// Package parleytest runs the whole program in tests of commands, in their process or as one of its own.
package parleytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/interrupt"
)

// Main runs the tests of a package, or the program where the test binary is started under its name, "parley", or that
// of another program. A package calls it in its TestMain.
func Main(m *testing.M, others map[string]func()) {
	PerCore, engine.DefaultThreads = engine.DefaultThreads, 1
	programs := map[string]func(){"parley": advised}
	maps.Copy(programs, others)
	testscript.Main(tests{m}, programs)
}

// PerCore is the default of --threads outside tests.
var PerCore int

// tests are those of a package. They share what is expensive to prepare, which is removed after them.
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
		fmt.Fprintln(os.Stderr, "there is a directory parley-runs: remove it, and have the test that left it run "+
			"with --out or in t.TempDir()")
		code = max(code, 1)
	}
	return code
}

var sharedDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "parley-tests") })

// WarmCache has the user's cache of this test hold the embedded model and the measured cost of its steps, as it does
// for everybody who has run the program once. Measuring takes about as long as a small run.
func WarmCache(t *testing.T) (directory string) {
	t.Helper()
	NeedsLlama(t)
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
	code, stdout, stderr := Ran("doctor")
	if code != 0 {
		return fmt.Sprintf("doctor: exit %d: %s%s", code, stdout, stderr)
	}
	return ""
})

// SharedRun runs a command once for all tests that want an undisturbed run of it. It gives the run directory, which
// they only read, and the time that the run has taken.
func SharedRun(t *testing.T, name string, command func(out string) *exec.Cmd) (directory string, took time.Duration) {
	t.Helper()
	WarmCache(t)
	shared, err := sharedDir()
	if err != nil {
		t.Fatal(err)
	}
	directory = filepath.Join(shared, name)
	sharedRuns.Lock()
	defer sharedRuns.Unlock()
	if _, done := sharedRuns.took[name]; !done {
		sharedRuns.took[name] = Timed(t, command(directory))
	}
	return directory, sharedRuns.took[name]
}

// sharedRuns are those that there are, with their times.
var sharedRuns = struct {
	sync.Mutex
	took map[string]time.Duration
}{took: make(map[string]time.Duration)}

// Timed is how long a command takes that nobody disturbs.
func Timed(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	started := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(started)
}

// NeedsLlama skips in builds without llama.cpp.
func NeedsLlama(t *testing.T) {
	t.Helper()
	if llamacpp.Build().Llama == "none" {
		t.Skip(llamacpp.ErrNoCgo)
	}
}

// WriteTask writes generated puzzles as a BIG-Bench Hard file.
func WriteTask(path string, count int) error {
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

// Ran runs a command line in this process.
func Ran(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = cli.Run(args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// Must runs a command line that may not fail.
func Must(t *testing.T, args []string) (stdout string) {
	t.Helper()
	code, stdout, stderr := Ran(args...)
	if code != 0 {
		t.Fatalf("parley %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// EachCommand visits a command and all below it.
func EachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		EachCommand(below, visit)
	}
}

// Instead returns the words of a command line with further flags, which take the place of those that it has.
func Instead(words []string, further ...string) (all []string) {
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "--") || !slices.Contains(further, name) {
			all = append(all, words[i])
		} else if !joined {
			i++ // its value
		}
	}
	return append(all, further...)
}

// Records lists those of a journal without times and other fields, and fails if it is torn.
func Records(t *testing.T, path string, without ...string) (lines []string) {
	t.Helper()
	torn, err := record.Read(path, func(line []byte) error {
		line, err := record.WithoutTimes(line, without...)
		lines = append(lines, string(line))
		return err
	})
	if err != nil || torn != 0 {
		t.Fatalf("%s: %d bytes torn, %v; want 0 and no error", path, torn, err)
	}
	return lines
}

// ExitCode is that of a process that was run, 0 without an error.
func ExitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// TinyFile is the embedded model.
var TinyFile = InRepository("models/tiny/tiny.gguf")

// InRepository is the path of a file of the repository from the directory of the package that is tested.
func InRepository(name string) string {
	root := "."
	for range 9 { // directories: fewer are above any package
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join(root, "..")
	}
	return filepath.Join(root, name)
}
