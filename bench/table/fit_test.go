package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFit: what is narrow enough stays as it is; columns that find no place stand in a table of their own, below.
func TestFit(t *testing.T) {
	half := 0.5
	drawn := New(columns(), []sample{{"a|b│c", 2, &half}, {"=c", 1, nil}}).Terminal()
	whole := "before\n" + drawn + "\n  single          one answer\nno line break at the end"
	if got := Fit(whole, 30); got != whole {
		t.Errorf("%s, want %v", got, whole)
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
│      │ 0  │
│ =c   │ –  │
└──────┴────┘
  single
  one answer
no line
break at the
end`,
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if diff := cmp.Diff(want, Fit(whole, columns)); diff != "" {
				t.Errorf("%d columns (-want +got):\n%s", columns, diff)
			}
		})
	}
	for line, want := range map[string]string{
		"plan     1 threads, cells take 16 MiB of 22 GiB": "plan     1 threads,\n         cells take\n" +
			"         16 MiB of\n         22 GiB",
		"written to /a/very/long/path/that/stays/whole to the end": "written to\n" +
			"/a/very/long/path/that/stays/whole\nto the end",
		"a paragraph that was\nbroken before\nhere: a label": "a paragraph that was\nbroken before\nhere: a label",
		"a paragraph that has\nended.\nHere is another":      "a paragraph that has\nended.\nHere is another",
		"the first line is longer\nthan the terminal\nhere: a label": "the first line is\nlonger than the\n" +
			"terminal\nhere: a label",
		"┌ no table, although it begins like one": "┌ no table, although\nit begins like one",
	} {
		t.Run(line, func(t *testing.T) {
			if diff := cmp.Diff(want, Fit(line, 20)); diff != "" {
				t.Errorf("%s", diff)
			}
		})
	}
}

// TestFitNamesRows: what is repeated on the left tells the rows apart.
func TestFitNamesRows(t *testing.T) {
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
	if diff := cmp.Diff(want, Fit(whole.Terminal(), 24)); diff != "" {
		t.Errorf("%s", diff)
	}
}

// TestFitKeepsAll: whatever is in a table and however narrow the terminal, no line is wider than that, and all texts
// are there, in the order of the columns within the order of the rows.
func TestFitKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("abc│─┬界 -.")), 0, 30, -1)
		width, height := rapid.IntRange(1, 8).Draw(t, "columns"), rapid.IntRange(0, 4).Draw(t, "rows")
		table := Table{}
		for i := range width {
			table.Heads = append(table.Heads, Head{Name: fmt.Sprint("h", i), Left: i%2 == 0})
		}
		for range height {
			var l Line
			for range width {
				l.Cells = append(l.Cells, Cell{Text: strings.TrimSpace(cell.Draw(t, "cell"))})
			}
			table.Lines = append(table.Lines, l)
		}
		whole, columns := table.Terminal(), rapid.IntRange(20, 120).Draw(t, "terminal")
		got := Fit(whole, columns)
		for line := range strings.Lines(got) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > columns {
				t.Fatalf("%d columns of %d:\n%s\n%s", n, columns, line, got)
			}
		}
		if ansi.StringWidth(strings.SplitN(whole, "\n", 2)[0]) <= columns && got != whole {
			t.Fatalf("changed in %d columns:\n%s\n%s", columns, whole, got)
		}
		for _, l := range table.Lines {
			for _, c := range l.Cells {
				if !strings.Contains(letters(got), letters(c.Text)) && ansi.StringWidth(c.Text) < columns/2-4 {
					t.Fatalf("%q is missing:\n%s\n%s", c.Text, whole, got)
				}
			}
		}
	})
}

// letters is a text without blanks and lines.
func letters(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
