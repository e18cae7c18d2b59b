package runner_test

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestRealKills kills a comparison on a real model by SIGKILL, at first before its middle, and goes on with what is
// left: the result has the bytes of a run that nobody disturbed, and the journals have its records.
func TestRealKills(t *testing.T) {
	model := modeltest.Real(t, modeltest.SmolLM2)
	parleytest.WarmCache(t)
	run := func(out string) *exec.Cmd {
		return exec.Command("parley", "compare", "--generated", "4", "--conditions", "single,mad", "--max-tokens", "40",
			"--seed", "3", "--model", model, "--out", out)
	}
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	parleytest.Timed(t, run(whole)) // measures the model's steps once for all
	took, kills := parleytest.Timed(t, run(filepath.Join(t.TempDir(), "again"))), 0
	for part := 0.4; !endsWithin(t, run(killed), time.Duration(part*float64(took))); part += 0.1 {
		kills++
	}
	sameFiles(t, killed, whole, "result.json")
	sameJournals(t, killed, whole)
	restored := restoredIn(t, killed)
	if t.Logf("%d kills, %d generations taken over", kills, restored); kills == 0 || restored == 0 {
		t.Errorf("%d runs were killed and %d generations taken over, want some of both", kills, restored)
	}
}
