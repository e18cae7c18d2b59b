package table

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// Absent is the text of a cell that has no number.
const Absent = "–"

// Left is a column of texts without values: CSV does not have it, and the page cannot sort by it.
func Left[T any](name string, text func(T) string) Column[T] {
	return Column[T]{Name: name, Left: true, Text: text}
}

// Right is such a column of formatted numbers.
func Right[T any](name string, text func(T) string) Column[T] {
	return Column[T]{Name: name, Text: text}
}

// Words is a column of texts, by which the page can sort; field is its name in CSV, if it is to be there.
func Words[T any](name string, text func(T) string, field ...string) Column[T] {
	return Column[T]{Name: name, Left: true, Text: text, Fields: field,
		Values: func(r T) []any { return []any{text(r)} }}
}

// Counts is a column of whole numbers.
func Counts[T any](name string, n func(T) int) Column[T] {
	return Column[T]{Name: name, Text: func(r T) string { return humanize.Comma(int64(n(r))) },
		Values: func(r T) []any { return []any{n(r)} }}
}

// Decimals is a column of numbers with three decimals; nil is Absent.
func Decimals[T any](name string, number func(T) *float64) Column[T] {
	return Column[T]{Name: name, Text: func(r T) string { return cmp.Or(Decimal(number(r)), Absent) },
		Values: func(r T) []any { return NumberValues(number(r)) }}
}

// Ratios is a column of quotients in a format, or in percent where the format is "". A quotient whose denominator is 0
// is Absent.
func Ratios[T any](name, format string, ratio func(T) (numerator, denominator int)) Column[T] {
	quotient := func(r T) *float64 {
		numerator, denominator := ratio(r)
		if denominator == 0 {
			return nil
		}
		q := float64(numerator) / float64(denominator)
		return &q
	}
	return Column[T]{Name: name,
		Text: func(r T) string {
			switch q := quotient(r); {
			case q == nil:
				return Absent
			case format != "":
				return Number(format, *q)
			default:
				return Number("%.1f %%", 100**q)
			}
		},
		Values: func(r T) []any { return NumberValues(quotient(r)) }}
}

// Decimal is a number with three decimals, "" for nil.
func Decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return Number("%.3f", *x)
}

// Signed is a number with three decimals and its sign, such as a difference.
func Signed(x float64) string { return Number("%+.3f", x) }

// Number formats a number. One that rounds to zero is written as zero is, since "-0.000" would say that it is negative.
func Number(format string, x float64) string {
	if !finite(x) {
		return Absent
	}
	text := fmt.Sprintf(format, x)
	if strings.HasPrefix(text, "-0") && !strings.ContainsAny(text, "123456789") {
		return fmt.Sprintf(format, 0.0)
	}
	return text
}

// finite reports whether a value that is a number is one, and not an infinite or undefined one.
func finite(value any) bool {
	x, is := value.(float64)
	return !is || !math.IsInf(x, 0) && !math.IsNaN(x)
}

// NumberValues is a number as the values of a cell; nil has no value.
func NumberValues(x *float64) []any {
	if x == nil {
		return nil
	}
	return []any{*x}
}

// Between writes an interval; format is that of its ends. One with an infinite end is not known, and Absent.
func Between(format string, low, high float64) string {
	if !finite(high - low) {
		return Absent
	}
	return Number(format, low) + " to " + Number(format, high)
}

// Span writes an interval as a cell of a table does, where Between writes it in a sentence.
func Span(format string, low, high float64) string {
	if !finite(high - low) {
		return Absent
	}
	return Number(format, low) + " – " + Number(format, high)
}
