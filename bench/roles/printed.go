package roles

import "github.com/parley-debate/parley/bench/stat/regression"

// Explained is an outcome of debates that is explained by their predictors.
type Explained struct {
	Name  string // in experiment files
	Title string // of the table
	Of    func(Case) float64
}

// FitOutcomes are what Wu et al. explain, in their Tables 4 and 5.
var FitOutcomes = []Explained{
	{"final-smooth", "Regression of the final smooth accuracy", func(k Case) float64 { return k.FinalSmooth }},
	{"agreement-major", "Regression of agreement in a majority", func(k Case) float64 { return k.AgreementMajor }},
}

// Printed is a regression as a paper prints it.
type Printed struct {
	Model, From  string // of the debates; the table
	Outcome      string // the name of one of FitOutcomes
	N            int    // debates
	R2, Adjusted float64
	Coefficients []regression.Coefficient // with Name, Estimate and Error alone
}
