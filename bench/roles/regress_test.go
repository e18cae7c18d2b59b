package roles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestCases is worked by hand on the debate of TestRoles: agent 0, whose Bob is right, is the first of the best, and
// agent 1, who has nothing right, the worst.
func TestCases(t *testing.T) {
	o := puzzled(map[string][]debate.Turn{
		"proposal":             solved("knight knave", "knight knight", "spy spy"),
		"adjustment after Ann": solved("knight knave", "spy knight", ""),
		"adjustment after Bob": solved("spy knave", "spy knight", "spy knave"),
		"final":                solved("spy knave", "spy knave", "spy knave"),
	}, "Ann: spy, Bob: knave")
	o.Transcript.Settings = new(debate.Settings{}.With("confidence", "shown"))
	o.Transcript.Order = "chosen"
	cases := Cases(columns(o), inference.ModelInfo{})
	// two players, three agents, each player debated once; one of the players has no majority; agent 0 has Bob right
	// and is in the majority on Ann, as is agent 1
	want := []float64{2, 3, 1, 0.5, 0, 0.5, 0, 0, 0, 0, 0, 1, 0, 1}
	if len(cases) != 1 || !slices.Equal(cases[0].Predictors, want) || cases[0].FinalSmooth != 1 ||
		cases[0].AgreementMajor != 0.75 || cases[0].Shifts[agreement.MajorityWrong] != [2]int{1, 1} {
		t.Errorf("one case has the predictors %v: got %+v", want, cases)
	}
	if len(want) != len(PredictorNames) {
		t.Errorf("each of the %d predictors has a name: got %d", len(want), len(PredictorNames))
	}
}

// TestTeamTerms: a fit over several teams is one with a column for each but the first, whose agents may be more.
func TestTeamTerms(t *testing.T) {
	small, big := inference.ModelInfo{Name: "small", Hash: "5"}, inference.ModelInfo{Name: "big", Hash: "1"}
	engine := small
	engine.Team = []inference.ModelInfo{big}
	teamOf := func(hashes ...string) Team {
		c := &dynamics{models: make(map[int]string)}
		for i, hash := range hashes {
			c.agents = append(c.agents, i)
			c.models[i] = hash
		}
		return c.team(engine)
	}
	mix, more, alone := teamOf("5", "1", "5"), teamOf("1", "5", "1", "5"), teamOf("", "")
	if mix.Name != "small + big" || !mix.is(more) || mix.is(alone) || alone.Name != "small" {
		t.Fatalf("terms are teams: small + big contains big and not small alone: got %+v, %+v, %+v", mix, more, alone)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var cases []Case
	is := stat.One[float64]
	d := regression.Data{Names: []string{"n_agents", "init_smooth", "team small", "team big"}}
	for i := range 60 {
		k := Case{Question: fmt.Sprint(i / 6), Predictors: make([]float64, len(PredictorNames)),
			Team: []Team{mix, more, alone, teamOf("1")}[i%4]}
		k.Predictors[1], k.Predictors[3] = float64(3+i%2*(1-i%4/2)), random.Float64()
		k.FinalSmooth = 0.5*k.Predictors[3] + 0.3*is(i%4 == 2) - 0.2*is(i%4 == 3) + 0.1*random.NormFloat64()
		cases = append(cases, k)
		d.Outcome = append(d.Outcome, k.FinalSmooth)
		d.Rows = append(d.Rows, []float64{k.Predictors[1], k.Predictors[3], is(i%4 == 2), is(i%4 == 3)})
	}
	fit, err := regression.OLS(d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit.Classic()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Regress(cases, FitOutcomes[0].Of)
	if diff := cmp.Diff(want, got.Coefficients); diff != "" || err != nil || got.Baseline != "small + big" {
		t.Errorf("a fit by teams is the classic one, compared with \"small + big\": got %q, %v (-want +got):\n%s",
			got.Baseline, err, diff)
	}
}

// TestClusters: debates on one puzzle are a cluster also in several runs, and puzzles of one name are not.
func TestClusters(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var cases []Case
	var apart []Case
	for i := range 40 {
		k := Case{Question: fmt.Sprint(i % 10), Solution: "Ann: spy", Predictors: make([]float64, len(PredictorNames))}
		k.Predictors[0], k.FinalSmooth = random.Float64(), random.Float64()
		cases = append(cases, k)
		k.Solution = fmt.Sprint("Ann: ", i/20)
		apart = append(apart, k)
	}
	same, err := Regress(cases, FitOutcomes[0].Of)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Regress(apart, FitOutcomes[0].Of)
	if err != nil {
		t.Fatal(err)
	}
	if same.Clustered[1].Error == other.Clustered[1].Error || same.Coefficients[1] != other.Coefficients[1] {
		t.Errorf("clusters change the errors and not the coefficients: got %+v and %+v", same.Clustered,
			other.Clustered)
	}
}

// TestRegress: what made the outcomes is found, and predictors that do not vary or follow from others are left out.
func TestRegress(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var cases []Case
	for i := range 300 {
		k := Case{Question: fmt.Sprint(i / 2), Predictors: make([]float64, len(PredictorNames))}
		size, smooth := float64(4+2*(i%3)), random.Float64()
		k.Predictors[0], k.Predictors[1], k.Predictors[3], k.Predictors[5] = size, 3, smooth, 2*smooth
		right := random.IntN(5)
		k.Shifts[agreement.MinorityRight][1], k.Shifts[agreement.ChaosWrong][0] = right, random.IntN(5)
		k.FinalSmooth = 0.2 - 0.03*size + 0.6*smooth + 0.01*random.NormFloat64()
		k.AgreementMajor = float64(right)
		cases = append(cases, k)
	}
	r, err := Regress(cases, func(k Case) float64 { return k.FinalSmooth })
	if err != nil || len(r.Coefficients) != 3 || len(r.Clustered) != 3 || len(r.LeftOut) != len(PredictorNames)-2 {
		t.Fatalf("2 predictors and a constant are fitted, %d are left out as constant: got %+v, %v",
			len(PredictorNames)-2, r, err)
	}
	for i, want := range []float64{0.2, -0.03, 0.6} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if c := r.Coefficients[i]; math.Abs(c.Estimate-want) > 0.01 || c.Stars() != "***" {
				t.Errorf("a coefficient is %g within 0.01, with three stars: got %+v", want, c)
			}
		})
	}
	for i := range cases {
		cases[i].FinalSmooth = cases[i].AgreementMajor / 4
	}
	fit, err := Weights(cases)
	var names []string
	for _, w := range fit.Weights {
		names = append(names, w.Name)
	}
	want := []string{"minority, right → right", "chaos, wrong → wrong"}
	if diff := cmp.Diff(want, names); diff != "" || err != nil ||
		fit.Weights[0].Weight < 0.3 || math.Abs(fit.Weights[1].Weight) > 0.01 {
		t.Errorf("what decides has a weight above 0.3, what does not one near 0: got %+v, %v; names (-want "+
			"+got):\n%s", fit, err, diff)
	}
	if _, err := Regress(cases[:1], func(k Case) float64 { return 1 }); err == nil {
		t.Error("one debate was fitted, want an error")
	}
	if _, err := Weights(cases[:1]); err == nil {
		t.Error("one debate was weighed, want an error")
	}
	if _, err := Regress(nil, nil); err == nil {
		t.Error("a fit of 0 debates was made, want an error")
	}
	if _, err := Regress(cases, func(k Case) float64 { return 0.5 }); err == nil ||
		!strings.Contains(err.Error(), "the same outcome, 0.500") {
		t.Errorf("an outcome that does not vary is refused, as \"the same outcome, 0.500\": got %v", err)
	}
	for i := range cases {
		cases[i].Question = "only"
		cases[i].Players = 3
		cases[i].Predictors = slices.Repeat([]float64{0}, len(PredictorNames))
		cases[i].Predictors[1] = float64(3 + i%2)
	}
	// one question, as in a miniature, has no errors by question; those of the fit stay
	r, err = Regress(cases, func(k Case) float64 { return k.AgreementMajor })
	if err != nil || r.NotClustered == nil || r.Clustered != nil || len(r.Coefficients) != 2 {
		t.Errorf("one question gives 2 coefficients without clusters, and says why: got %+v, %v", r, err)
	}
}
