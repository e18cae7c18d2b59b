package exit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestSaid: users read paths and reasons, not the names of Go's calls.
func TestSaid(t *testing.T) {
	_, err := os.ReadFile("absent.json")
	for _, c := range []struct {
		err  error
		want string
	}{
		{err, "absent.json: no such file or directory"},
		{fmt.Errorf("task %q: %w", "absent.json", err), `task "absent.json": no such file or directory`},
		{fmt.Errorf("%w; name another one", err), "absent.json: no such file or directory; name another one"},
		{fmt.Errorf("in other words: %w", Input(err)), "in other words: absent.json: no such file or directory"},
		{fmt.Errorf("no file is part of this"), "no file is part of this"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := Said(c.err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestFullDisk: a full disk is a failure, however the error of the file is marked.
func TestFullDisk(t *testing.T) {
	full := func(errno syscall.Errno) error { return &os.PathError{Op: "write", Path: "report.html", Err: errno} }
	for name, err := range map[string]error{"plain": full(syscall.ENOSPC), "input": Input(full(syscall.ENOSPC)),
		"usage": Usage(fmt.Errorf("x: %w", full(syscall.EDQUOT))), "bound on files": Input(full(syscall.EFBIG))} {
		t.Run(name, func(t *testing.T) {
			if code, said := Of(t.Context(), err, nil); code != CodeFailed || said == nil {
				t.Errorf("%d, %v, want %d", code, said, CodeFailed)
			}
		})
	}
	if code, _ := Of(t.Context(), Input(os.ErrNotExist), nil); code != CodeInput {
		t.Errorf("%d for another error of a file, want %v", code, CodeInput)
	}
	if _, said := Of(t.Context(), full(syscall.EFBIG), nil); !strings.Contains(said.Error(), "ulimit -f") {
		t.Errorf("%v does not say what bounds the file", said)
	}
}
