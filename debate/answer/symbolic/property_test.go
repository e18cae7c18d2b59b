package symbolic

import (
	"fmt"
	"math/big"
	"math/cmplx"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/soak"
)

// node is a random expression that shares no code with the package: spell returns its LaTeX in one of several
// spellings, and at its value at a point, in floats.
type node struct {
	spell func(t *rapid.T) string
	at    func(x, y complex128) complex128
}

// leaf returns a variable, π, a root or a rational number.
func leaf(t *rapid.T) node {
	switch rapid.IntRange(0, 4).Draw(t, "leaf") {
	case 0:
		return node{func(*rapid.T) string { return "x" }, func(x, _ complex128) complex128 { return x }}
	case 1:
		return node{func(*rapid.T) string { return `\pi` },
			func(complex128, complex128) complex128 { return 3.141592653589793 }}
	case 2:
		n := rapid.IntRange(1, 60).Draw(t, "radicand")
		return node{
			func(t *rapid.T) string {
				return rapid.SampledFrom([]string{`\sqrt{%d}`, `\sqrt{%d.0}`, `%d^{1/2}`,
					`\sqrt{\frac{%d}{1}}`}).Draw(t, "√")
			},
			func(complex128, complex128) complex128 { return cmplx.Sqrt(complex(float64(n), 0)) },
		}.filled(n)
	}
	r := big.NewRat(int64(rapid.IntRange(0, 40).Draw(t, "above")),
		int64(rapid.SampledFrom([]int{1, 1, 2, 3, 4, 5, 8, 10, 25}).Draw(t, "below")))
	value, _ := r.Float64()
	return node{func(t *rapid.T) string { return spelled(t, r) },
		func(complex128, complex128) complex128 { return complex(value, 0) }}
}

// filled puts a number into spellings that have a place for it.
func (n node) filled(value int) node {
	spell := n.spell
	n.spell = func(t *rapid.T) string { return fmt.Sprintf(spell(t), value) }
	return n
}

// spelled returns a rational number in one of its spellings.
func spelled(t *rapid.T, r *big.Rat) string {
	spellings := []string{fmt.Sprintf(`\frac{%s}{%s}`, r.Num(), r.Denom()),
		fmt.Sprintf(`\dfrac{%d}{%d}`, 2*r.Num().Int64(), 2*r.Denom().Int64()),
		"(" + r.Num().String() + "/" + r.Denom().String() + ")"}
	if r.IsInt() {
		spellings = append(spellings, r.Num().String(), r.FloatString(1))
	}
	if ten := new(big.Rat).Mul(r, big.NewRat(1000, 1)); ten.IsInt() {
		spellings = append(spellings, r.FloatString(3), r.FloatString(5))
	}
	return rapid.SampledFrom(spellings).Draw(t, "spelling")
}

// random returns an expression of at most the given depth.
func random(t *rapid.T, depth int) node {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "stop") == 0 {
		return leaf(t)
	}
	a, b := random(t, depth-1), random(t, depth-1)
	switch rapid.IntRange(0, 4).Draw(t, "operation") {
	case 0:
		return node{
			func(t *rapid.T) string {
				x, y := a.spell(t), b.spell(t)
				if rapid.Bool().Draw(t, "turned") {
					x, y = y, x
				}
				return "(" + x + "+" + y + ")"
			},
			func(x, y complex128) complex128 { return a.at(x, y) + b.at(x, y) },
		}
	case 1:
		return node{
			func(t *rapid.T) string {
				return fmt.Sprintf(rapid.SampledFrom([]string{"(%s-%s)", "(%s+-%s)", "(%s+(-1)%s)",
					`{%s-1\cdot%s}`}).Draw(t, "-"), a.spell(t), "("+b.spell(t)+")")
			},
			func(x, y complex128) complex128 { return a.at(x, y) - b.at(x, y) },
		}.signless()
	case 2:
		return node{
			func(t *rapid.T) string {
				x, y := a.spell(t), b.spell(t)
				if rapid.Bool().Draw(t, "turned") {
					x, y = y, x
				}
				return "(" + x + ")" + rapid.SampledFrom([]string{"", `\cdot`, `\times `, "*"}).Draw(t, "·") + "(" + y +
					")"
			},
			func(x, y complex128) complex128 { return a.at(x, y) * b.at(x, y) },
		}
	case 3:
		return node{
			func(t *rapid.T) string {
				return fmt.Sprintf(rapid.SampledFrom([]string{`\frac{%s}{%s}`, `\tfrac{%s}{%s}`,
					`{\frac{2}{2}}\frac{%s}{%s}`}).Draw(t, "÷"), a.spell(t), b.spell(t))
			},
			func(x, y complex128) complex128 { return a.at(x, y) / b.at(x, y) },
		}
	}
	n := rapid.IntRange(1, 3).Draw(t, "exponent")
	return node{
		func(t *rapid.T) string { return fmt.Sprintf("(%s)^{%d}", a.spell(t), n) },
		func(x, y complex128) complex128 { return cmplx.Pow(a.at(x, y), complex(float64(n), 0)) },
	}
}

// signless leaves out spellings that this package refuses to read: 1+-2.
func (n node) signless() node {
	spell := n.spell
	n.spell = func(t *rapid.T) string { return strings.ReplaceAll(spell(t), "+-(", "-(") }
	return n
}

// near reports whether two expressions have the same value at some points, and whether that can be told.
func near(a, b node) (equal, clear bool) {
	for _, x := range []complex128{0.7316, -2.319, 11.27} {
		u, v := a.at(x, 0), b.at(x, 0)
		if cmplx.IsNaN(u) || cmplx.IsInf(u) || cmplx.IsNaN(v) || cmplx.IsInf(v) || cmplx.Abs(u) > 1e9 ||
			cmplx.Abs(v) > 1e9 {
			return false, false
		}
		if cmplx.Abs(u-v) > 1e-7*(1+cmplx.Abs(u)+cmplx.Abs(v)) {
			return false, true
		}
	}
	return true, true
}

// TestNeverTheSame: if Same equates two expressions, their values agree. Half of the pairs differ in one place only.
func TestNeverTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	same, checked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := random(t, 3)
		b := random(t, 3)
		if rapid.Bool().Draw(t, "near") {
			other := leaf(t)
			b = node{func(t *rapid.T) string { return "(" + a.spell(t) + ")-(" + other.spell(t) + ")" },
				func(x, y complex128) complex128 { return a.at(x, y) - other.at(x, y) }}
		}
		textA, textB := a.spell(t), b.spell(t)
		if checked++; Same(textA, textB) {
			same++
			if equal, clear := near(a, b); clear && !equal {
				t.Fatalf("%s and %s are the same, but their values differ", textA, textB)
			}
		}
	})
	t.Logf("%d of %d pairs are the same", same, checked)
}

// TestSpellings: Same equates two spellings of one expression, except for the few that are too large or divide by zero.
func TestSpellings(t *testing.T) {
	missed, checked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := random(t, 2)
		if _, clear := near(a, a); !clear {
			return
		}
		one, other := a.spell(t), a.spell(t)
		if checked++; !Same(one, other) {
			if missed++; missed > 1+checked/20 {
				t.Fatalf("%s and %s are one expression, but not the same; %d of %d pairs missed", one, other, missed,
					checked)
			}
		}
	})
	t.Logf("%d of %d pairs missed", missed, checked)
}

// TestHostile: long and deeply nested texts are compared in time.
func TestHostile(t *testing.T) {
	for _, part := range []string{"(", "{", "[", `\frac`, `\frac{1}{`, `\sqrt{`, `\sqrt{9999999967}+`, "1,", "1,000",
		"x+", "(a+b)^{64}", "(a+b+c+d)^{9}", "9^{9}^", "10^{64}", `\{`, `\pm1`, `\cup(`, "=", "-",
		`\begin{pmatrix}`, "&", `\\`, `\text{a}`, `\frac{1}{x+1}+`, "x_", "!", "9!", `\binom`, "abcdefgh", `\sin`,
		`\sin^2x`, "i", "é", "\xff"} {
		t.Run(part, func(t *testing.T) {
			for _, text := range []string{strings.Repeat(part, 990/len(part)), strings.Repeat(part, 100/len(part)),
				strings.Repeat("x"+part, 500/len(part)) + "1", strings.Repeat(part, 100000)} {
				start := soak.Processor()
				Same(text, text+"1")
				Same(text, "0")
				if took := soak.Processor() - start; took > 5*time.Second {
					t.Errorf("comparing a text of many %q took %v, want at most 5 s", part, took)
				}
			}
		})
	}
}

func FuzzSame(f *testing.F) {
	for _, c := range [][2]string{{`\frac{1}{2}`, "0.5"}, {`(1,2]`, "[1,2)"}, {`\{1\pm\sqrt5\}`, "1"},
		{`\begin{pmatrix}1\\2\end{pmatrix}`, "x=1"}, {`5\text{cm}^2`, `\sin^{2}x_1`}, {"1,000", `\infty`}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if Same(a, b) != Same(b, a) {
			t.Errorf("%q and %q: Same depends on the order, want it not to", a, b)
		}
		if !Same(a, a) {
			t.Errorf("%q is not the same as itself, want it to be", a)
		}
	})
}
