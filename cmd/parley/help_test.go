package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/help"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// TestHelp compares the help of all commands with a golden file, which UPDATE=1 writes. No line is wider than 100
// columns, and every flag of a command with many stands below the heading of its subject.
func TestHelp(t *testing.T) {
	var all strings.Builder
	parleytest.EachCommand(cli.New(), func(c *cobra.Command) {
		if strings.HasPrefix(c.CommandPath(), "parley completion") || c.Name() == "help" { // cobra's own
			return
		}
		words := append(strings.Fields(c.CommandPath())[1:], "--help")
		code, stdout, stderr := parleytest.Ran(words...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d: %s, want 0 and none", words, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > help.Columns {
				t.Errorf("%q: %d columns: %s, want at most %v", words, w, line, help.Columns)
			}
		}
		if strings.Contains(stdout, "\nOthers:\n") {
			t.Errorf("%q: flags without a subject: add them to help/subjects.go\n%s", words, stdout)
		}
		all.WriteString("$ parley " + strings.Join(words, " ") + "\n" + stdout + "\n")
	})
	cores := regexp.MustCompile(`(for quantization \(from 1 to 512\) \(default) \d+`) // of this machine
	terminaltest.Golden(t, filepath.Join("testdata", "help.golden"), cores.ReplaceAllString(all.String(), "$1 …"))
}
