package society

import (
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate"
)

// TestPresidersHaveSeats: whoever presides beside the agents has a number of its own, in every combination, and a team
// has as many seats.
func TestPresidersHaveSeats(t *testing.T) {
	tried := 0
	for _, shows := range []Settings{{}, {Show: ShowRetained}, {Show: ShowSummary, Summarizer: summarizerAgent}} {
		for _, decide := range append([]string{""}, writers...) {
			for _, judge := range []string{"", JudgeFacts} {
				own := shows
				own.Decide, own.Judge = decide, judge
				s := Society{Agents: 3, Decide: decide, Judge: judge, Summarizer: own.Summarizer,
					Exchange: Exchange{Visibility: Visibility{Name: own.Show}}}
				last, names := 3+len(s.presiders()), s.names()
				if judge != "" {
					last++ // who has no role
				}
				if got := seats(debate.Flat(FormName, own), 3); got != last || s.judge() != 3+len(s.presiders()) {
					t.Errorf("%+v: %d seats for %d, the judge of facts is %d", own, got, last, s.judge())
				}
				if decide != "" && (names[len(names)-1] != decide || slices.Index(names, decide) != s.judge()-1) {
					t.Errorf("%+v: the agents are called %q, want %q last, before the judge of facts", own, names,
						decide)
				}
				tried++
			}
		}
	}
	if tried != 24 {
		t.Errorf("%d combinations, want 24", tried)
	}
}
