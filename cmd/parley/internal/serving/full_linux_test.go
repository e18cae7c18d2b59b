package serving

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-debate/parley/inference/serve/generation"
)

// TestFullDisk: while there is no room, replies are not kept, and none of them is known; when there is, the journal
// goes on by itself. What was kept is there in the end, whatever was torn in between. A bound on the size of files
// stands for the disk: like that, it lets a part of a record be written.
func TestFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skip(err)
	}
	bound := func(bytes int64) {
		t.Helper()
		now := before
		if bytes >= 0 {
			now.Cur = uint64(bytes)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
			t.Fatal(err)
		}
	}
	defer bound(-1)
	directory, told := t.TempDir(), []error(nil)
	r, err := openReplies(directory, knownReplies, func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	want, failed := 0, 0
	for i := range 40 {
		one := generation.Record{Key: fmt.Sprint("key ", i)}
		one.Tokens = []generation.Token{{Text: strings.Repeat("text ", i)}}
		bound(r.size + int64(i*4)) // none to a part of a record, and later all of it
		err := r.Keep(one)
		bound(-1)
		if _, known := r.Known(one.Key); known != (err == nil) {
			t.Fatalf("reply %d is known: %v, want it if and only if it was kept: %v", i, known, err)
		}
		if err == nil {
			want++
			continue
		}
		if failed++; !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("reply %d: %v, want %v", i, err, syscall.EFBIG)
		}
		if i%2 == 0 { // there is room again
			if err := r.Keep(one); err != nil {
				t.Fatalf("reply %d, with room, is refused: %v, want no error", i, err)
			}
			want++
		}
	}
	if err := r.Keep(generation.Record{Key: "last"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil || failed < 10 || want < 15 {
		t.Errorf("%v; %d replies were kept and %d failed, want more of both", err, want, failed)
	}
	if len(told) > 0 {
		t.Errorf("the index is small, and told of: %v; want none", told)
	}
	r = opened(t, directory)
	if n := len(r.places.young); n != want+1 {
		t.Errorf("%d replies are there, want %d", n, want+1)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	_ = os.Remove(r.path)
}
