package soak

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestMore(t *testing.T) {
	count := func(t *testing.T) (rounds int) {
		for more := More(t, 3); more(rounds); rounds++ {
			time.Sleep(time.Minute)
		}
		return rounds
	}
	for _, test := range []struct {
		text string
		want int
	}{{"", 3}, {"7x", 7}, {"10m", 10}} {
		t.Run(fmt.Sprintf("%.60s", test.text), func(t *testing.T) {
			t.Setenv(variable, test.text)
			synctest.Test(t, func(t *testing.T) {
				if got := count(t); got != test.want || On() != (test.text != "") {
					t.Errorf("%s=%s: %d rounds, want %d", variable, test.text, got, test.want)
				}
			})
		})
	}
}
