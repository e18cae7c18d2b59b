package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/interrupt"
)

// theirs writes a run directory of a debate that another program has held: no model is needed for it.
func theirs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	log, out := filepath.Join(dir, "log.json"), filepath.Join(dir, "run")
	chat := `[{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "It is 4."}]`
	datatest.Write(t, log, fmt.Appendf(nil, `{"How many legs?": [[%s, %s], "#### 4"]}`, chat, chat))
	if code, _, stderr := parleytest.Ran("import", "--from", "du", log, "--out", out); code != 0 {
		t.Fatalf("%v, want code = 0", stderr)
	}
	return out
}

// TestExitCodes runs into each, but for those of signals.
func TestExitCodes(t *testing.T) {
	held, damaged := theirs(t), theirs(t)
	log, scores := filepath.Join(filepath.Dir(held), "log.json"), filepath.Join(filepath.Dir(held), "scores.csv")
	if err := os.WriteFile(scores, []byte("question,score\nq,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(damaged, "debates.jsonl.zst")
	text := datatest.Read(t, journal)
	text[len(text)/4] ^= 0x10 // within the first frame
	datatest.Write(t, journal, text)
	for _, c := range []struct {
		code int
		line string
		says string
	}{
		{0, "version", ""},
		{0, "show " + held, ""},
		{exit.CodeFailed, "export " + held + " --out " + held + "/no/where", "export"},
		{exit.CodeUsage, "nonsense", "unknown command"},
		{exit.CodeUsage, "help nonsense", "unknown command"},
		{exit.CodeUsage, "statsu", "did you mean stats or status?"},
		{exit.CodeUsage, "help deabte", "did you mean debate?"},
		{exit.CodeUsage, "compare --agnets 3",
			"unknown flag: --agnets (did you mean --agents?); see parley compare --help"},
		{exit.CodeUsage, "debate --protocl madc Q", "did you mean --protocol?"},
		{exit.CodeUsage, "models synth --nonsense", "unknown flag"},
		{exit.CodeUsage, "show", "got 0 arguments"},
		{exit.CodeUsage, "debate --rounds", "flag needs an argument"},
		{exit.CodeUsage, "completion tcsh", "unknown command"},
		{exit.CodeUsage, "completion bash tcsh", "takes no argument"},
		{exit.CodeUsage, "models synth tcsh", "takes no argument"},
		{exit.CodeUsage, "diff " + held, "got 1 argument;"},
		{exit.CodeUsage, "stats " + scores + " --out " + scores, "not a directory; name another one"},
		{exit.CodeUsage, "import --from du " + log + " --out " + log, "not a directory; name another one"},
		{exit.CodeInput, "show nowhere", "no such file"},
		{exit.CodeInput, "compare --task nowhere", "no such file"},
		{exit.CodeInput, "debate --model nowhere Q", "no such file"},
		{exit.CodeDamaged, "show " + damaged, "damaged"},
		{exit.CodeDamaged, "status " + damaged, "damaged"},
		{exit.CodeDamaged, "report " + damaged, "damaged"},
		{exit.CodeDamaged, "score " + damaged, "damaged"},
		{exit.CodeDamaged, "export " + damaged + " --out " + damaged + "/x", "damaged"},
		{exit.CodeDamaged, "diff " + held + " " + damaged, "damaged"},
		{exit.CodeDamaged, "similarity " + damaged, "damaged"},
		{exit.CodeDamaged, "compare --generated 1 --out " + damaged, "damaged"},
	} {
		code, stdout, stderr := parleytest.Ran(strings.Fields(c.line)...)
		if code != c.code || !strings.Contains(stderr, c.says) || (code == 0) != (stderr == "") || strings.Count(stderr,
			"parley: ") > 1 {
			t.Errorf("%s: exit %d, want %d\n%s%s", c.line, code, c.code, stdout, stderr)
		}
	}
	_, help, _ := parleytest.Ran("--help")
	for _, code := range []int{0, exit.CodeFailed, exit.CodeUsage, exit.CodeInput, exit.CodeDamaged, exit.CodeBudget,
		exit.CodeInternal,
		exit.CodeInterrupted} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			if !slices.Contains(strings.Fields(help[strings.Index(help, "Exit codes:"):]), fmt.Sprint(code)) {
				t.Errorf("--help does not list the status %d, want it listed", code)
			}
		})
	}
}

// TestPanics: a panic that nothing catches ends by a signal.
func TestPanics(t *testing.T) {
	err := exec.Command("parley-panics").Run()
	if status := exitStatus(err); !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("a panic that nothing catches ended with %v, want the signal %v", err, syscall.SIGABRT)
	}
}

// panics is the program with a panic in a goroutine that nothing catches. It comes once the program reads its standard
// input, on which it then waits: more than a pipe holds was written.
func panics() {
	read, write, err := os.Pipe()
	if err != nil {
		log.Fatal(err)
	}
	os.Stdin, os.Args = read, []string{"parley", "debate", "-"}
	go func() {
		if _, err := write.WriteString(strings.Repeat("why? ", 1<<15)); err != nil {
			log.Fatal(err)
		}
		panic("nobody catches this")
	}()
	cli.Main()
}

func exitStatus(err error) (status syscall.WaitStatus) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.Sys().(syscall.WaitStatus)
	}
	return status
}

// TestNobodyReads: output that cannot be written is a failure, which is said unless the reader has gone on purpose.
func TestNobodyReads(t *testing.T) {
	held := theirs(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no full device here:", err)
	}
	defer full.Close()
	silent := exec.Command("parley", "show", "nowhere")
	silent.Stdout = full
	if code := parleytest.ExitCode(silent.Run()); code != exit.CodeInput {
		t.Errorf("a command that writes nothing to a full device ended with status %d, want %d", code, exit.CodeInput)
	}
	for _, args := range [][]string{{"version"}, {"--help"}, {"show", held}, {"status",
		held, "--json"}, {"experiments"}, {"protocols"}, {"diff", held, held}, {"completion", "bash"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			cmd := exec.Command("parley", args...)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = full, &stderr
			if code := parleytest.ExitCode(cmd.Run()); code != exit.CodeFailed || !strings.Contains(stderr.String(),
				"parley: standard output: write /dev/stdout: no space left on device") {
				t.Errorf("%q with a full standard output ended with status %d, want %d and the error of /dev/stdout: "+
					"%s", args, code, exit.CodeFailed, stderr.String())
			}
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			read.Close()
			cmd = exec.Command("parley", args...)
			stderr.Reset()
			cmd.Stdout, cmd.Stderr = write, &stderr
			if code := parleytest.ExitCode(cmd.Run()); code != exit.CodeFailed || stderr.Len() > 0 {
				t.Errorf("%q to a closed pipe ended with status %d, want %d and nothing said: %s", args, code,
					exit.CodeFailed, stderr.String())
			}
			write.Close()
		})
	}
}

// interruptedEarly is the program with a signal that comes before main is called.
func interruptedEarly() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		log.Fatal(err)
	}
	for !interrupt.Pending() {
		time.Sleep(time.Millisecond)
	}
	cli.Main()
}

// TestInterruptedEarly: a signal that comes while the program is loaded ends every command in good order, before it has
// done anything.
func TestInterruptedEarly(t *testing.T) {
	for _, arguments := range [][]string{{"version"}, {"report", t.TempDir()}, {"repair", "--help"}} {
		t.Run(fmt.Sprint(arguments), func(t *testing.T) {
			out, err := exec.Command("parley-interrupted", arguments...).CombinedOutput()
			if code := exitStatus(err); !code.Exited() || code.ExitStatus() != exit.CodeInterrupted ||
				string(out) != "parley: interrupted\n" {
				t.Errorf("%q, interrupted at once, says so and ends with %d: %v, got %q", arguments,
					exit.CodeInterrupted, err, out)
			}
		})
	}
}

// TestSignalsAreCaughtFirst: no other package of ours is initialized before the one that catches signals, nor any that
// takes long: nothing needs more than the standard library before it.
func TestSignalsAreCaughtFirst(t *testing.T) {
	version := exec.Command("parley", "version")
	version.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := version.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	const ours = "init github.com/parley-debate/parley/"
	before, after, found := strings.Cut(string(out), ours+"internal/interrupt ")
	if !found || strings.Contains(before, ours) || !strings.Contains(after, ours) ||
		strings.Contains(before, "init regexp") {
		t.Errorf("packages are initialised in this order, want internal/interrupt first of ours and before regexp:\n%s",
			out)
	}
}
