package roles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/inference"
)

// matrix are the roles that A agents give K players at one time, [agent][player]; -1 cannot be read.
type matrix [][]int

// drawn is a random debate: the solutions at the start, after the debate on each player, and at the end, with the vote.
type drawn struct {
	truth   []int
	start   matrix
	rounds  []matrix
	last    matrix
	decided []int
}

func drawDebate(random *rand.Rand) (d drawn) {
	agents, players := 2+random.IntN(5), 1+random.IntN(5)
	vector := func() (roles []int) {
		for range players {
			roles = append(roles, random.IntN(3))
		}
		return roles
	}
	solutions := func(before matrix) (m matrix) {
		for a := range agents {
			switch {
			case random.IntN(6) > 0:
				m = append(m, vector())
			case before != nil:
				m = append(m, nil) // unread: what it said before stands
			default:
				m = append(m, slices.Repeat([]int{-1}, players))
			}
			if m[a] == nil {
				m[a] = slices.Clone(before[a])
			}
		}
		return m
	}
	d.truth, d.decided = vector(), vector()
	d.start = solutions(nil)
	before := d.start
	for range players {
		before = solutions(before)
		d.rounds = append(d.rounds, before)
	}
	d.last = solutions(before)
	return d
}

// outcome is the debate as a run records it.
func (d drawn) outcome() trial.Outcome {
	names := []string{"Ann", "Bob", "Cid", "Dan", "Eve"}[:len(d.truth)]
	written := func(roles []int) answer.Answer {
		var parts []string
		for i, role := range roles {
			if role < 0 {
				return answer.Unparsed
			}
			parts = append(parts, names[i]+": "+knights.PlayerRoles[role])
		}
		return answer.Of(strings.Join(parts, ", "))
	}
	phase := func(m matrix) (turns []debate.Turn) {
		for a, roles := range m {
			turns = append(turns, debate.Turn{Agent: a, Answer: written(roles)})
		}
		return turns
	}
	o := trial.Outcome{Question: "puzzle", Truth: written(d.truth)}
	enter := func(name debate.Phase, turns []debate.Turn) {
		o.Transcript.Phases, o.Transcript.Rounds = append(o.Transcript.Phases, name), append(o.Transcript.Rounds, turns)
	}
	enter(debate.PhaseProposal, phase(d.start))
	for k, m := range d.rounds {
		enter(debate.PhaseDebate(names[k]), nil)
		enter(debate.PhaseAdjustment(names[k]), phase(m))
	}
	enter(debate.PhaseFinal, phase(d.last))
	for a := range d.start {
		o.Transcript.Roles = append(o.Transcript.Roles, fmt.Sprint("Agent ", a+1))
	}
	o.Transcript.Roles = append(o.Transcript.Roles, "supervisor")
	o.Transcript.Decision = debate.Decision{Answer: written(d.decided), Rule: debate.OtherRule("majority per player")}
	return o
}

// voted is the plurality of the agents on a player, of equal counts the role first in agent order.
func (m matrix) voted(player int) int {
	winner, most := -1, 0
	for _, roles := range m {
		if n := m.count(player, roles[player]); roles[player] >= 0 && n > most {
			winner, most = roles[player], n
		}
	}
	return winner
}

// count is #{a: y_a = role} on a player.
func (m matrix) count(player, role int) (n int) {
	for _, roles := range m {
		if roles[player] == role {
			n++
		}
	}
	return n
}

// most is max over roles of count.
func (m matrix) most(player int) int {
	return max(m.count(player, 0), m.count(player, 1), m.count(player, 2))
}

// share is (1/K) sum over players of 1[y_k = truth_k].
func share(roles, truth []int) (sum float64) {
	for k := range truth {
		sum += stat.One[float64](roles[k] == truth[k]) / float64(len(truth))
	}
	return sum
}

// appendixB are the measures of appendix B at one time, written as its formulas are.
func (m matrix) appendixB(truth []int) (r Round) {
	agents, players := float64(len(m)), float64(len(truth))
	var votes []int
	for k := range truth {
		votes = append(votes, m.voted(k))
		r.All += stat.One[float64](m.most(k) == len(m)) / players
		r.Major += stat.One[float64](float64(m.most(k)) >= math.Ceil(agents/2)) / players
	}
	r.Smooth, r.Strict = share(votes, truth), stat.One[float64](slices.Equal(votes, truth))
	for _, roles := range m {
		r.AgentSmooth += share(roles, truth) / agents
		r.AgentStrict += stat.One[float64](slices.Equal(roles, truth)) / agents
	}
	return r
}

// TestAppendixB: every measure of Wu et al.'s appendix B, formula by formula, on random debates of two to six agents
// with ties and with solutions that cannot be read.
func TestAppendixB(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 400 {
		d := drawDebate(random)
		got := Of(played(d.outcome()))
		alike := func(when string, got, want Round) {
			t.Helper()
			for k, m := range got.measures() {
				if w := *want.measures()[k]; math.Abs(*m-w) > 1e-12 {
					t.Fatalf("debate %d, %s, measure %d: %g, want %g\n%+v", i, when, k, *m, w, d)
				}
			}
		}
		alike("start", got.Initial, d.start.appendixB(d.truth))
		var area Round // (1/T) sum over rounds
		for k, m := range d.rounds {
			r := m.appendixB(d.truth)
			alike(fmt.Sprint("round ", k+1), got.Rounds[k], r)
			for j, value := range r.measures() {
				*area.measures()[j] += *value / float64(len(d.rounds))
			}
		}
		alike("AUC", got.AUC, area)
		last := d.last.appendixB(d.truth)
		last.Smooth, last.Strict = share(d.decided, d.truth), stat.One[float64](slices.Equal(d.decided, d.truth))
		alike("end", got.Final, last)
		d.checkCase(t, area)
	}
}

// checkCase checks what the regressions are fitted to, and the predictors that come from the proposals.
func (d drawn) checkCase(t *testing.T, area Round) {
	t.Helper()
	cases := Cases(columns(d.outcome()), inference.ModelInfo{})
	chaos := false // no role of at least ceil(A/2) agents, or two of them
	for k := range d.truth {
		half, n := (len(d.start)+1)/2, 0
		for role := range 3 {
			if d.start.count(k, role) >= half {
				n++
			}
		}
		chaos = chaos || n != 1
	}
	want := map[string]float64{"game_size": float64(len(d.truth)), "n_agents": float64(len(d.start)), "depth": 1,
		"init_smooth": d.start.appendixB(d.truth).Smooth, "init_strict": d.start.appendixB(d.truth).Strict,
		"init_chaos": stat.One[float64](chaos)}
	for j, name := range PredictorNames {
		if w, named := want[name]; named && math.Abs(cases[0].Predictors[j]-w) > 1e-12 {
			t.Fatalf("%s: %g, want %g\n%+v", name, cases[0].Predictors[j], w, d)
		}
	}
	if math.Abs(cases[0].AgreementMajor-area.Major) > 1e-12 ||
		math.Abs(cases[0].FinalSmooth-share(d.decided, d.truth)) > 1e-12 {
		t.Fatalf("%+v: the outcomes are the area %g and the share that decided right: got %g and %g",
			d, area.Major, cases[0].AgreementMajor, cases[0].FinalSmooth)
	}
}
