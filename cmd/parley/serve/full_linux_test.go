package serve_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestServeOnFullDisk: while the disk of its journal is full, a server gives no reply that it cannot keep, says so, and
// gives those that it has; when there is room again it goes on by itself. After a kill all is there that was given.
func TestServeOnFullDisk(t *testing.T) {
	parleytest.WarmCache(t)
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	s := serves(t, "--journal", filepath.Join(disk, "replies"), "--log", "text")
	want := s.replies(t, 3)

	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v, want a full disk", err)
	}
	seed, status, text := 3, http.StatusOK, ""
	for ; status == http.StatusOK && seed < 60; seed++ { // the last page of the file has room for some
		if status, text = s.ask(t, seeded(seed)); status == http.StatusOK {
			want = append(want, text)
		}
	}
	if status != http.StatusInsufficientStorage || !strings.Contains(text, "no space left on device") {
		t.Fatalf("%d %s, want %d with the reason", status, text, http.StatusInsufficientStorage)
	}
	lost := len(want)
	_, text = s.ask(t, strings.Replace(seeded(lost), "24", `24,"stream":true`, 1))
	if strings.Contains(text, "[DONE]") || !strings.Contains(text, "no space left on device") {
		t.Errorf("a stream whose reply cannot be kept ends in %q, want the full device named and no [DONE]", text[max(0,
			len(text)-300):])
	}
	if status, text := s.ask(t, seeded(0)); status != http.StatusOK || text != want[0] {
		t.Errorf("a reply that was kept got %d %s, want 200 and %s", status, text, want[0])
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if status, text = s.ask(t, seeded(lost)); status == http.StatusOK {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("20 s after there was room: %d %s, want 200", status, text)
		}
	}
	want = append(want, text)
	s.end()
	if log := s.stderr.String(); !strings.Contains(log, "level=ERROR msg=request method=POST "+
		"path=/v1/chat/completions status=507") {
		t.Errorf("the log does not tell of the full device, want an error with status 507: %s", log)
	}
	again := serves(t, "--journal", filepath.Join(disk, "replies"))
	for seed, got := range again.replies(t, len(want)) {
		if got != want[seed] {
			t.Errorf("after a kill, seed %d: %s, before %s", seed, got, want[seed])
		}
	}
}
