package trial

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/likelihood"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/unknown"
)

// Condition is one way to answer a question. Nearly all standard ones are societies: a single answer is a society of
// one, a vote is a society that never speaks.
type Condition struct {
	Name     string
	Meaning  string // for the table's legend
	Debate   debate.Debate
	Agents   int                // 0 if the protocol leaves it to its form
	Rounds   int                // likewise
	Protocol *protocol.Protocol // the protocol that it holds, nil for standard conditions and oracles
	Oracle   bool               // right if any agent of the last round is: a bound, no method
	OnDemand bool               // in a run only if it is named

	Budget    int    // what it may generate for a question, in lengths of one answer; 0: nobody counts
	Once      bool   // held once on each question, however often the others are
	Again     bool   // a second draw of the reference, see DrawnAgain
	DependsOn string // the condition on whose transcripts it builds, "" if none; see debate.Case.Prior
	// if DependsOn is set: only questions on which two answers of that condition have more than this share of its
	// replies each, see Contested; 0 is all questions
	Candidates float64
}

// RepeatsRange is how often a condition can be held on a question.
var RepeatsRange = bounds.From(1, 10_000)

// Reference is the condition that the others are compared with, question by question, unless a run names another.
const Reference = "mad"

// Conditions are the standard conditions around a debate, in the order of the table. base has the number of agents and
// rounds of the debate, its prompts, sampling and seeds. All conditions share round 0: agent i of one condition and
// agent i of another send the same request with the same seed, which is generated once. A team takes part in the
// debates and in the votes on their first answers; the single answers of other conditions come from a plain agent.
func Conditions(base society.Society) ([]Condition, error) {
	held := func(name, meaning string, s society.Society) Condition {
		return Condition{Name: name, Meaning: meaning, Debate: s, Agents: s.Agents, Rounds: s.Rounds}
	}
	controls, err := controlsOf(base, held)
	if err != nil {
		return nil, err
	}
	control := func(name string) Condition {
		return controls[slices.IndexFunc(controls, func(c Condition) bool { return c.Name == name })]
	}
	conditions := []Condition{control(single), control(vote), control(selfConsistency)}
	for _, c := range []struct{ name, order, meaning string }{
		{Reference, "fixed", "debate, the others in their order"},
		{"mad-random", "random", "debate, the others in random order"},
		{"truth-first", "truth-first", "debate, right answers first (oracle order)"},
		{"truth-last", "truth-last", "debate, right answers last (oracle order)"},
		{"madc", "most-frequent-last", "debate, the most frequent answer last"},
	} {
		order, err := society.ParseOrder(c.order, base.Order.Reading)
		if err != nil {
			return nil, err
		}
		ordered := base
		ordered.Order = order
		conditions = append(conditions, held(c.name, c.meaning, ordered))
	}
	conditions = append(conditions, control(selfConsistencyTokens), control(shuffledControl))
	fixed := fixedOrder(base)
	answers, shared := base, base
	answers.Order, answers.Visibility = fixed, society.Visibility{Name: society.ShowAnswers}
	shared.Order, shared.Layout = fixed, society.LayoutShared
	onDemand := []Condition{held("answers-only", "debate, the others' answers without any reasoning", answers)}
	onDemand = append(onDemand, doubts(base, fixed)...)
	onDemand = append(onDemand, scoredConditions(base.Asking)...)
	onDemand = append(onDemand, held("mad-shared",
		"debate, all solutions once and first for all agents (shared layout)", shared))
	for i := range onDemand {
		onDemand[i].OnDemand = true
	}
	return append(append(conditions, onDemand...), control(oracle)), nil
}

// scoredConditions are conditions in which options are scored and nobody writes anything: the accuracies acc and
// acc_norm of lm-evaluation-harness. Both ask the same.
func scoredConditions(ask debate.Asking) (conditions []Condition) {
	for _, c := range []struct {
		name, meaning string
		normed        bool
	}{
		{"likelihood", "the most probable option, without any reasoning: acc of lm-evaluation-harness", false},
		{"likelihood-norm", "the same by its probability per character: acc_norm of lm-evaluation-harness", true},
	} {
		conditions = append(conditions, Condition{Name: c.name, Meaning: c.meaning, Agents: 1, Rounds: 1,
			Debate: likelihood.Likelihood{Asking: ask, PerCharacter: c.normed}})
	}
	return conditions
}

// doubts are controls that put debate itself in question, on demand: what is left of its gain if nobody hears anybody,
// or only what was said on another question, or answers behind empty arguments.
func doubts(base society.Society, fixed society.Order) (conditions []Condition) {
	for _, c := range []struct{ name, topology, show, meaning string }{
		{"isolated", society.TopologyIsolated, "", "every agent checks its own answer in as many rounds, then the " +
			"vote"},
		{"noise", "", society.ShowNoise, "debate, the others' replies to another question in the place of theirs"},
		{"vacuous", "", society.ShowVacuous, "debate, the others' answers behind arguments that say nothing"},
	} {
		s := base
		s.Order, s.Visibility = fixed, society.Visibility{Name: c.show}
		if c.topology != "" {
			s.Topology = society.Topology{Name: c.topology}
		}
		conditions = append(conditions, Condition{Name: c.name, Meaning: c.meaning, Debate: s, Agents: s.Agents,
			Rounds: s.Rounds})
	}
	return conditions
}

// Held is a protocol as a condition, without people. prompts, a set or a file, are for forms that take those of a run
// and protocols that name none.
func Held(p protocol.Protocol, prompts string, ask debate.Asking) (Condition, error) {
	if err := p.NoPeople(); err != nil {
		return Condition{}, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	p = p.WithPrompts(prompts)
	d, err := p.Compose(ask)
	if err != nil {
		return Condition{}, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	return Condition{Name: p.Name, Meaning: p.Meaning, Debate: d, Agents: p.Agents(), Rounds: p.Rounds(),
		Protocol: &p}, nil
}

// WithoutCopies leaves out the controls whose answers are one text, copied, because one model is asked the same at
// temperature 0: they cost what a debate costs and are the single answer. left has a line for each. Controls that were
// named, or on which others build, are refused by name.
func WithoutCopies(conditions []Condition, named []string) (kept []Condition, left []string, err error) {
	for _, c := range conditions {
		const why = "at temperature 0 its answers are one text, copied, so that it is the single answer"
		switch {
		case !slices.Contains(copied, c.Name) || !debate.CopiesOf(c.Debate):
			kept = append(kept, c)
		case slices.Contains(named, c.Name):
			return nil, nil, fmt.Errorf("condition %s: %s: set a temperature above 0, or leave it out", c.Name, why)
		default:
			left = append(left, fmt.Sprintf("%s is left out: %s.", c.Name, why))
		}
	}
	return kept, left, nil
}

// copied lists the controls that need several answers to a question.
var copied = []string{vote, selfConsistency, selfConsistencyTokens, oracle}

// WithoutDonors leaves out the conditions in which agents hear about another question if there is no other. left has a
// line for each. Those that were named stay: their debates fail, and say why.
func WithoutDonors(conditions []Condition, named []string, questions int) (kept []Condition, left []string) {
	for _, c := range conditions {
		if questions != 1 || !debate.BorrowsOf(c.Debate) || slices.Contains(named, c.Name) {
			kept = append(kept, c)
			continue
		}
		left = append(left, fmt.Sprintf("%s is left out: its agents hear what was said on another question, and there "+
			"is only one.", c.Name))
	}
	return kept, left
}

// Select keeps the named conditions and the reference, in the order of the table. Without names it keeps all conditions
// except those on demand.
func Select(conditions []Condition, names []string) ([]Condition, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(conditions), func(c Condition) bool { return c.OnDemand }), nil
	}
	wanted := map[string]bool{Reference: true} // names are removed when they are found, so that the rest is unknown
	for _, name := range names {
		wanted[name] = true
	}
	var kept []Condition
	var known []string
	for _, c := range conditions {
		known = append(known, c.Name)
		if wanted[c.Name] {
			kept = append(kept, c)
			delete(wanted, c.Name)
		}
	}
	for _, name := range names {
		if wanted[name] {
			return nil, unknown.Name("condition", name, known)
		}
	}
	return kept, nil
}

// DrawnAgain is a condition once more, at the seeds of the repeat that follows those of the run. By how much the two
// differ is noise; it is no method of its own.
func DrawnAgain(c Condition) Condition {
	c.Name, c.Meaning = c.Name+"-again", c.Name+", drawn again at other seeds: by how much they differ is noise"
	c.Again, c.Budget = true, 0
	if c.Protocol != nil {
		p := *c.Protocol
		p.Name, p.Meaning, c.Protocol = c.Name, c.Meaning, &p
	}
	return c
}

// Methods are the conditions that are no bounds, and no second draw of another one.
func Methods(conditions []Condition) []Condition {
	return slices.DeleteFunc(slices.Clone(conditions), func(c Condition) bool { return c.Oracle || c.Again })
}
