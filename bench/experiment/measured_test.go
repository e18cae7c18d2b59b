package experiment

import (
	"testing"

	"github.com/parley-debate/parley/debate/protocol"
)

// TestProtocolsAreMeasured: each protocol in the program is in an experiment that we ship, so that none is built and
// never tried.
func TestProtocolsAreMeasured(t *testing.T) {
	used := make(map[string]bool)
	for _, e := range List() {
		for _, c := range e.Conditions {
			used[c.Protocol] = true
		}
	}
	for _, p := range protocol.Protocols() {
		if !used[p.Name] {
			t.Errorf("protocol %s is in no experiment: add it to one of those in experiments", p.Name)
		}
	}
}
