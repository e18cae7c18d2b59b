package answer

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// differential is a recording of what a source's own program reads from texts; tools/differential makes it.
type differential struct {
	Source string               `json:"source"`
	Cases  [][2]json.RawMessage `json:"cases"`
}

func readDifferential(t *testing.T, name string) differential {
	t.Helper()
	var d differential
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// theirs returns the text of a case and what the source's program found in it: "" for nothing, failed for a crash.
func theirs(t *testing.T, c [2]json.RawMessage) (text, found string, failed bool) {
	t.Helper()
	var value any
	if err := json.Unmarshal(c[0], &text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c[1], &value); err != nil {
		t.Fatal(err)
	}
	switch v := value.(type) {
	case string:
		return text, v, false
	case float64:
		return text, strconv.FormatFloat(v, 'f', -1, 64), false
	case map[string]any:
		return text, "", true
	}
	return text, "", false
}

// TestDifferential compares the rules with the programs of their sources. Intended deviations are stated in the comment
// on the rule and counted here by their reasons.
func TestDifferential(t *testing.T) {
	marked := regexp.MustCompile(`\pM[A-J]|[A-J]\pM`)
	for _, c := range []struct {
		rule   string
		ours   func(a Answer) string                        // our answer as the source's program writes it
		stated func(text, theirs, ours string) (why string) // the reason for a difference, "" for none
		counts map[string]int
	}{
		{"mmlu-pro", bare, func(text, _, _ string) string {
			return reasonIf(marked.MatchString(text), "a combining mark")
		}, map[string]int{"same": 2434, "a combining mark": 66}},
		{"choice", func(a Answer) string { return a.Text }, none, map[string]int{"same": 1000}},
		{"letter", bare, func(_, theirs, _ string) string {
			if theirs == "SS" {
				return "two capitals for one small letter"
			}
			return reasonIf(theirs == "", "numbers, where no letter is")
		}, map[string]int{"same": 950, "numbers, where no letter is": 35, "two capitals for one small letter": 15}},
		{"solution-letter", bare, func(text, theirs, ours string) string {
			switch {
			case strings.ToUpper(theirs) == ours:
				return "a small letter"
			case strings.Contains(strings.ToLower(text), "final solution"):
				return "a word behind the final solution, or a parenthesis"
			}
			return ""
		}, map[string]int{"same": 963, "a small letter": 7, "a word behind the final solution, or a parenthesis": 30}},
		{"number", func(a Answer) string { return a.Text }, func(text, theirs, ours string) string {
			switch {
			case strings.ContainsAny(text, "١٢٣٤"):
				return "digits of another script"
			case strings.TrimPrefix(ours, "-") == theirs:
				return "a minus"
			}
			return ""
		}, map[string]int{"same": 645, "a minus": 23, "digits of another script": 97, "theirs crashes": 235}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			counts := map[string]int{}
			rule, ok := PaperRule(c.rule)
			if !ok {
				t.Fatalf("there is no rule %s of a paper, want one", c.rule)
			}
			for _, x := range readDifferential(t, c.rule).Cases {
				text, want, failed := theirs(t, x)
				got := c.ours(rule(text))
				why := "same"
				switch {
				case failed:
					why = "theirs crashes"
				case got != want:
					why = c.stated(text, want, got)
				}
				if counts[why]++; why == "" {
					t.Errorf("%s(%q) = %q, theirs %q", c.rule, text, got, want)
				}
			}
			if diff := cmp.Diff(c.counts, counts); diff != "" {
				t.Errorf("%s: the differences are counted by their reasons (-want +got):\n%s", c.rule, diff)
			}
		})
	}
}

var unsized = strings.NewReplacer(`\left`, "", `\right`, "", `\$`, "", `\\`, `\`)

// TestNormalizeMathDifferential compares with Hendrycks' own normaliser. Where that crashes, its is_equiv compares the
// texts unchanged.
func TestNormalizeMathDifferential(t *testing.T) {
	counts := map[string]int{}
	for _, x := range readDifferential(t, "math").Cases {
		text, want, failed := theirs(t, x)
		switch got := NormalizeMath(text); {
		case failed:
			counts["theirs crashes"]++
		case got == want:
			counts["same"]++
		case strings.Contains(unsized.Replace(text), `\(`) || strings.Contains(unsized.Replace(text), `\)`):
			counts["without \\( and \\)"]++
		default:
			t.Errorf("%q: %q, theirs %q", text, got, want)
		}
	}
	if diff := cmp.Diff(map[string]int{"same": 2043, "theirs crashes": 308, `without \( and \)`: 149},
		counts); diff != "" {
		t.Errorf("differences from the original normaliser are counted by reason (-want +got):\n%s", diff)
	}
}

func bare(a Answer) string { return strings.Trim(a.Text, "()") }

func none(string, string, string) string { return "" }

func reasonIf(is bool, why string) string {
	if is {
		return why
	}
	return ""
}

// TestSymbolicAfterNormalizing compares both measures of MATH with math-verify, as they are used: equal strings after
// normalisation, and equal values of those strings. The 69 pairs that only symbolic finds equal are the trailing points
// and words of package symbolic's own differential test.
func TestSymbolicAfterNormalizing(t *testing.T) {
	var file struct {
		Cases [][3]any `json:"cases"`
	}
	if text, err := os.ReadFile("symbolic/testdata/math-verify.json"); err != nil ||
		json.Unmarshal(text, &file) != nil {
		t.Fatalf("the cases of math-verify cannot be read: %v, want a file of JSON", err)
	}
	type pair struct{ ours, theirs bool }
	texts, values := map[pair]int{}, map[pair]int{}
	for _, c := range file.Cases {
		a, b, theirs := NormalizeMath(c[0].(string)), NormalizeMath(c[1].(string)), c[2].(bool)
		texts[pair{a == b, theirs}]++
		values[pair{symbolic.Same(a, b), theirs}]++
	}
	want := map[pair]int{{true, true}: 354, {false, false}: 819, {false, true}: 827}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("differences of texts from math-verify are counted (-want +got):\n%s", diff)
	}
	want = map[pair]int{{true, true}: 1126, {false, false}: 750, {false, true}: 55, {true, false}: 69}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("differences of values from math-verify are counted (-want +got):\n%s", diff)
	}
}
