package offline

import (
	"fmt"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// truthBy reads a recorded target by an answer rule, so that answers of that rule can be compared with it.
func truthBy(rule, target string) (answer.Answer, error) {
	truth, err := reader.ReadTarget(rule, target, answer.Question{})
	if err != nil {
		return answer.Unparsed, err
	}
	if !truth.Parsed || truth.Text == "" {
		return answer.Unparsed, fmt.Errorf("answer rule %s reads nothing from the target %q: replies cannot be "+
			"scored by it", rule, target)
	}
	return truth, nil
}
