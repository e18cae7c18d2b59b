package society

import (
	"context"
	"slices"

	"github.com/parley-debate/parley/debate"
)

// probe asks every agent of a round again with the same texts in other orders: each time the first moves to the end. An
// agent whose answer then changes was swayed by the places of the texts. Nobody hears the probes, and no decision
// counts them.
func (s Society) probe(ctx context.Context, ask debate.Asker, turns, last []debate.Turn, c debate.Case) error {
	var probes []debate.Turn
	for _, t := range turns {
		for k := 1; k <= min(s.Probes, len(t.Heard)-1); k++ {
			p := debate.Turn{Agent: t.Agent, Round: t.Round, Heard: slices.Concat(t.Heard[k:], t.Heard[:k])}
			p.Messages = s.message(last, p, hearing{heard: p.Heard,
				texts: s.labelTexts(s.showHeard(t.Round, p.Heard, last, c), p.Heard, p.Agent, p.Round, c)}, c)
			probes = append(probes, p)
		}
	}
	if probes == nil {
		return nil
	}
	if err := ask.Try(ctx, probes); err != nil {
		return err
	}
	for _, p := range probes {
		turns[p.Agent].Probes = append(turns[p.Agent].Probes, p)
	}
	return nil
}
