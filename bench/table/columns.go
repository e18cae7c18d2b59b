package table

import (
	"cmp"
	"fmt"

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
				return fmt.Sprintf(format, *q)
			default:
				return fmt.Sprintf("%.1f %%", 100**q)
			}
		},
		Values: func(r T) []any { return NumberValues(quotient(r)) }}
}

// Decimal is a number with three decimals, "" for nil.
func Decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *x)
}

// NumberValues is a number as the values of a cell; nil has no value.
func NumberValues(x *float64) []any {
	if x == nil {
		return nil
	}
	return []any{*x}
}

// Between writes an interval; format is that of its ends.
func Between(format string, low, high float64) string {
	return fmt.Sprintf(format+" to "+format, low, high)
}
