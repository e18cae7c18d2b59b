package jinja

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/soak"
)

// What functions are called with where nothing stands here: without arguments. n is a number and s a text that grow; a
// function is tried with each call, on every value of hostile, until one is refused.
var callsOf = map[string][]string{
	"filter attr": {"'a'"}, "filter default": {"s", "s, true"}, "filter d": {"s"}, "filter float": {"", "s"},
	"filter int":    {"", "s, 10", "0, n"},
	"filter indent": {"", "n", "n, true, true", "s", "s, true"}, "filter join": {"", "s", "s, 'a'"},
	"filter map":    {"'upper'", "'indent', n", "attribute='a'", "'replace', 'A', s", "attribute='a', default=s"},
	"filter reject": {"", "'in', s"}, "filter select": {"", "'in', s"}, "filter rejectattr": {"'a'", "'a', 'in', s"},
	"filter selectattr": {"'a'", "'a', 'in', s"}, "filter replace": {"'A', s", "'', s", "s, 'A', n", "'A', 'B', n"},
	"filter round": {"", "n", "0, 'ceil'"}, "filter sort": {"", "true, true", "false, false, 'a'"},
	"filter sum": {"", "'a'", "start=n"}, "filter tojson": {"", "indent=n"}, "filter trim": {"", "s"},
	"filter unique": {"", "true", "false, 'a'"}, "filter dictsort": {"", "true", "by='value'"},
	"filter max": {"", "true", "false, 'a'"}, "filter min": {"", "true", "false, 'a'"},

	"test divisibleby": {"n"}, "test sameas": {"none"}, "text split": {"", "'A'", "'A', n", "none, n", "s"},
	"text rsplit": {"", "'A'", "'A', n", "none, n", "s"}, "text strip": {"", "s"}, "text lstrip": {"", "s"},
	"text rstrip": {"", "s"}, "text replace": {"'A', s", "'', s", "'A', s, n", "s, 'A'"},
	"text format": {"s", "s, s"}, "text join": {"l", "m", "s", "[s, s]"}, "text splitlines": {"", "true"},
	"text find": {"s", "'ß'"}, "text rfind": {"s", "'ß'"}, "text count": {"s", "'ß'", "''"},
	"text startswith": {"s", "(s, s)"}, "text endswith": {"s", "(s, s)"}, "text removeprefix": {"s"},
	"text removesuffix": {"s"}, "text partition": {"s", "'ß'"}, "text rpartition": {"s", "'ß'"},
	"mapping get": {"'a'", "'a', s"}, "list index": {"s", "1"}, "list count": {"s", "1"},
}

// others are what is tried besides functions that are in a table; it is put in the place of x.
var others = []string{"x * n", "n * x", "x + x", "x ~ x", "x ~ s", "x % s", "'%s %s' % (x, s)", "'%r' % x", "x - n",
	"x // n", "x ** n", "n ** n", "-x", "+x", "x == s", "x == l", "x < s", "s in x", "x in l", "x in m", "x[0]", "x[n]",
	"x[s]", "x[-1]", "x[::2]", "x[n:]", "x[:n:-1]", "x[::n]", "x.a", "[x, x]", "{x: x}", "x if x else x",
	"range(n)", "range(-n, n, 7)", "range(0, n, n)", "dict(x)", "dict(a=x)", "namespace(x)", "strftime_now(x)",
	"[] * n",
	"() * n", "'' * n", "[x] * n", "(x,) * n", "x and s", "not x", "x is in l"}

// every calls f with an expression for each function, and each call of it.
func every(f func(name, expression string)) {
	try := func(kind, form string, names []string) {
		for _, name := range names {
			calls, given := callsOf[kind+" "+name]
			if !given {
				calls = []string{""}
				if kind == "test" && slices.Contains(strings.Fields("eq equalto == ne != in gt greaterthan > ge >= lt "+
					"lessthan < le <="), name) {
					calls = []string{"s", "l", "n"}
				}
			}
			for _, call := range calls {
				f(kind+" "+name, fmt.Sprintf(form, name, call))
			}
		}
	}
	word := func(names []string) []string { // operators are no words that a template can write behind is
		return slices.DeleteFunc(names, func(name string) bool { return strings.ContainsAny(name, "=<>!") })
	}
	try("filter", "x | %s(%s)", slices.Sorted(maps.Keys(filters)))
	try("test", "x is %s(%s)", word(slices.Sorted(maps.Keys(tests))))
	try("text", "x.%s(%s)", slices.Sorted(maps.Keys(textMethods)))
	try("mapping", "x.%s(%s)", slices.Sorted(maps.Keys(mappingMethods)))
	try("list", "x.%s(%s)", slices.Sorted(maps.Keys(listMethods)))
	for _, o := range others {
		f("other", o)
	}
}

// hostile are values that grow with a size: texts of words, of lines, of one word, of what repr and JSON escape and of
// letters that become several; lists of numbers and of long texts that are one in memory; mappings.
var hostile = map[string]func(size int) any{
	"words":    func(size int) any { return strings.Repeat("Ab ", size) },
	"lines":    func(size int) any { return strings.Repeat("A\n", size) },
	"one":      func(size int) any { return strings.Repeat("A", size) },
	"escaped":  func(size int) any { return strings.Repeat("\x01", size) },
	"letters":  func(size int) any { return strings.Repeat("ßŉ", size) },
	"braces":   func(size int) any { return strings.Repeat("{}", size) },
	"percents": func(size int) any { return strings.Repeat("%s", size) },
	"numbers":  func(size int) any { return manyOf(size, func(i int) any { return i }) },
	"texts":    func(size int) any { text := longText(size); return manyOf(size, func(int) any { return text }) },
	"records": func(size int) any {
		record := NewDict(Pair{"a", longText(size)})
		return manyOf(size, func(int) any { return record })
	},
	"mapping": func(size int) any {
		mapping, text := &Dict{}, longText(size)
		for i := range min(size, 1<<9) {
			mapping.pairs = append(mapping.pairs, Pair{fmt.Sprint("K", i), text})
		}
		return mapping
	},
	"number":   func(size int) any { return size },
	"negative": func(size int) any { return -size },
	"fraction": func(size int) any { return float64(size) },
	"empty":    func(int) any { return "" },
	"nothing":  func(int) any { return listOf(nil) },
	"none":     func(int) any { return nil },
}

func longText(size int) string { return strings.Repeat("Aß\n", min(size, 1<<8)) }

func manyOf(size int, element func(i int) any) any {
	list := make([]any, min(size, 1<<12))
	for i := range list {
		list[i] = element(i)
	}
	return listOf(list)
}

// What one rendering may spend in TestBounds: less than templates may, so that all functions can be tried.
const (
	testSteps, testBytes = 2_000, 1 << 15
	testAllocated        = 64 * testBytes // what computing within the bounds may allocate, garbage included
)

// evaluated computes an expression within small bounds. It returns what was allocated, in bytes, and the error.
func evaluated(t *testing.T, expression string, x, s any, n int, m, l any) (allocated int, err error) {
	t.Helper()
	template, err := Parse("{% set y = "+expression+" %}", map[string]Function{"strftime_now": func(texts ...string) (
		string, error) {
		return strings.Join(texts, ""), nil
	}})
	if err != nil {
		t.Fatalf("the expression %s is refused: %v, want no error", expression, err)
	}
	e := &evaluator{budget: budget{ctx: t.Context(), deadline: time.Now().Add(time.Hour), steps: testSteps,
		bytes: testBytes}, out: &strings.Builder{}}
	e.scope = &scope{map[string]any{"x": x, "s": s, "n": n, "m": m, "l": l}, &scope{template.globals, nil}}
	before := soak.Allocated()
	err = catchRefusal(func() error { return template.run(e) })
	return int(soak.Allocated() - before), err
}

// TestBounds tries every filter, test, method, operator and global function on hostile values, which grow until they
// are refused for a bound: each ends, panics never, and allocates no more than a multiple of what it may spend, at the
// largest size that is accepted and at one above. Numbers go up to the largest.
func TestBounds(t *testing.T) {
	fine := map[string]bool{} // functions that were computed on something
	every(func(name, expression string) {
		for what, grow := range hostile {
			try := func(size, n int) error {
				x, s, m, l := grow(size), hostile["words"](size), hostile["mapping"](size), hostile["texts"](size)
				allocated, err := evaluated(t, expression, x, s, n, m, l)
				// The runtime counts late what was allocated for the values: what is computed allocates it again.
				for again := 0; allocated > testAllocated && again < 3; again++ {
					next, _ := evaluated(t, expression, x, s, n, m, l)
					allocated = min(allocated, next)
				}
				if allocated > testAllocated {
					t.Errorf("%s of %s of size %d, n = %d: %d bytes were allocated (%v); want at most %v",
						expression, what, size, n, allocated, err, testAllocated)
				}
				return err
			}
			if try(1, 1) != nil && try(2, 2) != nil {
				continue // not defined
			}
			fine[name] = true
			if strings.Contains(expression, "n") {
				atLimit(1<<40, func(n int) bool { return errors.Is(try(3, n), ErrBounds) })
				for _, n := range []int{40_000_000_000, math.MaxInt, math.MinInt, -1, 1 << 32, math.MaxInt32} {
					_ = try(3, n)
				}
			}
			atLimit(1<<14, func(size int) bool { return errors.Is(try(size, 2), ErrBounds) })
		}
		if !fine[name] {
			t.Logf("%s: no value", expression)
		}
	})
	every(func(name, expression string) {
		if !fine[name] {
			t.Errorf("%s is refused with all values: callsOf should have a call that is not", name)
			fine[name] = true
		}
	})
}

// atLimit calls over with sizes up to the most: twice as large each time until one is over the limit, then in between
// to the largest that is not.
func atLimit(most int, over func(size int) bool) {
	low, high := 1, 2
	for ; !over(high); low, high = high, 2*high {
		if high >= most {
			return
		}
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; over(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	over(low)
	over(high)
}
