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
		t.Errorf("of single answers: %+v", got)
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
		t.Errorf("%g, want 0.75", bias)
	}
	if own := peers.IdentityOf(blind, all); own == nil || own.Without != nil || own.Pairs != 4 {
		t.Errorf("without a condition to compare with, pairs are counted alone: got %+v", own)
	} else if _, known := own.Coefficient(); known {
		t.Error("an anonymous debate has a bias")
	}
	if n := peers.IdentityOf(three, all); n != nil {
		t.Errorf("beside a debate of two: %+v", n)
	}
	if n := peers.IdentityOf(told, all[:2]); n != nil {
		t.Errorf("without an anonymous debate: %+v", n)
	}
	text := peers.IdentityTable([]peers.Measures{{Condition: "told", Identity: n}, {Condition: "x"}}).Markdown()
	if !strings.Contains(text, "| told | 4 | 0.750 | 0.250 | 0.500 | anonymous | 0.750 |") {
		t.Errorf(`%v, want a text with "| told | 4 | 0.750 | 0.250 | 0.500 | anonymous | 0.750 |"`, text)
	}
}

// TestHarm: the last of three agents is right against two that agree, and yields where its reply is unlikely, except
// that every seventh debate goes the other way. Where all three differ, or two are right, few yield.
func TestHarm(t *testing.T) {
	var outcomes []trial.Outcome
	for q := range 100 {
		unsure, odd, last := q%2 == 0, q%7 == 0, []string{"BBA", "ABC", "AAB"}
		if unsure != odd {
			last[0] = "BBB"
		}
		if q%4 == 0 {
			last[1] = "BBC"
		}
		if q%9 == 0 {
			last[2] = "BAB"
		}
		alone := debated(q, "", "", "B", "BBA", last[0])
		alone.Transcript.Rounds[0][2].Reply.Tokens, alone.Transcript.Rounds[0][2].Reply.LogProb = 10, -1
		if unsure {
			alone.Transcript.Rounds[0][2].Reply.LogProb = -15
		}
		outcomes = append(outcomes, alone, debated(q+100, "", "", "A", "ABC", last[1]),
			debated(q+200, "", "", "A", "AAB", last[2]))
	}
	h := peers.HarmOf(columns(outcomes...))
	if h == nil || h.N != 900 || h.Harmed != 49+25+12 || h.Questions != 300 || h.AUC == nil || *h.AUC < 0.7 {
		t.Fatalf("%d of 900 replies are harmed, on 300 questions, and the predictor tells (area 0.7 or more): got "+
			"%+v", 49+25+12, h)
	}
	// the two shares tell the three kinds of debates apart, so that the share of differing pairs follows from them
	if strings.Join(h.LeftOut, " ") != "difference confidence" || h.Coefficients[3].Name != "likelihood" ||
		h.Coefficients[3].Estimate > 0 || h.Coefficients[3].P > 0.001 {
		t.Errorf("left out %v: %+v", h.LeftOut, h.Coefficients)
	}
	text := peers.HarmTable([]peers.Measures{{Condition: "mad", Harm: h}, {Condition: "few", Harm: &peers.Harm{N: 3}}})
	if len(text.Lines) != 1 || !strings.Contains(text.Markdown(), "| mad | 900 | 9.6 % | 300 |") {
		t.Errorf("the table has the share that is harmed, 9.6 %% of 900: got %s", text.Markdown())
	}
	few := peers.HarmOf(columns(outcomes[:8]...))
	if few == nil || few.AUC != nil || !strings.Contains(few.Why, "at least 20") {
		t.Errorf("of few harmed replies no area is given, and it says why: got %+v", few)
	}
	if h := peers.HarmOf(columns(debated(1, "", "", "A", "AAA", "AAA"),
		debated(2, "", "", "A", "AB"))); h != nil {
		t.Errorf("of what nobody contests, or nobody answers again: %+v", h)
	}
}

// TestHarmIsAdoption: who ends wrong with an answer that nobody gave first was not misled by a peer.
func TestHarmIsAdoption(t *testing.T) {
	for last, harmed := range map[string]int{"BB": 1, "CB": 0, ".B": 0, "AB": 0, "AA": 0, "BA": 1} {
		t.Run(last, func(t *testing.T) {
			if h := peers.HarmOf(columns(debated(1, "", "", "A", "AB", last))); h == nil || h.N != 2 ||
				h.Harmed != harmed {
				t.Errorf("%s: %+v, want %d", last, h, harmed)
			}
		})
	}
}
