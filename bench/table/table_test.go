package table

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type sample struct {
	name  string
	n     int
	share *float64
}

func columns() []Column[sample] {
	share := Decimals("share", func(s sample) *float64 { return s.share })
	share.Fields = []string{"share"}
	share.Bar = func(s sample) *Bar {
		if s.share == nil {
			return nil
		}
		return &Bar{Point: *s.share, Low: 0.25, High: 0.75, Guess: 0.1}
	}
	name := Words("name", func(s sample) string { return s.name }, "name")
	name.Note = func(s sample) string { return strings.Repeat("!", s.n-1) }
	return []Column[sample]{name, Counts("n", func(s sample) int { return s.n }), share,
		{Hidden: true, Fields: []string{"twice", "thrice"},
			Values: func(s sample) []any { return []any{2 * s.n, 3 * s.n} }}}
}

// TestNoNumber: what is no number, and an interval of which nothing is known, are absent, and have no value in CSV.
func TestNoNumber(t *testing.T) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, got := range []string{Between("%g", low, high), Span("%g", low, high), Span("%g", low, 1),
		Number("%g", math.NaN())} {
		if got != Absent {
			t.Errorf("what is no number is drawn as %q: got %q", Absent, got)
		}
	}
	made := New([]Column[int]{{Name: "a", Text: func(int) string { return Absent }, Fields: []string{"low", "n", "p"},
		Values: func(int) []any { return []any{low, 3, math.NaN()} }}}, []int{1})
	if diff := cmp.Diff([]string{"", "3", ""}, made.Records[1]); diff != "" {
		t.Errorf("what is no number has no value in CSV (-want +got):\n%s", diff)
	}
}

// TestZeroHasOneSign: no number is printed as a negative zero.
func TestZeroHasOneSign(t *testing.T) {
	tiny := -0.0004
	for want, got := range map[string]string{
		"+0.000": Signed(tiny), "0.000": Decimal(&tiny), "-0.001": Signed(2 * tiny),
		"+0.000 to +0.001": Between("%+.3f", tiny, -2*tiny),
		"0.0 %":            Number("%.1f %%", math.Copysign(0, -1)), Absent: Number("%.3f", math.Inf(-1)),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestFormats: all formats show the same cells; hidden columns are in CSV alone.
func TestFormats(t *testing.T) {
	half := 0.5
	made := New(columns(), []sample{{"a|b", 2, &half}, {"=c", 1, nil}})
	for name, formats := range map[string][2]string{
		"terminal": {made.String(), `┌──────┬───┬───────┐
│ NAME │ N │ SHARE │
├──────┼───┼───────┤
│ a|b  │ 2 │ 0.500 │
│ =c   │ 1 │     – │
└──────┴───┴───────┘
`},
		"Markdown": {made.Markdown(), `| name | n | share |
| --- | --: | --: |
| a\|b (!) | 2 | 0.500 |
| =c | 1 | – |
`},
		"CSV": {CSV("run", []string{"x"}, []Table{made}), `run,name,share,twice,thrice
x,a|b,0.5,4,6
x,'=c,,2,3
`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(formats[1], formats[0]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// TestHTML: the page sorts by values with all digits, and draws a bar only where there is one.
func TestHTML(t *testing.T) {
	third := 1.0 / 3
	made := New(columns(), []sample{{"<b>", 2, &third}, {"c", 1, nil}})
	var page bytes.Buffer
	if err := template.Must(template.New("").Parse(HTML)).ExecuteTemplate(&page, "table", made); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{
		`data-value="0.3333333333333333"`: 1, `<td class="n" data-value="0.3333333333333333"><svg class="bar"`: 1,
		`<span class="below"><svg class="bar"`: 1, `<svg class="bar"`: 2, `x1="33.333"`: 2, `width="50.000"`: 2,
		"&lt;b&gt; <small>!</small>": 1, "<b>": 0, "<tr": 3, "twice": 0,
	} {
		t.Run(part, func(t *testing.T) {
			if got := strings.Count(page.String(), part); got != want {
				t.Errorf("%q is there %d times, not %d:\n%s", part, got, want, &page)
			}
		})
	}
}

// TestFilled: a column stays if one row has a value in it.
func TestFilled(t *testing.T) {
	half := 0.5
	for want, rows := range map[int][]sample{4: {{"a", 1, nil}, {"b", 1, &half}}, 3: {{"a", 1, nil}}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := Filled(columns(), rows); len(got) != want {
				t.Errorf("%d columns of %d rows, not %d", len(got), len(rows), want)
			}
		})
	}
}

// TestAllCSV: CSV for programs has every column that is shown, whether or not it has fields, and hidden fields beside.
func TestAllCSV(t *testing.T) {
	name := func(s string) string { return s }
	columns := []Column[string]{Words("name", name, "name"), Words("shown", name),
		{Hidden: true, Fields: []string{"digits"}, Values: func(string) []any { return []any{0.25} }},
		Counts("count", func(s string) int { return len(s) })}
	made := New(columns, []string{"ab"})
	if got, want := made.AllCSV(), "name,shown,digits,count\nab,ab,0.25,2\n"; got != want {
		t.Errorf("CSV has all columns, also those that are not shown, %q: got %q", want, got)
	}
	if got, want := CSV("", nil, []Table{made}), "name,digits\nab,0.25\n"; got != want {
		t.Errorf("CSV of fields has those that have names, %q: got %q", want, got)
	}
	for i := 1; i < 1<<len(columns); i++ { // which columns have fields
		tried := slices.Clone(columns)
		for k := range tried {
			if tried[k].Fields = nil; i>>k&1 == 1 {
				tried[k].Fields = []string{"field"}
			}
		}
		made := New(tried, []string{"ab"})
		first, _, _ := strings.Cut(made.AllCSV(), "\n")
		if got := strings.Count(first, ",") + 1; got < len(made.Heads) {
			t.Errorf("%b: CSV has a column for each of the %d that are shown: got %d", i, len(made.Heads), got)
		}
	}
}

// TestPanicCostsOneCell: a cell that panics says why, and all others are there, in the table and in CSV.
func TestPanicCostsOneCell(t *testing.T) {
	fails := func(s sample) int {
		if s.n == 2 {
			panic("no level")
		}
		return s.n
	}
	counts := Counts("count", fails)
	counts.Fields = []string{"count"}
	made := New([]Column[sample]{Words("name", func(s sample) string { return s.name }, "name"), counts},
		[]sample{{name: "a", n: 1}, {name: "b", n: 2}, {name: "c", n: 3}})
	if got := made.Lines[1].Cells[1].Text; !strings.Contains(got, "internal error: no level") {
		t.Errorf("a panic in a cell costs that cell alone, which says so: got %q", got)
	}
	want := [][]string{{"name", "count"}, {"a", "1"}, {"b", ""}, {"c", "3"}}
	if diff := cmp.Diff(want, made.Records); diff != "" || made.Lines[2].Cells[1].Text != "3" {
		t.Errorf("all but the cell that panics are there (-want +got):\n%s", diff)
	}
}
