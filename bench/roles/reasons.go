package roles

import (
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/debate/knights"
)

// RatedReasons are a judge's ratings of why agents agreed or disagreed with others in the debates on players, from 0,
// no reason, to 4. The judge saw the solution (Wu et al., appendix D).
type RatedReasons struct {
	Of      string `json:"of"` // agree or disagree
	Ratings [5]int `json:"ratings"`
	Unread  int    `json:"unread"`
}

// Behaviour is one of five ways in which an agent dealt with rated reasons, with the roles that agents gave the player
// under debate after it: its own, or, where it is about the reasons that it gives, those of the others (Wu et al.,
// Figure 6).
type Behaviour struct {
	Of        string `json:"of"`           // one of behaviours
	N         int    `json:"n"`            // adjustments
	Right     int    `json:"right"`        // of them: to the right role, or staying with it
	Wrong     int    `json:"wrong_before"` // of them: whose role was wrong before the debate
	Corrected int    `json:"corrected"`    // of those wrong before: right afterwards
}

// Behaviours of an agent in a debate on a player. The rating of a stance is the mean of those of its reasons, of those
// that it gives.
const (
	followsSound = "follows sound reasons"             // gives a role for which a stance rated 3 or 4 argues
	followsNone  = "follows no sound reasons"          // gives another
	contradicts  = "contradicts its own stance"        // gives the player another role than it had just argued for
	givesSound   = "gives sound reasons (the others)"  // its stance is rated 3 or 4
	givesPoor    = "gives poorer reasons (the others)" // it is rated lower
)

var behaviours = []string{followsSound, followsNone, contradicts, givesSound, givesPoor}

// soundRating is the rating from which on reasons are sound, which the source calls high.
const soundRating = 3

// argued is one debate on a player, and the agents' roles for the player around it, by place in agents.
type argued struct {
	player        int
	stances       []int
	ratings       []*float64 // of the stances; nil of those that have none
	before, after []int      // it is nil if another pass of the debate follows
}

// argue notes the stances of a debate on a player.
func (c *dynamics) argue(player int, turns []outcome.Turn) {
	a := argued{player: player, ratings: make([]*float64, len(c.agents))}
	for range c.agents {
		a.stances = append(a.stances, agreement.Unparsed)
	}
	for _, turn := range turns {
		i := slices.Index(c.agents, turn.Agent)
		if i < 0 || !turn.Answer.Parsed {
			continue
		}
		a.stances[i] = slices.Index(knights.PlayerRoles, roleIn(turn.Answer.Text, c.players[player]))
	}
	c.argued = append(c.argued, a)
}

// roleIn is the role in the answer "PLAYER: role".
func roleIn(text, player string) string {
	if at := len(player) + len(": "); len(text) > at {
		return text[at:]
	}
	return ""
}

// noteRoles notes the roles around the latest debate on a player.
func (c *dynamics) noteRoles(player int, before []int) {
	if last := len(c.argued) - 1; last >= 0 && c.argued[last].player == player {
		c.argued[last].before, c.argued[last].after = before, c.on(player)
	}
}

// examine notes the ratings of the reasons in the next debate that has none and in which somebody could be read.
func (c *dynamics) examine(turns []outcome.Turn) {
	read := func(a argued) bool {
		return slices.ContainsFunc(a.stances, func(role int) bool { return role != agreement.Unparsed })
	}
	for c.examined < len(c.argued) && !read(c.argued[c.examined]) {
		c.examined++
	}
	if c.examined == len(c.argued) {
		return
	}
	ratings := c.argued[c.examined].ratings
	c.examined++
	for _, turn := range turns {
		if len(turn.Heard) != 1 || turn.Silent() {
			continue
		}
		r, ok := knights.ReadReasons(turn.Reply.Text)
		if c.reasons = append(c.reasons, readReasons{r, ok}); !ok {
			continue
		}
		if i := slices.Index(c.agents, turn.Heard[0]); i >= 0 {
			ratings[i] = quality(r)
		}
	}
}

// readReasons are the ratings of one stance, if they could be read.
type readReasons struct {
	knights.Reasons
	ok bool
}

// quality is the mean rating of the reasons that are given, or 0 if none is.
func quality(r knights.Reasons) *float64 {
	q := float64(r.Agree+r.Disagree) / 2
	if r.Agree == 0 || r.Disagree == 0 {
		q = float64(r.Agree + r.Disagree)
	}
	return &q
}

// sound reports whether the stance of an agent, by place, was rated as sound.
func (a argued) sound(agent int) bool {
	return a.ratings[agent] != nil && *a.ratings[agent] >= soundRating
}

// follows returns the behaviours of an agent, by place, in its adjustment after the debate, where anybody was rated.
func (a argued) follows(agent int) (shown []string) {
	took := a.after[agent]
	if took == agreement.Unparsed || !slices.ContainsFunc(a.ratings, func(r *float64) bool { return r != nil }) {
		return nil
	}
	shown = []string{followsNone}
	for i, role := range a.stances {
		if role == took && a.sound(i) {
			shown[0] = followsSound
		}
	}
	if own := a.stances[agent]; own != agreement.Unparsed && own != took {
		shown = append(shown, contradicts)
	}
	return shown
}

// gives returns the behaviour of an agent, by place, towards those who hear it, or "" if its reasons were not rated.
func (a argued) gives(agent int) string {
	switch {
	case a.ratings[agent] == nil:
		return ""
	case a.sound(agent):
		return givesSound
	}
	return givesPoor
}

// judge counts the ratings of a debate's reasons, and how agents dealt with what was rated.
func (s *Summary) judge(c *dynamics) {
	if len(c.reasons) == 0 {
		return
	}
	for of, rating := range map[string]func(knights.Reasons) int{
		"agree":    func(r knights.Reasons) int { return r.Agree },
		"disagree": func(r knights.Reasons) int { return r.Disagree },
	} {
		count := find(&s.Reasons, func(r RatedReasons) bool { return r.Of == of }, RatedReasons{Of: of})
		for _, r := range c.reasons {
			if r.ok {
				count.Ratings[rating(r.Reasons)]++
			} else {
				count.Unread++
			}
		}
	}
	slices.SortFunc(s.Reasons, func(a, b RatedReasons) int { return len(a.Of) - len(b.Of) })
	for _, a := range c.argued {
		count := func(of string, agent, adjusted int) {
			if all := s.agent(c.agents[agent], c.models[c.agents[agent]]).behaviours(); of != "" &&
				a.after[adjusted] != agreement.Unparsed {
				all[slices.Index(behaviours, of)].add(a.before[adjusted] == c.truth[a.player],
					a.after[adjusted] == c.truth[a.player])
			}
		}
		for agent := range a.after {
			for _, of := range a.follows(agent) {
				count(of, agent, agent)
			}
			for hears := range a.after {
				if hears != agent {
					count(a.gives(agent), agent, hears)
				}
			}
		}
	}
}

// behaviours are all five of an agent, also those that it never showed.
func (a *Agent) behaviours() []Behaviour {
	if a.Behaviours == nil {
		for _, of := range behaviours {
			a.Behaviours = append(a.Behaviours, Behaviour{Of: of})
		}
	}
	return a.Behaviours
}

func (b *Behaviour) add(before, after bool) {
	b.N++
	if after {
		b.Right++
	}
	if !before {
		b.Wrong++
		if after {
			b.Corrected++
		}
	}
}
