package debate

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Disagreement returns, for each round, the share of pairs of debaters whose answers differ. It is Liang et al.'s
// measure against the degeneration of thought: a debate in which it is 0 from the first round on was none. Of several
// answers of one debater in a round the last readable one counts. A round without pairs has -1.
func (t Transcript) Disagreement() (shares []float64) {
	for _, round := range t.Rounds {
		last := make(map[int]string)  // the latest answer of each agent
		alike := make(map[string]int) // how many agents give each answer
		for _, turn := range round {
			if t.Argues(turn) && turn.Answer.Parsed {
				last[turn.Agent] = turn.Answer.Text
			}
		}
		for _, text := range last {
			alike[text]++
		}
		shares = append(shares, shareDiffering(len(last), alike))
	}
	return shares
}

// shareDiffering returns the share of pairs of agents whose answers differ, or -1 if there is no pair. It counts the
// pairs that agree, since there may be too many to look at each.
func shareDiffering(agents int, alike map[string]int) float64 {
	pairs := func(n int) int { return n * (n - 1) / 2 }
	equal := 0
	for _, n := range alike {
		equal += pairs(n)
	}
	if pairs(agents) == 0 {
		return -1
	}
	return float64(pairs(agents)-equal) / float64(pairs(agents))
}

// Swayed reports whether the agent answers otherwise when the same texts are listed in another order.
func (t Turn) Swayed() bool {
	return slices.ContainsFunc(t.Probes, func(p Turn) bool { return !p.Silent() && !p.Answer.Same(t.Answer) })
}

// JudgeFacts, a value of the setting judge, has a judge of facts asked after a debate. Package society asks it.
const JudgeFacts = "facts"

// What a judge of facts can say. Anything else is unparsed.
const (
	FactYes       = "yes"
	FactNo        = "no"
	FactUncertain = "uncertain"
)

// Facts counts what a judge said of facts: how many agree with what the agents wrote in the last round, how many do
// not, how many it was uncertain of, and how many of its replies say none of that.
type Facts struct {
	Yes       int `json:"yes"`
	No        int `json:"no"`
	Uncertain int `json:"uncertain"`
	Unread    int `json:"unread"`
}

// Facts sums up what the judge of facts said; ok is false if none was asked.
func (t Transcript) Facts() (f Facts, ok bool) {
	for _, turn := range t.Judged {
		switch turn.Answer.Text {
		case FactYes:
			f.Yes++
		case FactNo:
			f.No++
		case FactUncertain:
			f.Uncertain++
		default:
			f.Unread++
		}
	}
	return f, t.Judged != nil || t.Settings != nil && Value[string](*t.Settings, "judge") == JudgeFacts
}

// Share is the share of the facts decided upon that agree, as Du et al. count: uncertain ones are left out. known is
// false if none was decided upon.
func (f Facts) Share() (share float64, known bool) {
	if f.Yes+f.No == 0 {
		return 0, false
	}
	return float64(f.Yes) / float64(f.Yes+f.No), true
}

// Bullets returns the points of a list, as Du et al. read them: of each line what begins with its first letter; lines
// without one are left out.
func Bullets(text string) (bullets []string) {
	for line := range strings.Lines(text) {
		if at := strings.IndexFunc(line, unicode.IsLetter); at >= 0 {
			bullets = append(bullets, strings.TrimRight(line[at:], "\r\n"))
		}
	}
	return bullets
}

// Solutions returns, for each round, the solutions that the arguing agents stand behind after it, as texts in the order
// of agents. In a discussion a panelist's solution is the final answer that it gave in this turn, or else the one that
// HeldBy returns; in other forms it is the whole reply. An agent that said nothing has no text, and rounds without a
// text are left out.
func (t Transcript) Solutions() (rounds [][]string) {
	turn := 0
	for _, round := range t.Rounds {
		var texts []string
		switch {
		case t.Records == nil:
			texts = t.replies(round, KindReply)
		case slices.ContainsFunc(round, func(c Turn) bool { return c.Kind == KindMessage }):
			turn++
			if texts = t.replies(round, KindFinal); texts == nil {
				texts = t.panelistSolutions(turn)
			}
		}
		if len(texts) > 0 {
			rounds = append(rounds, texts)
		}
	}
	return rounds
}

// replies returns the latest reply of each arguing agent among the turns of one kind.
func (t Transcript) replies(round []Turn, kind Kind) []string {
	last := make(map[int]string)
	for _, turn := range round {
		if turn.Kind == kind && t.Argues(turn) && !turn.Silent() {
			last[turn.Agent] = turn.Reply.Text
		}
	}
	return inOrder(last)
}

// panelistSolutions returns the solutions that the panelists of a discussion stand behind after a turn.
func (t Transcript) panelistSolutions(turn int) []string {
	records := slices.DeleteFunc(slices.Clone(t.Records), func(r Record) bool { return r.Turn > turn })
	solutions := make(map[int]string)
	for _, r := range records {
		solutions[r.Agent] = HeldBy(records, r.Agent)
	}
	if t.hasNeutral() {
		delete(solutions, 0)
	}
	return inOrder(solutions)
}

// inOrder returns the texts that are not blank, in the order of agents.
func inOrder(texts map[int]string) (written []string) {
	for _, agent := range slices.Sorted(maps.Keys(texts)) {
		if strings.TrimSpace(texts[agent]) != "" {
			written = append(written, texts[agent])
		}
	}
	return written
}

// Described returns the descriptions of the agents' personas, in the order of agents: those that a discussion has found
// or been given, or those of the team that the debate was composed of. Agents without one are left out.
func (t Transcript) Described() (personas []string) {
	personas = slices.Clone(t.Personas)
	if personas == nil && t.Settings != nil {
		for _, m := range t.Settings.Team() {
			personas = append(personas, m.Persona)
		}
	}
	return slices.DeleteFunc(personas, func(p string) bool { return strings.TrimSpace(p) == "" })
}

// hasNeutral reports whether the first agent only drafts.
func (t Transcript) hasNeutral() bool {
	return t.Settings != nil && Value[bool](*t.Settings, "neutral")
}
