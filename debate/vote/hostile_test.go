package vote

import (
	"parley/debate"
	"strings"
	"testing"
	"time"
)

// TestHostileBallots is a check for hangs: what is looked for in replies beside answers is found in time.
func TestHostileBallots(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, part := range []string{"confidence", "confidence 1", "confidence\u00a0", "Step 1", "Step ", "Step 1\n", ".",
		". ", "!\u00a0", "\n", " ", "é", "1", "1%", "(A)", "a. (A)\n", "\xff"} {
		text := strings.Repeat(part, 200<<10/len(part))
		for name, read := range map[string]func(){
			"ballots": func() {
				for _, read := range []func(string, int) (debate.Ballot, error){readSimple, readApproval,
					readCumulative(10),
					readRanked} {
					read(text, 3)
				}
			},
		} {
			start := time.Now()
			read()
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s of many %q took %v", name, part, took)
			}
		}
	}
}
