package paper

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestReplaces: a report replaces the files of an earlier one, removes those that it no longer has, and touches no
// others, whatever the list says.
func TestReplaces(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	mine := filepath.Join(dir, "mine.csv")
	list := "file,part,title,form\nstale.svg,,x,SVG\n../" + filepath.Base(dir) + "/mine.csv,,x,CSV\n" + mine +
		",,x,CSV\n"
	for path, text := range map[string]string{mine: "mine", filepath.Join(out, "stale.svg"): "<svg/>",
		filepath.Join(out, "own.pdf"): "mine", filepath.Join(out, List): list} {
		datatest.Write(t, path, text)
	}
	d := &Directory{path: out, files: []file{{"new.svg", "", "a figure", "SVG", []byte("<svg>1</svg>")}}}
	if err := d.Save(); err != nil {
		t.Fatal(err)
	}
	files := benchtest.BytesOf(t, out)
	if _, stale := files["stale.svg"]; stale || files["own.pdf"] != "mine" || files["new.svg"] != "<svg>1</svg>" {
		t.Errorf("own.pdf stays as it was, new.svg is there and stale.svg is gone: got %v", files)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("a file outside of the directory stays \"mine\": got %q, %v", text, err)
	}
	d.files = append(d.files, file{"own.pdf", "", "a figure", "PDF", []byte("%PDF")})
	if err := d.Save(); err == nil || !strings.Contains(err.Error(), "own.pdf exists and is no figure or table") {
		t.Errorf("another's own.pdf is no figure or table, and refused by its name: got %v", err)
	}
	records, err := csv.NewReader(strings.NewReader(benchtest.BytesOf(t, out)[List])).ReadAll()
	if err != nil || len(records) != 2 {
		t.Errorf("the list of the report that was written stays, with 2 lines: got %v, %v", records, err)
	}
}
