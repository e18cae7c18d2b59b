package dynamics

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

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
	names, values := make([]string, len(list)), make([]plotter.Values, 4)
	for i, p := range slices.Backward(list) {
		y := len(list) - 1 - i
		if names[y] = p.Question; p.Candidate {
			names[y], candidates = p.Question+" *", append(candidates, p.Question)
		}
		for k, v := range []float64{p.Right, p.Wrong, p.Other, p.Unparsed} {
			values[k] = append(values[k], v)
		}
	}
	height := vg.Points(16)
	if len(list) > mostNamed {
		height = vg.Points(3)
	}
	p := chart.New()
	if err := stack(p, values, 0.8*height); err != nil {
		return f, err
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.6, float64(len(list))-0.4
	p.X.Label.Text, p.X.Tick.Marker = "share of replies", chart.Shares
	if len(list) <= mostNamed {
		chart.Names(p, names...)
	} else {
		p.HideY()
	}
	slices.Reverse(candidates)
	f.Caption = poolCaption(len(list), len(list) <= mostNamed, candidates, share)
	return f, f.Render(chart.Width, vg.Length(len(list))*height+chart.Frame, p)
}

// stack draws bars, each of which begins where the one before it ends.
func stack(p *plot.Plot, values []plotter.Values, height vg.Length) error {
	var below *plotter.BarChart
	for i, v := range values {
		bars, err := plotter.NewBarChart(v, height)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.LineStyle.Width = true, 0
		bars.Color = []color.Color{chart.Better, chart.Worse, chart.Faint, chart.Line}[i]
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
	}
	return nil
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
