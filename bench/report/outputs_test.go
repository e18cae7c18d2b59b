package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/outfile"
)

// TestWithoutPage: a report replaces its tables where somebody has removed its page, and those of somebody else not.
func TestWithoutPage(t *testing.T) {
	dir := directory(t, 2, 2)
	page, notes := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.md")
	of := func() error {
		_, err := Of(dir, "", Options{})
		return err
	}
	if err := errors.Join(of(), os.Remove(page), of()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	both := filepath.Join(t.TempDir(), "both.html")
	several := func() error {
		_, err := OfRuns([]string{dir, directory(t, 3, 2)}, both, Options{})
		return err
	}
	if err := errors.Join(several(), os.Remove(both), several()); err != nil {
		t.Error(err)
	}
	for _, table := range []string{"", "question,condition,accuracy,n,low,high,p\n", "condition,mark,n\n"} {
		err := errors.Join(os.RemoveAll(page), os.WriteFile(notes, []byte("# My own notes\n"), 0o600),
			os.WriteFile(filepath.Join(dir, "report.csv"), []byte(table), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		if err := of(); !errors.As(err, new(outfile.Foreign)) {
			t.Errorf("beside %q: %v, want that report.md stays", table, err)
		}
		if text, _ := os.ReadFile(notes); string(text) != "# My own notes\n" {
			t.Errorf("a file that the report has not made stays, \"# My own notes\": got %q", text)
		}
	}
}

// TestTablesOfOthers: beside an earlier report, its own tables are replaced, and those of somebody else are not.
func TestTablesOfOthers(t *testing.T) {
	dir := directory(t, 2, 2)
	of := func() error {
		_, err := Of(dir, "", Options{})
		return err
	}
	if err := errors.Join(of(), of()); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "report*.csv"))
	if err != nil || len(tables) < 2 {
		t.Fatalf("tables of other programs are found: got %v, %v", tables, err)
	}
	for _, path := range append(tables, filepath.Join(dir, "report-groups.csv")) {
		had, _ := os.ReadFile(path)
		for _, foreign := range []string{"question,answer\n1,2\n", "condition,accuracy\nmad,0.5\n", `{"precious":1}`} {
			datatest.Write(t, path, foreign)
			if err := of(); !errors.As(err, new(outfile.Foreign)) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s as %q is another's file, which is refused with its path: got %v", path, foreign, err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != foreign {
				t.Errorf("another's file %s stays %q: got %q, %v", path, foreign, got, err)
			}
		}
		datatest.Write(t, path, had)
	}
}
