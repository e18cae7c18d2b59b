package chart

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestShades: whatever the opacity, the page's colour of right and wrong remains, and a cell's text stays readable.
func TestShades(t *testing.T) {
	h := Heat{XLabel: "x", Columns: []string{"one"}}
	for i := range 21 {
		h.Rows = append(h.Rows, Row{fmt.Sprint("row ", i), []Cell{{fmt.Sprint("cell ", i), float64(i)/10 - 1}}})
	}
	f := Figure{Title: `a "title"`}
	if err := f.Heat(h); err != nil {
		t.Fatal(err)
	}
	svg := string(f.SVG)
	for text, want := range map[string]int{"fill:var(--wrong)": 10, "fill:var(--right)": 11, "cell ": 21,
		"row ": 21, "&#34;title&#34;": 1, "#0": 0} {
		t.Run(text, func(t *testing.T) {
			if got := strings.Count(svg, text); got != want {
				t.Errorf("%q is there %d times, not %d", text, got, want)
			}
		})
	}
	for _, found := range regexp.MustCompile("fill-opacity:([0-9.]+)").FindAllStringSubmatch(svg, -1) {
		if opacity, err := strconv.ParseFloat(found[1], 64); err != nil || opacity < 0.039 || opacity > 0.501 {
			t.Errorf("shades have opacities from 0.04 to 0.5: got %s, %v", found[0], err)
		}
	}
}

// TestManyRows: what does not fit is left out, from below.
func TestManyRows(t *testing.T) {
	h := Heat{Columns: []string{"one"}}
	for i := range MostRows + 5 {
		h.Rows = append(h.Rows, Row{fmt.Sprint("row ", i), []Cell{{"c", 0}}})
	}
	var f Figure
	if err := f.Heat(h); err != nil {
		t.Fatal(err)
	}
	if svg := string(f.SVG); strings.Count(svg, "row ") != MostRows || !strings.Contains(svg, "row 0<") {
		t.Errorf("a chart has %d rows at most, the first ones: got %d in %s", MostRows, strings.Count(svg, "row "),
			svg)
	}
}
