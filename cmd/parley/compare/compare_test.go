package compare

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
)

// TestOptions: what is typed comes to stand in the options, and nothing runs.
func TestOptions(t *testing.T) {
	var got *Options
	cmd := New(func(o *Options) error { got = o; return nil })
	cmd.SetArgs([]string{"--generated", "7", "--questions=5", "--answer", "letter"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if got.puzzles.count != 7 || got.questions != 5 || got.rule != "letter" || !got.line.Given("questions") {
		t.Errorf("got %+v, want 7 puzzles, 5 questions and rule letter", got)
	}
}

// TestRunWithoutCobra: a command runs on options that nobody typed.
func TestRunWithoutCobra(t *testing.T) {
	o := &Options{line: command.Line{Context: t.Context(), Out: io.Discard, Err: io.Discard}}
	if err := run(o); err == nil || !strings.Contains(err.Error(), "give either --task FILE or --generated N") {
		t.Errorf("without questions: %v, want an error that asks for them", err)
	}
	var out bytes.Buffer
	if err := printPower(&out, 0.1); err != nil || !strings.Contains(out.String(), "questions") {
		t.Errorf("%q, %v, want how many questions it takes", out.String(), err)
	}
}
