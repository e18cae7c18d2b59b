package dynamics

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/regression"
)

// textsOf are the texts of a drawing, and checks that it is one for the page: labelled, and in its colours alone.
func textsOf(t *testing.T, f chart.Figure) (texts []string) {
	t.Helper()
	svg := string(f.SVG)
	if !strings.HasPrefix(svg, "<svg ") || !strings.Contains(svg, `role="img" aria-label="`+f.Title) {
		t.Errorf("%s: a figure is an SVG with its title as its label: got %.200s", f.Title, svg)
	}
	if other := regexp.MustCompile("#[0-9A-Fa-f]{6}").FindString(svg); other != "" {
		t.Errorf("%s has the colour %s, which does not follow the page", f.Title, other)
	}
	for _, found := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllStringSubmatch(svg, -1) {
		texts = append(texts, found[1])
	}
	return texts
}

// TestPuzzleFigures: the numbers in the cells are those of the tables: three of four agents of the wrong minority were
// corrected, which are all that were counted; six agents were rated, four ratings could not be read.
func TestPuzzleFigures(t *testing.T) {
	figures, err := PuzzleFigures(puzzles())
	if err != nil || len(figures) != 5 {
		t.Fatalf("puzzles have 5 figures: got %d, %v", len(figures), err)
	}
	for i, want := range []struct {
		title string
		texts map[string]int
	}{
		{"Accuracy by stated confidence", map[string]int{"knights, agent 2": 1, "stated confidence": 1, "10": 1,
			"2": 2, "share of right roles": 1}}, // 2 proposals, and the tick 2
		{"Right after the debate", map[string]int{"75 % of 4": 1, "–": 5, "knights, 4 players": 1, "minority,": 2}},
		{"Twelve transitions", map[string]int{"75.0 %": 1, "25.0 %": 1, "0.0 %": 10, "minority right → right": 1}},
		{"Soundness of arguments", map[string]int{"knights, improved": 1, "0": 1, "4": 2, "–": 1}},
		{"Right after the debate on a player, by rated reasons", map[string]int{"knights, agent 2, ": 1, "follows": 1,
			"75 % of 8": 1, "–": 1}},
	} {
		texts := textsOf(t, figures[i])
		if !strings.HasPrefix(figures[i].Title, want.title) {
			t.Errorf("figure %d begins its title with %q: got %q", i, want.title, figures[i].Title)
		}
		for text, n := range want.texts {
			if got := len(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s != text })); got != n {
				t.Errorf("%s has %q %d times, not %d: %q", want.title, text, got, n, texts)
			}
		}
	}
	others := analysis.Comparison{Rows: []analysis.Row{{Condition: "other", Dynamics: &analysis.Dynamics{}}}}
	if figures, err := PuzzleFigures(others); figures != nil || err != nil {
		t.Errorf("what is no puzzle has no figures of puzzles: got %v, %v", figures, err)
	}
}

// TestWeightsFigure: a row for each size, each weight under its transition, those without one marked.
func TestWeightsFigure(t *testing.T) {
	names := roles.Transitions()
	f, err := weightsFigure([]weighed{{4, 9, 1, regression.Weight{Name: names[0], Weight: -0.25}},
		{6, 9, 1, regression.Weight{Name: names[11], Weight: 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	texts := textsOf(t, f)
	cells := slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s != "–" })
	if len(cells) != 22 || !slices.Contains(texts, "4 players") || !slices.Contains(texts, "6 players") ||
		!slices.Contains(texts, "−0.250") || !slices.Contains(texts, "+0.500") {
		t.Errorf("22 cells of 4 and 6 players, with the signs of weights: got %d, %q", len(cells), texts)
	}
}
