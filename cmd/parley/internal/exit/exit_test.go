package exit

import (
	"fmt"
	"os"
	"testing"
)

// TestSaid: users read paths and reasons, not the names of Go's calls.
func TestSaid(t *testing.T) {
	_, err := os.ReadFile("absent.json")
	for _, c := range []struct {
		err  error
		want string
	}{
		{err, "absent.json: no such file or directory"},
		{fmt.Errorf("task %q: %w", "absent.json", err), `task "absent.json": no such file or directory`},
		{fmt.Errorf("%w; name another one", err), "absent.json: no such file or directory; name another one"},
		{fmt.Errorf("in other words: %w", Input(err)), "in other words: absent.json: no such file or directory"},
		{fmt.Errorf("no file is part of this"), "no file is part of this"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := Said(c.err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
