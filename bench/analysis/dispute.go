package analysis

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/society"
)

// Challenges counts what panelists replied when they were shown the decision once more, or another answer in its place.
// As in MALLM's program, an answer has won or lost against the one that was shown; it counts one panelist, and here
// all count.
type Challenges struct {
	Asked     int `json:"asked"`
	Agreed    int `json:"agreed"`    // accepted what they were shown
	Disagreed int `json:"disagreed"` // challenged it
	Unread    int `json:"unread"`    // neither agreed nor disagreed
	Won       int `json:"won"`       // of those who disagreed: gave the right answer instead of a wrong one
	Lost      int `json:"lost"`      // of those who disagreed: gave a wrong answer instead of the right one
}

// challengesIn counts the challenges of a condition's debates; the result is nil if nobody was asked.
func challengesIn(v relation.Values) *Challenges {
	var c Challenges
	if c.Disagreed, c.Asked = v.Count("challenged"); c.Asked == 0 {
		return nil
	}
	c.Agreed, _ = v.Count("accepted")
	c.Unread = c.Asked - c.Agreed - c.Disagreed
	c.Won, _ = v.Count("challenged-then-right")
	c.Lost, _ = v.Count("challenged-then-wrong")
	return &c
}

// Probes counts turns that were asked again with the others' replies listed in other orders.
type Probes struct {
	Probed int `json:"probed"`
	Swayed int `json:"swayed"` // of these, the turns whose answer another order changes
}

// probesIn counts the probed turns of a condition's debates; the result is nil if there are none.
func probesIn(v relation.Values) *Probes {
	var p Probes
	if p.Swayed, p.Probed = v.Count("swayed"); p.Probed == 0 {
		return nil
	}
	return &p
}

// cover enters the accuracy that answering only with enough votes would have (setting abstain), if debates differ in
// their decision's share of the votes: otherwise the curve has one point, which is the accuracy. An answer that was
// withheld counts with the votes that it had, so that a run that abstained shows the same curve as one that did not.
// Where voting stops early, what was not asked is missing in the share, and abstain is refused: there is no curve.
func (d *Dynamics) cover(debates []*outcome.Debate) {
	var votes []float64
	var right []bool
	for _, o := range debates {
		if len(o.Transcript.Voters()) < 2 || society.StopsVoting(o.Transcript.Settings) {
			continue // a single agent agrees with itself
		}
		decision, isRight := o.Transcript.Decision, o.Score == task.Right
		if decision.Withheld != "" {
			decision.Answer = answer.Of(decision.Withheld)
			isRight = o.IsRight(decision.Answer)
		}
		votes, right = append(votes, min(max(decision.Share(), 0), 1)), append(right, isRight)
	}
	if curve := stat.Coverage(votes, right); len(curve) > 1 {
		d.Coverage, d.CoverageArea = curve, stat.CoverageArea(curve)
	}
}

// Asides are lines about what only some conditions have: sides that win, challenges, personas, probes.
func (d *Dynamics) Asides() (lines []string) {
	if len(d.Sides) > 0 {
		lines = append(lines, "won by: "+listCounts(d.Sides, "affirmative", "negative", "neither"))
		lines = append(lines, "the decision is the last answer of: "+
			listCounts(d.Chosen, "affirmative", "negative", "tie", "neither"))
	}
	if ch := d.Challenges; ch != nil {
		lines = append(lines, fmt.Sprintf("challenged by %d of %d agents, accepted by %d: %d of those who challenge "+
			"then give the right answer, %d give it up", ch.Disagreed, ch.Asked, ch.Agreed, ch.Won, ch.Lost))
	}
	if d.PersonaDiversity != nil {
		lines = append(lines, fmt.Sprintf("persona diversity %.3f: share of the words of two personas that only one "+
			"of them has", *d.PersonaDiversity))
	}
	if p := d.Probes; p != nil {
		lines = append(lines, fmt.Sprintf("changed by the order of the others' texts: %d of %d replies", p.Swayed,
			p.Probed))
	}
	return lines
}

// listCounts lists counts in the order of these names, also those that are 0.
func listCounts(counts map[string]int, names ...string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
