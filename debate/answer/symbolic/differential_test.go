package symbolic

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMathVerify compares with math-verify on 2,000 pairs (tools/differential/symbolic.py) and counts every difference
// by its reason. Where only Same finds two answers equal, they are: math-verify does not read a formula with a point
// behind it, and distinguishes some words by case.
func TestMathVerify(t *testing.T) {
	var file struct {
		Cases [][3]any `json:"cases"`
	}
	if text, err := os.ReadFile("testdata/math-verify.json"); err != nil || json.Unmarshal(text, &file) != nil {
		t.Fatalf("the cases of math-verify cannot be read: %v, want a file of JSON", err)
	}
	counts := map[string]int{}
	for _, c := range file.Cases {
		a, b, theirs := c[0].(string), c[1].(string), c[2].(bool)
		ours := Same(a, b)
		why := reason(a, b, ours, theirs)
		if counts[why]++; why == "" {
			t.Errorf("%q and %q are the same: %v, theirs %v, want theirs or a known reason", a, b, ours, theirs)
		}
	}
	want := map[string]int{
		"both same": 1131, "both different": 750, "only ours: a point behind": 67, "only ours: words": 2,
		"only theirs: a list and a tuple, or a tuple and an interval": 28, "only theirs: a number in another base": 22,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("differences from math-verify are counted by reason (-want +got):\n%s", diff)
	}
}

var based = regexp.MustCompile(`[0-9]_8$`)

// reason returns why the two may differ on a pair, or "" if they must not.
func reason(a, b string, ours, theirs bool) string {
	switch {
	case ours && theirs:
		return "both same"
	case !ours && !theirs:
		return "both different"
	case ours && strings.HasSuffix(b, "."):
		return "only ours: a point behind"
	case ours && strings.HasPrefix(a, `\text`):
		return "only ours: words"
	case theirs && based.MatchString(b):
		return "only theirs: a number in another base"
	case theirs && strings.ContainsAny(a[:1]+b[:1], "(["):
		return "only theirs: a list and a tuple, or a tuple and an interval"
	}
	return ""
}
