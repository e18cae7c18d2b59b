package debate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// TestDebateRefuses: what cannot be meant is refused before a model is opened, with what to write instead.
func TestDebateRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--truth", "milk", "Which? (A) oil (B) water"},
			`--truth: the truth "milk" can be no answer by the rule reader-choice-14, whose answers look like (B)`},
		{[]string{"--truth", "12", "--answer", "gpqa", "Which?"}, "look like (B)"},
		{[]string{"--protocol", "knights", "---\nPlayer name: Ann\nPlayer name: Bob\n"},
			"put -- before it, after all flags"},
		{[]string{"-3 + 5 = ?"}, "put -- before it, after all flags"},
		{[]string{"-- what?"}, "put -- before it, after all flags"},
		{[]string{"--nonsense", "Which?"}, "unknown flag: --nonsense; see parley debate --help"},
		{[]string{"--agents"}, "flag needs an argument: --agents; see parley debate --help"},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(append([]string{"debate"}, c.args...), strings.NewReader(""), &stdout, &stderr)
			if code != exit.CodeUsage || !strings.Contains(stderr.String(), c.want) ||
				strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%q: exit %d, %q, want %q", c.args, code, stderr.String(), c.want)
			}
		})
	}
}
