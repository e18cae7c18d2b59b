package serving

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/serve/generation"
)

// TestJournalGoesOn: a journal goes on where a process was killed before or within its first record.
func TestJournalGoesOn(t *testing.T) {
	torn := []byte("\x28\xb5\x2f\xfd\x04\x00")
	for i, content := range [][]byte{nil, torn} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string][]byte{"replies.jsonl.zst": content, "parley.lock": nil} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := openReplies(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(r.Keep(generation.Record{Key: "k"}), r.Close()); err != nil {
				t.Error(err)
			}
			r, err = openReplies(dir)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(r.known); n != 1 {
				t.Errorf("after %q, %d replies are kept, want 1", content, n)
			}
			r.Close()
		})
	}
}

// kept are n replies in a new journal, which is closed.
func kept(t *testing.T, n int) (directory string, all map[string]generation.Record) {
	t.Helper()
	directory, all = t.TempDir(), make(map[string]generation.Record)
	r, err := openReplies(directory)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		one := generation.Record{Key: fmt.Sprint("key ", i), Tokens: []generation.Token{{ID: int32(i), Text: "text"}}}
		if all[one.Key] = one; r.Keep(one) != nil {
			t.Fatal("a reply could not be kept")
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return directory, all
}

// TestInUse: a second process is told so, and the first one goes on.
func TestInUse(t *testing.T) {
	directory, _ := kept(t, 1)
	first, err := openReplies(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []func() error{
		func() error { _, err := openReplies(directory); return err },
		func() error { _, err := Repair(directory, ""); return err },
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), directory+" is in use by another process") {
			t.Errorf("%v, want an error that the directory is in use", err)
		}
	}
	if err := errors.Join(first.Keep(generation.Record{Key: "k"}), first.Close()); err != nil {
		t.Error(err)
	}
}

// TestDamaged: whatever is done to the bytes of a journal, either nothing but replies at its end is missing, or the
// server does not start and names the command that repairs it; the replies that are there then are as they were, and
// the damaged file is kept.
func TestDamaged(t *testing.T) {
	directory, all := kept(t, 12)
	path := filepath.Join(directory, repliesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	refused, lost := 0, 0
	for range 150 {
		text := bytes.Clone(whole)
		at := r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text[at] ^= 1 << r.IntN(8)
		case 1:
			text = text[:at]
		case 2:
			clear(text[at:min(len(text), at+1+r.IntN(100))])
		case 3:
			text = slices.Delete(text, at, min(len(text), at+1+r.IntN(100)))
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := openReplies(directory)
		if err != nil {
			refused++
			want := "parley repair " + strconv.Quote(directory) + " keeps them, and a reply that is missing then is " +
				"computed again when it is asked for"
			if !strings.Contains(err.Error(), want) {
				t.Fatalf("%v, want %q", err, want)
			}
			done, err := Repair(directory, "now")
			if err != nil || done.Repair == nil {
				t.Fatalf("%+v, %v, want a repaired journal", done, err)
			}
			if damaged, err := os.ReadFile(done.Backup); err != nil || !bytes.Equal(damaged, text) {
				t.Fatalf("%v: the damaged file is not kept as it was", err)
			}
			if j, err = openReplies(directory); err != nil {
				t.Fatalf("after the repair: %v", err)
			}
			if done.Repair.Kept != len(j.known) {
				t.Errorf("%d replies are there, and %d kept", len(j.known), done.Repair.Kept)
			}
		}
		lost += len(all) - len(j.known)
		for key, one := range j.known {
			if !reflect.DeepEqual(one, all[key]) {
				t.Fatalf("%q is %+v, and was %+v", key, one, all[key])
			}
		}
		if err := errors.Join(j.Keep(generation.Record{Key: "another"}), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if refused < 30 || lost == 0 {
		t.Errorf("%d of 150 journals were refused, and %d replies lost, want more", refused, lost)
	}
}

// TestKnownIsBounded: what a journal has in memory is bounded, while it is written and after it is opened again; the
// latest replies are known.
func TestKnownIsBounded(t *testing.T) {
	directory, _ := kept(t, 0)
	r, err := openReplies(directory)
	if err != nil {
		t.Fatal(err)
	}
	r.most = 10_000
	for i := range 1000 {
		if err := r.Keep(generation.Record{Key: fmt.Sprint("key ", i%700)}); err != nil {
			t.Fatal(err)
		}
	}
	_, latest := r.Known("key 299")
	_, oldest := r.Known("key 300")
	if n := len(r.known); !latest || oldest || n < 100 || n > 300 || len(r.order) > 300 || r.bytes > r.most {
		t.Errorf("%d replies are known, %d bytes; the latest %v, the oldest %v", n, r.bytes, latest, oldest)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	small := &replies{known: make(map[string]generation.Record), most: 5000}
	for i := range 1000 {
		line := fmt.Sprintf(`{"v":1,"kind":"reply","key":"key %d"}`, i)
		_ = small.read([]byte(line)) // whose version may be another one
	}
	if len(small.known) == 0 || small.bytes > small.most || len(small.order) > 200 {
		t.Errorf("%d of what was read are known, %d bytes", len(small.known), small.bytes)
	}
}
