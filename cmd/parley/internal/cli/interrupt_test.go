package cli

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// TestSecondSignal: the first signal ends the context, and the second one the program, however long whoever has the
// context takes.
func TestSecondSignal(t *testing.T) {
	codes := make(chan int)
	ctx, done := interruptible(io.Discard, func() string { return "" }, func(code int) { codes <- code })
	defer done()
	if err := signalSelf(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	select {
	case code := <-codes:
		t.Fatalf("the first signal ended the program with %d, want it to go on", code)
	case <-time.After(50 * time.Millisecond):
	}
	if err := signalSelf(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := <-codes; code != exit.CodeInterrupted {
		t.Errorf("exit %d, want %v", code, exit.CodeInterrupted)
	}
}

// TestOnInterrupt: a command says of itself what it does after the first signal.
func TestOnInterrupt(t *testing.T) {
	for line, want := range map[string]string{
		"compare --generated 2":   "finishing the current step and saving",
		"models pull owner/model": "ending what is under way",
		"report run":              "ending what is under way",
		"status run --every 5s":   "",
	} {
		t.Run(line, func(t *testing.T) {
			cmd, args, err := New().Find(strings.Fields(line))
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.ParseFlags(args)
			if got := onInterrupt(cmd); !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("%s: %q, want %q", line, got, want)
			}
		})
	}
}

// signalSelf sends a signal to this process.
func signalSelf(s os.Signal) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(s)
}
