package calculator_test

import (
	"bufio"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/calculator"
	"github.com/parley-debate/parley/internal/datatest"
)

func TestAnswer(t *testing.T) {
	got := make(map[string]string)
	want := map[string]string{
		"48/2": "24", "16-3-4": "9", "2^10": "1024", "2**0.5": "error: the exponent is not a whole number",
		"1/3": "0.3333333333", "-2/3": "-0.6666666667", "2/3*100": "66.66666667", "1/8": "0.125", "0.1+0.2": "0.3",
		"-2^2": "-4", "(-2)^2": "4", "2^-2": "0.25", "2^3^2": "512", "1,234,567*2": "2469134", "$5 * 3": "15",
		"50*20%": "10", "7 × 6 ÷ 2 − 1": "20", "5/0": "error: division by zero", "0^-1": "error: division by zero",
		"0^0": "1", "0^2": "0", "(-1)^9999999999999": "-1", "1^-5": "1", "(1/2)^3": "0.125",
		"10^39": "1" + strings.Repeat("0", 39), "10^40": "error: too large", "9^9^9": "error: too large",
		"2^99999999999999999999": "error: too large", "1/3^80": "error: too small",
		"10^30/7": "142857142857142857142857142857.14", "99999999999/3+1/3": "33333333333.33",
		"1/700000": "0.000001428571429", "29.9999999999/3": "10", "3 4": "error: no expression",
		"1,0000": "error: no expression", "3,5*2": "error: no expression", "7%3": "error: no expression",
		"apples*3": "error: no expression", "(1+2": "error: no expression", "1+": "error: no expression",
		"1.2.3": "error: no expression", ".": "error: no expression", "2(3)": "error: no expression",
		"7//2": "error: no expression", "": "error: no expression", "010+1": "11", ".5+5.": "5.5", "--3": "3",
		strings.Repeat("(", 60) + "1": "error: no expression", strings.Repeat("9", 101): "error: no expression",
		strings.Repeat("9", 41): "error: too large", "1e5": "error: no expression", "0x10": "error: no expression",
	}
	for expression := range want {
		got[expression] = calculator.Answer(expression)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestValueOfTrees: a random expression has the value of the tree that it was written from, in the same arithmetic.
func TestValueOfTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, value := tree(t, 4)
		got, err := calculator.Value(text)
		if len(text) > 100 || err != nil {
			return
		}
		if value == nil {
			t.Fatalf("%s is %s: it divides by zero", text, got)
		}
		v, ok := new(big.Rat).SetString(got)
		if !ok {
			t.Fatalf("the value of %s is %q, want a number", text, got)
		}
		want, _ := value.Float64()
		if is, _ := v.Float64(); math.Abs(is-want) > 1e-9*math.Abs(want) {
			t.Fatalf("%s is %s, want %v", text, got, want)
		}
	})
}

// tree draws an expression, and its value: nil if it has none.
func tree(t *rapid.T, depth int) (string, *big.Rat) {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		n := strconv.Itoa(rapid.IntRange(0, 3000).Draw(t, "number"))
		if rapid.Bool().Draw(t, "decimal") {
			n += "." + strconv.Itoa(rapid.IntRange(0, 99).Draw(t, "places"))
		}
		v, _ := new(big.Rat).SetString(n)
		return n, v
	}
	left, a := tree(t, depth-1)
	right, b := tree(t, depth-1)
	operator := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "operator")
	text := "(" + left + ")" + operator + "(" + right + ")"
	if a == nil || b == nil || operator == "/" && b.Sign() == 0 {
		return text, nil
	}
	v := new(big.Rat)
	compute := map[string]func(a, b *big.Rat) *big.Rat{"+": v.Add, "-": v.Sub, "*": v.Mul, "/": v.Quo}
	return text, compute[operator](a, b)
}

// FuzzAnswer: whatever is asked, the answer comes soon and is short, and closes nothing.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"9^9^9^9", "((((1/3)^99)^99))", "9^999*9^999*9^999", "-----1", "1,000,000/0.0001%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		began := time.Now()
		answer := calculator.Answer(text)
		if took := time.Since(began); took > time.Second || len(answer) > 80 || strings.ContainsAny(answer, "<>\n=") {
			t.Errorf("%q is answered with %q after %v, want at most 80 bytes on a line within 1 s", text, answer, took)
		}
	})
}

// written is a reply as it comes from a model that would go on with some pieces, one after the other.
func written(pieces []string) (reply string, calls int) {
	var r calculator.Reader
	for _, piece := range pieces {
		if instead, is := r.Instead(piece); is {
			piece = instead
			calls++
		}
		r.Read(piece)
		reply += piece
	}
	return reply, calls
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		pieces, want string
		calls        int
	}{
		{"It is |<<|48|/|2|=|24>>", "It is <<48/2=24>>24>>", 1}, // the rest would have been drawn behind the value
		{"It is |<<|48|/2|>>|, so", "It is <<48/2=24>>, so", 1},
		{"<|<|3+|4=9|.", "<<3+4=7>>.", 1}, {"<<3+4>|>|.", "<<3+4=7>>>.", 1},
		{"a <<|3|)| ==| 5", "a <<3) =error: no expression>> 5", 1},
		{"<<2*3=|<<4*5=|", "<<2*3=6>><<4*5=20>>", 2}, {"<<5/0=|x", "<<5/0=error: division by zero>>x", 1},
		{"x |<<=| 2", "x <<= 2", 0}, {"x << y;\n| a = 3", "x << y;\n a = 3", 0}, {"<3=4>", "<3=4>", 0},
		{"a < <3=", "a < <3=", 0}, {"<<3<4|=", "<<3<4=", 0}, {"<<3<<4|=", "<<3<<4=4>>", 1},
		{"<<<3+1|=", "<<<3+1=4>>", 1},
		{"<<>>|3=", "<<>>3=", 0}, {"<<| |=", "<< =", 0},
		{"<<" + strings.Repeat("1", 101) + "|=", "<<" + strings.Repeat("1", 101) + "=", 0},
		{"<<2\ufffd|=", "<<2\ufffd=", 0}, {"1 = 1", "1 = 1", 0}, {"<<7%3|=", "<<7%3=error: no expression>>", 1},
	} {
		got, calls := written(strings.Split(c.pieces, "|"))
		if counted, _ := calculator.Calls(got); got != c.want || calls != c.calls || counted != calls {
			t.Errorf("%q gives %q with %d calls, counted %d; want %q with %d", c.pieces, got, calls, counted, c.want,
				c.calls)
		}
	}
}

// TestReaderInPieces: text without a call within a piece reads alike in any pieces, and a reader that is open knows it.
func TestReaderInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"<", "<<", ">", ">>", "=", "1", "+2", "\n", "é", " "})).
			Draw(t, "pieces")
		whole, calls := written(pieces)
		var letters []string
		for _, c := range strings.Join(pieces, "") {
			letters = append(letters, string(c))
		}
		single, again := written(letters)
		if calls == 0 && (single != whole || again != 0) && !strings.Contains(strings.Join(pieces, ""), ">>") {
			t.Fatalf("the pieces %q give %q, letter by letter %q, want the same", pieces, whole, single)
		}
		if counted, _ := calculator.Calls(whole); counted != calls {
			t.Fatalf("%q has %d calls, counted as it was written %d, want the same", whole, counted, calls)
		}
	})
}

func TestCalls(t *testing.T) {
	for text, want := range map[string][2]int{
		"": {0, 0}, "<<1+1=2>> and <<3/0=error: division by zero>> and <<4*4=16>>": {3, 2},
		"<<1+1=2": {1, 0}, "<<1+1": {0, 0}, "<<1+1=2>": {1, 0},
	} {
		if calls, computed := calculator.Calls(text); calls != want[0] || computed != want[1] {
			t.Errorf("%q: %d calls, %d computed, want %v", text, calls, computed, want)
		}
	}
}

// TestAnnotations goes over the calculation annotations of GSM8K's test set, which people wrote: of nearly all, the
// calculator says what they say.
func TestAnnotations(t *testing.T) {
	file, err := os.Open(datatest.Public(t, "gsm8k", "test.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	annotation := regexp.MustCompile(`<<([^=<>]+)=([^<>]*)>>`)
	all, equal, failed := 0, 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct{ Answer string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for _, m := range annotation.FindAllStringSubmatch(row.Answer, -1) {
			all++
			value, err := calculator.Value(m[1])
			if err != nil {
				failed++
				t.Logf("%s: %v", m[0], err)
				continue
			}
			got, _ := strconv.ParseFloat(value, 64)
			if want, err := strconv.ParseFloat(m[2], 64); err == nil && math.Abs(got-want) <= 1e-6*math.Abs(want) {
				equal++
			} else {
				t.Logf("%s: %s", m[0], value)
			}
		}
	}
	t.Logf("%d annotations, %d equal, %d without a value", all, equal, failed)
	if all < 1000 || equal*100 < all*98 {
		t.Errorf("%d of %d annotations have the value that stands there, want 98 %% of 1,000 or more", equal, all)
	}
}
