package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestLayout: what is narrow enough stays as it is; columns that find no place stand in a table of their own, below.
func TestLayout(t *testing.T) {
	half := 0.5
	whole := Document{Text("before\n"), New(columns(), []sample{{"a|b│c", 2, &half}, {"=c", 1, nil}}),
		Text("  single          one answer\nno line break at the end")}
	if diff := cmp.Diff(whole.Layout(0), whole.Layout(30)); diff != "" {
		t.Errorf("what is narrow enough stays as it is (-want +got):\n%s", diff)
	}
	for columns, want := range map[int]string{
		20: `before
┌───────┬───┐
│ NAME  │ N │
├───────┼───┤
│ a|b│c │ 2 │
│ =c    │ 1 │
└───────┴───┘
┌───────┬───────┐
│ NAME  │ SHARE │
├───────┼───────┤
│ a|b│c │ 0.500 │
│ =c    │     – │
└───────┴───────┘
  single
  one answer
no line break at the
end`,
		12: `before
┌──────┬───┐
│ NAME │ N │
├──────┼───┤
│ a|b│ │ 2 │
│ c    │   │
│ =c   │ 1 │
└──────┴───┘
┌──────┬────┐
│ NAME │ SH │
│      │ AR │
│      │ E  │
├──────┼────┤
│ a|b│ │ 0. │
│ c    │ 50 │
│      │  0 │
│ =c   │  – │
└──────┴────┘
  single
  one answer
no line
break at the
end`,
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if diff := cmp.Diff(want, strings.Join(whole.Layout(columns), "\n")); diff != "" {
				t.Errorf("%d columns (-want +got):\n%s", columns, diff)
			}
		})
	}
	for name, c := range map[string]struct {
		block Block
		want  string
	}{
		"a list": {Text("plan     1 threads, cells take 16 MiB of 22 GiB"),
			"plan     1 threads,\n         cells take\n         16 MiB of\n         22 GiB"},
		"a long word": {Text("written to /a/very/long/path/that/stays/whole to the end"),
			"written to\n/a/very/long/path/that/stays/whole\nto the end"},
		"narrow lines": {Text("a paragraph that was\nbroken before\nhere: a label"),
			"a paragraph that was\nbroken before\nhere: a label"},
		"sentences": {Text("a paragraph that has\nended.\nHere is another"),
			"a paragraph that has\nended.\nHere is another"},
		"broken before": {Text("the first line is longer\nthan the terminal\nhere: a label"),
			"the first line is\nlonger than the\nterminal\nhere: a label"},
		"no table":     {Text("┌ no table, although it begins like one"), "┌ no table, although\nit begins like one"},
		"a last break": {Text("one\ntwo\n\n"), "one\ntwo\n"},
		"an empty one": {Text("\n"), ""},
		"codes":        {Text("red \x1b[31m\nand a \u202e mark"), "red \\u001b[31m\nand a \\u202e mark"},
		"a caption":    {Paragraph("p: of a test;\nq: of  another one"), "p: of a test; q: of\nanother one"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, strings.Join(c.block.Layout(20), "\n")); diff != "" {
				t.Errorf("the block is laid out in 20 columns (-want +got):\n%s", diff)
			}
		})
	}
	if lines := Text("").Layout(20); lines != nil {
		t.Errorf("a text of nothing has no lines: got %q", lines)
	}
}

// TestLayoutNamesRows: what is repeated on the left tells the rows apart.
func TestLayoutNamesRows(t *testing.T) {
	cells := func(texts ...string) (l Line) {
		for _, text := range texts {
			l.Cells = append(l.Cells, Cell{Text: text})
		}
		return l
	}
	whole := Table{Heads: []Head{{Name: "a", Left: true}, {Name: "n"}, {Name: "accuracy"}, {Name: "entropy"}},
		Lines: []Line{cells("x", "0", "0.500", "1"), cells("x", "1", "0.250", "2"), cells("y", "1", "1.000", "3")}}
	want := `┌───┬───┬──────────┐
│ A │ N │ ACCURACY │
├───┼───┼──────────┤
│ x │ 0 │    0.500 │
│ x │ 1 │    0.250 │
│ y │ 1 │    1.000 │
└───┴───┴──────────┘
┌───┬───┬─────────┐
│ A │ N │ ENTROPY │
├───┼───┼─────────┤
│ x │ 0 │       1 │
│ x │ 1 │       2 │
│ y │ 1 │       3 │
└───┴───┴─────────┘`
	if diff := cmp.Diff(want, strings.Join(whole.Layout(24), "\n")); diff != "" {
		t.Errorf("rows keep their names in 24 columns (-want +got):\n%s", diff)
	}
}

// TestLayoutKeepsAll: whatever is in a grid and however narrow the terminal, no line is wider than that, the lines of
// each table are equally wide, and all texts are there, in the order of the columns within the order of the rows.
func TestLayoutKeepsAll(t *testing.T) {
	tried, broken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("abc│─┬└┐界 -.\n\x1b\u202e\r\u009b"))
		g := Grid{Ruled: rapid.Bool().Draw(t, "ruled")}
		width, height := rapid.IntRange(1, 8).Draw(t, "columns"), rapid.IntRange(0, 4).Draw(t, "rows")
		for i := range width {
			g.Heads, g.Right = append(g.Heads, fmt.Sprint("h", i)), append(g.Right, i%2 == 1)
		}
		for range height {
			var row []string
			for range rapid.IntRange(0, width).Draw(t, "cells") {
				row = append(row, strings.TrimSpace(rapid.StringOfN(letters, 0, 30, -1).Draw(t, "cell")))
			}
			g.Rows = append(g.Rows, row)
		}
		tried++
		columns := rapid.IntRange(20, 120).Draw(t, "terminal")
		whole, got := g.Layout(0), g.Layout(columns)
		if ansi.StringWidth(whole[0]) <= columns && !cmp.Equal(whole, got) {
			t.Fatalf("a table that fits into %d columns stays as it is (-whole +laid out):\n%s",
				columns, cmp.Diff(whole, got))
		}
		edge := 0
		for _, line := range got {
			if strings.HasPrefix(line, "┌") {
				edge = ansi.StringWidth(line)
			}
			n := ansi.StringWidth(line)
			if n > columns || n != edge || strings.ContainsAny(line, "\x1b\u202e\r\u009b\n") {
				t.Fatalf("a line ends at %d columns, the edge of its table, within %d, without control "+
					"characters: got %d, %q", edge, columns, n, line)
			}
		}
		if len(got) > len(whole) {
			broken++
		}
		shown := bare(strings.Join(got, ""))
		for _, row := range g.Rows {
			for _, cell := range row {
				for line := range strings.Lines(cell) {
					line = Document{Text(line)}.String()
					if !strings.Contains(shown, bare(line)) && ansi.StringWidth(line) < columns/2-4 {
						t.Fatalf("%q is in the table, or its line is as full as it can be: got\n%s",
							line, strings.Join(got, "\n"))
					}
				}
			}
		}
	})
	if broken <= tried/10 {
		t.Errorf("the test tries too little: %d of %d tables were too wide, want more than a tenth", broken, tried)
	}
}

// bare is a text without blanks and lines.
func bare(s string) string { return strings.NewReplacer(" ", "", "\r\n", "", "\n", "").Replace(s) }
