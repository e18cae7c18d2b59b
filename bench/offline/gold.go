package offline

import (
	"fmt"

	"parley/debate/answer"
)

// truthBy reads a recorded target as an answer rule writes answers, so that the two can be compared.
func truthBy(rule, target string) (answer.Answer, error) {
	extract, err := answer.Named(rule)
	if err != nil {
		return answer.Unparsed, err
	}
	truth := extract(target)
	if rule == "math" { // whose targets are not in boxes
		truth = answer.Of(answer.NormalizeMath(target))
	}
	if !truth.Parsed || truth.Text == "" {
		return answer.Unparsed, fmt.Errorf("answer rule %s reads nothing from the target %q: replies cannot be "+
			"scored by it", rule, target)
	}
	return truth, nil
}
