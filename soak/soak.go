// Package soak says how long tests of random input go on: for a few rounds by default, and as long as PARLEY_SOAK says
// where it is set. Only tests import it.
package soak

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const variable = "PARLEY_SOAK"

// On reports whether tests are to go on for longer.
func On() bool { return os.Getenv(variable) != "" }

// Budget is what PARLEY_SOAK says, in the words of go test's -fuzztime: a number of rounds ("100000x") or a duration
// ("10m"). Both are 0 where it is not set.
func Budget(t testing.TB) (rounds int, limit time.Duration) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0, 0
	}
	var err error
	if n, counted := strings.CutSuffix(text, "x"); counted {
		rounds, err = strconv.Atoi(n)
	} else {
		limit, err = time.ParseDuration(text)
	}
	if err != nil || rounds < 0 || limit < 0 || rounds == 0 && limit == 0 {
		t.Fatalf("%s is %q: give a duration such as 10m or a number of rounds such as 1000x", variable, text)
	}
	return rounds, limit
}

// More returns a function that reports whether another round is due after those done: up to few of them, or what
// Budget allows from now on.
func More(t testing.TB, few int) (more func(done int) bool) {
	t.Helper()
	rounds, limit := Budget(t)
	if limit > 0 {
		until := time.Now().Add(limit)
		return func(int) bool { return time.Now().Before(until) }
	}
	if rounds == 0 {
		rounds = few
	}
	return func(done int) bool { return done < rounds }
}
