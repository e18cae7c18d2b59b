package task

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestPublished: every entry is complete, its family exists, and a hash is never without the commit that has it, unless
// a note says where it is from.
func TestPublished(t *testing.T) {
	all, err := AllPublished()
	if err != nil || len(all) < 10 {
		t.Fatalf("published files are listed: got %d, %v, want at least 10", len(all), err)
	}
	names := make(map[string]bool)
	commit, hash := regexp.MustCompile(`/[0-9a-f]{40}/`), regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, p := range all {
		u, err := url.Parse(p.URL)
		if err != nil || u.Scheme != "https" || path.Base(u.Path) != p.File {
			t.Errorf("%s: %s is not the https address of %s: %v", p.Name, p.URL, p.File, err)
		}
		if p.Licence == "" || names[p.Name] || strings.ToLower(p.Name) != p.Name ||
			!slices.ContainsFunc(Families(), func(f Family) bool { return f.Name == p.Family }) {
			t.Errorf("a published file has a name of its own in small letters, a licence, and a known family: got "+
				"%+v", p)
		}
		names[p.Name] = true
		if p.SHA256 != "" && (!hash.MatchString(p.SHA256) || !commit.MatchString(p.URL) && p.Note == "") {
			t.Errorf("%s: %s is not the hash of one version of %s", p.Name, p.SHA256, p.URL)
		}
	}
	found, unknown := PublishedNamed(all, "GSM8K", "nothing", "kks-4")
	if len(found) != 2 || found[0].Name != "gsm8k" || found[1].File != "4.jsonl" || !slices.Equal(unknown,
		[]string{"nothing"}) {
		t.Errorf(`gsm8k and the file 4.jsonl are found, and "nothing" is unknown: got %+v, unknown %q`, found, unknown)
	}
}

// TestPublishedHashes compares the hashes with copies of the files, where there are some. $PARLEY_DATA names them.
func TestPublishedHashes(t *testing.T) {
	all, err := AllPublished()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	dir := datatest.Public(t)
	for _, p := range all {
		files, err := filepath.Glob(filepath.Join(dir, "*", p.File))
		if err != nil || len(files) == 0 {
			t.Logf("%s: no copy, %v", p.Name, err)
		}
		for _, file := range files {
			r, err := Inspect(file)
			if err != nil || r.Task.Family != p.Family || p.SHA256 == "" || p.Note != "" {
				continue
			}
			if compared++; r.Task.Hash != p.SHA256 {
				t.Errorf("%s: %s has SHA-256 %s, want %s", p.Name, file, r.Task.Hash, p.SHA256)
			}
		}
	}
	if t.Logf("%d files compared", compared); compared < 8 {
		t.Error("too few copies: this test compares little")
	}
}
