package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestDamagedRunIsOneCode: whatever command meets a damaged journal says so with one code and the way out of it, and
// changes nothing.
func TestDamagedRunIsOneCode(t *testing.T) {
	parleytest.WarmCache(t)
	out := filepath.Join(t.TempDir(), "run")
	compare := []string{"compare", "--generated", "2", "--rounds", "2", "--conditions", "mad", "--json", "--out"}
	if code, _, text := parleytest.Ran(append(compare, out)...); code != 0 {
		t.Fatalf("%v, want code = 0", text)
	}
	path := filepath.Join(out, "generations.jsonl.zst")
	journal := datatest.Read(t, path)
	journal[len(journal)/2] ^= 4
	datatest.Write(t, path, journal)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, args := range [][]string{
		{"show", out}, {"report", out}, {"status", out}, {"export", out, "--out", elsewhere}, {"score", out},
		{"diff", out, out}, {"replay", out, "a"}, {"similarity", out},
		append(compare, out), append(compare, out, "--dry-run"),
	} {
		if code, _, text := parleytest.Ran(args...); code != exit.CodeDamaged || !strings.Contains(text,
			"damaged at byte ") ||
			!strings.Contains(text, "parley repair") {
			t.Errorf("%v: exit %d: %s, want %v, \"damaged at byte \" in it and \"parley repair\" in it",
				args, code, text, exit.CodeDamaged)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, journal) {
		t.Errorf("the journal was changed (%v), want it as it was", err)
	}
	if code, _, text := parleytest.Ran(append(compare, out, "--fork", elsewhere)...); code != 0 {
		t.Errorf("a fork: exit %d: %s, want 0", code, text)
	}
	for _, args := range [][]string{{"repair", out}, {"repair", out, "--json"}, append(compare, out), {"report", out}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			if code, _, text := parleytest.Ran(args...); code != 0 {
				t.Errorf("%v: exit %d: %s, want 0", args, code, text)
			}
		})
	}
	if code, _, text := parleytest.Ran("repair", t.TempDir()); code != exit.CodeInput || !strings.Contains(text,
		"is not a run directory") {
		t.Errorf("exit %d: %s, want %v and \"is not a run directory\" in it", code, text, exit.CodeInput)
	}
}
