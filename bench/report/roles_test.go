package report

import (
	"strings"
	"testing"

	"parley/bench"
	"parley/bench/stat"
	"parley/bench/table"
)

// TestRolesTables: puzzles have a line for each time and one for the area, and each place where agents stood is
// counted.
func TestRolesTables(t *testing.T) {
	roles := &bench.Roles{N: 2, Rounds: []bench.RoleRound{{Smooth: 0.5, Major: 1}},
		AUC: bench.RoleRound{Smooth: 0.5, Major: 1}}
	roles.Shifts[stat.MinorityWrong] = [2]int{1, 3}
	tables := rolesTables([]bench.Row{{Condition: "other", Course: &bench.Course{}},
		{Condition: "knights", Course: &bench.Course{Roles: roles}}})
	if len(tables) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	for i, wants := range [][]string{
		{"| knights | proposals | 0.000 |", "| knights | after player 1 | 0.000 | 0.500 |", "| knights | final |",
			"| knights | AUC | 0.000 | 0.500 |"},
		{"| knights | minority, wrong | 4 | 3 | 75.0 % |", "| knights | chaos, right | 0 | 0 | – |"},
	} {
		for _, want := range wants {
			if text := tables[i].Markdown(); !strings.Contains(text, want) || strings.Contains(text, "other") {
				t.Errorf("lacks %q:\n%s", want, text)
			}
		}
	}
	if rolesTables([]bench.Row{{Condition: "other", Course: &bench.Course{}}}) != nil {
		t.Error("tables of no puzzle")
	}
}

// TestPartialColumn: degrees stand in the table of conditions under their name, in CSV with all digits, and nowhere
// without them.
func TestPartialColumn(t *testing.T) {
	row := bench.Row{Condition: "mad", N: 3, Partial: &bench.Partial{Degree: "f1", Mean: 0.25,
		Interval: &stat.Interval{Low: 0.125, High: 0.5}}}
	s := study{Run: bench.Run{Comparison: bench.Comparison{Reference: "mad",
		Rows: []bench.Row{row, {Condition: "single", N: 3}}}}}
	conditions := conditionsTable(s)
	csv := table.CSV("", nil, []table.Table{conditions})
	if text := conditions.Markdown(); !strings.Contains(text, "| f1 ") ||
		!strings.Contains(text, "| 0.250 (0.125 to 0.500) |") {
		t.Error(text)
	}
	if !strings.Contains(csv, "partial,partial_low,partial_high") || !strings.Contains(csv, ",0.25,0.125,0.5,") {
		t.Error(csv)
	}
}
