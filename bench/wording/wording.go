// Package wording writes numbers for people in the same way in every table and sentence of bench. It does not know what
// the numbers mean, so that all of bench can use it.
package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Count is a number with its noun, such as "1 question" or "2,000 questions".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Comma(n) + " " + what
}

// Comma is a number with separated thousands, such as 1,234.
func Comma(n int) string { return humanize.Comma(int64(n)) }

// Probability is a p-value with three decimals, for tables and sentences alike. One that would be rounded to 0 is given
// as a bound.
func Probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// Milliseconds is a duration in milliseconds, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// AboutSamples says what statistics are about if there is only one question, asked n times.
func AboutSamples(n int) string {
	return fmt.Sprintf("one question: intervals and tests are about its %s, not about questions", Count(n, "sample"))
}

// List joins texts for a sentence: "a, b and c".
func List(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// Lasting is a cell with a time, given in the unit that is shown. A time that is not known is no zero.
func Lasting(t float64, unit string) string {
	const least = 0.1 // that is shown
	switch {
	case t <= 0:
		return "–"
	case t < least/2:
		return fmt.Sprintf("<%.1f %s", least, unit)
	}
	return fmt.Sprintf("%.1f %s", t, unit)
}
