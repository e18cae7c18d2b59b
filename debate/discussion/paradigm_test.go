package discussion

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
)

// TestParadigms draws who speaks in a turn of four agents and who sees it: "1>02" is agent 1, seen by 0 and 2, "0!" a
// draft, seen by all. Brackets hold those who speak at once.
func TestParadigms(t *testing.T) {
	for _, test := range []struct {
		name   string
		rounds int
		want   string
	}{
		{paradigmMemory, 1, "[0] [1] [2] [3]"},
		{paradigmRelay, 1, "[0>1] [1>2] [2>3] [3>0]"},
		{paradigmReport, 1, "[0!] [1>0] [2>0] [3>0]"},
		{paradigmDebate, 1, "[0!] [1>20] [2>30] [3>10]"},
		{paradigmDebate, 2, "[0!] [1>2] [2>3] [3>1] [1>20] [2>30] [3>10]"},
		{paradigmCollective, 1, "[0! 1! 2! 3!]"},
	} {
		t.Run(test.want, func(t *testing.T) {
			p, err := findParadigm(test.name)
			if err != nil {
				t.Fatal(err)
			}
			var groups []string
			for _, group := range p.turn(4, test.rounds) {
				var parts []string
				for _, part := range group {
					text := fmt.Sprint(part.agent)
					if part.drafts {
						text += "!"
					}
					if part.to != nil {
						text += ">" + strings.Trim(strings.ReplaceAll(fmt.Sprint(part.to), " ", ""), "[]")
					}
					parts = append(parts, text)
				}
				groups = append(groups, fmt.Sprint(parts))
			}
			if diff := cmp.Diff(test.want, strings.Join(groups, " ")); diff != "" {
				t.Errorf("%s, %d rounds: who speaks in which group (-want +got):\n%s", test.name, test.rounds, diff)
			}
		})
	}
}

// TestSeen: which of two turns' messages each of three agents sees in the third, by paradigm; a letter is an agent's
// message, a capital one that of the first turn.
func TestSeen(t *testing.T) {
	for _, test := range []struct {
		name   string
		memory int
		want   []string
	}{
		{paradigmMemory, -1, []string{"ABCabc", "ABCabc", "ABCabc"}},
		{paradigmMemory, 1, []string{"abc", "abc", "abc"}},
		{paradigmRelay, -1, []string{"ACac", "ABab", "BCbc"}},
		{paradigmReport, -1, []string{"ABCabc", "ABab", "ACac"}},
		{paradigmDebate, -1, []string{"ABCabc", "ABCabc", "ABCabc"}},
	} {
		t.Run(fmt.Sprintf("%.60s %v", test.name, test.memory), func(t *testing.T) {
			p, _ := findParadigm(test.name)
			var records []debate.Record
			for turn := 1; turn <= 2; turn++ {
				for _, group := range p.turn(3, 1) {
					for _, part := range group {
						letter := string(rune('A' + part.agent + 32*(turn-1)))
						records = append(records, debate.Record{Agent: part.agent, Turn: turn, To: part.to,
							Message: letter})
					}
				}
			}
			for agent, want := range test.want {
				got := ""
				for _, r := range visibleTo(records, agent, 3, test.memory) {
					got += r.Message
				}
				if got != want {
					t.Errorf("%s, agent %d sees %s, want %s", test.name, agent, got, want)
				}
			}
		})
	}
}

// TestDrafts: the draft is the newest solution that is no agreement; who agrees holds what it agreed to.
func TestDrafts(t *testing.T) {
	records := recordsOf("pdaa")
	if got := current(records); got != "S1" {
		t.Errorf("the draft is %q, want \"S1\"", got)
	}
	if got := debate.HeldBy(records, 3) + debate.HeldBy(records, 0) + debate.HeldBy(records, 7); got != "S1S0" {
		t.Errorf("held: %q, want \"S1S0\"", got)
	}
	records[1].To = []int{2} // agent 3 has not seen it
	if got := debate.HeldBy(records, 2) + debate.HeldBy(records, 3); got != "S1S0" {
		t.Errorf("those who saw the record and did not hold %q, want \"S1S0\"", got)
	}
}
