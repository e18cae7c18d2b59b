package table

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// saying makes a table of texts, of which the first column is words; a head that ends in "<" is aligned to the left.
func saying(lines ...string) (t Table) {
	for i, line := range lines {
		var l Line
		for _, text := range strings.Split(line, "|") {
			if i == 0 {
				name, left := strings.CutSuffix(text, "<")
				t.Heads = append(t.Heads, Head{Name: name, Left: left})
			}
			l.Cells = append(l.Cells, Cell{Text: text})
		}
		if i > 0 {
			t.Lines = append(t.Lines, l)
		}
	}
	return t
}

// TestSays: a sentence has the least and the greatest number of the leading measure, and the rows that have them.
func TestSays(t *testing.T) {
	for name, c := range map[string]struct {
		table Table
		want  string
	}{
		"a measure before a count": {saying("condition<|n|share", "a|40|0.250", "b|40|0.100", "c|40|0.500"),
			"Share: from 0.100 (b) to 0.500 (c)."},
		"counts alone": {saying("condition<|n", "a|1,040", "b|40"), "N: from 40 (b) to 1,040 (a)."},
		"percent": {saying("condition<|share", "a|9.0 %", "b|10.0 %"),
			"Share: from 9.0 % (a) to 10.0 % (b)."},
		"negative numbers": {saying("condition<|slope", "a|-0.5", "b|+0.1"), "Slope: from -0.5 (a) to +0.1 (b)."},
		"equal":            {saying("condition<|share", "a|0.100", "b|0.100"), "Share: 0.100 throughout."},
		"one row":          {saying("condition<|share", "a|0.100"), "Share: 0.100 (a)."},
		"one known":        {saying("condition<|share", "a|–", "b|0.1"), "Share: 0.1 (b); unknown in 1 of 2 rows."},
		"names by rounds": {saying("condition<|round|share", "a|0|0.1", "a|1|0.2"),
			"Share: from 0.1 (a, round 0) to 0.2 (a, round 1)."},
		"several rows": {saying("condition<|share", "a|0.1", "b|0.3", "c|0.3", "d|0.1", "e|0.3"),
			"Share: from 0.1 (a and 1 other) to 0.3 (b and 2 others)."},
		"a reason": {saying("condition<|difference", "a|0 of 15 confidences arrived", "b|-0.2"),
			"Difference: -0.2 (b); unknown in 1 of 2 rows."},
		"how sure": {saying("condition<|mean", "a|0.1 ± 0.02", "b|0.3 (n 4)"),
			"Mean: from 0.1 ± 0.02 (a) to 0.3 (n 4) (b)."},
		"words alone": {saying("condition<|says<", "a|0.1", "b|0.2"), ""},
		"no rows":     {saying("condition<|share"), ""},
		"nothing":     {Table{}, ""},
		"no number":   {saying("condition<|share", "a|–"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.table.Says(); got != c.want {
				t.Errorf("the table says in a sentence %q: got %q", c.want, got)
			}
		})
	}
	sorted := saying("of<|share", "a|5", "b|0.1", "c|2 of 9")
	sorted.Heads[1].Sorts, sorted.Lines[1].Cells[1].Value, sorted.Lines[2].Cells[1].Value = true, "0.1", "0.22"
	if want := "Share: from 0.1 (b) to 2 of 9 (c); unknown in 1 of 3 rows."; sorted.Says() != want {
		t.Errorf("%q of what is sorted, want %q", sorted.Says(), want)
	}
	kinds := saying("metric<|condition<|mean", "bits|a|0.5", "bits|b|0.7", "shares|a|9.5")
	if kinds.Each = "metric"; kinds.Says() != "Mean: from 0.5 (bits, a) to 0.7 (bits, b)." {
		t.Errorf("two metrics are not compared, want \"Mean: from 0.5 (bits, a) to 0.7 (bits, b).\": got %q",
			kinds.Says())
	}
	led := saying("condition<|rounds|agreement|share", "a|1.0|–|0.1", "b|2.0|–|0.2")
	untested := saying("contrast<|n|difference", "a|2|the same", "b|2|the same")
	untested.Lead = []string{"difference"}
	if untested.Says() != "Difference: the same throughout." {
		t.Errorf("of what is the same, want \"Difference: the same throughout.\": got %q", untested.Says())
	}
	for want, lead := range map[string][]string{"Agreement: unknown in all rows.": {"agreement"},
		"Share: from 0.1 (a) to 0.2 (b).":  {"agreement", "none", "share"},
		"Rounds: from 1.0 (a) to 2.0 (b).": {"none"}} {
		if led.Lead = lead; led.Says() != want {
			t.Errorf("%q of %q, want %q", led.Says(), lead, want)
		}
	}
}

// TestSaysOfAnything: no table makes it fail, and what it says stands in the table.
func TestSaysOfAnything(t *testing.T) {
	tried, said := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.SampledFrom([]string{"", "–", "0.1", "-3", "12 of 40", "NaN", "1e9", "+0.000", "a", "1,000.5",
			"."})
		width := rapid.IntRange(1, 4).Draw(t, "columns")
		made := Table{Lead: []string{"größe"}[:rapid.IntRange(0, 1).Draw(t, "lead")]}
		if rapid.Bool().Draw(t, "kinds") {
			made.Each = "größe"
		}
		for range width {
			made.Heads = append(made.Heads, Head{Name: "größe", Left: rapid.Bool().Draw(t, "left")})
		}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			var l Line
			for range width {
				l.Cells = append(l.Cells, Cell{Text: cell.Draw(t, "cell")})
			}
			made.Lines = append(made.Lines, l)
		}
		tried++
		if says := made.Says(); says != "" {
			said++
			if !strings.HasPrefix(says, "Größe: ") || !strings.HasSuffix(says, ".") {
				t.Fatalf("a sentence begins with the column, and ends: got %q", says)
			}
		}
	})
	if said <= tried/10 {
		t.Errorf("the test tries too little: %d of %d tables had something to say, want more than a tenth", said, tried)
	}
}
