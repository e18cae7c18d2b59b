package platform_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/platform"
)

// names are those in a directory.
func names(t *testing.T, directory string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestReplace: a file has its earlier content until the new one is whole, and nothing else is left in the directory.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := platform.WriteFile(path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "first"
	reads := func(when string) {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s, it has %q, want %q, %v", when, text, want, err)
		}
	}
	for _, beside := range []bool{false, true} {
		t.Run(fmt.Sprint(beside), func(t *testing.T) {
			for _, whole := range []bool{false, true} {
				file, err := platform.Replace(path, beside)
				if err != nil {
					t.Fatal(err)
				}
				content := fmt.Sprint(beside, whole)
				if _, err := file.WriteString(content); err != nil {
					t.Fatal(err)
				}
				reads("before " + content)
				if whole {
					err, want = file.CloseAtomicallyReplace(), content
				}
				if err := errors.Join(err, file.Cleanup()); err != nil {
					t.Error(err)
				}
				reads("after " + content)
			}
		})
	}
	if all := names(t, filepath.Dir(path)); len(all) != 1 {
		t.Errorf("left: %q, want 1 of them", all)
	}
	if err := errors.Join(os.Chmod(path, 0o600), platform.WriteFile(path, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("a file that is replaced has the permissions %v, want those it had, 0600", info.Mode())
	}
	if err := platform.WriteFile(filepath.Join(path, "below"), nil, 0o644); err == nil {
		t.Error("it was written below a file, want an error")
	}
}

// TestLock: one has a lock alone, several have it together, and it ends with its file. What is locked can be read.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var files []*os.File
	for range 3 {
		file, err := platform.OpenOwn(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		files = append(files, file)
	}
	steps := []struct {
		lock func(*os.File) error
		file int
		want error
	}{
		{platform.LockShared, 0, nil}, {platform.LockShared, 1, nil}, {platform.Lock, 2, platform.ErrLocked},
	}
	for i, s := range steps {
		t.Run(fmt.Sprintf("step %d", i), func(t *testing.T) {
			if err := s.lock(files[s.file]); !errors.Is(err, s.want) {
				t.Errorf("step %d: %v, want %v", i, err, s.want)
			}
		})
	}
	files[0].Close()
	files[1].Close()
	if err := platform.Lock(files[2]); err != nil {
		t.Fatal(err)
	}
	if _, err := files[2].WriteString("mine"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("a locked file reads %q (%v), want \"mine\"", text, err)
	}
	again, err := platform.OpenOwn(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i, lock := range []func(*os.File) error{platform.Lock, platform.LockShared} {
		t.Run([]string{"alone", "shared"}[i], func(t *testing.T) {
			if err := lock(again); !errors.Is(err, platform.ErrLocked) {
				t.Errorf("a second lock: %v, want the error %q", err, platform.ErrLocked)
			}
		})
	}
}

// TestOpenOwn follows no link.
func TestOpenOwn(t *testing.T) {
	directory := t.TempDir()
	file, link := filepath.Join(directory, "file"), filepath.Join(directory, "link")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here:", err)
	}
	for _, flags := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_APPEND} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			if opened, err := platform.OpenOwn(link, flags, 0o600); !errors.Is(err, platform.ErrLink) {
				t.Errorf("flags %#x: %v, %v; want the error %q", flags, opened, err, platform.ErrLink)
			}
		})
	}
}

// TestMove: an open file takes the place of another. Its hard links are counted until then.
func TestMove(t *testing.T) {
	directory := t.TempDir()
	at := func(name string) string { return filepath.Join(directory, name) }
	from, other, to := at("from"), at("other"), at("to")
	file, err := os.Create(from)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if n := platform.Links(file); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	if err := errors.Join(os.WriteFile(to, []byte("old"), 0o600), os.Link(from, other)); err != nil {
		t.Fatal(err)
	}
	if n := platform.Links(file); n != 2 {
		t.Errorf("%d links with another one, want 2", n)
	}
	if _, err := file.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := platform.Move(file, to); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(to); err != nil || !bytes.Equal(text, []byte("new")) {
		t.Errorf("it has %q, %v; want %q and no error", text, err, "new")
	}
	if _, err := os.Stat(from); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is where it was: %v, want the error %q", err, os.ErrNotExist)
	}
}

// TestRemove: an open file goes.
func TestRemove(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := platform.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v, want the error %q", err, os.ErrNotExist)
	}
}

// TestDisk: there is room for a byte where tests write, and none where there is no directory.
func TestDisk(t *testing.T) {
	directory := t.TempDir()
	if free, err := platform.FreeSpace(directory); err != nil || free < 1 {
		t.Errorf("%d bytes free, %v; want at least 1 and no error", free, err)
	}
	if err := platform.Writable(directory); err != nil {
		t.Error(err)
	}
	if all := names(t, directory); len(all) > 0 {
		t.Errorf("left: %q, want none", all)
	}
	nowhere := filepath.Join(directory, "nowhere")
	if _, err := platform.FreeSpace(nowhere); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("free space of nowhere: %v, want the error %q", err, os.ErrNotExist)
	}
	if err := platform.Writable(nowhere); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nowhere: %v, want the error %q", err, os.ErrNotExist)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no full device here:", err)
	}
	defer full.Close()
	if _, err := full.WriteString("x"); !platform.DiskFull(err) {
		t.Errorf("writing to a full device got %v, want an error of a full disk", err)
	}
}

// TestProcessorTime: it grows while this process computes.
func TestProcessorTime(t *testing.T) {
	for begun := platform.ProcessorTime(); platform.ProcessorTime() < begun+10*time.Millisecond; {
	}
}
