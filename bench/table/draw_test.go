package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/escape"
)

// glyphs are letters of all widths: none, one, two, and of several runes.
var glyphs = rapid.SampledFrom(strings.Split("a|b|Z|é|e\u0301|日|本|ü| |–|~|│|0|.|%|\t|👩‍👩‍👧", "|"))

func textOf(t *rapid.T, most int) string {
	return strings.Join(rapid.SliceOfN(glyphs, 0, most).Draw(t, "text"), "")
}

// TestDraw: all lines of a grid are equally wide, whatever letters it has, and have their texts between the lines.
func TestDraw(t *testing.T) {
	for _, c := range []struct {
		grid Grid
		want string
	}{
		{Grid{Heads: []string{"one"}}, "┌─────┐\n│ one │\n├─────┤\n└─────┘"},
		{Grid{Heads: []string{"n", "日本"}, Right: []bool{true, false}, Ruled: true,
			Rows: [][]string{{"100", "x\ny"}, {"1", "\tz"}}},
			"┌─────┬───────┐\n│ n   │ 日本  │\n├─────┼───────┤\n│ 100 │ x     │\n│     │ y     │\n├─────┼───────┤\n" +
				"│   1 │     z │\n└─────┴───────┘"},
	} {
		if got := strings.Join(c.grid.Layout(0), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	if t.Failed() {
		return // rapid would panic
	}
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{Heads: make([]string, rapid.IntRange(1, 5).Draw(t, "columns")), Ruled: rapid.Bool().Draw(t, "ruled")}
		g.Right = make([]bool, len(g.Heads))
		g.Rows = make([][]string, rapid.IntRange(0, 4).Draw(t, "rows"))
		for i := range g.Heads {
			g.Heads[i], g.Right[i] = textOf(t, 6), rapid.Bool().Draw(t, "right")
			for n := range g.Rows {
				g.Rows[n] = append(g.Rows[n], textOf(t, 12))
			}
		}
		drawn := g.Layout(0)
		for _, line := range drawn {
			if ansi.StringWidth(line) != ansi.StringWidth(drawn[0]) {
				t.Fatalf("all lines of a table are of one width, %d: got\n%s",
					ansi.StringWidth(drawn[0]), strings.Join(drawn, "\n"))
			}
		}
		for _, cell := range slices.Concat(g.Rows...) {
			shown := "│ " + escape.Text(strings.ReplaceAll(cell, "\t", "    "))
			if !slices.Contains(g.Right, true) && !strings.Contains(strings.Join(drawn, "\n"), shown) {
				t.Fatalf("the table has %q: got\n%s", cell, strings.Join(drawn, "\n"))
			}
		}
	})
}

// TestWrap: no line is wider than the columns, and no letter but blanks is lost.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, columns := textOf(t, 40), rapid.IntRange(2, 12).Draw(t, "columns")
		lines := wrap(text, columns)
		for _, line := range lines {
			if ansi.StringWidth(line) > columns {
				t.Fatalf("a line has at most %d columns: got %q", columns, line)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := bare(strings.Join(lines, "")); got != bare(text) {
			t.Fatalf("no letter of %q is lost in lines: got %q", text, lines)
		}
	})
}
