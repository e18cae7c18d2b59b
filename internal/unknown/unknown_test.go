package unknown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/unknown"
)

var orders = []string{"fixed", "random", "rotating", "truth-first", "truth-last", "most-frequent-last"}

// TestUnknown: an error for a name that there is none of lists those that are near, or all.
func TestUnknown(t *testing.T) {
	long := strings.Fields(strings.Repeat("experiment ", 21))
	for i := range long {
		long[i] += string(rune('a' + i))
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{unknown.Name("order", "truth-lst", orders), `no order "truth-lst" (did you mean truth-last?); ` +
			"there are fixed, random, rotating, truth-first, truth-last, most-frequent-last"},
		{unknown.Name("order", "alphabetical", orders[:2], "or name a file"),
			`no order "alphabetical"; there are fixed, random, or name a file`},
		{unknown.Name("experiment", "experimenu", long, "or name a file"),
			`no experiment "experimenu" (did you mean experimentu?), or name a file`},
		{unknown.Name("role", "x", nil), `no role "x"`},
		{unknown.Listed("order", "x", orders[:2], "parley orders"), `no order "x"; there are fixed, random`},
		{unknown.Listed("experiment", "experimenu", long, "parley experiments"),
			`no experiment "experimenu" (did you mean experimentu?)`},
		{unknown.Listed("experiment", "x", long, "parley experiments", "or name a file"),
			`no experiment "x"; parley experiments lists the 21 that there are, or name a file`},
	} {
		t.Run(fmt.Sprintf("%.60s", c.want), func(t *testing.T) {
			if c.err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", c.err, c.want)
			}
		})
	}
}

// TestNear: the names that were probably meant are those with the fewest letters wrong, or that begin so.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  []string
	}{
		{"fixd", []string{"fixed"}},
		{"FIXED", []string{"fixed"}},
		{"radnom", []string{"random"}}, // two letters changed places
		{"radnon", []string{"random"}}, // and another is wrong
		{"most", []string{"most-frequent-last"}},
		{"truth", []string{"truth-first", "truth-last"}},
		{"mo", nil},
		{"shuffled", nil},
		{"", nil},
		{strings.Repeat("x", 1<<20), nil},
	} {
		t.Run(fmt.Sprintf("%.60s", c.typed), func(t *testing.T) {
			if got := unknown.Near(c.typed, orders); !slices.Equal(got, c.want) {
				t.Errorf("%.20q: got %q, want %q", c.typed, got, c.want)
			}
		})
	}
	flags := []string{"mode", "model"}
	if got := unknown.Near("modle", flags); !slices.Equal(got, flags) {
		t.Errorf("modle: got %q, want %q", got, flags)
	}
}
