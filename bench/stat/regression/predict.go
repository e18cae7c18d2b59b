package regression

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// odds are the log-odds that the fit gives a row of predictors.
func (f LogisticFit) odds(row []float64) float64 {
	sum := f.Coefficients[0].Estimate
	for j, x := range row {
		sum += f.Coefficients[j+1].Estimate * x
	}
	return sum
}

// LogisticFolds predicts the log-odds of each row by a fit to the rows of other folds. All rows of a cluster are in one
// fold; clusters are dealt to the folds in the order in which they first appear.
func LogisticFolds(d Data, clusters []string, folds int) ([]float64, error) {
	if len(clusters) != len(d.Rows) {
		return nil, fmt.Errorf("%d clusters for %d rows", len(clusters), len(d.Rows))
	}
	fold := make(map[string]int)
	for _, c := range clusters {
		if _, dealt := fold[c]; !dealt {
			fold[c] = len(fold) % folds
		}
	}
	if len(fold) < folds {
		return nil, fmt.Errorf("%d clusters for %d folds", len(fold), folds)
	}
	odds := make([]float64, len(d.Rows))
	for k := range folds {
		rest := Data{Names: d.Names}
		var of []string
		for i, row := range d.Rows {
			if fold[clusters[i]] != k {
				rest.Rows, rest.Outcome = append(rest.Rows, row), append(rest.Outcome, d.Outcome[i])
				of = append(of, clusters[i])
			}
		}
		fit, err := Logistic(rest, of)
		if err != nil {
			return nil, fmt.Errorf("without fold %d of %d: %w", k+1, folds, err)
		}
		for i, row := range d.Rows {
			if fold[clusters[i]] == k {
				odds[i] = fit.odds(row)
			}
		}
	}
	return odds, nil
}

// AUC is the chance that of a row whose outcome is 1 and one whose outcome is 0, the first has the higher score; equal
// scores count half. known is false if there is no such pair.
func AUC(scores, outcome []float64) (area float64, known bool) {
	places := make([]int, len(scores))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	below, won, ones := 0.0, 0.0, 0.0 // below: rows of outcome 0 with a lower score
	for i := 0; i < len(places); {
		j, equal := i, [2]float64{}
		for ; j < len(places) && scores[places[j]] == scores[places[i]]; j++ {
			equal[int(outcome[places[j]])]++
		}
		won += equal[1] * (below + equal[0]/2)
		below, ones, i = below+equal[0], ones+equal[1], j
	}
	if below*ones == 0 {
		return 0, false
	}
	return won / (below * ones), true
}

// Independent leaves out the predictors that do not vary or follow from those before them.
func (d Data) Independent() (kept Data, leftOut []string, err error) {
	columns, err := d.columns()
	if err != nil {
		return d, nil, err
	}
	ones := make([]float64, len(d.Rows))
	floats.AddConst(1, ones)
	kept = Data{Outcome: d.Outcome, Rows: make([][]float64, len(d.Rows))}
	use, names := [][]float64{ones}, []string{Constant}
	for j, column := range columns {
		with := append(slices.Clone(use), column)
		if _, err := factorize(with, append(slices.Clone(names), d.Names[j])); err != nil {
			leftOut = append(leftOut, d.Names[j])
			continue
		}
		use, names = with, append(names, d.Names[j])
		for i, x := range column {
			kept.Rows[i] = append(kept.Rows[i], x)
		}
	}
	kept.Names = names[1:]
	return kept, leftOut, nil
}
