package symbolic

import (
	"fmt"
	"testing"
)

// TestSame: two ways to write a value are the same, and two values are not.
func TestSame(t *testing.T) {
	for _, c := range [][2]string{
		{`15\text{inches}`, `15`}, {`56.0`, `56`}, {`$256`, `256`}, {`xyz=3`, `3`}, {`3.`, `3`}, {`\frac{1}{2}`, `0.5`},
		{`\frac{2}{4}`, `\frac12`}, {`.25`, `1/4`},
		{`1,000`, `1000`}, {`10,\!080`, `10080`}, {`\sqrt{4}`, `2`}, {`\sqrt{12}`, `2\sqrt3`},
		{`\frac{1}{\sqrt{2}}`, `\frac{\sqrt{2}}{2}`}, {`\sqrt{6}`, `\sqrt2\sqrt3`},
		{`2x+1`, `1+2x`}, {`(a+5)(b+2)`, `ab+2a+5b+10`}, {`\frac{x^2-1}{x-1}`, `x+1`}, {`1\frac{4}{5}`, `9/5`},
		{`(1,\frac{4}{2})`, `(1,2)`}, {`1,-2`, `-2,1`}, {`\{1,2\}`, `\{2,1\}`},
		{`1\pm\sqrt{19}`, `1+\sqrt{19},1-\sqrt{19}`}, {`x\in[-2,7]`, `[-2,7]`}, {`(-\infty,0]`, `(-\infty, 0.0]`},
		{`(0,9)\cup(9,36)`, `(9,36)\cup(0,9)`}, {`y=2x+3`, `3+2x`},
		{`5x-7y+4=0`, `0=5x-7y+4`}, {`x=5`, `x=5.0`}, {`\text{(C)}`, `C`}, {`\text{east}`, `East`}, {`\cot x`, `\cotx`},
		{`\sin(2x)`, `\sin(x\cdot2)`}, {`90^\circ`, `90`}, {`50\%`, `50`},
		{`\begin{pmatrix}-1/3\\2/3\end{pmatrix}`, `\begin{pmatrix}-\frac13\\\frac{2}{3}\end{pmatrix}`},
		{`\begin{pmatrix}-1/3\2/3\end{pmatrix}`, `\begin{pmatrix}-1/3 \\ 2/3\end{pmatrix}`},
		{`\frac{3+\sqrt5}{2}`, `\frac{2}{3-\sqrt5}`}, {`(1+2i)(1-2i)`, `5`}, {`\sqrt{-4}`, `2i`},
		{`\binom{5}{2}`, `10`}, {`4!`, `24`}, {`6.72\times10^{-5}`, `.0000672`}, {`864\mbox{ inches}^2`, `864`},
		{`\frac{270}7\text{ degrees}`, `270/7`}, {`2^{-1}`, `\frac12`}, {`52_8`, `52_{8}`}, {`π`, `\pi`},
		{`1\text{ or }2`, `2,1`}, {`\frac{20000}{\pi}`, `20000/\pi`}, {`sin(2x)`, `\sin(2x)`}, {`sqrt(12)`, `2\sqrt3`},
		{`-sin^2(9*x+4)+C`, `C-\sin^2(4+9x)`}, {`{2,1}`, `\{1, 2\}`}, {`{2,1}`, `{1, 2}`},
		{`a/b`, `\frac{a}{b}`},
		{`x \leq 5`, `x<=5`}, {`x≤5`, `5 \geq x`}, {`x<5`, `5>x`}, {`5>x\ge2`, `2 <= x < 5`}, {`∅`, `\varnothing`},
		{`\emptyset`, `\{\}`}, {`x<=y`, `y\ge x`}, {`(1,2]`, `\left(1, 2\right]`}, {`(x,y)=(1,2)`, `(1, 2.0)`},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if !Same(c[0], c[1]) || !Same(c[1], c[0]) {
				t.Errorf("%q and %q differ, want them the same in both orders", c[0], c[1])
			}
		})
	}
	for _, c := range [][2]string{
		{`0.33`, `\frac13`}, {`52_8`, `52`}, {`(1,2)`, `(2,1)`}, {`(1,2)`, `[1,2]`}, {`(1,2)`, `1,2`},
		{`5\text{cm}`, `5\text{inches}`}, {`5\text{cm}^2`, `5\text{cm}`}, {`x=3`, `y=3`}, {`1/2x`, `\frac{1}{2x}`},
		{`\text{east}`, `\text{seat}`}, {`east`, `seat`}, {`\infty-\infty`, `0`}, {`-\infty`, `\infty`}, {`1/0`, `2/0`},
		{`0^0`, `1`}, {`\sqrt{x^2}`, `x`}, {`1 000`, `0`}, {`10 000`, `10000x`}, {`x2`, `2x`}, {`2^10`, `0`},
		{`50\%`, `0.5`}, {`\sin2x`, `2\sin x`}, {`\coth x`, `\cot hx`}, {`\sin^{-1}x`, `\frac{1}{\sin x}`},
		{`1\pm2`, `3`}, {`(3,4]`, `(3,4)`}, {`1,234`, `1,234,000`}, {`1.2.3`, `1.23`}, {`2<x`, `x<2`},
		{`x\le5`, `x<5`}, {`x>5`, `x<5`}, {`{1,2}`, `(1,2)`}, {`[0,1)`, `[0,1]`},
		{`\frac ab`, `\frac{b}{a}`}, {`x\ge y`, `x\le y`}, {`{1,2}`, `{1,3}`}, {`-3`, `3`},
		{`\{1\}`, `1`}, {`\frac{1}{2}`, `12`}, {`1\frac12`, `1/2`}, {`|x|`, `x`}, {``, `0`}, {`a=b=c`, `c`},
		{`\sqrt[3]{8}`, `3`}, {`x_1`, `x_2`}, {`0`, `\text{none}`}, {`1=1`, `2=2`},
		{`sin(x)`, `nis(x)`}, {`cos(x-2)`, `\cos x-2`}, {`exp(2)`, `2exp`},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if Same(c[0], c[1]) || Same(c[1], c[0]) {
				t.Errorf("%q and %q are the same, want them different", c[0], c[1])
			}
		})
	}
}
