package chart

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestForest is worked from the drawing's own scale: on an axis of shares, the middle of a number's glyph lies at that
// share of the way between the middles of the glyphs of 0 and 1.
func TestForest(t *testing.T) {
	f, err := Forest("ours and theirs", "accuracy", []Measured{
		{Name: "ends", Value: 0, Beside: []float64{1}},
		{Name: "single", Value: 0.25, Interval: &Interval{Low: 0.1, High: 0.6}, Beside: []float64{0.75},
			Apart: []float64{0.9, 0.4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	svg := string(f.SVG)
	filled := middles(svg, `fill:var\(--published\)`)
	hollow := middles(svg, `fill:none;stroke:var\(--published\)[^"]*`)
	if len(filled) != 2 || len(hollow) != 2 {
		t.Fatalf("2 diamonds are filled and 2 hollow: got %d and %d in %s", len(filled), len(hollow), svg)
	}
	// between the published 1 and 0.75 lies a quarter of the axis
	whole := 4 * (filled[0] - filled[1])
	for got, want := range map[float64]float64{hollow[0]: 0.9, hollow[1]: 0.4} {
		t.Run(fmt.Sprint(got), func(t *testing.T) {
			if x := 1 - (filled[0]-got)/whole; math.Abs(x-want) > 0.005 {
				t.Errorf("%g is drawn at %g", want, x)
			}
		})
	}
	for text, want := range map[string]int{"single": 1, "ends": 1, "accuracy": 1,
		`aria-label="ours and theirs"`: 1, "NaN": 0, "#0": 0} {
		t.Run(text, func(t *testing.T) {
			if got := strings.Count(svg, text); got != want {
				t.Errorf("%q is there %d times, not %d", text, got, want)
			}
		})
	}
	// a measure beyond shares widens the axis
	if f, err = Forest("", "entropy", []Measured{{Name: "bits", Value: 1.5, Beside: []float64{2.5}}}); err != nil ||
		!strings.Contains(string(f.SVG), ">2<") && !strings.Contains(string(f.SVG), ">2.0<") {
		t.Errorf("the axis of values up to 2.5 has a mark at 2: %v, got %s", err, f.SVG)
	}
}

// middles are the x of the middles of the diamonds of a style, in points.
func middles(svg, style string) (list []float64) {
	for _, d := range regexp.MustCompile(fmt.Sprintf(`<path d="M([0-9.-]+),[^"]*" style="%s"`, style)).
		FindAllStringSubmatch(svg, -1) {
		x, err := strconv.ParseFloat(d[1], 64)
		if err != nil {
			return nil
		}
		list = append(list, x)
	}
	return list
}
