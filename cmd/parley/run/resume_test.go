package run

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
)

// TestResumeCommand: the command that an interrupted run prints gives every flag the value that it had, also after a
// shell has read it.
func TestResumeCommand(t *testing.T) {
	given := []string{"own file.yaml", "--task=letters=a,b.json", "--task=math=50=%.json", "--task=x=it's.json",
		"--data=one,two", "--data=three four", `--data="five,six"`, "--only=letters", "--small", "--out=old"}
	first, second := New(nil), New(nil)
	if err := first.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	again := command.Of(first).Again("new place")
	printed, err := exec.Command("sh", "-c", `printf '%s\n' `+again).Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n")
	if err := second.ParseFlags(words[1:]); err != nil {
		t.Fatalf("the flags of the command to resume, %s, are refused: %v, want no error", again, err)
	}
	for _, name := range []string{"task", "data", "only", "small"} {
		t.Run(name, func(t *testing.T) {
			if got, want := second.Flag(name).Value.String(), first.Flag(name).Value.String(); got != want {
				t.Errorf("--%s is %s, was %s: %s", name, got, want, again)
			}
		})
	}
	if got := second.Flag("out").Value.String(); got != "new place" || second.Flags().Arg(0) != "own file.yaml" {
		t.Errorf("--out of the command to resume is %q, want \"new place\", and own file.yaml its argument: %s", got,
			again)
	}
}
