package table

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize"
)

// Absent stands in a cell that has no number.
const Absent = "–"

// Left is a column of words that only people read.
func Left[T any](name string, text func(T) string) Column[T] {
	return Column[T]{Name: name, Left: true, Text: text}
}

// Right is a column of formatted numbers that only people read.
func Right[T any](name string, text func(T) string) Column[T] {
	return Column[T]{Name: name, Text: text}
}

// Words is a column of texts, which it sorts by; a field is its name in CSV.
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
		Values: func(r T) []any { return Known(number(r)) }}
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
		Values: func(r T) []any { return Known(quotient(r)) }}
}

// Decimal is a number with three decimals, "" for nil.
func Decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *x)
}

// Known is a number as the values of a cell, which has none for nil.
func Known(x *float64) []any {
	if x == nil {
		return nil
	}
	return []any{*x}
}
