package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/models"
)

// TestRecurrentKills: comparisons on models whose sequences cannot be cut are killed by SIGKILL at random instants
// until they end, and then have the results and journals of one that nobody disturbed, byte for byte. These models have
// no attention: llama.cpp's, which hybrids have, adds in an order that depends on where the cells lie. What the tree
// needs at least and what recurrence adds is printed.
func TestRecurrentKills(t *testing.T) {
	t.Parallel()
	needsLlama(t)
	warmCache(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	kills := 0
	for _, name := range []string{"mini-mamba2", "mini-rwkv7"} {
		shape, err := models.ShapeNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		directory := t.TempDir()
		file, whole := filepath.Join(directory, name+".gguf"), filepath.Join(directory, "whole")
		if err := models.WriteSynthetic(file, models.Synthetic{Shape: shape, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		compare := func(out string) *exec.Cmd {
			return exec.Command("parley", "compare", "--model", file, "--generated", "3", "--rounds", "2", "--seed",
				"3", "--conditions", "madc,truth-last", "--max-tokens", "12", "--out", out)
		}
		started := time.Now()
		text, err := compare(whole).CombinedOutput()
		took := time.Since(started)
		if err != nil || !strings.Contains(string(text), "recurrent: ") ||
			!strings.Contains(string(text), "were in the tree, but a state cannot be cut") {
			t.Fatalf("%v\n%s", err, text)
		}
		k := killing{name: name, command: compare, same: func(t *testing.T, directory string) {
			t.Helper()
			sameFiles(t, directory, whole, "result.json")
			sameJournals(t, directory, whole)
		}}
		for tries := 0; tries < 2 || kills == 0 && tries < 20; tries++ {
			kills += k.kill(t, random, [2]time.Duration{took, took})
		}
		t.Logf("%s: %d kills so far", name, kills)
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
}
