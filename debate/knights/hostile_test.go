package knights

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/soak"
)

// TestHostileRoles: roles are read from replies of any content in time.
func TestHostileRoles(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, part := range []string{"confidence", "confidence 1", "confidence\u00a0", "Step 1", "Step ", "Step 1\n", ".",
		". ", "!\u00a0", "\n", " ", "é", "1", "1%", "(A)", "a. (A)\n", "\xff"} {
		t.Run(part, func(t *testing.T) {
			text := strings.Repeat(part, 200<<10/len(part))
			start := soak.Processor()
			Roles(four)(text)
			if took := soak.Processor() - start; took > 10*time.Second {
				t.Errorf("reading roles in a text of many %q took %v, want at most 10 s", part, took)
			}
		})
	}
}
