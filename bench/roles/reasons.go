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

// Behaviour is one of five ways to deal with rated reasons, in which agents adjusted their role for the player under
// debate (Wu et al., Figure 6). An agent can count in several.
type Behaviour struct {
	Of        string `json:"of"`           // one of behaviours
	N         int    `json:"n"`            // adjustments
	Right     int    `json:"right"`        // of them: to the right role, or staying with it
	Wrong     int    `json:"wrong_before"` // of them: whose role was wrong before the debate
	Corrected int    `json:"corrected"`    // of those wrong before: right afterwards
}

// Behaviours of an agent after a debate on a player. What is argued for is the roles of the stances in it; the rating
// of a stance is the mean of those of its reasons, of those that it gives, and that of a role is the best of its
// stances.
const (
	followsBest    = "follows the best-rated reasons"   // the ratings of the roles differ, and the best is followed
	followsWorse   = "follows worse-rated reasons"      // the ratings of the roles differ, and another is followed
	contradicts    = "contradicts its own stance"       // gives the player another role than it had just argued for
	hearsSound     = "another gives sound reasons"      // rated 3 or more
	hearsNoneSound = "no other one gives sound reasons" // of others that are rated
)

var behaviours = []string{followsBest, followsWorse, contradicts, hearsSound, hearsNoneSound}

// soundRating is the rating from which on reasons are mostly sound.
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

// behaves returns the behaviours of an agent, by place, in its adjustment after the debate.
func (a argued) behaves(agent int) (shown []string) {
	took := a.after[agent]
	if took == agreement.Unparsed {
		return nil
	}
	best := make(map[int]float64) // rating by role
	heard, others := false, 0.0
	for i, rating := range a.ratings {
		if rating == nil {
			continue
		}
		if role := a.stances[i]; role != agreement.Unparsed {
			known, has := best[role]
			if best[role] = *rating; has {
				best[role] = max(known, *rating)
			}
		}
		if i != agent {
			heard, others = true, max(others, *rating)
		}
	}
	if own, argues := best[took]; argues {
		most, least := own, own
		for _, rating := range best {
			most, least = max(most, rating), min(least, rating)
		}
		switch {
		case own < most:
			shown = append(shown, followsWorse)
		case least < most:
			shown = append(shown, followsBest)
		}
	}
	if own := a.stances[agent]; own != agreement.Unparsed && own != took {
		shown = append(shown, contradicts)
	}
	switch {
	case heard && others >= soundRating:
		shown = append(shown, hearsSound)
	case heard:
		shown = append(shown, hearsNoneSound)
	}
	return shown
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
	if s.Behaviours == nil {
		for _, of := range behaviours {
			s.Behaviours = append(s.Behaviours, Behaviour{Of: of})
		}
	}
	for _, a := range c.argued {
		for agent := range a.after {
			for _, of := range a.behaves(agent) {
				s.Behaviours[slices.Index(behaviours, of)].add(a.before[agent] == c.truth[a.player],
					a.after[agent] == c.truth[a.player])
			}
		}
	}
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
