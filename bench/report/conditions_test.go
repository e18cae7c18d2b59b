package report

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// TestPartialColumn: degrees stand in the table of conditions under their name, in CSV with all digits, and nowhere
// without them.
func TestPartialColumn(t *testing.T) {
	row := analysis.Row{Condition: "mad", N: 3, Partial: &analysis.Partial{Degree: "f1", Mean: 0.25,
		Interval: &stat.Interval{Low: 0.125, High: 0.5}}}
	s := study{Run: rundir.Run{Comparison: analysis.Comparison{Run: spec.Run{Reference: "mad"},
		Rows: []analysis.Row{row, {Condition: "single", N: 3}}}}}
	conditions := conditionsTable(s)
	csv := table.CSV("", nil, []table.Table{conditions})
	if text := conditions.Markdown(); !strings.Contains(text, "| f1 ") ||
		!strings.Contains(text, "| 0.250 (0.125 – 0.500) |") {
		t.Errorf("the column of parts has their interval: got\n%s", text)
	}
	if !strings.Contains(csv, "partial,partial_low,partial_high") || !strings.Contains(csv, ",0.25,0.125,0.5,") {
		t.Errorf("the file has the part in columns of its own: got\n%s", csv)
	}
}
