// Package bounds checks numbers against the ranges of settings, in one way for flags, files and the library.
package bounds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Range is a set of numbers. NaN is in no range.
type Range struct {
	Low, High float64
	Zero      bool      // 0 is allowed too; it switches the setting off or stands for its default
	Only      []float64 // if not empty, exactly these are allowed
}

// From returns the range from low to high, both included.
func From(low, high float64) Range { return Range{Low: low, High: high} }

// OrZero returns the range with 0 added.
func (r Range) OrZero() Range {
	r.Zero = true
	return r
}

// Only returns the range of exactly these numbers.
func Only(numbers ...float64) Range {
	return Range{Low: slices.Min(numbers), High: slices.Max(numbers), Only: numbers}
}

// Has reports whether a number is in the range.
func (r Range) Has(n float64) bool {
	switch {
	case n == 0 && r.Zero:
		return true
	case len(r.Only) > 0:
		return slices.Contains(r.Only, n)
	}
	return n >= r.Low && n <= r.High
}

// String describes the range, as in "0, or from 1 to 100".
func (r Range) String() string {
	var text string
	if len(r.Only) > 0 {
		var list []string
		for _, n := range r.Only {
			list = append(list, decimal(n))
		}
		text = strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
	} else {
		text = "from " + decimal(r.Low) + " to " + decimal(r.High)
	}
	if r.Zero && (r.Low > 0 || r.High < 0) {
		text = "0, or " + text
	}
	return text
}

// decimal writes a number without an exponent.
func decimal(n float64) string {
	if n >= 1<<64 {
		return "18446744073709551615" // the highest 64-bit number, which no float64 can hold
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Error reports a setting that is out of its range.
type Error struct {
	Name  string
	Value string
	Range Range
}

// Error names the setting, its value and the range.
func (e Error) Error() string { return fmt.Sprintf("%s %s: must be %s", e.Name, e.Value, e.Range) }

// Check returns an Error if the value of the named setting is out of range.
func Check[T ~int | ~int64 | ~float32 | ~float64](name string, value T, r Range) error {
	if r.Has(float64(value)) {
		return nil
	}
	return Error{name, fmt.Sprint(value), r}
}
