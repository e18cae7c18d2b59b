package analysis

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/titfortat"
)

// Dynamics says how the debates of a condition went. It is a function of the transcripts of those that did not fail.
type Dynamics struct {
	Rounds []Round `json:"rounds"` // by their number in the transcripts
	Agents []Spent `json:"agents"` // the cost of all calls of each agent, including ballots

	MeanRounds float64 `json:"mean_rounds"`   // until the decision, including the first; in a discussion, turns
	Decided    []int   `json:"decided_after"` // Decided[i] is how many debates were decided after i+1 rounds
	Ties       int     `json:"ties"`          // debates that the tie rule decided

	// Sides says of debates between sides how many each side won according to the moderator, by the name of the side,
	// or by "neither".
	Sides map[string]int `json:"sides,omitempty"`

	// Unmarked says that the records lack what the task's measure looks at, or that a decision's score does not follow
	// from them: then it is not known which answers are right, and in the fields below and in Rounds an answer that is
	// right in another form than the target's counts as wrong.
	Unmarked bool `json:"unmarked,omitempty"`
	// Transitions counts agents that answered more than once: [a][b] is how many gave a first answer of correctness a
	// and a last one of correctness b.
	Transitions agreement.Transitions `json:"transitions"`

	// Disagreement is the share of pairs of agents whose answers in a round differ, averaged over rounds, then over
	// debates. Pairs with an unparsed answer are left out, and so are rounds without a pair.
	Disagreement *float64       `json:"disagreement,omitempty"`
	Roles        *roles.Summary `json:"roles,omitempty"` // of puzzles of knights
	// Chosen says of debates between sides whose last answer became the decision, by titfortat.Chosen.
	Chosen     map[string]int `json:"chosen,omitempty"`
	Challenges *Challenges    `json:"challenges,omitempty"` // where agents were shown the decision once more
	Facts      *debate.Facts  `json:"facts,omitempty"`      // where a judge was asked about facts: over all debates
	// PersonaDiversity is how little the personas of agents have in common, from 0 to 1; nil unless debates have
	// several.
	PersonaDiversity *float64 `json:"persona_diversity,omitempty"`
	// Probes says how often another order of the others changed an answer; nil unless agents were asked that.
	Probes *Probes `json:"probes,omitempty"`
	// Coverage has the accuracy of answering only with enough votes; it is empty unless debates differ in their votes.
	Coverage     []stat.Covered `json:"coverage,omitempty"`
	CoverageArea float64        `json:"coverage_area,omitempty"` // under that curve

	Agreement     *float64 `json:"agreement,omitempty"` // mean share of pairs of agents whose last answers are equal
	Alpha         *float64 `json:"alpha,omitempty"`     // Krippendorff's alpha of the last answers
	Entropy       Readings `json:"entropy"`
	LogLikelihood Readings `json:"log_likelihood"`

	Influence *peers.Influence `json:"influence,omitempty"` // of agents that answered in more than one round
	Team      *peers.Worth     `json:"team,omitempty"`      // it needs the same agents in all debates
}

// Spent is what one agent cost.
type Spent struct {
	Agent int `json:"agent"`
	outcome.Cost
}

// DynamicsOf sums up the debates of one condition that did not fail; all repeats count alike. held are their rows, and
// values what is measured on these.
func DynamicsOf(c trial.Condition, p *outcome.Debates, held []relation.Debate, values relation.Values) *Dynamics {
	debates := p.Held().All
	d := &Dynamics{Rounds: RoundsOf(p), Agents: spentIn(debates)}
	for _, o := range debates {
		if until := o.Transcript.RoundsHeld(); until > 0 {
			d.decide(o.Transcript, until)
		}
		d.change(o.Agents())
		d.Unmarked = d.Unmarked || !o.Explained(c)
	}
	d.MeanRounds, _ = values.Number("rounds")
	d.Ties, _ = values.Count("ties")
	d.Disagreement, d.PersonaDiversity = values.Pointer("disagreement"), values.Pointer("persona-diversity")
	d.Agreement, d.Alpha = values.Pointer("agreement"), alphaOf(debates)
	d.Challenges, d.Probes, d.Facts = challengesIn(values), probesIn(values), factsIn(debates)
	var puzzles []*roles.Played
	for _, h := range held {
		puzzles = append(puzzles, h.Puzzle())
	}
	d.Roles = roles.Of(puzzles)
	if !c.Oracle {
		d.cover(debates)
	}
	d.Influence, d.Team = peers.InfluenceOf(held), peers.WorthOf(held)
	d.Entropy, d.LogLikelihood = readings(inAllRounds(debates), stat.Share(len(debates), len(p.Correct.Questions)))
	return d
}

// UnmarshalJSON also reads what earlier versions wrote: whether answers are right that equal the target (always there),
// or else by the task's measure.
func (d *Dynamics) UnmarshalJSON(text []byte) error {
	type fields Dynamics
	read := struct {
		*fields
		ByEquality *bool `json:"by_equality"`
		ByMeasure  bool  `json:"by_measure"`
	}{fields: (*fields)(d)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.ByEquality != nil {
		d.Unmarked = !*read.ByEquality && !read.ByMeasure
	}
	return nil
}

// spentIn is the cost of each agent, in the order of agents.
func spentIn(debates []*outcome.Debate) (agents []Spent) {
	costs := make(map[int]outcome.Cost)
	for _, o := range debates {
		for call := range o.Transcript.Calls() {
			cost := costs[call.Agent]
			cost.Add(call)
			costs[call.Agent] = cost
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(costs)) {
		agents = append(agents, Spent{agent, costs[agent]})
	}
	return agents
}

// decide counts after which round, and by whom, a debate was decided. rounds is at least 1. A debate has sides by its
// form, not by whether somebody won: those that no side won are under "neither", so that Sides add up to all of them.
func (d *Dynamics) decide(t debate.Transcript, rounds int) {
	if rounds > len(d.Decided) {
		d.Decided = append(d.Decided, make([]int, rounds-len(d.Decided))...)
	}
	d.Decided[rounds-1]++
	if t.HasSides() {
		if d.Sides == nil {
			d.Sides = make(map[string]int)
		}
		d.Sides[titfortat.Winner(t)]++
		if d.Chosen == nil {
			d.Chosen = make(map[string]int)
		}
		d.Chosen[titfortat.Chosen(t)]++
	}
}

// change counts what became of each agent's first answer in a debate. Agents that answered once had no chance to change
// and are left out: they would count as steadfast.
func (d *Dynamics) change(agents []outcome.Agent) {
	for _, a := range agents {
		if a.Times > 1 {
			d.Transitions[a.First.Correctness()][a.Last.Correctness()]++
		}
	}
}

// factsIn sums up what the judge of facts said in all debates, nil if it was asked in none.
func factsIn(debates []*outcome.Debate) (all *debate.Facts) {
	for _, o := range debates {
		if f, judged := o.Transcript.Facts(); judged {
			if all == nil {
				all = &debate.Facts{}
			}
			all.Yes, all.No = all.Yes+f.Yes, all.No+f.No
			all.Uncertain, all.Unread = all.Uncertain+f.Uncertain, all.Unread+f.Unread
		}
	}
	return all
}

// alphaOf is Krippendorff's alpha over all last answers, with debates as units and agents as coders, which takes off
// the agreement that is expected by chance. Rows may differ in length, since an agent may not have answered.
func alphaOf(debates []*outcome.Debate) *float64 {
	var last [][]int // by debate and agent
	for _, o := range debates {
		last = append(last, o.LastIDs())
	}
	if alpha, known := agreement.Alpha(last); known {
		return &alpha
	}
	return nil
}
