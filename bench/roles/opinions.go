package roles

import (
	"slices"

	"github.com/parley-debate/parley/bench/stat/agreement"
)

// Opinions counts what became of a role for the player under debate when others, who gave the player another role, had
// heard it: whose opinion is taken up (Wu et al., Figure 6). Each pair of a holder and a hearer counts once.
type Opinions struct {
	Heard int `json:"heard"`
	Taken int `json:"taken"` // of them: the hearer gave the player this role in its adjustment
	Right int `json:"right"` // of those that were taken: the role is right
}

// Held are the opinions of agents that stood alike before the debate on a player.
type Held struct {
	Of string `json:"of"` // the holder's standing, see agreement.Standing
	Opinions
}

// opinion is what an agent held of a player when another one heard it.
type opinion struct {
	holder       int // place in agents
	stood        agreement.Standing
	taken, right bool
}

// takeUp notes what became of the opinions on a player: held and stood are from before the debate on it. An agent that
// could not be read held none, but may take up another's.
func (c *dynamics) takeUp(player int, held []int, stood []agreement.Standing) {
	for hearer, after := range c.on(player) {
		for holder, role := range held {
			if role != agreement.Unparsed && role != held[hearer] {
				c.opinions = append(c.opinions, opinion{holder: holder, stood: stood[holder], taken: after == role,
					right: role == c.truth[player]})
			}
		}
	}
}

func (n *Opinions) add(o opinion) {
	n.Heard++
	if o.taken {
		n.Taken++
		if o.right {
			n.Right++
		}
	}
}

// countOpinions counts the opinions of a debate by the standing of their holders and by agent.
func (s *Summary) countOpinions(c *dynamics) {
	for _, o := range c.opinions {
		of := o.stood.String()
		find(&s.Opinions, func(h Held) bool { return h.Of == of }, Held{Of: of}).add(o)
		agent := c.agents[o.holder]
		s.agent(agent, c.models[agent]).Opinions.add(o)
	}
}

// standings are the names of all standings in their order.
func standings() (names []string) {
	for s := range (agreement.Shifts{}) {
		names = append(names, agreement.Standing(s).String())
	}
	return names
}

func byStanding(a, b Held) int {
	return slices.Index(standings(), a.Of) - slices.Index(standings(), b.Of)
}
