package inference

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// TestSegments: what is remembered is what would be tokenized, first and control are part of what is asked, and the
// oldest parts are forgotten when all of them take more than is allowed.
func TestSegments(t *testing.T) {
	asked, s := 0, newSegments()
	tokens := func(key segment) int {
		got, err := s.tokens(key, func(key segment) ([]step.Token, error) {
			asked++
			return make([]step.Token, len(key.text)), nil
		})
		if err != nil || len(got) != len(key.text) {
			t.Fatal(len(got), err)
		}
		return asked
	}
	for i, key := range []segment{{text: "a"}, {text: "b"}, {text: "a", first: true}, {text: "a", control: true}} {
		if once, twice := tokens(key), tokens(key); once != i+1 || twice != once {
			t.Errorf("%+v: tokenized %d times, then %d", key, once, twice)
		}
	}
	if s.known != 4 {
		t.Errorf("%d were known", s.known)
	}
	large := strings.Repeat("x", mostSegmentBytes/12)
	for i := range 5 {
		tokens(segment{text: large[i:]})
	}
	if s.bytes > mostSegmentBytes || s.bytes < mostSegmentBytes/2 || s.kept.Len() > 4 {
		t.Errorf("%d bytes of %d parts", s.bytes, s.kept.Len())
	}
	if before := asked; tokens(segment{text: "b"}) != before+1 || tokens(segment{text: large[4:]}) != before+1 {
		t.Error("the oldest part was kept, or the newest forgotten")
	}
	for s.kept.Len() > 0 {
		s.kept.RemoveOldest()
	}
	if s.bytes != 0 {
		t.Errorf("%d bytes of nothing", s.bytes)
	}
}
