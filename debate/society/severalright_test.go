package society

import (
	"fmt"
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// TestMisleadingIsWrong: where several answers are right, a confederate argues for none of them.
func TestMisleadingIsWrong(t *testing.T) {
	several := func(texts ...string) debate.Case {
		return debate.Case{Question: "Which? (A) one (B) two (C) three", Truth: answer.Of(texts[0]),
			Right: func(a answer.Answer) bool { return a.Parsed && slices.Contains(texts, a.Text) }}
	}
	for _, c := range []struct {
		of    debate.Case
		first string
		want  string
	}{
		{several("12", "13"), "", "14"}, {several("13", "12"), "", "14"}, {several("(A)", "(B)"), "", "(C)"},
		{several("A", "B"), "BBC", "C"}, {several("B", "A"), "AABBC", "C"},
	} {
		t.Run(fmt.Sprintf("%.60s", c.first), func(t *testing.T) {
			s := Society{Confederate: confederateNext}
			if c.first != "" {
				s.Confederate = confederatePopular
			}
			if got, err := s.misleadingAnswer(debatetest.TurnsOf(c.first), c.of); err != nil || got.Text != c.want {
				t.Errorf("%v, %s: %q, %v, want %q", c.of.Truth, c.first, got.Text, err, c.want)
			}
		})
	}
}
