package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestResumeCommand: the command that an interrupted run prints gives every flag the value that it had, also after a
// shell has read it.
func TestResumeCommand(t *testing.T) {
	given := []string{"own file.yaml", "--task=letters=a,b.json", "--task=math=50=%.json", "--task=x=it's.json",
		"--data=one,two", "--data=three four", `--data="five,six"`, "--only=letters", "--small", "--out=old"}
	first, again := newRun(), newRun()
	if err := first.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	command := commandFor(first, "new place")
	printed, err := exec.Command("sh", "-c", `printf '%s\n' `+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n")
	if err := again.ParseFlags(words[1:]); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	for _, name := range []string{"task", "data", "only", "small"} {
		if got, want := again.Flag(name).Value.String(), first.Flag(name).Value.String(); got != want {
			t.Errorf("--%s is %s, was %s: %s", name, got, want, command)
		}
	}
	if got := again.Flag("out").Value.String(); got != "new place" || again.Flags().Arg(0) != "own file.yaml" {
		t.Errorf("--out is %q: %s", got, command)
	}
}
