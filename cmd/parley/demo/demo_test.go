package demo_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestDemoRepeats runs the demo twice: equal journals and equal results, times apart.
func TestDemoRepeats(t *testing.T) {
	parleytest.WarmCache(t)
	demo := func() (journals []string, result map[string]any) {
		out := filepath.Join(t.TempDir(), "run")
		var stdout, stderr bytes.Buffer
		if code := cli.Run([]string{"demo", "--puzzles", "2", "--out", out, "--json"}, nil, &stdout,
			&stderr); code != 0 {
			t.Fatalf("exit %d: %s, want 0", code, stderr.String())
		}
		for _, name := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
			journals = append(journals, parleytest.Records(t, filepath.Join(out, name))...)
		}
		line, err := record.WithoutTimes(stdout.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatal(err)
		}
		for _, drafts := range []string{"accepted", "attended", "drafted", "rows"} { // by a cost that is measured
			delete(result["scheduler"].(map[string]any), drafts)
		}
		return journals, result
	}
	journals, result := demo()
	again, resultAgain := demo()
	if diff := cmp.Diff(journals, again) + cmp.Diff(result, resultAgain); diff != "" {
		t.Errorf("a second demo has the journals and the result of the first (-want +got):\n%s", diff)
	}
	if want := 2 + 2*11 + int(result["scheduler"].(map[string]any)["generations"].(float64)); len(journals) != want {
		t.Errorf("%d records, want %d", len(journals), want)
	}
}
