package dynamics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
)

// leastPool is how many agents make a pool: with fewer, a distribution of their answers shows little.
const leastPool = 20

// PoolFigures draw the distribution of answers of every pool of a run, questions with most right answers first.
// candidateShare is the share of votes that makes candidates for a condition built on a pool.
func PoolFigures(c analysis.Comparison, t *outcome.Table, candidateShare func(pool string) float64) (
	figures []chart.Figure, err error) {
	for _, r := range c.Rows {
		share := candidateShare(r.Condition)
		list := PoolsOf(t.Under(r.Condition), leastPool, share)
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b Pool) int { return cmp.Compare(b.Right, a.Right) })
		f, err := drawPool(r.Condition, list, share)
		if err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// drawPool draws a row for each question: the stacked shares of its answers.
func drawPool(condition string, list []Pool, share float64) (chart.Figure, error) {
	f := chart.Figure{Title: "Answers of " + condition}
	const mostNamed = 60
	var candidates []string
	height, names := 16.0, make([]string, len(list))
	if len(list) > mostNamed {
		height = 3
	}
	p := chart.Panel{Y: chart.Axis{Names: names},
		X: chart.Axis{Label: "share of replies", High: 1, Ticks: chart.Shares}}
	for _, c := range []chart.Colour{chart.Better, chart.Worse, chart.Faint, chart.Line} {
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bars, Colour: c, Size: 0.8 * height})
	}
	for i, pool := range list {
		if pool.Candidate {
			candidates = append(candidates, pool.Question)
		}
		if names[i] = pool.Question; pool.Candidate {
			names[i] += " *"
		}
		if len(list) > mostNamed {
			names[i] = ""
		}
		end := 0.0
		for k, share := range []float64{pool.Right, pool.Wrong, pool.Other, pool.Unparsed} {
			p.Marks[k].Points = append(p.Marks[k].Points, chart.Point{X: end, Y: float64(i),
				Span: &chart.Interval{Low: end, High: end + share}})
			end += share
		}
	}
	f.Caption = poolCaption(len(list), len(list) <= mostNamed, candidates, share)
	return f, f.Render(float64(len(list))*height+chart.Frame, p)
}

// poolCaption explains the figure, and says which questions are candidates.
func poolCaption(questions int, named bool, candidates []string, share float64) string {
	caption := "One row per question, from the left: the right answer (blue), the most frequent wrong one (orange), " +
		"other wrong ones (a fainter orange), replies without a readable answer (grey). "
	const most = 30
	which := wording.List(candidates)
	if len(candidates) > most {
		which = strings.Join(candidates[:most], ", ") + " and more"
	}
	caption += fmt.Sprintf("Candidates, on which two answers have more than %.0f %% each: %d of %s", 100*share,
		len(candidates), wording.Count(questions, "question"))
	switch {
	case len(candidates) == 0:
	case named:
		caption += ", marked by *"
	default:
		caption += ": " + which
	}
	return caption + "."
}

// Pool is how the answers to one question are distributed in a condition of many agents that answer once and alone,
// over all its repeats. The shares are of all replies and sum to 1.
type Pool struct {
	Question  string
	Right     float64 // share of right answers
	Wrong     float64 // share of the most frequent wrong answer
	Other     float64 // share of all other wrong answers
	Unparsed  float64 // share of replies without a readable answer
	Candidate bool    // at least two answers have more than the given share each
}

// PoolsOf has an entry for each question, in the order in which they were asked. It is nil unless every debate of the
// condition has one round of at least so many agents.
func PoolsOf(d *outcome.Debates, agents int, share float64) (pools []Pool) {
	replies := make(map[string]*replyCount)
	for _, one := range d.Held().All {
		rounds := one.Rounds()
		if len(rounds) != 1 || len(rounds[0].Turns) < agents {
			return nil
		}
		n := replies[one.Question]
		if n == nil {
			n = &replyCount{right: make(map[int]bool), answers: make(map[int]int)}
			replies[one.Question] = n
		}
		n.all += len(rounds[0].Turns)
		n.add(rounds[0].Answers)
	}
	for _, question := range d.Correct.Questions {
		pools = append(pools, replies[question].pool(question, share))
	}
	return pools
}

// replyCount counts the replies to one question.
type replyCount struct {
	all     int
	right   map[int]bool // ids of right answers that somebody gave
	answers map[int]int  // by id; those that could not be read are in all alone
}

// add counts replies. Right and wrong are of answers and not of replies: equal answers have one id, and so count
// together although they are worded differently.
func (n *replyCount) add(replies []outcome.Turn) {
	for _, reply := range replies {
		switch reply.Correctness() {
		case agreement.Unread:
			continue
		case agreement.Right:
			n.right[reply.ID] = true
		}
		n.answers[reply.ID]++
	}
}

// pool returns the shares of a question's replies, from 0 to 1, which add up to 1: of all right answers, of the most
// frequent wrong one, of the other wrong ones, and of replies that could not be read. share is what two answers need
// each for the question to be a candidate.
func (n *replyCount) pool(question string, share float64) Pool {
	right, wrong, most := 0, 0, 0
	for id, count := range n.answers {
		if n.right[id] {
			right += count
		} else {
			wrong, most = wrong+count, max(most, count)
		}
	}
	of := func(count int) float64 { return float64(count) / float64(n.all) }
	return Pool{Question: question, Right: of(right), Wrong: of(most), Other: of(wrong - most),
		Unparsed: of(n.all - right - wrong), Candidate: trial.Contested(maps.Values(n.answers), n.all, share)}
}
