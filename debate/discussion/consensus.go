package discussion

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
)

// consensus is a rule that ends a discussion once enough agents in a row stand behind one solution (MALLM).
type consensus struct {
	Name    string
	Meaning string
	share   float64 // of all agents that must agree, including the one that proposes
	early   int     // before this turn all must agree
	few     int     // with so many panelists or fewer all must agree, too
}

// consensuses lists the rules. The last one is the rule of Yin et al. 2023, Exchange-of-Thought, as MALLM has it.
func consensuses() []consensus {
	return []consensus{
		{"majority", "at least half of the agents", 0.5, 0, 0},
		{"supermajority", "at least 66 % of the agents", 0.66, 0, 0},
		{"unanimity", "all agents", 1, 0, 0},
		{"hybrid", "at least 75 % of the agents; all of them before turn 5, or if there are at most three panelists",
			0.75, 5, 3},
	}
}

// findConsensus returns one of consensuses.
func findConsensus(name string) (consensus, bool) {
	all := consensuses()
	i := slices.IndexFunc(all, func(c consensus) bool { return c.Name == name })
	if i < 0 {
		return consensus{}, false
	}
	return all[i], true
}

// reached goes back through the last records, at most as many as there are agents (including a neutral one), until one
// carries a solution. It returns that solution, and whether the records counted so far are enough. There is no
// consensus without a solution.
//
// In the code's reading each record that agrees has a copy of the solution, so that the count is always one and three
// or more agents never agree. In the paper's reading an agreement carries no solution.
func (c consensus) reached(records []debate.Record, agents, panelists, turn int) (solution string, reached bool) {
	share := c.share
	if panelists <= c.few || turn < c.early {
		share = 1
	}
	for i, r := range slices.Backward(records) {
		count := len(records) - i
		if count > agents {
			break
		}
		if r.Solution != "" {
			return r.Solution, float64(count) >= share*float64(agents)
		}
	}
	return "", false
}

// newest returns the solution of the newest record that carries one, or "".
func newest(records []debate.Record) string {
	for _, r := range slices.Backward(records) {
		if r.Solution != "" {
			return r.Solution
		}
	}
	return ""
}

// agreement reports whether a reply agrees: by the word in the code's reading, by the marker in brackets in the
// paper's. If there are several markers, the last one counts.
func agreement(reply, reading string) bool {
	text := strings.ToLower(reply)
	if reading == debate.ReadingPaper {
		return strings.LastIndex(text, "[agree]") > strings.LastIndex(text, "[disagree]")
	}
	return strings.Contains(text, "agree") && !strings.Contains(text, "disagree")
}

// SaysStance reports whether a reply says that it agrees or that it disagrees, in the words that a reading looks for.
func SaysStance(reply, reading string) bool {
	text := strings.ToLower(reply)
	if reading == debate.ReadingPaper {
		return strings.Contains(text, "[agree]") || strings.Contains(text, "[disagree]")
	}
	return strings.Contains(text, "agree")
}

// reachesConsensus decides if there is a consensus after the last message. If this was the last chance, the newest
// solution stands without a consensus. In paradigmDebate only the draft and the last round of a turn count.
func (x *discussing) reachesConsensus(rule consensus, lastChance bool) bool {
	records := x.Transcript.Records
	if x.Paradigm == paradigmDebate {
		records = withoutEarlierRounds(records, x.agents()-1)
	}
	said := records // since somebody said nothing, which is no agreement
	for i, r := range records {
		if !debate.Visible(r.Message) {
			said = records[i+1:]
		}
	}
	solution, reached := rule.reached(said, x.agents(), x.Agents, x.turn)
	if !reached && !lastChance {
		return false
	}
	outcome := debate.OutcomeAgreed
	if !reached {
		solution, outcome = newest(records), debate.OutcomeNewest
	}
	return x.settle(debate.Decision{Answer: x.read(solution), Votes: x.holders().Votes,
		Rule: debate.Rule{Means: debate.MeansConsensus, Name: rule.Name}}, outcome)
}

// withoutEarlierRounds returns the records without those that debaters made in the current turn before its last round.
func withoutEarlierRounds(records []debate.Record, debaters int) (kept []debate.Record) {
	turn := records[len(records)-1].Turn
	for i, r := range records {
		if r.Turn == turn && r.To != nil && i < len(records)-debaters {
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// holders returns the vote over the answers that panelists stand behind.
func (x *discussing) holders() debate.Decision {
	turns := make([]debate.Turn, 0, x.Agents)
	for _, i := range x.panelists() {
		turns = append(turns, debate.Turn{Agent: i, Answer: x.read(debate.HeldBy(x.Transcript.Records, i))})
	}
	return vote.Majority(turns)
}
