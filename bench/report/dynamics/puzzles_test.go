package dynamics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/regression"
)

// puzzles is a comparison of two debates on puzzles of four players.
func puzzles() analysis.Comparison {
	summary := &roles.Summary{N: 2, Rounds: []roles.Round{{Smooth: 0.5, Major: 1}},
		AUC: roles.Round{Smooth: 0.5, Major: 1}}
	summary.Shifts[agreement.MinorityWrong] = [2]int{1, 3}
	summary.Sizes = []roles.Size{{Players: 4, N: 2, Shifts: summary.Shifts}}
	summary.Depths = []roles.Depth{{Depth: 2, N: 2, Refuted: 6.5, Initial: roles.Round{Smooth: 0.5},
		Final: roles.Round{Strict: 0.5, Smooth: 0.75}}}
	summary.Opinions = []roles.Held{{Of: "chaos, wrong", Opinions: roles.Opinions{Heard: 4, Taken: 2, Right: 1}}}
	summary.Agents = []roles.Agent{{Agent: 1, Shifts: summary.Shifts, Opinions: roles.Opinions{Heard: 3},
		Claims:     roles.Claims{Turns: 4, Mistaken: 1, N: 5, Fail: 1, Follow: 4},
		Confidence: []roles.Bin{{Confidence: 7, N: 2, Smooth: 0.5, Interval: &stat.Interval{Low: 0.25, High: 1}}}}}
	summary.Ratings = []roles.Rated{{Of: "improved", Ratings: [4]int{0, 1, 2, 3}, Unread: 4}}
	summary.Reasons = []roles.RatedReasons{{Of: "agree", Ratings: [5]int{5, 4, 3, 2, 1}, Unread: 6}}
	summary.Agents[0].Behaviours = []roles.Behaviour{{Of: "follows", N: 8, Right: 6, Wrong: 4, Corrected: 1},
		{Of: "contradicts"}}
	summary.Claims = []roles.Claimed{{Of: "debate", Claims: roles.Claims{Turns: 2, N: 2, Vacuous: 1, Follow: 1}}}
	return analysis.Comparison{Rows: []analysis.Row{{Condition: "other", Dynamics: &analysis.Dynamics{}},
		{Condition: "knights", Dynamics: &analysis.Dynamics{Roles: summary}}}}
}

// TestPuzzleTables: puzzles have a line for each time and one for the area, and each place where agents stood is
// counted.
func TestPuzzleTables(t *testing.T) {
	tables := PuzzleTables(puzzles())
	if len(tables) != 11 {
		t.Fatalf("puzzles have 11 tables: got %d", len(tables))
	}
	for i, wants := range [][]string{
		{"| knights | proposals | 0.000 |", "| knights | after player 1 | 0.000 | 0.500 |", "| knights | final |",
			"| knights | AUC | 0.000 | 0.500 |"},
		{"| knights | minority, wrong | 4 | 3 | 75.0 % |", "| knights | chaos, right | 0 | 0 | – |"},
		{"| knights | 2 |  | – | – | 75.0 % | – | – | – |"},
		{"| knights | chaos, wrong | 4 | 2 | 50.0 % | 50.0 % |", "| knights | agent 2,  | 3 | 0 | 0.0 % | – |"},
		{"| knights | 4 | 2 | 0 | 0 | 0 | 0 | 1 | 3 | 0 |"},
		{"| knights | 2 | 2 | 6.500 | 0.000 | 0.500 | 0.500 | 0.750 |"},
		{"| knights | 2 |  | 7 | 2 | 0.500 (0.250 to 1.000) |"},
		{"| knights | debate | 2 | 2 | 50.0 % | 0.0 % | 50.0 % | 0.0 % |",
			"| knights | agent 2,  | 4 | 5 | 80.0 % | 20.0 % | 0.0 % | 25.0 % |"},
		{"| knights | improved | 0 | 1 | 2 | 3 | 4 |"},
		{"| knights | agent 2,  | follows | 8 | 6 | 75.0 % | 4 | 25.0 % |",
			"| knights | agent 2,  | contradicts | 0 | 0 | – | 0 | – |"},
		{"| knights | agree | 5 | 4 | 3 | 2 | 1 | 6 |"},
	} {
		t.Run(fmt.Sprint(wants), func(t *testing.T) {
			for _, want := range wants {
				if text := tables[i].Markdown(); !strings.Contains(text, want) || strings.Contains(text, "other") {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
		})
	}
	others := []analysis.Row{{Condition: "other", Dynamics: &analysis.Dynamics{}}}
	if PuzzleTables(analysis.Comparison{Rows: others}) != nil {
		t.Error("what is no puzzle has tables of puzzles, want none")
	}
}

// TestAloneTables: models that debated with nobody have a line and a point each, and no tables of debates.
func TestAloneTables(t *testing.T) {
	var c analysis.Comparison
	for i, name := range []string{"small", "big", "mute"} {
		alone := &roles.Alone{N: 4, Strict: 0.25 * float64(i), Smooth: 0.5, Sure: 4, Confidence: 7.5}
		if name == "mute" {
			alone.Sure, alone.Confidence = 0, 0
		}
		c.Rows = append(c.Rows, analysis.Row{Condition: name, Dynamics: &analysis.Dynamics{Roles: &roles.Summary{N: 4,
			Agents: []roles.Agent{{Alone: alone}}}}})
	}
	tables := PuzzleTables(c)
	if len(tables) != 2 || strings.Contains(tables[0].Markdown(), "AUC") {
		t.Fatalf("agents alone have 2 tables, without an AUC: got %d, %+v", len(tables), tables)
	}
	for _, want := range []string{"| big |  | 4 | 0.250 | 0.500 | 4 | 7.500 |",
		"| mute |  | 4 | 0.500 | 0.500 | 0 | – |"} {
		t.Run(want, func(t *testing.T) {
			if got := tables[1].Markdown(); !strings.Contains(got, want) {
				t.Errorf("lacks %q:\n%s", want, got)
			}
		})
	}
	figures, err := PuzzleFigures(c)
	if err != nil || len(figures) != 1 {
		t.Fatalf("agents alone have 1 figure: got %d, %v", len(figures), err)
	}
	texts := textsOf(t, figures[0])
	for _, want := range []string{"mean stated confidence", "share of puzzles solved"} {
		t.Run(want, func(t *testing.T) {
			if !slices.Contains(texts, want) {
				t.Errorf("lacks %q: %q", want, texts)
			}
		})
	}
	if says := figures[0].Caption; !strings.Contains(says, "1: small. 2: big.") || strings.Contains(says, "mute") {
		t.Errorf("the caption explains the numbers of models, and leaves out the mute one: got %s", says)
	}
}

// TestRegressionTables: coefficients have their stars and both errors, weights their size and penalty.
func TestRegressionTables(t *testing.T) {
	var cases []roles.Case
	for i := range 40 {
		k := roles.Case{Question: fmt.Sprint(i / 2), Players: 4, Predictors: make([]float64, len(roles.PredictorNames))}
		k.Predictors[3] = float64(i % 5)
		k.FinalSmooth = 0.5*k.Predictors[3] + 0.01*float64(i%3)
		k.Shifts[agreement.ChaosRight][1] = i % 5
		cases = append(cases, k)
	}
	r, err := roles.Regress(cases, func(k roles.Case) float64 { return k.FinalSmooth })
	if err != nil {
		t.Fatal(err)
	}
	fitted := explained{title: "Fit", ours: r}.table()
	for text, wants := range map[string][]string{
		fitted.Markdown():                     {"| const | ", "| init_smooth | 0.500 | *** | "},
		fitted.Caption:                        {"over 40 debates, R² 1.000", "game_size, n_agents, depth, init_strict"},
		weightsTable(weigh(cases)).Markdown(): {"| 4 | 40 | chaos, right → right | "},
	} {
		t.Run(text, func(t *testing.T) {
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
		})
	}
	if tables, figures, err := Regressions(nil, nil); tables != nil || figures != nil || err != nil {
		t.Errorf("no debates have no tables or figures: got %v, %v, %v", tables, figures, err)
	}
	// a miniature: one question, whose errors have no clusters, and an outcome that does not vary
	for i := range cases {
		cases[i].Question, cases[i].AgreementMajor = "only", 1
	}
	tables, _, err := Regressions(cases, nil)
	if err != nil || len(tables) < 2 {
		t.Fatalf("a miniature has the tables %v, %v", tables, err)
	}
	if fit := tables[0]; len(fit.Lines) != 2 || len(fit.Heads) != 4 ||
		!strings.Contains(fit.Caption, "there is none that allows for debates on the same question: all 40 rows") {
		t.Errorf("one question gives a fit of 2 lines without errors by cluster, and the caption says so: got "+
			"%s%s", fit.Markdown(), fit.Caption)
	}
	none := tables[1]
	if len(none.Lines) != 0 || !strings.Contains(none.Caption, "all 40 debates have the same outcome") {
		t.Errorf("equal outcomes give no fit, and the caption says why: got %s%s", none.Markdown(), none.Caption)
	}
	// what is printed stands beside both, with what ours has not
	printed := []roles.Printed{{Model: "all teams", From: "Table 4", Outcome: "final-smooth", N: 745, R2: 0.393,
		Adjusted: 0.38, Coefficients: []regression.Coefficient{{Name: "const", Estimate: 0.044, Error: 0.013},
			{Name: "order_same", Estimate: 0.035, Error: 0.019}}}}
	printed = append(printed, printed[0])
	printed[1].From, printed[1].Outcome = "Table 5", "agreement-major"
	if tables, _, err = Regressions(cases, printed); err != nil {
		t.Fatal(err)
	}
	for i, wants := range [][]string{
		{"| const | 0.010 | *** | 0.002 | 0.044 | 0.013 |", "| order_same | – |  | – | 0.035 | 0.019 |",
			"| debates | 40 |  | – | 745 | – |",
			"| R² | 1.000 |  | – | 0.393 | – |"},
		{"| const | – |  | – | 0.044 | 0.013 |", "| R², adjusted | – |  | – | 0.380 | – |"},
	} {
		t.Run(fmt.Sprint(wants), func(t *testing.T) {
			for _, want := range wants {
				if got := tables[i].Markdown(); !strings.Contains(got, want) ||
					!strings.Contains(tables[i].Caption, "Published: "+printed[i].From+", for all teams.") {
					t.Errorf("lacks %q:\n%s%s", want, got, tables[i].Caption)
				}
			}
		})
	}
}
