// Package wording writes numbers for people the same way in every table and sentence of bench. It knows nothing of what
// the numbers mean, so that all of bench may use it.
package wording

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Count is a number with its noun, such as "1 question" or "2 questions".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Comma separates thousands.
func Comma(n int) string { return humanize.Comma(int64(n)) }

// Probability has three digits; smaller ones are given as a bound, never as 0.
func Probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// Milliseconds of a duration, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// AboutSamples says what can be said of one question.
func AboutSamples(n int) string {
	return fmt.Sprintf("one question: intervals and tests are about its %s, not about questions", Count(n, "sample"))
}
