package debate_test

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestSignals ends the program while it waits for somebody to type: at once, in order, and with the same exit code.
func TestSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			code, stderr := waits(t, s, "debate", "-")
			if code != exit.CodeInterrupted || !strings.HasSuffix(stderr, "parley: interrupted\n") {
				t.Errorf("%v: exit %d: %s, want %v and %q at its end",
					s, code, stderr, exit.CodeInterrupted, "parley: interrupted\n")
			}
		})
	}
}

// TestPersonInterrupted ends a debate that waits for a person's reply.
func TestPersonInterrupted(t *testing.T) {
	parleytest.WarmCache(t)
	code, stderr := waits(t, syscall.SIGINT, "debate", "--human", "0", "--agents", "1", "--rounds", "1",
		"Is it? (A) yes (B) no")
	if code != exit.CodeInterrupted || !strings.Contains(stderr, "Your reply as agent 0") || !strings.HasSuffix(stderr,
		"parley: interrupted\n") {
		t.Errorf("exit %d: %s, want %v, \"Your reply as agent 0\" in it and %q at its end",
			code, stderr, exit.CodeInterrupted, "parley: interrupted\n")
	}
}

// waits runs a program that reads from a pipe into which nothing is written, sends it a signal, and wants it to end,
// which it does at once where nothing else keeps the machine busy.
func waits(t *testing.T, signal syscall.Signal, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := exec.Command("parley", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var said syncBuffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if args[len(args)-1] == "-" { // more than a pipe holds: who has written that is being read
		if _, err := in.Write(bytes.Repeat([]byte("x"), 1<<17)); err != nil {
			t.Fatal(err)
		}
	}
	for range 30_000 {
		if args[len(args)-1] == "-" || strings.Contains(said.String(), "ended by an empty line") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	cmd.Process.Signal(signal)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return parleytest.ExitCode(err), said.String()
	case <-time.After(5 * time.Minute):
		t.Fatalf("%v did not end it within 5 minutes, want an end: %s", signal, said.String())
		return 0, ""
	}
}

// syncBuffer is a buffer that one writes and another reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
