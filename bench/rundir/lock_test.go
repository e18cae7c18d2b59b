package rundir_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
)

// TestLockWaitsForReaders: somebody who looks at the status has the lock for a moment, and a run that begins in that
// moment is not refused.
func TestLockWaitsForReaders(t *testing.T) {
	path := t.TempDir()
	file, err := os.Create(filepath.Join(path, rundir.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(15*time.Millisecond, func() { file.Close() })
	defer timer.Stop()
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
