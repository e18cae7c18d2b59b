package relation

import (
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
)

// The titles of tables of measures.
const (
	AmongAgents = "What agents made of each other"
	ByStanding  = "Majorities and minorities of agents"
	InDebates   = "How they debated"
	InBeliefs   = "What agents believed"
	OfFacts     = "Facts by the judge"
	InPuzzles   = "Puzzles before, during and after the debate"
	InRepeats   = "What several repeats give"
	InContested = "The same, where first answers differ"
	InFirst     = "What several first answers give"
)

// Sources of measures. Of the first two papers the exact formulas were not at hand: these definitions are ours, after
// what their abstracts say.
const (
	costOfConsensus = "The Cost of Consensus (arXiv 2605.00914)"
	wu              = "Can LLM Agents Really Debate? (arXiv 2511.07784), Figure 4: MaW and MiC"
	knightsStudy    = "Can LLM Agents Really Debate? (arXiv 2511.07784), appendix B"
	notAllFlips     = "Not All Flips Are Conformity (arXiv 2606.00820)"
	madc            = "MADC (arXiv 2511.11040)"
	mallm           = "MALLM (Kaesberg et al., Voting or Consensus?)"
	liang           = "Liang et al. (Encouraging Divergent Thinking)"
	kenton          = "Kenton et al. 2024 (arXiv 2407.04622)"
	du              = "Du et al. 2023, whose program counts all facts alike"
)

// measures is the list. To measure another thing, add an entry: what names it, what it is, and what a debate adds.
var measures = slices.Concat(ofDebates, ofBeliefs, passes())

var ofDebates = []Measure{
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
		Of: "panelists", Source: mallm,
		Says: "Challenged: of those who were shown the decision again, who disagreed.", None: "nobody was asked",
		count: asked(anybody, disagrees)},
	{Name: "won-by-affirmative", Head: "won by affirmative", Table: InDebates, Unit: Share, Format: percent,
		Of:   "debates",
		Says: "Won by affirmative: share of debates that the moderator gives to this side.",
		None: noSides, count: wonBy(debate.RoleAffirmative)},
	{Name: "won-by-negative", Head: "won by negative", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Won by negative: share of those given to the other side.", None: noSides,
		count: wonBy(debate.RoleNegative)},
	{Name: "judged-with-right", Head: "right side", Table: InDebates, Unit: Share, Of: "debates", Judged: true,
		Better: true, Source: kenton,
		Says: "Right side: share decided right of debates in which somebody was assigned the right answer.",
		None: "nobody was assigned the right answer", count: each(judgedWith(true))},
	{Name: "judged-without-right", Head: "wrong sides", Table: InDebates, Unit: Share, Of: "debates", Judged: true,
		Better: true, Source: kenton,
		Says: "Wrong sides: share decided right of those in which all were assigned wrong ones.",
		None: "no debate has assigned sides that are all wrong", count: each(judgedWith(false))},
	{Name: "sides-kept", Head: "sides kept", Table: InDebates, Unit: Share, Of: "replies",
		Says: "Sides kept: share of replies whose answer is the side that was assigned.",
		None: "nobody was assigned a side", count: sidesKept},
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
			return stat.One[float64](d.Score == task.Unparsed), true
		})},
	{Name: "disagreement", Head: "disagreement", Table: InDebates, Unit: Share, Of: "debates", Source: liang,
		Says: "Disagreement: share of pairs whose answers differ, mean over all rounds.",
		None: "no two answers of a round were read", count: each(disagreement)},
	{Name: "entropy", Head: "entropy, paper", Table: InDebates, Unit: Count, Of: "debates", Source: madc,
		Says: "Entropy, paper: of the answers of the last round, in bits; those that were not read are one more " +
			"answer.",
		None: noneRead, count: entropy(agreement.ByPaper)},
	{Name: "entropy-code", Head: "entropy, code", Table: InDebates, Unit: Count, Of: "debates", Source: madc,
		Says: "Entropy, code: of the answers of each round that were read, in bits, added up over rounds.",
		None: noneRead, count: entropy(agreement.ByCode)},
	{Name: "won-by-neither", Head: "won by neither", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Won by neither: share of those given to neither side.", None: noSides, count: wonBy("neither")},
	{Name: "chosen-affirmative", Head: "answer of affirmative", Table: InDebates, Unit: Share, Format: percent,
		Of: "debates", Says: "Answer of affirmative: share of debates decided for the last answer of this side alone.",
		None: noSides, count: chosen(debate.RoleAffirmative)},
	{Name: "chosen-negative", Head: "answer of negative", Table: InDebates, Unit: Share, Format: percent,
		Of: "debates", Says: "Answer of negative: share of those decided for that of the other side alone.",
		None: noSides, count: chosen(debate.RoleNegative)},
	{Name: "chosen-tie", Head: "answer of both", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Answer of both: share of those decided for the last answer of both sides.", None: noSides,
		count: chosen("tie")},
	{Name: "chosen-neither", Head: "answer of neither", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Answer of neither: share of those decided for another answer than their last ones.", None: noSides,
		count: chosen("neither")},
	{Name: "accepted", Head: "accepted", Table: InDebates, Unit: Share, Format: percent, Of: "panelists",
		Source: mallm, Says: "Accepted: of those who were shown the decision again, or another answer in its place, " +
			"who agreed.", None: "nobody was asked", count: asked(anybody, agrees)},
	{Name: "challenged-then-right", Head: "challenged, then right", Table: InDebates, Unit: Share, Format: percent,
		Of: "panelists", Source: mallm, Better: true, Says: "Challenged, then right: of those who disagreed, whose " +
			"own answer is right where the one shown was not.", None: noneDisagreed,
		count: asked(disagrees, becameRight)},
	{Name: "challenged-then-wrong", Head: "challenged, then wrong", Table: InDebates, Unit: Share, Format: percent,
		Of: "panelists", Source: mallm, Says: "Challenged, then wrong: of those who disagreed, the reverse.",
		None: noneDisagreed, count: asked(disagrees, becameWrong)},
	{Name: "persona-diversity", Head: "persona diversity", Table: InDebates, Unit: Share, Of: "debates",
		Says: "Persona diversity: share of the words in the descriptions of two agents' personas that only one of " +
			"them has, mean over pairs.", None: "no debate has two personas", count: each(personaDiversity)},
	{Name: "swayed", Head: "swayed by places", Table: InDebates, Unit: Share, Format: percent, Of: "replies",
		Says: "Swayed by places: of replies that were asked for again with the others in other orders, those that " +
			"change.", None: "no reply was asked for again", count: swayed},
	{Name: "ties", Head: "ties", Table: InDebates, Unit: Share, Format: percent, Of: "debates",
		Says: "Ties: share of debates decided by the tie rule.", count: each(func(d Debate) (float64, bool) {
			return stat.One[float64](d.Transcript.Decision.Tie), true
		})},

	{Name: "facts-judged", Head: "facts", Table: OfFacts, Unit: Share, Of: "facts", Source: du, Better: true,
		Says: "Facts: yes out of yes and no, over all agents and questions alike.",
		None: "the judge decided upon no fact", count: factsJudged},

	{Name: "initial-strict", Head: "initial, strict", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noPuzzle,
		Says:  "Initial, strict: share of puzzles of which the vote on the proposals has all roles right.",
		count: inPuzzles(initial, func(r roles.Round) float64 { return r.Strict })},
	{Name: "initial-smooth", Head: "initial, smooth", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noPuzzle,
		Says:  "Initial, smooth: share of players whose role that vote has right.",
		count: inPuzzles(initial, func(r roles.Round) float64 { return r.Smooth })},
	{Name: "initial-agent", Head: "initial, agents", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noPuzzle,
		Says:  "Initial, agents: share of agents whose proposal has all roles right.",
		count: inPuzzles(initial, func(r roles.Round) float64 { return r.AgentStrict })},
	{Name: "auc-strict", Head: "during, strict", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noRounds,
		Says: "During, strict: share of puzzles of which the vote has all roles right, mean over the rounds of the " +
			"debate.",
		count: inPuzzles((*roles.Played).Area, func(r roles.Round) float64 { return r.Strict })},
	{Name: "auc-smooth", Head: "during, smooth", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noRounds,
		Says:  "During, smooth: share of players whose role the vote has right, mean over these rounds.",
		count: inPuzzles((*roles.Played).Area, func(r roles.Round) float64 { return r.Smooth })},
	{Name: "auc-agreement-all", Head: "all agree", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, None: noRounds,
		Says:  "All agree: share of players to whom all agents give one role, mean over these rounds.",
		count: inPuzzles((*roles.Played).Area, func(r roles.Round) float64 { return r.All })},
	{Name: "auc-agreement-major", Head: "half agree", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, None: noRounds,
		Says:  "Half agree: share of players to whom at least half of the agents give one role, likewise.",
		count: inPuzzles((*roles.Played).Area, func(r roles.Round) float64 { return r.Major })},
	{Name: "final-agent", Head: "final, agents", Table: InPuzzles, Unit: Share, Of: "debates",
		Source: knightsStudy, Better: true, None: noPuzzle,
		Says:  "Final, agents: share of agents whose last solution has all roles right.",
		count: inPuzzles(final, func(r roles.Round) float64 { return r.AgentStrict })},
}

// Why there may be nothing to measure.
const (
	noneAgain   = "nobody answered in two rounds"
	noneOpposed = "nobody had another answer than most of the others"
	noneRead    = "no answer was read"
	noSides     = "no debate has sides"
	noPuzzle    = "no debate is on a puzzle of roles"
	noRounds    = "no puzzle was debated"

	noneDisagreed = "nobody disagreed"
)
