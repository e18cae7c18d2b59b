package table

import "testing"

// TestMinus: the sign of a number, and no other hyphen, becomes a minus sign.
func TestMinus(t *testing.T) {
	for text, want := range map[string]string{"-0.375": "−0.375", "-0.1 (-0.2 to -0.05)": "−0.1 (−0.2 to −0.05)",
		"[-1, 1]": "[−1, 1]", "self-consistency": "self-consistency", "top-1": "top-1", "1-2": "1-2", "": "", "-": "-",
		"a -- b": "a -- b", "--3": "--3", "\n-4": "\n-4"} {
		if got := Minus(text); got != want {
			t.Errorf("Minus(%q) = %q, want %q", text, got, want)
		}
	}
}
