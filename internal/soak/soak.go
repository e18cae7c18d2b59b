// Package soak decides how long tests on random input run: a few rounds by default, or as long as the environment
// variable PARLEY_SOAK says, and measures what tests take. Only tests import it; `make soak` sets the variable.
package soak

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const variable = "PARLEY_SOAK"

// On reports whether PARLEY_SOAK is set.
func On() bool { return os.Getenv(variable) != "" }

// Budget reads PARLEY_SOAK, which has the syntax of go test's -fuzztime: a number of rounds ("100000x") or a duration
// ("10m"). Both results are 0 if it is not set.
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

// More returns a function that reports whether another round is due after the given number of rounds. Without
// PARLEY_SOAK there are byDefault rounds; a duration counts from the call of More.
func More(t testing.TB, byDefault int) (more func(done int) bool) {
	t.Helper()
	rounds, limit := Budget(t)
	if limit > 0 {
		until := time.Now().Add(limit)
		return func(int) bool { return time.Now().Before(until) }
	}
	if rounds == 0 {
		rounds = byDefault
	}
	return func(done int) bool { return done < rounds }
}
