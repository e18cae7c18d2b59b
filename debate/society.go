package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// Society is the simultaneous debate of Du et al. as source 0 uses it. In round 0 all agents answer the same message on
// their own; in each later round every agent hears the others' latest replies, listed in an order, and replies again.
// Each keeps its own history. The decision is the majority of the last round, or an election among its solutions.
type Society struct {
	Asking
	Agents   int
	Rounds   int // the first included; 1 is a vote without debate
	Order    Order
	Until    string // UntilRounds, the default, or UntilAgreement
	Topology Topology
	Showing  Showing
	Decide   string // MajorityDecision, the default, or the name of an election
	Layout   string // of the messages of later rounds: LayoutHistory, the default, or LayoutShared
	Prompts  prompts.Set
}

// When a society ends.
const (
	UntilRounds    = "rounds"    // after all of them
	UntilAgreement = "agreement" // after a round in which all who spoke gave one answer, or all rounds
)

// Layouts of the messages of later rounds.
const (
	// LayoutHistory is that of the sources: each agent's own history, then the others' solutions as it hears them.
	LayoutHistory = "history"
	// LayoutShared sends all the same question and solutions, the agent's own among them, in one order for all, and then says
	// which is its own. Earlier rounds are not shown. It is another prompt, and so another experiment; what all are sent is
	// computed once, so that a round of N agents costs N solutions instead of N times N.
	LayoutShared = "shared"
)

// Run holds one debate. An agent whose request fails (its history has become longer than the context, say) falls silent:
// it has no text and no answer, is not asked again, and the others no longer hear it. Run fails with ErrSilence if nobody
// is left.
func (s Society) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	t := Transcript{Protocol: "society", Case: c.ID, Order: s.Order.Name, Reading: s.Order.Reading}
	t.Layout, t.Topology, t.Showing = unusual(s.Layout, LayoutHistory), unusual(s.Topology.String(), TopologyFull), unusual(s.Showing.String(), ShowWhole)
	if err := s.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	ask := s.Asking.of(speaker, c.ID, c.Extract)
	opening := conversation(s.Prompts.System, s.Prompts.First(c.Question))
	for range s.Rounds {
		turns := next(t.Last(), s.Agents)
		for i := range turns {
			switch {
			case t.Rounds == nil:
				turns[i].Messages = opening
			case !turns[i].silent():
				turns[i].Heard, turns[i].Messages = s.exchange(t.Last(), i, c)
			}
		}
		if err := ask.round(ctx, turns); err != nil {
			return t, err
		}
		t.Rounds = append(t.Rounds, turns)
		s.observe(turns)
		if s.Until == UntilAgreement && agree(turns) {
			break
		}
	}
	if s.elects() {
		err := s.elect(ctx, ask, &t)
		return t, err
	}
	t.Decision = Vote(t.Last())
	return t, nil
}

// unusual is what records say of a setting: nothing, if it is the usual one.
func unusual(setting, usual string) string {
	if setting == usual {
		return ""
	}
	return setting
}

// check refuses what would send empty messages or mean something else than asked for.
func (s Society) check(c Case) error {
	if _, err := ParseOrder(s.Order.Name, s.Order.Reading); err != nil {
		return err
	}
	if err := s.Topology.check(s.Agents); err != nil {
		return err
	}
	if s.elects() {
		if _, err := electionNamed(s.Decide); err != nil {
			return err
		}
		if s.Prompts.Vote.Solution == "" || s.Prompts.Vote.Rules[s.Decide] == "" {
			return fmt.Errorf("prompts %q lack vote, or its rule %s: take another set or way to decide", s.Prompts.Name, s.Decide)
		}
	}
	switch {
	case s.Until != "" && s.Until != UntilRounds && s.Until != UntilAgreement:
		return fmt.Errorf("a debate until %q; there are %s and %s", s.Until, UntilRounds, UntilAgreement)
	case s.Layout == LayoutShared && (s.Topology.String() != TopologyFull || s.Showing.Name == ShowSupported):
		return fmt.Errorf("layout %s sends everybody all solutions, topology %s and showing %s do not", s.Layout, s.Topology, s.Showing)
	case s.Layout != "" && s.Layout != LayoutHistory && s.Layout != LayoutShared:
		return fmt.Errorf("no layout %q; there are %s and %s", s.Layout, LayoutHistory, LayoutShared)
	case s.Rounds > 1 && s.Layout == LayoutShared && (s.Prompts.Shared.Solution == "" || s.Prompts.Shared.Mine == ""):
		return fmt.Errorf("prompts %q lack shared, which layout %s needs: take another set or layout", s.Prompts.Name, LayoutShared)
	case s.Agents < 1 || s.Rounds < 1:
		return fmt.Errorf("a debate of %d agents and %d rounds: at least one of each is needed", s.Agents, s.Rounds)
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	case s.Prompts.Question == "":
		return errors.New("no prompts: set Society.Prompts")
	case s.Rounds > 1 && strings.HasPrefix(s.Order.Name, "truth") && !c.Truth.Parsed:
		return fmt.Errorf("order %s needs the right answer: set Case.Truth or take another order", s.Order.Name)
	case s.Rounds > 1 && (s.Prompts.Exchange.Solution == "" || s.Prompts.Alone == ""):
		return fmt.Errorf("prompts %q lack exchange or alone, which %d rounds need: take another set or one round", s.Prompts.Name, s.Rounds)
	}
	return nil
}

// exchange is whom an agent hears after a round, and what it is sent: its history with its own reply and that message, or all
// that everybody is sent.
func (s Society) exchange(last []Turn, agent int, c Case) (heard []int, history []inference.Message) {
	answers, silent := make([]answer.Answer, len(last)), make([]bool, len(last))
	for i, t := range last {
		answers[i], silent[i] = t.Answer, t.silent()
	}
	receiver := agent
	if s.Layout == LayoutShared {
		receiver = everybody
	}
	round := last[agent].Round + 1
	hears := s.Topology.hears(receiver, len(last), s.Seeds.peers(c.ID, round))
	heard = s.Order.others(receiver, answers, silent, hears, c.Truth, s.Seeds.orders(c.ID, round))
	heard = s.Showing.keeps(heard, answers)
	solutions := make([]string, len(heard))
	for k, other := range heard {
		solutions[k] = s.Showing.of(last[other].Reply.Text)
	}
	if s.Layout == LayoutShared {
		return heard, conversation(s.Prompts.System, s.Prompts.HearAll(c.Question, solutions, slices.Index(heard, agent)))
	}
	return heard, tell(reply(last[agent].Messages, last[agent]), s.Prompts.Hear(solutions))
}
