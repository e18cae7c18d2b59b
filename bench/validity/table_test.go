package validity_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// TestTable: shares of the replies whose rule tells, dashes for a rule that does not, and no table where there is
// nothing to say.
func TestTable(t *testing.T) {
	reader := readingOf(replied(readAs(answer.Explicit, inference.StopEnd),
		readAs(answer.Cut, inference.StopLength), readAs(answer.Looped, inference.StopLooped),
		readAs(answer.Nothing, inference.StopEnd)))
	paper := readingOf(replied(readAs("", inference.StopEnd),
		readAs("", inference.StopLength)))
	made := validity.Table([]validity.Named{{"mad", reader}, {"single", paper}})
	want := `| condition | replies | explicit | fallback | closing turn | no option | cut | looped | nothing | at the limit | as a loop |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
| mad | 4 | 25.0 % | 0.0 % | 0.0 % | 0.0 % | 25.0 % | 25.0 % | 25.0 % | 25.0 % | 25.0 % |
| single | 2 | – | – | – | – | – | – | – | 50.0 % | 0.0 % |
`
	if got := made.Markdown(); got != want {
		t.Errorf("the table of readings is\n%s, got\n%s", want, got)
	}
	for _, how := range answer.Hows() {
		if !strings.Contains(strings.ToLower(made.Caption), strings.Fields(string(how))[0]) {
			t.Errorf("the caption explains %q: got %s", how, made.Caption)
		}
	}
	ended := readingOf(replied(readAs("", inference.StopEnd)))
	if none := validity.Table([]validity.Named{{"mad", ended}}); none.Lines != nil {
		t.Errorf("debates whose replies could not be measured have no table: got %v", none.Markdown())
	}
}
