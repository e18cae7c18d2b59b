package report

import (
	"cmp"
	"fmt"
	"slices"

	"parley/bench"
	"parley/bench/stat"
)

// debating is a condition with the debates that it has.
type debating struct {
	bench.Row
	Cached int // tokens of prompts that were not computed for them
}

// debatingTable says how the debates of a run went.
func debatingTable(s study) table {
	rows := s.debating()
	t := tableOf(filled(debatingColumns, rows), rows, nil)
	t.Title = "How they debated"
	t.Caption = "Rounds: held until the decision, on average. Right, then not; wrong, then right: of the agents that answered more than once, those whose first answer was right " +
		"and the last one is not, and the other way round. Agreement: share of pairs of agents whose last answers are equal. Entropy: of the answers, in bits, mean over debates. " +
		"Likelihood: log2 of the share of right answers, summed over questions; – where nobody is right on one of them. Of both, source 0's paper takes the last round and counts unparsed answers, its code takes the parsed answers of all rounds " +
		"and for the likelihood leaves out rounds in which nobody is right. Ties: debates that the tie rule decided. Cached: prompt tokens that were shared with what had been computed before."
	if slices.ContainsFunc(rows, func(d debating) bool { return !d.Course.ByEquality }) {
		t.Caption += " Where right is more than being equal to the target, who was right before the decision is not known."
	}
	return t
}

// debating are the conditions that have debates.
func (s study) debating() (rows []debating) {
	cached := make(map[string]int)
	for _, o := range s.Outcomes {
		for call := range o.Transcript.Calls() {
			cached[o.Condition] += call.Reply.CachedTokens
		}
	}
	for _, r := range s.Comparison.Rows {
		if r.Course != nil {
			rows = append(rows, debating{r, cached[r.Condition]})
		}
	}
	return rows
}

var debatingColumns = []column[debating]{
	words("condition", func(d debating) string { return d.Condition }),
	{Name: "rounds", Text: func(d debating) string { return fmt.Sprintf("%.2f", d.Course.MeanRounds) }, Values: func(d debating) []any { return []any{d.Course.MeanRounds} }},
	ratioColumn("right, then not", "", func(d debating) (int, int) {
		stayed, of := d.came(stat.Right, stat.Right)
		return of - stayed, of
	}),
	ratioColumn("wrong, then right", "", func(d debating) (int, int) {
		wrong, ofWrong := d.came(stat.Wrong, stat.Right)
		unread, ofUnread := d.came(stat.Unread, stat.Right)
		return wrong + unread, ofWrong + ofUnread
	}),
	decimalColumn("agreement", func(d debating) *float64 { return d.Course.Agreement }),
	decimalColumn("entropy, paper", func(d debating) *float64 { return d.Course.Entropy.Paper }),
	decimalColumn("entropy, code", func(d debating) *float64 { return &d.Course.Entropy.Code }),
	decimalColumn("likelihood, paper", func(d debating) *float64 { return d.exactly(d.Course.LogLikelihood.Paper) }),
	decimalColumn("likelihood, code", func(d debating) *float64 { return d.exactly(&d.Course.LogLikelihood.Code) }),
	ratioColumn("ties", "", func(d debating) (int, int) { return d.Course.Ties, d.N }),
	ratioColumn("replies a debate", "%.1f", func(d debating) (int, int) { return d.Replies, d.N }),
	ratioColumn("tokens a reply", "%.0f", func(d debating) (int, int) { return d.Tokens, d.counted() }),
	ratioColumn("cached", "", func(d debating) (int, int) { return d.Cached, d.PromptTokens }),
}

// came is how many of the agents whose first answer has one mark have the other at last, of how many. Both are 0 where it is not known who was right.
func (d debating) came(first, last stat.Mark) (came, of int) {
	if !d.Course.ByEquality {
		return 0, 0
	}
	for _, n := range d.Course.Transitions[first] {
		of += n
	}
	return d.Course.Transitions[first][last], of
}

// exactly is a number that is known only where it is known who was right.
func (d debating) exactly(x *float64) *float64 {
	if !d.Course.ByEquality {
		return nil
	}
	return x
}

// counted is how many replies had their tokens counted: imported ones had not.
func (d debating) counted() int {
	if d.PromptTokens == 0 {
		return 0
	}
	return d.Replies
}

func decimalColumn[T any](name string, number func(T) *float64) column[T] {
	return column[T]{Name: name, Text: func(r T) string { return cmp.Or(decimals(number(r)), "–") }, Values: func(r T) []any { return known(number(r)) }}
}

// ratioColumn has a quotient in a format, or as a share in percent. It is empty where there is nothing to divide by.
func ratioColumn[T any](name, format string, ratio func(T) (int, int)) column[T] {
	quotient := func(r T) *float64 {
		part, of := ratio(r)
		if of == 0 {
			return nil
		}
		q := float64(part) / float64(of)
		return &q
	}
	return column[T]{Name: name,
		Text: func(r T) string {
			switch q := quotient(r); {
			case q == nil:
				return "–"
			case format != "":
				return fmt.Sprintf(format, *q)
			default:
				return fmt.Sprintf("%.1f %%", 100**q)
			}
		},
		Values: func(r T) []any { return known(quotient(r)) }}
}
