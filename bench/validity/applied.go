package validity

import (
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
)

// Same counts the debates that were held under all of several conditions, on one question and repeat, and those of them
// that do not differ: the same requests were sent, with the same seeds, and the same was decided. Where that is all of
// them the conditions are one treatment, such as an order of equal answers or teams that are one model, and there is
// nothing to compare.
func Same(conditions ...[]*outcome.Debate) (same, of int) {
	if len(conditions) < 2 {
		return 0, 0
	}
	held := make(map[string][]*outcome.Debate)
	for i, debates := range conditions {
		for _, o := range debates {
			if id := o.Case(); !o.Failed() && len(held[id]) == i {
				held[id] = append(held[id], o)
			}
		}
	}
	for _, all := range held {
		if len(all) < len(conditions) {
			continue
		}
		of++
		if first := sentKeys(all[0]); first != nil && !slices.ContainsFunc(all[1:], func(o *outcome.Debate) bool {
			return o.Score != all[0].Score || !slices.Equal(sentKeys(o), first) ||
				!o.Transcript.Decision.Answer.Same(all[0].Transcript.Decision.Answer)
		}) {
			same++
		}
	}
	return same, of
}

// sentKeys lists the keys of all requests of a debate, which name what was sent, to which model and with which seed;
// nil if they are not known, as of imported logs.
func sentKeys(o *outcome.Debate) (keys []string) {
	for call := range o.Transcript.Calls() {
		if call.Reply.Key == "" {
			return nil
		}
		keys = append(keys, call.Reply.Key)
	}
	return keys
}
