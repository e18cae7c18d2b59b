package experiment

import (
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate/protocol"
)

// unmeasured are protocols that no experiment that we ship names. A protocol that is added belongs into an experiment.
var unmeasured = []string{
	"self-consistency-certain", "du-summary", "madc-paper", "truth-first-released", "madc-program", "centralised",
	"free-mad", "reconcile", "dmad", "intensity", "soft-vote", "tit-for-tat-paper", "tit-for-tat-translation",
	"algorithm-1", "knights", "knights-confidence", "knights-chosen-order", "knights-agreed-order",
	"consensus-hybrid", "consensus-code", "vote-grammar", "consensus-voting", "discussion-judge", "paradigm-relay",
	"paradigm-report", "paradigm-debate", "personas-ipip", "challenged",
}

// TestProtocolsAreMeasured: each protocol in the program is in an experiment, but for those that are listed.
func TestProtocolsAreMeasured(t *testing.T) {
	used := make(map[string]bool)
	for _, e := range List() {
		for _, c := range e.Conditions {
			used[c.Protocol] = true
		}
	}
	for _, p := range protocol.Protocols() {
		if used[p.Name] == slices.Contains(unmeasured, p.Name) {
			t.Errorf("%s: in an experiment %t, listed as in none %t", p.Name, used[p.Name], !used[p.Name])
		}
	}
}
