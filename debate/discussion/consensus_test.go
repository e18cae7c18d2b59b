package discussion

import (
	"testing"

	"github.com/parley-debate/parley/debate"
)

// records are a discussion in letters: p proposes (it disagrees with what was there), a agrees, d drafts. Proposals and
// drafts carry a solution, agreements none, as in the paper's reading.
func recordsOf(letters string) (all []debate.Record) {
	for i, letter := range letters {
		agrees := letter == 'a'
		r := debate.Record{Agent: i, Turn: 1, Agreement: &agrees}
		if !agrees {
			r.Solution = "S" + string(rune('0'+i))
		}
		if letter == 'd' {
			r.Agreement = nil
		}
		all = append(all, r)
	}
	return all
}

// TestConsensus has the seven public cases of MALLM's tests first, then what its text and numbers need.
func TestConsensus(t *testing.T) {
	for _, test := range []struct {
		story, rule, letters    string
		agents, panelists, turn int
		want                    string // the solution, "" if nothing is reached
	}{
		{"majority: one proposal, one agreement", "majority", "paa", 3, 3, 1, "S0"},
		{"unanimity: one proposal and two agreements", "unanimity", "paa", 3, 3, 1, "S0"},
		{"hybrid: three must all agree", "hybrid", "paa", 3, 3, 1, "S0"},
		{"hybrid: they do not", "hybrid", "ppa", 3, 3, 1, ""},
		{"hybrid with a neutral agent: all four", "hybrid", "daaa", 4, 3, 1, "S0"},
		{"hybrid at turn 6: four of five", "hybrid", "ppaaa", 5, 5, 6, "S1"},
		{"hybrid at turn 6: three of five", "hybrid", "pppaa", 5, 5, 6, ""},

		{"hybrid before turn 5 needs all of five", "hybrid", "ppaaa", 5, 5, 4, ""},
		{"majority of two ends at the first message", "majority", "p", 2, 2, 1, "S0"},
		{"unanimity of two does not", "unanimity", "p", 2, 2, 1, ""},
		{"majority of three ends at message 2", "majority", "pa", 3, 3, 1, "S0"},
		{"and not at message 1", "majority", "p", 3, 3, 1, ""},
		{"supermajority is the same for three", "supermajority", "pa", 3, 3, 1, "S0"},
		{"unanimity of three ends at message 3", "unanimity", "paa", 3, 3, 1, "S0"},
		{"and not at message 2", "unanimity", "pa", 3, 3, 1, ""},
		{"across a turn's border", "unanimity", "pppaa", 3, 3, 2, "S2"},
		{"agreements alone are agreements to nothing", "majority", "aaa", 3, 3, 1, ""},
		{"a proposal that is too long ago", "majority", "paaa", 3, 3, 2, ""},
	} {
		t.Run(test.story, func(t *testing.T) {
			rule, ok := findConsensus(test.rule)
			if !ok {
				t.Fatalf("%v, want ok", test.rule)
			}
			solution, reached := rule.reached(recordsOf(test.letters), test.agents, test.panelists, test.turn)
			if reached != (test.want != "") || reached && solution != test.want {
				t.Errorf(`%s: consensus on %q (reached: %v), want %q (none is "")`, test.story, solution, reached,
					test.want)
			}
		})
	}
}

// TestReleasedConsensus: where agreements carry the solution, three agents never agree, by whatever rule.
func TestReleasedConsensus(t *testing.T) {
	records := recordsOf("paa")
	records[1].Solution, records[2].Solution = "S0", "S0"
	for _, rule := range consensuses() {
		if _, reached := rule.reached(records, 3, 3, 9); reached {
			t.Errorf("%s is reached where agreements carry the solution, want no consensus", rule.Name)
		}
	}
}

// TestAgreement: the code looks for a word, the paper for a marker.
func TestAgreement(t *testing.T) {
	for _, test := range []struct {
		reply       string
		code, paper bool
	}{
		{"I AGREE with that.", true, false},
		{"[AGREE]", true, true},
		{"[DISAGREE] It is (B).", false, false},
		{"I don't disagree. [AGREE]", false, true},
		{"First I wrote [DISAGREE], now [agree].", false, true},
		{"It is (B).", false, false},
		{"We have an agreement on (A)", true, false},
	} {
		t.Run(test.reply, func(t *testing.T) {
			if code, paper := agreement(test.reply, debate.ReadingCode),
				agreement(test.reply, debate.ReadingPaper); code != test.code ||
				paper != test.paper {
				t.Errorf("%q: code %v, paper %v; want %v and %v", test.reply, code, paper, test.code, test.paper)
			}
		})
	}
}
