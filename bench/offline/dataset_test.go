package offline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/parquetfile"
	"github.com/parley-debate/parley/internal/datatest"
)

// entity is what metadata say of a file, a table or a condition.
type entity struct {
	ID          string `json:"@id"`
	Type        string `json:"@type"`
	SHA256      string
	ContentSize string
	Field       []struct{ Name string }
	Value       any
}

// described writes a run as a directory that describes itself, checks what the metadata say of each file, and returns
// the directory with all that they describe.
func described(t *testing.T, format, metadata string) (directory string, all []entity) {
	t.Helper()
	of, run := benchtest.Finished(t)
	directory = filepath.Join(t.TempDir(), "out")
	if _, err := Export(run, of, directory, format); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Graph        []entity `json:"@graph"`
		Distribution []entity
		RecordSet    []entity
	}
	if err := json.Unmarshal(datatest.Read(t, filepath.Join(directory, metadata)), &read); err != nil {
		t.Fatal(err)
	}
	all = slices.Concat(read.Graph, read.Distribution, read.RecordSet)
	files := 0
	for _, e := range all {
		if e.SHA256 == "" {
			continue
		}
		files++
		sum := sha256.Sum256(datatest.Read(t, filepath.Join(directory, e.ID)))
		if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
			t.Errorf("%s has the hash of its metadata, %s: got %s", e.ID, e.SHA256, got)
		}
	}
	if files != len(tableNames) {
		t.Errorf("the metadata describe %d files, want %d", files, len(tableNames))
	}
	return directory, all
}

// TestHub: the card names each table by a file that is there, and the metadata have all its columns.
func TestHub(t *testing.T) {
	directory, all := described(t, FormatHub, "croissant.json")
	_, head, _ := strings.Cut(string(datatest.Read(t, filepath.Join(directory, "README.md"))), "---\n")
	head, text, _ := strings.Cut(head, "---\n")
	var card struct {
		License []string
		Configs []struct {
			Name  string `yaml:"config_name"`
			Files string `yaml:"data_files"`
		}
	}
	if err := yaml.Unmarshal([]byte(head), &card); err != nil || len(card.Configs) != 3 || len(card.License) == 0 {
		t.Fatalf("%v, %+v: want three tables and a licence", err, card)
	}
	for _, c := range card.Configs {
		content := datatest.Read(t, filepath.Join(directory, c.Files))
		columns, err := parquetfile.Columns(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Errorf("%s is a table that can be read: got %v, want no error", c.Name, err)
		}
		at := slices.IndexFunc(all, func(e entity) bool { return e.ID == c.Name })
		var names []string
		for _, f := range all[at].Field {
			names = append(names, f.Name)
		}
		if diff := cmp.Diff(columns, names); diff != "" {
			t.Errorf("%s has the columns of its metadata (-table +metadata):\n%s", c.Name, diff)
		}
	}
	_, run := benchtest.Finished(t)
	for _, r := range run.Comparison.Rows {
		if !strings.Contains(text, "| "+r.Condition+" | ") {
			t.Errorf("the card has no row of %s", r.Condition)
		}
	}
}

// TestROCrate: the metadata have each condition's accuracy, and whatever they refer to.
func TestROCrate(t *testing.T) {
	directory, all := described(t, FormatROCrate, "ro-crate-metadata.json")
	_, run := benchtest.Finished(t)
	for _, r := range run.Comparison.Rows {
		at := slices.IndexFunc(all, func(e entity) bool { return e.ID == "#condition-"+r.Condition })
		if at < 0 || all[at].Value != r.Accuracy {
			t.Errorf("%s is not there with its accuracy %v", r.Condition, r.Accuracy)
		}
	}
	text := string(datatest.Read(t, filepath.Join(directory, "ro-crate-metadata.json")))
	for i, e := range all {
		if slices.ContainsFunc(all[:i], func(o entity) bool { return o.ID == e.ID }) {
			t.Errorf("%s is described twice", e.ID)
		}
	}
	for _, part := range strings.Split(text, `"@id": "`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if !strings.HasPrefix(id, "https://w3id.org/ro/crate/") &&
			!slices.ContainsFunc(all, func(e entity) bool { return e.ID == id }) {
			t.Errorf("%s is referred to, and not described", id)
		}
	}
}
