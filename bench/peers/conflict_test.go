package peers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/trial"
)

// TestConflict is worked by hand, as Liang et al.'s Figure 1 has it: self-reflection settles on its wrong answer, while
// two debaters go on to disagree. Question 1 is answered wrong alone, question 2 right.
func TestConflict(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	single := peers.Held{Condition: "cot", Debates: columns(
		debated(1, "", "", "B", "B"), debated(2, "", "", "A", "A"))}
	reflect := peers.Held{Condition: "self-reflect", Debates: columns(
		debated(1, "", "", "C", "B", "C", "C"), debated(2, "", "", "A", "A", "A", "."))}
	mad := peers.Held{Condition: "mad", Debates: columns(
		debated(1, "", "", "A", "BA", "BC", "AB"), debated(2, "", "", "A", "AA"))}
	all := []peers.Held{mad, single, reflect}
	for _, c := range []struct {
		of   peers.Held
		all  []peers.Held
		want peers.Conflict
	}{
		{reflect, all, peers.Conflict{Against: "cot",
			All: []peers.Clash{{Debates: 2}, {Debates: 2, Within: share(0.5)}, {Debates: 2, Within: share(0)}},
			Wrong: []peers.Clash{{Debates: 1}, {Debates: 1, Within: share(1)},
				{Debates: 1, Within: share(0)}}}},
		{mad, all, peers.Conflict{Against: "cot",
			All: []peers.Clash{{Debates: 2, Between: share(0.5)}, {Debates: 1, Between: share(1), Within: share(0.5)},
				{Debates: 1, Between: share(1), Within: share(1)}},
			Wrong: []peers.Clash{{Debates: 1, Between: share(1)}, {Debates: 1, Between: share(1), Within: share(0.5)},
				{Debates: 1, Between: share(1), Within: share(1)}}}},
		// alone in the run, its own first answers choose the questions: B on question 1 is wrong, A on question 2 right
		{reflect, []peers.Held{reflect}, peers.Conflict{
			All: []peers.Clash{{Debates: 2}, {Debates: 2, Within: share(0.5)}, {Debates: 2, Within: share(0)}},
			Wrong: []peers.Clash{{Debates: 1}, {Debates: 1, Within: share(1)},
				{Debates: 1, Within: share(0)}}}},
	} {
		t.Run(fmt.Sprintf("%s of %d", c.of.Condition, len(c.all)), func(t *testing.T) {
			got := peers.ConflictOf(c.of, c.all)
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Errorf("the conflict of %s (-want +got):\n%s", c.of.Condition, diff)
			}
		})
	}
	if got := peers.ConflictOf(single, all); got != nil {
		t.Errorf("single answers have no conflict with others: got %+v, want none", got)
	}
	table := peers.ConflictTable([]peers.Measures{{Condition: "mad", Conflict: peers.ConflictOf(mad, all)},
		{Condition: "cot"}})
	if text := table.Markdown(); !strings.Contains(text, "| mad | 1 | 1 | 1.000 | 0.500 | 1 | 1.000 | 0.500 |") ||
		!strings.Contains(table.Caption, "that of cot") || len(table.Lines) != 3 {
		t.Errorf("the row of mad is counted, and the caption says whose answers are compared: got %s\n%s",
			table.Caption, text)
	}
}

// heard is a debate of two rounds in a layout, whose agents hear these others in the second.
func heard(layout string, hears [][]int, rounds ...string) trial.Outcome {
	o := debated(1, "", "", "A", rounds...)
	o.Transcript.Layout = layout
	for r := 1; r < len(o.Transcript.Rounds); r++ {
		for i := range o.Transcript.Rounds[r] {
			o.Transcript.Rounds[r][i].Heard = hears[i]
		}
	}
	return o
}

// TestIdentity is worked by hand. Agents that know which solution is their own follow three peers of four and keep one
// answer; those that do not, one and two of four: 3/4 - 1/4 - (1/4 - 2/4).
func TestIdentity(t *testing.T) {
	everybody := [][]int{{0, 1}, {0, 1}} // of one list, oneself included, as these layouts have it
	told := peers.Held{Condition: "told", Debates: columns(
		heard("marked", everybody, "AB", "BB"), heard("marked", everybody, "AB", "BA"),
		heard("marked", everybody, "AA", "AB"), heard("marked", everybody, "A.", "AA"))}
	blind := peers.Held{Condition: "anonymous", Debates: columns(
		heard("anonymous", everybody, "AB", "AB"), heard("anonymous", everybody, "AB", "BC"))}
	three := peers.Held{Condition: "three", Debates: columns(
		heard("marked", [][]int{{0, 1}, {1, 2}, {2, 0}}, "ABC", "BBC"))}
	all := []peers.Held{three, told, blind}
	n := peers.IdentityOf(told, all)
	if n == nil || n.Following != (peers.Following{Pairs: 4, Followed: 3, Kept: 1}) || n.Anonymous != "anonymous" ||
		*n.Without != (peers.Following{Pairs: 4, Followed: 1, Kept: 2}) {
		t.Fatalf("of 4 pairs 3 follow the other with names, and 1 without: got %+v", n)
	}
	if bias, known := n.Coefficient(); !known || bias != 0.75 {
		t.Errorf("the bias by names is 0.75: got %g, known %t", bias, known)
	}
	if own := peers.IdentityOf(blind, all); own == nil || own.Without != nil || own.Pairs != 4 {
		t.Errorf("without a condition to compare with, pairs are counted alone: got %+v", own)
	} else if _, known := own.Coefficient(); known {
		t.Error("an anonymous debate has no bias by names: got one, want it unknown")
	}
	if n := peers.IdentityOf(three, all); n != nil {
		t.Errorf("a debate of three has no bias by names beside a debate of two: got %+v, want none", n)
	}
	if n := peers.IdentityOf(told, all[:2]); n != nil {
		t.Errorf("without an anonymous debate the bias by names is unknown: got %+v, want none", n)
	}
	text := peers.IdentityTable([]peers.Measures{{Condition: "told", Identity: n}, {Condition: "x"}}).Markdown()
	if !strings.Contains(text, "| told | 4 | 0.750 | 0.250 | 0.500 | anonymous | 0.750 |") {
		t.Errorf("the table has \"| told | 4 | 0.750 | 0.250 | 0.500 | anonymous | 0.750 |\": got\n%s", text)
	}
}
