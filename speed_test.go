package parley_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSpeedInPerformance: the tables of docs/performance.md are those of docs/speed.json, one for each kind of
// processor, which tools/bench-guard.py records. UPDATE=1 writes them.
func TestSpeedInPerformance(t *testing.T) {
	const page, begin, end = "docs/performance.md", "<!-- from speed.json -->\n", "<!-- to here -->\n"
	text := read(t, page)
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no %q and %q", page, begin, end)
	}
	want := before + begin + "\n" + speedTables(t, read(t, "docs/speed.json")) + end + after
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("%s has other tables than docs/speed.json: UPDATE=1 go test -run TestSpeedInPerformance .", page)
	}
}

// speedRow is one of docs/speed.json: rates in tokens a second, pair by pair.
type speedRow struct {
	Ours, Peer []float64
	OfCeiling  float64 `json:"of_ceiling"`
}

func speedTables(t *testing.T, recorded string) string {
	var kinds map[string]map[string]speedRow
	if err := json.Unmarshal([]byte(recorded), &kinds); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "%s:\n\n| model | what | tokens/s | times the peer's | %% of ceiling |\n"+
			"| --- | --- | --: | --- | --: |\n", kind)
		for _, name := range slices.Sorted(maps.Keys(kinds[kind])) {
			row := kinds[kind][name]
			model, what, _ := strings.Cut(name, ", ")
			ratios := make([]float64, len(row.Ours))
			for i, ours := range row.Ours {
				ratios[i] = ours / row.Peer[i]
			}
			ceiling := ""
			if row.OfCeiling > 0 {
				ceiling = fmt.Sprintf("%.0f", 100*row.OfCeiling)
			}
			among := ""
			if len(ratios) > 1 {
				among = fmt.Sprintf(" (%.2f–%.2f)", slices.Min(ratios), slices.Max(ratios))
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %.2f%s | %s |\n", model, what,
				rate(median(row.Ours)), median(ratios), among, ceiling)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// rate has about three digits.
func rate(r float64) string {
	if r < 100 {
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.0f", r)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}
