package run_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/models"
)

// checkSoundness looks at the report of Wu et al.'s study of arguments, from a generated puzzle to its tables.
func checkSoundness(t *testing.T, out string) {
	t.Helper()
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	for _, table := range []string{"Puzzles, role by role", "Role assignments by earlier standing",
		"Whose opinion was taken up", "Twelve transitions by size of the puzzle",
		"Accuracy by the difficulty of the puzzle", "Claims, checked by program"} {
		if err != nil || !strings.Contains(string(report), "### "+table) {
			t.Errorf("the report lacks the table %q (%v), want it", table, err)
		}
	}
}

// TestKnightsForeseen is a dry run of all conditions of Wu et al.'s study of factors, with its whole teams, rounds and
// prompts, on a puzzle of five players. Only replies are shorter, and the model is synthetic with a context that holds
// the debates.
func TestKnightsForeseen(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	shape, err := models.ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	shape.Context = 1 << 17
	model, file := filepath.Join(t.TempDir(), "wide.gguf"), filepath.Join(t.TempDir(), "study.yaml")
	full, readErr := os.ReadFile(parleytest.InRepository("bench/experiment/experiments/kks-factors.yaml"))
	brief := strings.Replace(string(full), "\nmax-tokens: 4096\n", "\nmax-tokens: 40\n", 1)
	if err := errors.Join(readErr, models.WriteSynthetic(model, models.Synthetic{Shape: shape, Seed: 5}),
		os.WriteFile(file, []byte(brief), 0o600)); err != nil || brief == string(full) {
		t.Fatalf("a shortened brief is written for a synthetic model: %v, shortened %v", err, brief != string(full))
	}
	args := []string{"run", file, "--only", "size-5", "--questions", "1", "--dry-run", "--calibrate", "1ms", "--json",
		"--model", model, "--context", "200000"}
	for _, role := range []string{"strong", "medium", "weak"} {
		args = append(args, "--team", role+"="+model)
	}
	code, stdout, stderr := parleytest.Ran(args...)
	var f bench.Forecast
	if err := json.Unmarshal([]byte(stdout), &f); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s%s; want 0 and no error", code, err, stdout, stderr)
	}
	// Each agent makes a proposal, speaks and adjusts its solution on every player in every pass, and ends with a
	// solution. In one condition a supervisor is asked for the order, in another every agent.
	agent := func(passes int) int { return 1 + 5*passes*2 + 1 }
	want := 3*agent(1) + 4*agent(1) + 3*agent(1) + (3*agent(1) + 1) + (3*agent(1) + 3) + 3*agent(2)
	if f.Calls != want || f.Conditions != 6 {
		t.Errorf("%d calls under %d conditions, want %d under 6", f.Calls, f.Conditions, want)
	}
}
