package formula

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// TestScript: the file is the one of the version that is named, its licence goes with it, and nothing in it ends the
// element of the page that it stands in.
func TestScript(t *testing.T) {
	if sum := sha256.Sum256([]byte(katex)); hex.EncodeToString(sum[:]) != hash {
		t.Errorf("katex.min.js has the SHA-256 %s: got %x", hash, sum)
	}
	s := Script()
	if !strings.Contains(s, "Permission is hereby granted") || strings.Contains(strings.ToLower(s), "</script") ||
		strings.Contains(s, "<!--") || strings.Count(s, "version:\""+version+"\"") != 1 {
		t.Errorf("the script has its licence, one version, and nothing that ends a script element: got %.400q", s)
	}
}

func TestIn(t *testing.T) {
	for text, want := range map[string]bool{
		`so \(x^2\)`: true, `\[x\]`: true, `$$x$$`: true, `the answer is \boxed{4}`: true, `$x_1$`: true,
		`$a = b$`: true, `$n + 2$`: true,
		"it costs $5, or $10 with tax": false, "a plain text": false, `C:\dir`: false, "$": false,
	} {
		t.Run(text, func(t *testing.T) {
			if got := In(text); got != want {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		})
	}
}
