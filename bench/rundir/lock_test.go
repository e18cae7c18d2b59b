package rundir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/internal/platform"
)

// TestLockWaitsForReaders: somebody who looks at the status has the lock for a moment, and a run that begins in that
// moment is not refused.
func TestLockWaitsForReaders(t *testing.T) {
	path := t.TempDir()
	file, err := os.Create(filepath.Join(path, rundir.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := platform.LockShared(file); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(15*time.Millisecond, func() { file.Close() })
	defer timer.Stop()
	d := benchtest.OpenDirectory(t, path)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestRemoveTakesWhatItMade: of a run that could not begin nothing is left, and what was there before stays.
func TestRemoveTakesWhatItMade(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct {
		before, run, left string // left is the part of the path of the run that stays
	}{
		{"", "runs/of/mine", ""},
		{"there", "there/new/run", "there"},
		{"shared/other", "shared/run", "shared"},
	} {
		t.Run(c.run, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Join(root, c.before), 0o755); err != nil {
				t.Fatal(err)
			}
			d := benchtest.OpenDirectory(t, filepath.Join(root, c.run))
			if err := d.Discard(); err != nil {
				t.Error(err)
			}
			first, below, _ := strings.Cut(c.run, "/")
			below, _, _ = strings.Cut(below, "/")
			if _, err := os.Stat(filepath.Join(root, first)); (err == nil) != (c.left != "") {
				t.Errorf("%s: what it made (%s) is left: %v, want %v (what is left: %q)", c.run, first, err == nil,
					c.left != "", c.left)
			}
			if _, err := os.Stat(filepath.Join(root, first, below)); err == nil {
				t.Errorf("%s: a directory that it made is removed, but %s/%s is left", c.run, first, below)
			}
		})
	}
	// Somebody else puts a run beside it before it is removed.
	d := benchtest.OpenDirectory(t, filepath.Join(root, "both", "first"))
	other := filepath.Join(root, "both", "second")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
