package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// TestFewAddresses: a limit of addresses below what a model needs is told in a sentence, whatever the command; commands
// without a model work with what Go's runtime needs, each time.
func TestFewAddresses(t *testing.T) {
	if _, err := os.Stat("/proc/self/limits"); err != nil || llamacpp.Build().Llama == "none" {
		t.Skip("the limit is looked at by the binding, on Linux")
	}
	for limit, times := range map[int]int{300_000: 1, 500_000: 1, 1_000_000: 1, 1_200_000: 5, 1_500_000: 5} {
		for range times {
			limited := fmt.Sprintf("ulimit -v %d && exec parley version", limit)
			out, err := exec.Command("sh", "-c", limited).CombinedOutput()
			code := 0
			if ended, ok := err.(*exec.ExitError); ok {
				code = ended.ExitCode()
			}
			few := limit < 1<<20
			if text := string(out); strings.Contains(text, "goroutine") || strings.Contains(text, "fatal error") ||
				!strings.Contains(text, fmt.Sprintf("may have %d kB of addresses", limit)) ||
				few != (code == exit.CodeInput) || !few && code != 0 {
				t.Errorf("with %d kB of addresses, version ended with status %d (refused for their number wanted: %v) "+
					"and said %s, want the limit named and no crash", limit, code, few, text)
			}
		}
	}
}
