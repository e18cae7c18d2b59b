package debate_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestLongQuestion is refused with its size, not cut.
func TestLongQuestion(t *testing.T) {
	const mostBytes = 1 << 20
	for size, want := range map[int]string{mostBytes: "nowhere",
		mostBytes + 1: "more than 1,048,576 bytes"} {
		var stdout, stderr bytes.Buffer
		code := cli.Run([]string{"debate", "--model", "nowhere.gguf", "-"}, strings.NewReader(strings.Repeat("x",
			size)),
			&stdout, &stderr)
		if code != exit.CodeInput || !strings.Contains(stderr.String(), want) {
			t.Errorf("%d bytes: exit %d: %s, want %v and %q in it", size, code, stderr.String(), exit.CodeInput, want)
		}
	}
	if code, _, stderr := parleytest.Ran("debate", "--human", "0", "-"); code != exit.CodeUsage ||
		!strings.Contains(stderr,
			"on standard input") {
		t.Errorf("exit %d: %s, want %v and \"on standard input\" in it", code, stderr, exit.CodeUsage)
	}
}
