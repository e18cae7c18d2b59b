package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// TestBug: a panic in a command is no wrong usage.
func TestBug(t *testing.T) {
	root := New()
	root.AddCommand(&cobra.Command{Use: "panic", RunE: func(*cobra.Command, []string) error {
		var list []int
		return fmt.Errorf("never %d", list[len(os.Args)])
	}})
	root.SetArgs([]string{"panic"})
	var stdout, stderr bytes.Buffer
	if code := execute(root, nil, &stdout, &stderr); code != exit.CodeInternal || !strings.Contains(stderr.String(),
		"internal error: runtime error: index out of range") || !strings.Contains(stderr.String(), "bug_test.go") {
		t.Errorf("a panic ended with status %d, want %d, what happened and where: %s", code, exit.CodeInternal,
			stderr.String())
	}
}
