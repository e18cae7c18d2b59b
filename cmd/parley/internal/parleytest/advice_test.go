package parleytest

import (
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
)

// TestWrongAdvice tries the check itself.
func TestWrongAdvice(t *testing.T) {
	for text, want := range map[string]int{
		"lower --max-tokens":                                     0,
		"lower --max-token":                                      1,
		"try a --repeat-penalty":                                 1,
		"with parley compare, a --repeat-penalty":                0,
		"see parley serve --max-body; change --max-body":         1,
		"(parley compare: --prompts, --answer); or --prompts":    1,
		"unknown flag: --typed":                                  0,
		"parley score --task FILE, and parley models pull --to":  0,
		"a--b, --- and 1--2 are no flags; name another --out":    0,
		"name the columns with --columns question=N, or --wrong": 1,
	} {
		if got := wrongAdvice(cli.New(), []string{"run", "x", "--typed"}, text); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
}
