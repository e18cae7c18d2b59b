package peers

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/debate/society"
)

// Identity is whether agents follow an answer because of whose it is: the Identity Bias Coefficient of Choi, Zhu and Li
// (arXiv 2510.07517). Conformity less obstinacy is Delta; the coefficient is the Delta of a debate in which agents know
// which solution is their own, less that of one in which they do not. Above 0, peers weigh more than their answers do;
// below 0, oneself.
type Identity struct {
	Following
	Anonymous string     `json:"anonymous,omitempty"` // the condition without identities that it is compared with
	Without   *Following `json:"without,omitempty"`   // in that condition
}

// Following counts pairs of an agent and one it hears whose last answers before differ, in every round after the first.
type Following struct {
	Pairs    int `json:"pairs"`
	Followed int `json:"followed"` // the agent then gives the other's answer
	Kept     int `json:"kept"`     // it gives its own again
}

// conformity is the share of pairs in which the agent follows the other.
func (f Following) conformity() (share float64, known bool) {
	return stat.Share(f.Followed, f.Pairs), f.Pairs > 0
}

// obstinacy is the share of pairs in which the agent keeps its answer.
func (f Following) obstinacy() (share float64, known bool) {
	return stat.Share(f.Kept, f.Pairs), f.Pairs > 0
}

// Delta is conformity less obstinacy, -1 to 1.
func (f Following) Delta() (difference float64, known bool) {
	return stat.Share(f.Followed, f.Pairs) - stat.Share(f.Kept, f.Pairs), f.Pairs > 0
}

// Coefficient is the Identity Bias Coefficient, -2 to 2.
func (n *Identity) Coefficient() (difference float64, known bool) {
	if n.Without == nil {
		return 0, false
	}
	told, toldKnown := n.Delta()
	blind, blindKnown := n.Without.Delta()
	return told - blind, toldKnown && blindKnown
}

// layoutOf is how the solutions of a society stand in its prompts, with what conditions that are compared have in
// common; known is false of everything in which agents hear each other in another way.
func layoutOf(debates []relation.Debate) (layout string, s shape, known bool) {
	s.rounds = longest(debates)
	if len(debates) == 0 || s.rounds < 2 || len(debates[0].Rounds()) == 0 {
		return "", s, false
	}
	t := debates[0].Transcript
	s.agents = len(debates[0].Rounds()[0].Turns)
	plain := t.Topology == "" && t.Visibility == "" && len(t.Voting) == 0 && society.PlainTexts(t.Settings) &&
		society.Simultaneous(t.Settings)
	return t.Layout, s, plain && slices.Contains([]string{"", society.LayoutMarked, society.LayoutAnonymous}, t.Layout)
}

// IdentityOf compares a debate with the first anonymous one of as many agents and rounds; an anonymous debate itself
// has no coefficient. It is nil where the run has no anonymous debate.
func IdentityOf(d Held, all []Held) *Identity {
	layout, want, known := layoutOf(d.Debates)
	if !known {
		return nil
	}
	for _, h := range all {
		other, s, known := layoutOf(h.Debates)
		if !known || other != society.LayoutAnonymous || s != want {
			continue
		}
		n := &Identity{Following: followingOf(d.Debates)}
		if layout != society.LayoutAnonymous {
			without := followingOf(h.Debates)
			n.Anonymous, n.Without = h.Condition, &without
		}
		return n
	}
	return nil
}

// followingOf counts the debates of one condition.
func followingOf(debates []relation.Debate) (f Following) {
	for _, d := range debates {
		before := make(map[int]int) // the last answer of each agent
		for _, round := range d.Rounds() {
			now := make(map[int]int)
			for _, turn := range round.Answers {
				now[turn.Agent] = turn.ID
			}
			for _, turn := range round.Turns {
				own, answered := before[turn.Agent]
				after, answers := now[turn.Agent]
				if !answered || !answers || own == agreement.Unparsed {
					continue
				}
				for _, peer := range turn.Heard {
					if theirs, known := before[peer]; known && theirs != agreement.Unparsed && theirs != own {
						f.Pairs++
						f.Followed += stat.One[int](after == theirs)
						f.Kept += stat.One[int](after == own)
					}
				}
			}
			for agent, answer := range now {
				before[agent] = answer
			}
		}
	}
	return f
}

// IdentityTable says whether agents follow answers because of whose they are.
func IdentityTable(conditions []Measures) table.Table {
	rows := keepConditions(conditions, func(c Measures) bool { return c.Identity != nil })
	of := func(name string, value func(*Identity) (float64, bool)) table.Column[Measures] {
		return table.Decimals(name, func(c Measures) *float64 {
			if x, known := value(c.Identity); known {
				return &x
			}
			return nil
		})
	}
	t := table.New([]table.Column[Measures]{
		table.Words("condition", func(c Measures) string { return c.Condition }),
		table.Counts("pairs", func(c Measures) int { return c.Identity.Pairs }),
		of("conformity to a peer", func(n *Identity) (float64, bool) { return n.conformity() }),
		of("obstinacy", func(n *Identity) (float64, bool) { return n.obstinacy() }),
		of("Δ", func(n *Identity) (float64, bool) { return n.Delta() }),
		table.Words("without identity", func(c Measures) string {
			return cmp.Or(c.Identity.Anonymous, table.Absent)
		}),
		of("identity bias", (*Identity).Coefficient),
	}, rows)
	t.Title = "Whose answer is followed"
	t.Caption = "Of pairs of an agent and one it hears whose last answers differ, in every round after the first: " +
		"how often the agent then gives the other's answer (conformity), how often its own again (obstinacy), and " +
		"the difference Δ. Identity bias: Δ less that of the debate in which nobody knows which solution is its " +
		"own (Identity Bias Coefficient, arXiv 2510.07517). Above 0, agents follow peers because they are peers; " +
		"below 0, themselves."
	return t
}
