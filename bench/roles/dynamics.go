package roles

import (
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/debate/vote"
)

// dynamics is one debate, gone through phase by phase. Roles are the numbers of package stat.
type dynamics struct {
	t       debate.Transcript
	rounds  []outcome.Round
	players []string
	truth   []int
	agents  []int           // who argues, ascending
	models  map[int]string  // of agents, where replies name them
	latest  [][]int         // by place in agents and by player: the latest role that an agent gave
	game    *puzzle.Checker // it is nil if it cannot be read
	alone   bool            // without a debate: the proposals are the final solutions

	initial, final Round
	during         []Round // after the debate on each player
	shifts         []shift
	proposals      []proposal
	claims         []claimed
	ratings        []rating
	opinions       []opinion
	argued         []argued           // the debates on players
	examined       int                // how many of them a judge has rated
	reasons        []readReasons      // the ratings
	difficulty     *puzzle.Difficulty // it is nil if the puzzle cannot be read or has not one solution
	first          []float64          // smooth accuracy of each agent's proposal
	minority       []float64          // by place in agents: share of players on whom the proposal is in the minority
	chaos          bool               // whether the proposals have no majority on some player
}

// rating is what the judge made of an agent's arguments, or 0 if that could not be read.
type rating struct {
	outcome string
	rating  int
}

// shift is where agents stood on a player before the debate on it and after, by place in agents.
type shift struct{ before, after []agreement.Standing }

// proposal is a first solution whose agent says how confident it is.
type proposal struct {
	agent, confidence int
	smooth            float64
}

// dynamicsOf reads the truth of a debate of knights. ok is false of all other debates, and of those that broke off.
func dynamicsOf(o *outcome.Debate) (c *dynamics, ok bool) {
	phases, s := o.Transcript.Phases, o.Transcript.Settings
	alone := s != nil && debate.Typed[knights.Settings](*s).Until == knights.UntilProposals &&
		slices.Contains(phases, debate.PhaseProposal) &&
		o.Transcript.Failed == ""
	if !alone && !slices.Contains(phases, debate.PhaseFinal) || len(phases) != len(o.Rounds()) {
		return nil, false
	}
	players, roles, ok := knights.ReadAssignment(o.Truth)
	c = &dynamics{t: o.Transcript, rounds: o.Rounds(), players: players, truth: roleNumbers(roles),
		agents: o.Transcript.Voters(), models: make(map[int]string), alone: alone}
	if p := gameOf(o); p != nil {
		c.game, c.difficulty = puzzle.NewChecker(*p), difficultyOf(*p)
	}
	for range c.agents {
		c.latest = append(c.latest, c.unread())
	}
	return c, ok
}

// roleNumbers are roles as the numbers of package stat, which are their places in knights.PlayerRoles; a text that is
// none of these is agreement.Unparsed.
func roleNumbers(roles []string) []int {
	numbers := make([]int, len(roles))
	for i, role := range roles {
		numbers[i] = slices.Index(knights.PlayerRoles, role) // agreement.Unparsed, which is -1, if it is none
	}
	return numbers
}

// unread is a solution that gives no player a role.
func (c *dynamics) unread() []int { return slices.Repeat([]int{agreement.Unparsed}, len(c.players)) }

// play goes through the phases: the proposals, a round for every player, the final solutions.
func (c *dynamics) play() {
	for r, phase := range c.t.Phases {
		turns := c.rounds[r].Turns
		for _, turn := range turns {
			if turn.Reply.Model != "" {
				c.models[turn.Agent] = turn.Reply.Model
			}
		}
		player, adjusts := phase.Adjusts()
		debated, debates := phase.Debates()
		under, on := slices.Index(c.players, player), slices.Index(c.players, debated)
		var moved *shift
		switch {
		case phase == debate.PhaseProposal:
			c.hear(turns)
			c.initial, c.first = c.round(), c.smooth()
			c.propose(turns)
			c.stand()
			if c.alone {
				c.final = c.round()
				c.final.Strict, c.final.Smooth = c.score(c.read(c.t.Decision.Answer))
			}
		case phase == debate.PhaseSoundness:
			c.rate(turns)
		case phase.Kind() == debate.PhaseSoundness:
			c.examine(turns)
		case debates && on >= 0:
			c.argue(on, turns)
		case phase == debate.PhaseFinal:
			c.hear(turns)
			c.final = c.round()
			// who cannot be read has no vote in the end
			c.final.Strict, c.final.Smooth = c.score(c.read(c.t.Decision.Answer))
		case adjusts && under >= 0:
			moved = &shift{before: c.standings(under)}
			held := c.on(under)
			c.hear(turns)
			c.takeUp(under, held, moved.before)
			c.noteRoles(under, held)
			moved.after = c.standings(under)
			c.shifts, c.during = append(c.shifts, *moved), append(c.during, c.round())
		}
		c.check(phase, turns, moved)
	}
}

// hear takes the solutions of a phase. Who says nothing that can be read stands by what it said before.
func (c *dynamics) hear(turns []outcome.Turn) {
	for _, turn := range turns {
		if i := slices.Index(c.agents, turn.Agent); i >= 0 && turn.Answer.Parsed {
			c.latest[i] = c.read(turn.Answer)
		}
	}
}

// smooth is the accuracy of each agent's latest solution.
func (c *dynamics) smooth() (list []float64) {
	for _, solution := range c.latest {
		_, smooth := c.score(solution)
		list = append(list, smooth)
	}
	return list
}

// rate notes the ratings of agents, each beside what became of the agent's solution.
func (c *dynamics) rate(turns []outcome.Turn) {
	last := c.smooth()
	for _, turn := range turns {
		if len(turn.Heard) != 1 || turn.Silent() || c.first == nil {
			continue
		}
		i := slices.Index(c.agents, turn.Heard[0])
		if i < 0 {
			continue
		}
		r := rating{outcome: outcomes[3]}
		switch {
		case last[i] > c.first[i]:
			r.outcome = outcomes[0]
		case last[i] < c.first[i]:
			r.outcome = outcomes[1]
		case last[i] == 1:
			r.outcome = outcomes[2]
		}
		if n, ok := knights.ReadRating(turn.Reply.Text); ok {
			r.rating = n
		}
		c.ratings = append(c.ratings, r)
	}
}

// propose notes the proposals with a confidence.
func (c *dynamics) propose(turns []outcome.Turn) {
	for _, turn := range turns {
		if turn.Confidence == nil || !turn.Answer.Parsed || !slices.Contains(c.agents, turn.Agent) {
			continue
		}
		_, smooth := c.score(c.read(turn.Answer))
		stated := int(math.Round(*turn.Confidence * sureties))
		c.proposals = append(c.proposals, proposal{turn.Agent, min(max(stated, 1), sureties), smooth})
	}
}

// read is a solution as numbers, in the order of the players.
func (c *dynamics) read(a answer.Answer) []int {
	roles := vote.RolesIn(a.Text, c.players)
	if roles == nil {
		return c.unread()
	}
	return roleNumbers(roles)
}

// on are the roles that all agents give a player.
func (c *dynamics) on(player int) (roles []int) {
	for _, solution := range c.latest {
		roles = append(roles, solution[player])
	}
	return roles
}

func (c *dynamics) standings(player int) []agreement.Standing {
	return agreement.Standings(c.on(player), agreement.Key{c.truth[player]})
}

// round is what the latest solutions come to.
func (c *dynamics) round() (r Round) {
	voted := make([]int, len(c.players))
	for player := range c.players {
		roles := c.on(player)
		voted[player] = agreement.Plurality(roles)
		if agreement.HalfAgree(roles) {
			r.Major++
		}
		if agreement.AllAgree(roles) {
			r.All++
		}
	}
	r.Major, r.All = r.Major/float64(len(c.players)), r.All/float64(len(c.players))
	r.Strict, r.Smooth = c.score(voted)
	for _, solution := range c.latest {
		strict, smooth := c.score(solution)
		r.AgentStrict += strict / float64(len(c.latest))
		r.AgentSmooth += smooth / float64(len(c.latest))
	}
	return r
}

func (c *dynamics) score(roles []int) (strict, smooth float64) {
	if agreement.Strict(roles, c.truth) {
		strict = 1
	}
	return strict, agreement.Smooth(roles, c.truth)
}
