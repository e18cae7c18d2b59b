package relation

import (
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
)

// The titles of tables of measures.
const (
	AmongAgents = "What agents made of each other"
	ByStanding  = "Majorities and minorities of agents"
	InDebates   = "How they debated"
)

// Sources of measures. Of the first two papers the exact formulas were not at hand: these definitions are ours, after
// what their abstracts say.
const (
	costOfConsensus = "The Cost of Consensus (arXiv 2605.00914)"
	wu              = "Can LLM Agents Really Debate? (arXiv 2511.07784), Figure 4: MaW and MiC"
	notAllFlips     = "Not All Flips Are Conformity (arXiv 2606.00820)"
)

// measures is the list. To measure another thing, add an entry: what names it, what it is, and what a debate adds.
var measures = []Measure{
	{Name: "flips", Head: "flips", Table: AmongAgents, Unit: Share, Of: "agents", Source: costOfConsensus,
		Says: "Flips: share of agents that changed their answer.", None: noneAgain,
		count: agents(everyone, Agent.Flipped)},
	{Name: "modal-adoption", Head: "adoption", Table: AmongAgents, Unit: Share, Of: "agents", Source: costOfConsensus,
		Says:  "Adoption: of those that changed it and had another answer than most of the others, who took theirs.",
		None:  "nobody changed an answer that was not that of most of the others",
		count: agents(func(a Agent) bool { return a.Opposed() && a.Flipped() }, Agent.Took)},
	{Name: "conformity", Head: "conformity", Table: AmongAgents, Unit: Share, Of: "agents", Source: costOfConsensus,
		Says: "Conformity: of all that had another answer than most of the others, who took theirs.", None: noneOpposed,
		count: agents(Agent.Opposed, Agent.Took)},
	{Name: "obstinacy", Head: "obstinacy", Table: AmongAgents, Unit: Share, Of: "agents",
		Says: "Obstinacy: of the same, who kept their own.", None: noneOpposed,
		count: agents(Agent.Opposed, func(a Agent) bool { return !a.Flipped() })},
	{Name: "vulnerability", Head: "vulnerability", Table: AmongAgents, Unit: Share, Of: "agents", Judged: true,
		Source: costOfConsensus, Says: "Vulnerability: of agents that were right, who ended wrong.",
		None: "nobody was right first", count: agents(Agent.wasRight, Agent.endsWrong)},
	{Name: "misled", Head: "misled", Table: AmongAgents, Unit: Share, Of: "agents", Judged: true, Source: notAllFlips,
		Says:  "Misled: the same where most of the others were wrong.",
		None:  "nobody was right where most of the others were wrong",
		count: agents(func(a Agent) bool { return a.wasRight() && a.Mode.Read() && !a.Mode.Right }, Agent.endsWrong)},
	{Name: "recovery", Head: "recovery", Table: AmongAgents, Unit: Share, Of: "agents", Judged: true, Better: true,
		Source: costOfConsensus, Says: "Recovery: of agents that were wrong, who ended right.",
		None: "nobody was wrong first", count: agents(Agent.wasWrong, Agent.endsRight)},
	{Name: "oracle-gap", Head: "oracle gap", Table: AmongAgents, Unit: Difference, Of: "debates", Judged: true,
		Source: costOfConsensus, Says: "Oracle gap: share of debates in which somebody is right at last, less the " +
			"share decided right.", None: noneAgain, count: oracleGap},
	{Name: "majority-corrected", Head: "majority corrected", Table: ByStanding, Unit: Share, Of: "agents",
		Says: "Majority corrected: of agents that were wrong like at least half of the team, who ended right.",
		None: "nobody was wrong with a majority", Source: wu, Judged: true, Better: true,
		count: agents(standing(agreement.MajorityWrong), Agent.endsRight)},
	{Name: "minority-kept", Head: "minority kept", Table: ByStanding, Unit: Share, Of: "agents",
		Says: "Minority kept: of agents that were right against at least half of the team, who ended right.",
		None: "nobody was right against a majority", Source: wu, Judged: true, Better: true,
		count: agents(standing(agreement.MinorityRight), Agent.endsRight)},

	{Name: "rounds", Head: "rounds", Table: InDebates, Unit: Count, Format: "%.2f", Of: "debates",
		Says: "Rounds: mean number until the decision.", None: "no round was held", count: each(rounds)},
	{Name: "agreement", Head: "agreement", Table: InDebates, Unit: Share, Of: "debates",
		Says: "Agreement: share of pairs of agents whose last answers are equal.", None: "no two answers were read",
		count: each(func(d Debate) (float64, bool) { return d.Agreement() })},
	{Name: "challenged", Head: "challenged", Table: InDebates, Unit: Share, Format: percent,
		Of: "panelists", Source: "MALLM",
		Says: "Challenged: of those who were shown the decision again, who disagreed.", None: "nobody was asked",
		count: challenged},
	{Name: "won-by-affirmative", Head: "won by affirmative", Table: InDebates, Unit: Share, Format: percent,
		Of:   "debates",
		Says: "Won by affirmative: share of debates that the moderator gives to this side.",
		None: "no debate has sides", count: wonBy(debate.RoleAffirmative)},
	{Name: "won-by-negative", Head: "won by negative", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Won by negative: share of those given to the other side.", None: "no debate has sides",
		count: wonBy(debate.RoleNegative)},
	{Name: "calls", Head: "replies per debate", Table: InDebates, Unit: Count, Format: "%.1f", Of: "debates",
		Says: "Replies per debate: mean number of calls, of debates that were held.",
		count: each(func(d Debate) (float64, bool) {
			return float64(outcome.CostOf(d.Debate).Replies), true
		})},
	{Name: "tokens", Head: "tokens per debate", Table: InDebates, Unit: Count, Format: "%.0f", Of: "debates",
		Says: "Tokens per debate: mean number of generated ones.",
		None: "tokens were not counted", count: each(tokens)},
	{Name: "unparsed", Head: "unparsed", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Unparsed: share of debates without an answer.", count: each(func(d Debate) (float64, bool) {
			return one(d.Score == task.Unparsed), true
		})},
}

// Why there may be nothing to measure.
const (
	noneAgain   = "nobody answered in two rounds"
	noneOpposed = "nobody had another answer than most of the others"
)

// standing is true of agents whose first answer stood so in the team.
func standing(s agreement.Standing) func(Agent) bool {
	return func(a Agent) bool { return a.Standing == s }
}

func everyone(Agent) bool { return true }

func (a Agent) wasRight() bool  { return a.First.Right }
func (a Agent) wasWrong() bool  { return !a.First.Right } // an unread answer is wrong
func (a Agent) endsRight() bool { return a.Last.Right }
func (a Agent) endsWrong() bool { return !a.Last.Right }

// agents counts, of the agents that answered again and are of a kind, those that did something.
func agents(kind, did func(Agent) bool) func(Debate) Tally {
	return func(d Debate) (t Tally) {
		for _, a := range d.Again() {
			if kind(a) {
				t.Of++
				t.Part += one(did(a))
			}
		}
		return t
	}
}

// each counts every debate that has a number once.
func each(number func(Debate) (float64, bool)) func(Debate) Tally {
	return func(d Debate) Tally {
		if x, has := number(d); has {
			return Tally{Part: x, Of: 1}
		}
		return Tally{}
	}
}

// AnyRight reports whether some agent that answered again is right at last.
func (d Debate) AnyRight() bool {
	for _, a := range d.Again() {
		if a.Last.Right {
			return true
		}
	}
	return false
}

// Decided reports whether the decision is right.
func (d Debate) Decided() bool { return d.IsRight(d.Transcript.Decision.Answer) }

func oracleGap(d Debate) Tally {
	if len(d.Again()) == 0 {
		return Tally{}
	}
	return Tally{Part: one(d.AnyRight()) - one(d.Decided()), Of: 1}
}

// rounds are those until the decision, as the tables count them.
func rounds(d Debate) (float64, bool) {
	held := d.Transcript.RoundsHeld()
	return float64(held), held > 0
}

// tokens are those that were generated; imported logs do not count them.
func tokens(d Debate) (float64, bool) {
	c := outcome.CostOf(d.Debate)
	return float64(c.Tokens), c.Tokens > 0 || c.PromptTokens > 0
}

// challenged counts the panelists who did not stand by the final answer that they were shown.
func challenged(d Debate) (t Tally) {
	for _, said := range d.Transcript.Challenges {
		t.Of++
		t.Part += one(said.Agrees != nil && !*said.Agrees)
	}
	return t
}

// wonBy is whether a side won the debate; only debates between sides have it.
func wonBy(side string) func(Debate) Tally {
	return each(func(d Debate) (float64, bool) {
		return one(strings.EqualFold(strings.TrimSpace(d.Transcript.Decision.Side), side)), d.Transcript.HasSides()
	})
}

// degreeOf is how right the decision is by a degree of the task's measure.
func degreeOf(name string) func(Debate) Tally {
	return each(func(d Debate) (float64, bool) {
		if d.Partial == nil {
			return 0, false
		}
		return *d.Partial, true
	})
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// PluralityRight reports whether the last answer of most agents that answered again is right.
func (d Debate) PluralityRight() bool {
	var last []int
	for _, a := range d.Again() {
		last = append(last, a.Last.ID)
	}
	return d.IDs().Key.Mark(agreement.Plurality(last)) == agreement.Right
}
