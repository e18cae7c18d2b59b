package bench

import (
	"strconv"
	"strings"
)

// Measured is a number of the row by its name, as experiments name what a paper reports: accuracy, unparsed, entropy and log-likelihood (by paper;
// with -code by code), agreement, decided-in-turn-K (a share), won-by-SIDE (the same). It is not known of what the debates do not have.
func (r Row) Measured(name string) (value float64, known bool) {
	if r.N == 0 {
		return 0, false
	}
	switch name {
	case "accuracy":
		return r.Accuracy, true
	case "unparsed":
		return share(r.Unparsed, r.N), true
	}
	c := r.Course
	if c == nil {
		return 0, false
	}
	if turn, ok := strings.CutPrefix(name, "decided-in-turn-"); ok {
		n, err := strconv.Atoi(turn)
		if err != nil || n < 1 {
			return 0, false
		}
		if n > len(c.Decided) {
			return 0, len(c.Decided) > 0
		}
		return share(c.Decided[n-1], r.N), true
	}
	if side, ok := strings.CutPrefix(name, "won-by-"); ok {
		return share(c.Sides[side], r.N), len(c.Sides) > 0
	}
	for measure, number := range map[string]*float64{
		"agreement": c.Agreement, "entropy": c.Entropy.Paper, "entropy-code": &c.Entropy.Code,
		"log-likelihood": c.LogLikelihood.Paper, "log-likelihood-code": &c.LogLikelihood.Code,
	} {
		if measure == name && number != nil {
			return *number, true
		}
	}
	return 0, false
}
