package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/bench/task"
)

// pooled is how the answers to one question are distributed in a condition of many agents that answer once and alone.
type pooled struct {
	Question string
	// shares of replies: right, the most frequent wrong answer, other wrong answers, no readable answer
	Right, Wrong, Other, Nothing float64
	Candidate                    bool // at least two answers have more than a share each
}

// leastPool is how many agents make a pool.
const leastPool = 20

// pools draws the distribution of answers of every pool of a run.
func pools(s study) (figures []figure, err error) {
	for _, r := range s.Comparison.Rows {
		share := s.candidateShare(r.Condition)
		list := s.pool(r.Condition, share)
		if len(list) == 0 {
			continue
		}
		f, err := drawPool(r.Condition, list, share)
		if err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// candidateShare is the share that some condition built on a pool asks for, or that of source 0.
func (s study) candidateShare(pool string) float64 {
	for _, p := range s.Points {
		if p.From.After == pool && p.From.Candidates > 0 {
			return p.From.Candidates
		}
	}
	return 0.3
}

// pool counts the answers to each question, those with most right ones first. It is empty if the condition is no pool.
func (s study) pool(condition string, share float64) (list []pooled) {
	counts, order := make(map[string]map[string]int), []string{}
	truths := make(map[string]string)
	for _, o := range s.Outcomes {
		if o.Condition != condition {
			continue
		}
		if len(o.Transcript.Rounds) != 1 || len(o.Transcript.Rounds[0]) < leastPool {
			return nil
		}
		if counts[o.Question] == nil {
			counts[o.Question], order = make(map[string]int), append(order, o.Question)
		}
		truth := s.Truth(o)
		for _, turn := range o.Transcript.Rounds[0] {
			text := "" // no answer
			if turn.Answer.Parsed {
				text = "answer " + turn.Answer.Text
			}
			if task.ScoreOf(turn.Answer, truth) == task.Right {
				truths[o.Question] = text
			}
			counts[o.Question][text]++
		}
	}
	for _, q := range order {
		list = append(list, distribution(q, counts[q], truths[q], share))
	}
	slices.SortStableFunc(list, func(a, b pooled) int { return cmp.Compare(b.Right, a.Right) })
	return list
}

// distribution makes shares of counts; "" is no answer, and truth the answer that is right, if anybody gave it.
func distribution(question string, counts map[string]int, truth string, share float64) pooled {
	total, right, wrong, most, above := 0, 0, 0, 0, 0
	for text, n := range counts {
		total += n
		switch text {
		case "":
			continue
		case truth:
			right = n
		default:
			wrong, most = wrong+n, max(most, n)
		}
	}
	for text, n := range counts {
		if text != "" && float64(n) > share*float64(total) {
			above++
		}
	}
	of := func(n int) float64 { return float64(n) / float64(total) }
	return pooled{question, of(right), of(most), of(wrong - most), of(counts[""]), above >= 2}
}

// drawPool draws a row a question: stacked shares of its answers.
func drawPool(condition string, list []pooled, share float64) (figure, error) {
	f := figure{Title: "Answers of " + condition}
	const mostNamed = 60
	var candidates []string
	names, values := make([]string, len(list)), make([]plotter.Values, 4)
	for i, p := range slices.Backward(list) {
		y := len(list) - 1 - i
		if names[y] = p.Question; p.Candidate {
			names[y], candidates = p.Question+" *", append(candidates, p.Question)
		}
		for k, v := range []float64{p.Right, p.Wrong, p.Other, p.Nothing} {
			values[k] = append(values[k], v)
		}
	}
	height := vg.Points(16)
	if len(list) > mostNamed {
		height = vg.Points(3)
	}
	p := newPlot()
	if err := stack(p, values, 0.8*height); err != nil {
		return f, err
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.6, float64(len(list))-0.4
	p.X.Label.Text, p.X.Tick.Marker = "share of replies", shares
	if len(list) <= mostNamed {
		p.NominalY(names...)
	} else {
		p.HideY()
	}
	slices.Reverse(candidates)
	f.Caption = poolCaption(len(list), len(list) <= mostNamed, candidates, share)
	return f, f.render(width, vg.Length(len(list))*height+frame, p)
}

// stack draws bars that begin where those before them end.
func stack(p *plot.Plot, values []plotter.Values, height vg.Length) error {
	var below *plotter.BarChart
	for i, v := range values {
		bars, err := plotter.NewBarChart(v, height)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.LineStyle.Width, bars.Color = true, 0, []color.Color{better, worse, pale, line}[i]
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
	}
	return nil
}

func poolCaption(questions int, named bool, candidates []string, share float64) string {
	caption := "One row per question, from the left: the right answer (blue), the most frequent wrong one (orange), " +
		"other wrong ones (pale), replies without a readable answer (grey). "
	const most = 30
	which := listed(candidates)
	if len(candidates) > most {
		which = strings.Join(candidates[:most], ", ") + " and more"
	}
	caption += fmt.Sprintf("Candidates, on which two answers have more than %.0f %% each: %d of %s", 100*share,
		len(candidates), number(questions, "question"))
	switch {
	case len(candidates) == 0:
	case named:
		caption += ", marked by *"
	default:
		caption += ": " + which
	}
	return caption + "."
}
