package samples

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestAgreesWithStatsmodels: rows that are read have the accuracies, intervals, differences and p that statsmodels,
// scipy and evalstats make of the same numbers (tools/fixtures/statistics.py). Of questions that are right or wrong,
// all are equal. Graded and clustered differences have more than one interval, for the reasons that stat.BoundedAt and
// stat.CompareRepeated give: it holds that of t, and p is never below that of the permutation or of t.
func TestAgreesWithStatsmodels(t *testing.T) {
	type ends [2]float64
	var cases map[string]struct {
		Rows       string
		Accuracies []struct {
			Accuracy float64
			Interval ends
		}
		Pairs []struct {
			Difference, P float64
			Interval      ends
			Within        *struct {
				Low      float64 `json:"p_low"`
				High     float64 `json:"p_high"`
				Interval ends
			}
		}
		Holm, BH []float64
	}
	content, err := os.ReadFile("testdata/statsmodels.json")
	if err == nil {
		err = json.Unmarshal(content, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			read, err := Read([]string{datatest.File(t, "rows.csv", []byte(c.Rows))}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := read.Run(spec.Tests{Equivalence: 0.1}, "", "")
			if err != nil {
				t.Fatal(err)
			}
			exact := name == "right or wrong"
			is := func(of, what string, got, want float64, equal bool) {
				t.Helper()
				if got < want-1e-9 || equal && got > want+1e-9 {
					t.Errorf("%s: %s is %v, want %v", of, what, got, want)
				}
			}
			spans := func(of string, got stat.Interval, want ends, equal bool) {
				t.Helper()
				is(of, "lower end, negated,", -got.Low, -want[0], equal)
				is(of, "upper end", got.High, want[1], equal)
			}
			for i, want := range c.Accuracies {
				got := run.Comparison.Rows[i]
				is(got.Condition, "accuracy", got.Accuracy, want.Accuracy, true)
				spans(got.Condition, got.Interval, want.Interval, true)
			}
			for i, want := range c.Pairs {
				of, got := run.Comparison.Rows[i+1].Condition, run.Comparison.Rows[i+1].Paired
				if c.Accuracies == nil {
					got = run.Comparison.Contrasts[i].Paired
				}
				is(of, "difference", got.Difference, want.Difference, true)
				is(of, "p", got.P, want.P, exact)
				is(of, "p by Holm", got.Holm, c.Holm[i], exact)
				is(of, "p by Benjamini and Hochberg", got.FalseDiscovery, c.BH[i], exact)
				if spans(of, got.Interval, want.Interval, exact); want.Within != nil {
					is(of, "p above", got.Equivalence.Low, want.Within.Low, false)
					is(of, "p below", got.Equivalence.High, want.Within.High, false)
					spans(of, got.Equivalence.Interval, want.Within.Interval, false)
				}
			}
		})
	}
}
