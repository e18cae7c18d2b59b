package runner_test

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models"
)

// TestFamilyKills: comparisons on a hybrid and on a recurrent miniature, in a soak on those of all families, are killed
// by SIGKILL at random instants until they end, and then have the results and journals of one that nobody disturbed,
// byte for byte. Of models whose sequences cannot be cut, what the tree needs at least and what recurrence adds is
// printed.
func TestFamilyKills(t *testing.T) {
	t.Parallel()
	parleytest.NeedsLlama(t)
	parleytest.WarmCache(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	killed := 0
	for _, s := range models.Miniatures() {
		known, _ := llamacpp.Knows(s.Family)
		few := slices.Contains([]string{"mini-jamba", "mini-rwkv7"}, s.Name)
		if !known || !few && !soak.On() {
			continue
		}
		killed++
		killFamily(t, s, random)
	}
	if killed < 2 {
		t.Errorf("%d families, want at least 2", killed)
	}
}

// killFamily kills comparisons on one model until at least one was killed.
func killFamily(t *testing.T, s models.Shape, random *rand.Rand) {
	t.Helper()
	directory := t.TempDir()
	file, whole := filepath.Join(directory, s.Name+".gguf"), filepath.Join(directory, "whole")
	if err := models.WriteSynthetic(file, models.Synthetic{Shape: s, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	compare := func(out string) *exec.Cmd {
		return exec.Command("parley", "compare", "--details", "--model", file, "--generated", "3", "--rounds", "2",
			"--seed", "3", "--conditions", "madc,truth-last", "--max-tokens", "12", "--out", out)
	}
	started := time.Now()
	text, err := compare(whole).CombinedOutput()
	took := time.Since(started)
	said := func(part string) bool { return strings.Contains(string(text), part) == s.Recurrent() }
	if err != nil || !said("recurrent: ") || !said("were in the tree, but a state cannot be cut") {
		t.Fatalf("%s: a recurrent model is told to be one, and that its states cannot be cut: %v\n%s", s.Name, err,
			text)
	}
	k, kills := killing{name: s.Name, command: compare, same: func(t *testing.T, directory string) {
		t.Helper()
		sameFiles(t, directory, whole, "result.json")
		sameJournals(t, directory, whole)
	}}, 0
	for tries := 0; tries < 2 || kills == 0 && tries < 20; tries++ {
		kills += k.kill(t, random, [2]time.Duration{took, took})
	}
	t.Logf("%s: %d kills", s.Name, kills)
	if kills == 0 {
		t.Errorf("%s: nothing was killed, want at least one run", s.Name)
	}
}
