package experiment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/internal/datatest"
)

const format = "../../docs/format.md"

// TestFieldsAreDescribed: each field of a file has a row that says what it means.
func TestFieldsAreDescribed(t *testing.T) {
	var b strings.Builder
	if err := WriteFields(&b); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(b.String(), "\n") {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| `") {
			rows++
			if len(cells) < 3 || strings.TrimSuffix(cells[2], " |") == "" {
				t.Errorf("the row %q of the fields has no meaning: see the list of meanings", line)
			}
		}
	}
	if rows < 70 {
		t.Errorf("the fields of the files are described in 70 rows or more: got %d", rows)
	}
}

// TestMeasuresAreTold: --fields or docs/format.md names each measure of a published number.
func TestMeasuresAreTold(t *testing.T) {
	text := datatest.Read(t, format)
	told := bytes.NewBuffer(text)
	if err := WriteFields(told); err != nil {
		t.Fatal(err)
	}
	for _, name := range analysis.MeasureNames() {
		if !strings.Contains(told.String(), "`"+name+"`") {
			t.Errorf("%s or --fields names the measure %s, but neither does", format, name)
		}
	}
}
