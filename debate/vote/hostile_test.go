package vote

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/soak"
)

// TestHostileBallots: ballots are read from replies of any content in time.
func TestHostileBallots(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, part := range []string{"confidence", "confidence 1", "confidence\u00a0", "Step 1", "Step ", "Step 1\n", ".",
		". ", "!\u00a0", "\n", " ", "é", "1", "1%", "(A)", "a. (A)\n", "\xff", "{", "{1:1,", "'", "1,"} {
		t.Run(part, func(t *testing.T) {
			text := strings.Repeat(part, 200<<10/len(part))
			for name, read := range map[string]func(string, int) (debate.Ballot, error){
				"simple": readSimple, "approval": readApproval, "ranked": readRanked,
				"cumulative": readCumulative(10), "cumulative, code": readCumulativeLiteral(10),
			} {
				start := soak.Processor()
				read(text, 3)
				if took := soak.Processor() - start; took > 10*time.Second {
					t.Errorf("%s of many %q took %v, want at most 10 s", name, part, took)
				}
			}
		})
	}
}
