package answer

import (
	"fmt"
	"testing"
)

// TestResolve: records carry the version of a reader, and people need not know it.
func TestResolve(t *testing.T) {
	for _, c := range []struct {
		rule string
		kind Kind
		want string
	}{
		{"reader", KindMath, "reader-math-14"}, {"reader-number", KindMath, "reader-number-14"},
		{"reader-number-14", "", "reader-number-14"}, {"letter", KindChoice, "letter"}, {"reader", "vibes", "reader"},
		{"reader-vibes", KindMath, "reader-vibes"},
	} {
		t.Run(fmt.Sprintf("%.60s", c.rule), func(t *testing.T) {
			if got := Resolve(c.rule, c.kind); got != c.want {
				t.Errorf("Resolve(%s, %s) = %s, want %s", c.rule, c.kind, got, c.want)
			}
		})
	}
	for _, name := range []string{"reader-math-15", "reader-math-0", "reader-math-02", "reader-math-x",
		"reader-math1"} {
		t.Run(name, func(t *testing.T) {
			if IsReader(name) {
				t.Errorf("%s is taken for a reader, want none of this name", name)
			}
		})
	}
	if !IsReader("reader-math-1") || KindOf("reader-yes-no-1") != KindYesNo {
		t.Errorf("older readers are not known, or of another kind, want reader-math-1 known and reader-yes-no-1 a %s",
			KindYesNo)
	}
	if KindOf("gpqa") != KindChoice || KindOf("raw") != KindText || IsReader("gpqa") || !IsReader("reader-math-14") {
		t.Errorf("the rules of papers are of another kind, want gpqa a %s, raw a %s, and no readers", KindChoice,
			KindText)
	}
}

// TestOffered: a rule that does not know the options gives none that is not offered.
func TestOffered(t *testing.T) {
	rule := Offered(letter, []string{"red", "green"})
	for reply, want := range map[string]Answer{
		"(b)": Of("(B)"), "(X)": {How: NoOption}, "2 is even": {How: NoOption}, "so": Unparsed,
	} {
		t.Run(reply, func(t *testing.T) {
			if got := rule(reply); got != want {
				t.Errorf("%q: %+v, want %+v", reply, got, want)
			}
		})
	}
}

// TestMarksBetweenNumbers: a mark between two numbers is never dropped, which would make one number of both, unless it
// groups digits.
func TestMarksBetweenNumbers(t *testing.T) {
	for _, mark := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" {
		for _, c := range [][2]string{{"5", "6"}, {"12", "30"}, {"1", "2000"}} {
			if text := c[0] + string(mark) + c[1]; NormalizeWords(text) == c[0]+c[1] {
				t.Errorf("%s is normalised to %s, want its numbers kept apart", text, NormalizeWords(text))
			}
		}
	}
	for _, text := range []string{"1,000,000", "1'000'000", "1_000_000"} {
		if got := NormalizeWords(text); got != "1000000" {
			t.Errorf("%s is normalised to %s, want 1000000", text, got)
		}
	}
}
