package symbolic

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/internal/bug"
)

// canonicalOf is Canonical, or the text of its panic, so that the test says by which text it was.
func canonicalOf(text string) (got string, ok bool) {
	if mistake := bug.Text(func() { got, ok = Canonical(text) }); mistake != "" {
		return mistake, true
	}
	return got, ok
}

// TestCanonical: texts of one value have one spelling, which is a text of that value too.
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		want  string
		texts []string
	}{
		{`\frac{3}{4}`, []string{"0.75", `\frac34`, `\frac{6}{8}`, `\dfrac{3}{4}`, "3/4", `x = \frac{3}{4}`}},
		{"9500", []string{"9,500", "9{,}500", `9500\text{ m}`, `\$9500`, `9.5\times10^3`}},
		{`-\frac{1}{2}`, []string{"-0.5", `\frac{-1}{2}`, "-1/2"}},
		{`\frac{1}{3}\sqrt{6}`, []string{`\frac{\sqrt{6}}{3}`, `\sqrt{\frac{2}{3}}`, `\sqrt{2}/\sqrt{3}`}},
		{`x^{2}+2x+1`, []string{"(x+1)^2", "1+2x+x^2"}},
		{`\frac{1}{2}\pi`, []string{`\frac{\pi}{2}`, `\pi/2`, "π/2"}},
		{"(2,4)", []string{"(2,4)", "( 2, 4.0 )", `\left(2,4\right)`}},
		{"[2,5)", []string{"[2,5)", `\left[2,5\right)`}},
		{"1,2", []string{"1, 2", "2,1", `\{1,2\}`, `1\text{ and }2`}},
		{`\frac{1}{2}\sqrt{2}`, []string{`\frac{1}{\sqrt{2}}`, `\sqrt{1/2}`}}, {"-2i+3", []string{"3-2i", "-2i+3"}},
		{"even", []string{`\text{even}`, "even", `\text{Even}`}},
		{`-\infty`, []string{`-\infty`}},
		{"0", []string{"x-x", "0.0"}},
	} {
		t.Run(c.want, func(t *testing.T) {
			for _, text := range append(c.texts, c.want) {
				if got, ok := canonicalOf(text); got != c.want || !ok {
					t.Errorf("%s: %q, %v, want %q", text, got, ok, c.want)
				}
			}
		})
	}
	for _, text := range []string{"", "x+y=3", `\sin x`, `\frac{1}{x}`, "x<2", `\begin{pmatrix}1\\2\end{pmatrix}`,
		"1/0", "(A)oil", "the Normans", "1,234-7"} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			if got, ok := canonicalOf(text); ok {
				t.Errorf("%s has no spelling: got %q", text, got)
			}
		})
	}
}
