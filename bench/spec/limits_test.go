package spec

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestCheckTests: a margin is tested where it can be.
func TestCheckTests(t *testing.T) {
	for margin, want := range map[float64]string{0: "", 0.05: "", 1: "", 2: "must be", -0.1: "must be",
		1e-9: "must be"} {
		t.Run(fmt.Sprint(margin), func(t *testing.T) {
			err := Run{Tests: Tests{Equivalence: margin}}.CheckTests()
			if want == "" && err != nil || want != "" && (err == nil ||
				!strings.Contains(err.Error(), want)) {
				t.Errorf("%g: %v, want %q", margin, err, want)
			}
		})
	}
	stop := &Stopping{}
	if err := (Run{Tests: Tests{Equivalence: 0.1}, Stop: stop}).CheckTests(); err == nil ||
		!strings.Contains(err.Error(), "not for both") {
		t.Errorf("a margin with a stop: %v, want an error", err)
	}
	if err := (Run{Tests: Tests{Cluster: "subject"}, Stop: stop}).CheckTests(); err == nil ||
		!strings.Contains(err.Error(), "by cluster") {
		t.Errorf("clusters with a stop: %v, want an error", err)
	}
	if err := (Run{Stop: stop}).CheckTests(); err != nil {
		t.Errorf("a stop alone needs no further tests: got %v, want no error", err)
	}
}

// TestOr: each field that is given takes the place of the usual one, and no other does.
func TestOr(t *testing.T) {
	usual := Tests{Equivalence: 0.1, Cluster: "a", Group: "b", Contrasts: []string{"c"}}
	for f, v := range reflect.ValueOf(usual).Fields() {
		if v.IsZero() {
			t.Errorf("the test has no value for %s", f.Name)
		}
	}
	if got := (Tests{}).Or(usual); !reflect.DeepEqual(got, usual) {
		t.Errorf("nothing given: %+v, want %+v", got, usual)
	}
	want := usual
	want.Equivalence = 0.05
	if got := (Tests{Equivalence: 0.05}).Or(usual); !reflect.DeepEqual(got, want) {
		t.Errorf("a margin given: %+v, want %+v", got, want)
	}
}
