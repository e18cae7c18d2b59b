package analysis

import (
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
)

// Roles says how debates on puzzles of knights, knaves and spies went, role by role, as source 2 measures them (its
// appendix B): a debate round is what is said on one player, after which everybody goes over its whole solution.
type Roles struct {
	N       int         `json:"n"` // debates
	Initial RoleRound   `json:"initial"`
	Rounds  []RoleRound `json:"rounds"` // mean over the debates that have so many players
	Final   RoleRound   `json:"final"`
	AUC     RoleRound   `json:"auc"` // mean over the rounds of each debate, then over debates

	// Shifts are on the player under debate: from where an agent stood before, to a wrong or a right role after.
	Shifts stat.Shifts `json:"shifts"`
}

// RoleRound is what all agents' solutions come to at one time.
type RoleRound struct {
	Strict      float64 `json:"strict"` // the vote on each player gives all roles right
	Smooth      float64 `json:"smooth"` // share of players whose role the vote has right
	AgentStrict float64 `json:"agent_strict"`
	AgentSmooth float64 `json:"agent_smooth"` // means over agents
	All         float64 `json:"agreement_all"`
	Major       float64 `json:"agreement_major"` // share of players to whom all agents, or a majority, give one role
}

// measures are the numbers of a round in a fixed order.
func (r *RoleRound) measures() []*float64 {
	return []*float64{&r.Strict, &r.Smooth, &r.AgentStrict, &r.AgentSmooth, &r.All, &r.Major}
}

// rolesOf sums up puzzles; nil if there are none.
func rolesOf(outcomes []trial.Outcome) *Roles {
	var initial, final, areas []RoleRound
	var rounds [][]RoleRound // by number
	roles := &Roles{}
	for _, o := range outcomes {
		p, ok := puzzleOf(o)
		if !ok {
			continue
		}
		first, during, last := p.play(o.Transcript, &roles.Shifts)
		initial, final, areas = append(initial, first), append(final, last), append(areas, areaOf(during))
		for i, round := range during {
			if i == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[i] = append(rounds[i], round)
		}
	}
	if roles.N = len(initial); roles.N == 0 {
		return nil
	}
	roles.Initial, roles.Final, roles.AUC = over(initial, stat.Mean), over(final, stat.Mean), over(areas, stat.Mean)
	for _, round := range rounds {
		roles.Rounds = append(roles.Rounds, over(round, stat.Mean))
	}
	return roles
}

// areaOf is the area under each measure of one debate.
func areaOf(rounds []RoleRound) RoleRound { return over(rounds, stat.RoundArea) }

// over sums up each measure of some rounds.
func over(rounds []RoleRound, sum func([]float64) float64) (total RoleRound) {
	for i, measure := range total.measures() {
		values := make([]float64, len(rounds))
		for k := range rounds {
			values[k] = *rounds[k].measures()[i]
		}
		*measure = sum(values)
	}
	return total
}

// puzzle is a debate on players, whose roles are the numbers of package stat.
type puzzle struct {
	players []string
	truth   []int
	latest  [][]int // by agent and player: the latest role that an agent gave
}

var roleNames = []string{"knight", "knave", "spy"}

// puzzleOf reads the truth of a debate of knights, "Ann: spy, Bob: knave". ok is false of all others, and of
// those that broke off.
func puzzleOf(o trial.Outcome) (p puzzle, ok bool) {
	phases := o.Transcript.Phases
	if !slices.Contains(phases, debate.PhaseFinal) || len(phases) != len(o.Transcript.Rounds) || !o.Truth.Parsed {
		return p, false
	}
	for item := range strings.SplitSeq(o.Truth.Text, ", ") {
		player, role, found := strings.Cut(item, ": ")
		number := slices.Index(roleNames, role)
		if !found || number < 0 {
			return p, false
		}
		p.players, p.truth = append(p.players, player), append(p.truth, number)
	}
	for range o.Transcript.Voters() {
		p.latest = append(p.latest, slices.Repeat([]int{stat.Unparsed}, len(p.players)))
	}
	return p, true
}

// play goes through the phases of a debate: the proposals, a round for every player, the final solutions.
func (p puzzle) play(t debate.Transcript, shifts *stat.Shifts) (initial RoleRound, during []RoleRound,
	final RoleRound) {
	for r, phase := range t.Phases {
		player, adjusts := phase.Adjusts()
		under := slices.Index(p.players, player)
		switch {
		case phase == debate.PhaseProposal:
			p.hear(t.Rounds[r])
			initial = p.round()
		case phase == debate.PhaseFinal:
			p.hear(t.Rounds[r])
			final = p.round()
			final.Strict, final.Smooth = p.score(p.read(t.Decision.Answer)) // who cannot be read has no vote in the end
		case adjusts && under >= 0:
			before := p.standings(under)
			p.hear(t.Rounds[r])
			shifts.Count(before, p.standings(under))
			during = append(during, p.round())
		}
	}
	return initial, during, final
}

// hear takes the solutions of a phase. Who says nothing that can be read stands by what it said before.
func (p puzzle) hear(turns []debate.Turn) {
	for _, turn := range turns {
		if turn.Agent < len(p.latest) && turn.Answer.Parsed {
			p.latest[turn.Agent] = p.read(turn.Answer)
		}
	}
}

// read is a solution as numbers, in the order of the players.
func (p puzzle) read(a answer.Answer) []int {
	roles := slices.Repeat([]int{stat.Unparsed}, len(p.players))
	for item := range strings.SplitSeq(a.Text, ", ") {
		player, role, _ := strings.Cut(item, ": ")
		if i := slices.Index(p.players, player); i >= 0 {
			roles[i] = slices.Index(roleNames, role) // Unparsed, if it is none
		}
	}
	return roles
}

// on are the roles that all agents give a player.
func (p puzzle) on(player int) (roles []int) {
	for _, solution := range p.latest {
		roles = append(roles, solution[player])
	}
	return roles
}

func (p puzzle) standings(player int) []stat.Standing {
	return stat.Standings(p.on(player), p.truth[player])
}

// round is what the latest solutions come to.
func (p puzzle) round() (r RoleRound) {
	voted := make([]int, len(p.players))
	for player := range p.players {
		roles := p.on(player)
		voted[player] = stat.Plurality(roles)
		if _, found := stat.Majority(roles); found {
			r.Major++
		}
		if share, known := stat.PairAgreement(roles); known && share == 1 && !slices.Contains(roles, stat.Unparsed) {
			r.All++
		}
	}
	r.Major, r.All = r.Major/float64(len(p.players)), r.All/float64(len(p.players))
	r.Strict, r.Smooth = p.score(voted)
	for _, solution := range p.latest {
		strict, smooth := p.score(solution)
		r.AgentStrict += strict / float64(len(p.latest))
		r.AgentSmooth += smooth / float64(len(p.latest))
	}
	return r
}

func (p puzzle) score(roles []int) (strict, smooth float64) {
	if stat.Strict(roles, p.truth) {
		strict = 1
	}
	return strict, stat.Smooth(roles, p.truth)
}
