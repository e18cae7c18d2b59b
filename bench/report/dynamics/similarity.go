package dynamics

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// SimilarityTable shows how similar the first and the last answers were, nil if that was not measured.
func SimilarityTable(s *offline.Similarity) *table.Table {
	if s == nil || len(s.Conditions) == 0 {
		return nil
	}
	first := func(c offline.ConditionSimilarity) (r offline.RoundSimilarity) {
		if len(c.Rounds) > 0 {
			r = c.Rounds[0]
		}
		return r
	}
	last := func(c offline.ConditionSimilarity) offline.RoundSimilarity { return c.Last }
	columns := []table.Column[offline.ConditionSimilarity]{
		table.Words("condition", func(c offline.ConditionSimilarity) string { return c.Condition }),
		cosineColumn("first answers", first), cosineIntervalColumn("95 % interval", first),
		cosineColumn("last answers", last), cosineIntervalColumn("its 95 % interval", last),
		table.Decimals("K*", func(c offline.ConditionSimilarity) *float64 {
			if c.Last.Channels == 0 { // recorded before it was counted, or of no debate
				return nil
			}
			return &c.Last.Channels
		}),
		table.Counts("questions", func(c offline.ConditionSimilarity) int { return c.Last.N }),
		table.Counts("pairs", func(c offline.ConditionSimilarity) int { return c.Last.Pairs }),
	}
	if slices.ContainsFunc(s.Conditions, func(c offline.ConditionSimilarity) bool { return c.Personas != nil }) {
		columns = append(columns, table.Decimals("personas", func(c offline.ConditionSimilarity) *float64 {
			if c.Personas == nil {
				return nil
			}
			return &c.Personas.Similarity
		}))
	}
	t := table.New(columns, s.Conditions)
	t.Title = "Similarity of answers"
	t.Caption = fmt.Sprintf("Mean cosine similarity of the embeddings of two agents' answers, over all pairs of a "+
		"debate, then over questions; t interval over questions, – where they do not vary. K*: effective "+
		"channels of a debate's last answers by these cosines, as in Agent-Scaling. Embedded by %s: %s, %s different "+
		"texts, %s of them truncated. Cosines from other models cannot be compared with these.", s.Model.Name, s.Method,
		wording.Comma(s.Texts), wording.Comma(s.Truncated))
	return &t
}

// GrowthOfTextsTable shows what the texts of larger teams are worth by embeddings, nil where that was not measured.
func GrowthOfTextsTable(s *offline.Similarity) *table.Table {
	if s == nil || len(s.Growth) == 0 {
		return nil
	}
	t := peers.GrowthTable(s.Growth)
	t.Title = "What the texts of larger teams are worth"
	return &t
}

// roundOf picks one of the rounds of a condition.
type roundOf = func(offline.ConditionSimilarity) offline.RoundSimilarity

// cosineColumn has the mean cosine of a round, which is absent where nothing was compared.
func cosineColumn(name string, of roundOf) table.Column[offline.ConditionSimilarity] {
	return table.Decimals(name, func(c offline.ConditionSimilarity) *float64 {
		if r := of(c); r.N > 0 {
			return &r.Similarity
		}
		return nil
	})
}

// cosineIntervalColumn has its interval over questions; there is none where they do not vary.
func cosineIntervalColumn(name string, of roundOf) table.Column[offline.ConditionSimilarity] {
	return table.Column[offline.ConditionSimilarity]{Name: name, Text: func(c offline.ConditionSimilarity) string {
		if i := of(c).Interval; i != nil {
			return table.Between("%.3f", i.Low, i.High)
		}
		return table.Absent
	}}
}
