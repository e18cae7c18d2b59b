package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// TestTablesOnTerminal compares what stands on terminals of several widths after the demo and a comparison. All replies
// are recorded before, so that no time is taken, and only the plan and the place of the report depend on the machine.
func TestTablesOnTerminal(t *testing.T) {
	runs := map[string][]string{
		"demo":    {"demo", "--puzzles", "2", "--agents", "2"},
		"compare": {"compare", "--generated", "2", "--agents", "2", "--conditions", "single,vote"},
	}
	shared := ""
	for name, args := range runs {
		directory, _ := parleytest.SharedRun(t, "fitted-"+name, func(out string) *exec.Cmd {
			return exec.Command("parley", append(args, "--out", out)...)
		})
		shared = filepath.Dir(directory)
	}
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(shared)
	differs := regexp.MustCompile(`(?m)^plan (.*\n         )*.*$|file://[^ ]*\n\n`)
	times := regexp.MustCompile(`[ <0-9.]{6}[0-9] s │`)
	for _, columns := range []int{60, 80, 140} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			got := ""
			for _, name := range []string{"demo", "compare"} {
				_, screen, code := parleytest.OnTerminal(t, columns, "", "", append(runs[name], "--out",
					"fitted-"+name)...)
				if code != 0 {
					t.Errorf("%s: exit %d, want 0", name, code)
				}
				got += "$ " + name + "\n" + terminaltest.Standing(screen) + "\n"
			}
			got = times.ReplaceAllString(differs.ReplaceAllString(got, "…"), "      … s │")
			terminaltest.Golden(t, filepath.Join(golden, fmt.Sprintf("tables%d.golden", columns)), got)
		})
	}
	// Off a terminal, tables are whole, however wide.
	code, stdout, _ := parleytest.Ran(append(runs["compare"], "--out", "fitted-compare")...)
	if wide := regexp.MustCompile(`(?m)^│ CONDITION │ N │.* TIME +│$`); code != 0 || !wide.MatchString(stdout) {
		t.Errorf("off a terminal, compare ended with status %d, want 0 and the table whole, up to TIME:\n%s", code,
			stdout)
	}
}
