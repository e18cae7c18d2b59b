package chart

import (
	"bytes"
	"encoding/xml"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTicks: what stands on axes.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name      string
		ticks     Ticks
		low, high float64
		want      string
	}{
		{"numbers", numbers, 0, 2.5, "0.0 0.5 1.0 1.5 2.0 2.5"},
		{"below zero", numbers, -3.7, -1.1, "−3.5 −3.0 −2.5 −2.0 −1.5"},
		{"thousands", numbers, 0, 30_000, "0 5,000 10,000 15,000 20,000 25,000 30,000"},
		{"small", numbers, 0, 0.004, "0.000 0.001 0.002 0.003 0.004"},
		{"tiny", numbers, 0, 2e-9, "0 5e-10 1e-09 1.5e-09 2e-09"},
		{"huge", numbers, 0, 2e18, "0 5e+17 1e+18 1.5e+18 2e+18"},
		{"shares", Shares, 0, 1, "0 % 20 % 40 % 60 % 80 % 100 %"},
		{"few shares", Shares, 0, 0.3, "0 % 10 % 20 % 30 %"},
		{"shares beyond their ends", Shares, -0.27, 1, "0 % 20 % 40 % 60 % 80 % 100 %"},
		{"signed", Signed, -0.43, 0.43, "−40 % −20 % 0 % +20 % +40 %"},
		{"sides", Sides, -0.43, 0.43, "40 % 20 % 0 % 20 % 40 %"},
		{"whole", Whole(1, 3), 0, 0, "1 2 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var labels []string
			for _, tick := range c.ticks(c.low, c.high) {
				labels = append(labels, strings.ReplaceAll(tick.Label, " %", "%"))
			}
			if diff := cmp.Diff(strings.ReplaceAll(c.want, " %", "%"), strings.Join(labels, " ")); diff != "" {
				t.Errorf("the axis has these ticks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLog: on a logarithmic axis equal ratios are equal lengths; one that does not begin above 0 is none.
func TestLog(t *testing.T) {
	for low, want := range map[float64]float64{1: 0.5, 0: 0.1} {
		a := Axis{Low: low, High: 100, Log: true}
		if a.complete(nil); math.Abs(a.part(10)-want) > 1e-9 {
			t.Errorf("from %g to 100, 10 stands at %g, not at %g", low, a.part(10), want)
		}
	}
}

// TestPowers: a logarithmic axis of a ratio of 10 or more has three ticks or more, the first and the last within 2.5
// times of its ends; no two have one label.
func TestPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-4, 6).Draw(t, "low"))
		a := Axis{Low: low, High: low * math.Pow(10, rapid.Float64Range(0.05, 5).Draw(t, "decades")), Log: true}
		ticks := a.ticks()
		for i := 1; i < len(ticks); i++ {
			if ticks[i].At <= ticks[i-1].At || ticks[i].Label == ticks[i-1].Label {
				t.Errorf("ticks rise and have labels of their own: got %v behind %v", ticks[i], ticks[i-1])
			}
		}
		if a.High/a.Low < 10 {
			return
		}
		if len(ticks) < 3 || ticks[0].At > 2.5*a.Low+1e-9 || ticks[len(ticks)-1].At < a.High/2.5-1e-9 {
			t.Errorf("an axis from %g to %g has 3 ticks or more, near both ends: got %v", a.Low, a.High, ticks)
		}
	})
}

// TestLabelsApart: labels of points, also of several in one place, are within the panel and not on each other.
func TestLabelsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := frame{face: onPage, to: 500, left: 60, right: 480, top: 10, bottom: 250,
			Panel: Panel{X: Axis{High: 1}, Y: Axis{High: 1}}}
		var points []Point
		for i := range rapid.IntRange(1, 10).Draw(t, "points") {
			p := Point{X: rapid.Float64Range(0, 1).Draw(t, "x"), Y: rapid.Float64Range(0, 1).Draw(t, "y"),
				Text: rapid.StringMatching("[a-z]{1,16}").Draw(t, "text")}
			if i > 0 && rapid.Bool().Draw(t, "same") {
				p.X, p.Y = points[i-1].X, points[i-1].Y
			}
			points = append(points, p)
		}
		boxes := f.places(points)
		for i, b := range boxes {
			if !f.inside(b) || slices.ContainsFunc(boxes[:i], b.touches) {
				t.Fatalf("a label lies in the frame and touches no other: got %q of %v at %v, beside %v",
					points[i].Text, points[i], b, boxes[:i])
			}
		}
	})
}

// TestLabelsBesideLines: labels are neither on the front nor on the intervals of points.
func TestLabelsBesideLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dots, line := Mark{}, Mark{Kind: Lines}
		for i := range rapid.IntRange(2, 5).Draw(t, "points") {
			p := Point{X: 0.15 * float64(i+1), Y: rapid.Float64Range(0.1, 0.9).Draw(t, "y"),
				Text: rapid.StringMatching("[a-z]{1,6}").Draw(t, "text")}
			p.Span = &Interval{Low: p.Y - 0.1, High: p.Y + 0.1}
			if i > 0 {
				line.Points = append(line.Points, Point{X: p.X, Y: line.Points[len(line.Points)-1].Y})
			}
			dots.Points, line.Points = append(dots.Points, p), append(line.Points, p)
		}
		f := frame{face: onPage, to: 500, left: 60, right: 480, top: 10, bottom: 250,
			Panel: Panel{X: Axis{High: 1}, Y: Axis{High: 1}, Marks: []Mark{line, dots}}}
		for i, b := range f.places(dots.Points) {
			if slices.ContainsFunc(f.lined(), b.touches) {
				t.Fatalf("a label is on no line: got %q at %v, with the lines %v", dots.Points[i].Text, b, f.lined())
			}
		}
	})
}

// TestApart: whatever ticks there are, no two labels touch, the first one is there, and all where they have room.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := frame{face: onPage, right: rapid.Float64Range(10, 600).Draw(t, "width"), Panel: Panel{X: Axis{High: 1}}}
		var ticks []Tick
		room, at := true, 0.0
		for range rapid.IntRange(1, 30).Draw(t, "ticks") {
			label := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789%. wide字")), 1, 12, -1).Draw(t, "label")
			if n := len(ticks); n > 0 {
				before := ticks[n-1]
				room = room && (at-before.At)*f.right > (f.width(before.Label)+f.width(label))/2+near
			}
			ticks = append(ticks, Tick{at, label})
			at += rapid.Float64Range(0.001, 0.5).Draw(t, "step")
		}
		shown := f.apart(ticks)
		if shown[0] != ticks[0] || room && len(shown) != len(ticks) {
			t.Fatalf("where there is room (%t) all ticks %v are shown, and the first always: got %v",
				room, ticks, shown)
		}
		for i := 1; i < len(shown); i++ {
			a, b := shown[i-1], shown[i]
			if f.x(a.At)+f.width(a.Label)/2 > f.x(b.At)-f.width(b.Label)/2 {
				t.Fatalf("labels that are shown stay apart: got %q at %g and %q at %g", a.Label, a.At, b.Label, b.At)
			}
		}
	})
}

// TestLabels: of points that lie together, the labels stand on different sides; a number that is none is refused; what
// names say reaches a drawing as text.
func TestLabels(t *testing.T) {
	hostile := "<b>\x1b[31m\u202e😀\x00"
	points := []Point{{X: 1, Y: 1, Text: "first"}, {X: 1.01, Y: 1, Text: "second"}, {X: 1, Y: 1.01, Text: hostile}}
	f := Figure{Title: hostile}
	p := Panel{Title: hostile, X: Axis{High: 2}, Y: Axis{High: 2, Label: hostile},
		Marks: []Mark{{Kind: Labels, Points: points}}}
	if err := f.Render(200, p); err != nil {
		t.Fatal(err)
	}
	places := make(map[[2]string]bool)
	for _, format := range Formats {
		drawing, err := f.Paper(format, TwoColumns)
		if err != nil || len(drawing) < 500 {
			t.Fatalf("%s: a figure has 500 bytes or more: got %d, %v", format, len(drawing), err)
		}
		if format != "svg" {
			continue
		}
		var drawn struct {
			Texts []struct {
				X    string `xml:"x,attr"`
				Y    string `xml:"y,attr"`
				Said string `xml:",chardata"`
			} `xml:"text"`
		}
		if err := xml.NewDecoder(bytes.NewReader(drawing)).Decode(&drawn); err != nil {
			t.Fatal(err)
		}
		for _, text := range drawn.Texts {
			if strings.ContainsAny(text.Said, "\x1b\u202e\x00") {
				t.Errorf("%q is no text that can be seen", text.Said)
			}
			places[[2]string{text.X, text.Y}] = true
		}
		if len(places) != len(drawn.Texts) {
			t.Errorf("each of the %d texts has a place: got %d places", len(drawn.Texts), len(places))
		}
	}
	p.Marks[0].Points[1].Y = math.NaN()
	if err := f.Render(200, p); err == nil || !strings.Contains(err.Error(), "has a point at NaN") {
		t.Errorf("a number that is none is refused, as \"has a point at NaN\": got %v", err)
	}
}
