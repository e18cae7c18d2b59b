package debate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// Exchange is how agents hear each other before a later round. The zero value is that of Du et al.: everybody hears all others, whole, in
// their order, and all speak at once.
type Exchange struct {
	Order    Order
	Topology Topology
	Showing  Showing
	Wording  string // one of the prompts' wordings; "" is the usual one
	InTurn   bool   // agents speak one after the other, and hear what was said before in the same round
}

// openings are the first actions of source 0's code by their names there.
var openings = map[string]struct {
	opening string
	inTurn  bool
}{
	"expand": {"", false}, "expandA": {"", true}, "expandC": {"five-headings", false}, "expandD": {"zero-shot", false}, "expandE": {"operations", false},
}

// Actions are the exchanges of source 0's code by their names there. Its round programs are lists of them, behind an opening.
func Actions() []Action {
	last, truth := Order{Name: "most-frequent-last"}, Order{Name: "truth-last"}
	later := func(percent int) Showing { return Showing{ShowLater, percent} }
	return []Action{
		{"exchange", "all others, as numbered", Exchange{}},
		{"exchangeN", "shuffled for every receiver", Exchange{Order: Order{Name: "random"}}},
		{"exchangeI", "most frequent first", Exchange{Order: Order{Name: "most-frequent-first"}}},
		{"exchangeI1", "the same, the question repeated", Exchange{Order: Order{Name: "most-frequent-first"}, Wording: "question"}},
		{"exchangeI2", "truth first", Exchange{Order: Order{Name: "truth-first"}}},
		{"exchangeI3", "the same, the question repeated", Exchange{Order: Order{Name: "truth-first"}, Wording: "question"}},
		{"exchangeI4", "truth last, texts mispaired", Exchange{Order: Order{Name: "truth-last" + mispaired}}},
		{"exchangeI41", "truth last", Exchange{Order: truth}},
		{"exchangeI5", "the same, the question repeated", Exchange{Order: truth, Wording: "question"}},
		{"exchangeI6", "most frequent last, texts mispaired", Exchange{Order: Order{Name: "most-frequent-last" + mispaired}}},
		{"exchangeI61", "most frequent last: MADC", Exchange{Order: last}},
		{"exchangeI7", "the same, without answers that one alone gives", Exchange{Order: last, Showing: Showing{Name: ShowSupported}}},
		{"exchangeA", "a summary of the others", Exchange{Showing: Showing{Name: ShowSummary}}},
		{"exchangeB", "the two neighbours", Exchange{Topology: Topology{Name: TopologyRing}}},
		{"exchangeC", "a random half of the others", Exchange{Topology: Topology{Name: TopologyRandom}}},
		{"exchangeD", "the suggestions are to be taken to 100 percent, 25 less in each round", Exchange{Wording: "accept-100"}},
		{"exchangeE", "the same from 80 percent", Exchange{Wording: "accept-80"}},
		{"exchangeG", "everybody's first step, then everybody's second", Exchange{Showing: Showing{Name: ShowInterleaved}}},
		{"exchangeJ", "as exchangeG", Exchange{Showing: Showing{Name: ShowInterleaved}}},
		{"exchangeK", "as exchangeG", Exchange{Showing: Showing{Name: ShowInterleaved}}},
		{"exchangeH", "the same, the most frequent answer last", Exchange{Showing: Showing{Name: ShowInterleaved}, Order: last}},
		{"exchangeL", "attention is drawn to earlier steps", Exchange{Wording: "earlier-steps"}},
		{"exchangeM", "as exchangeL", Exchange{Wording: "earlier-steps"}},
		{"exchangeO", "without the first 20 percent of the steps", Exchange{Showing: later(20)}},
		{"exchangeO1", "40 percent", Exchange{Showing: later(40)}},
		{"exchangeO2", "60 percent", Exchange{Showing: later(60)}},
		{"exchangeO3", "80 percent", Exchange{Showing: later(80)}},
		{"exchangeO4", "without the last step", Exchange{Showing: Showing{Name: ShowEarlier}}},
		{"exchangeO4I6", "the same, most frequent last, texts mispaired", Exchange{Showing: Showing{Name: ShowEarlier}, Order: Order{Name: "most-frequent-last" + mispaired}}},
		{"exchangeO4I61", "the same, mended", Exchange{Showing: Showing{Name: ShowEarlier}, Order: last}},
		{"verify", "nobody is heard: check your answer", Exchange{Wording: "verify"}},
		{"verifyA", "check it by a question of your own", Exchange{Wording: "verify-sub-question"}},
		{"verifyB", "check it by substitution", Exchange{Wording: "verify-substitution"}},
		{"verifyC", "check the premises", Exchange{Wording: "verify-premises"}},
	}
}

// Action is an exchange that has a name.
type Action struct {
	Name     string
	Meaning  string
	Exchange Exchange
}

// ParseProgram reads the names of actions, one a later round.
func ParseProgram(names []string, reading string) (program []Exchange, err error) {
	actions := Actions()
	for _, name := range names {
		at := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("no action %q; there are %s", name, strings.Join(actionNames(), ", "))
		}
		e := actions[at].Exchange
		if e.Order, err = ParseOrder(e.Order.Name, reading); err != nil {
			return nil, err
		}
		program = append(program, e)
	}
	return program, nil
}

func actionNames() (names []string) {
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	return names
}

// before is the exchange that leads to a round.
func (s Society) before(round int) Exchange {
	if len(s.Program) == 0 || round == 0 {
		return s.Exchange
	}
	return s.Program[min(round, len(s.Program))-1]
}

// prepare gives agents what they are sent: all of turns speak at once. latest is what everybody said last.
func (s Society) prepare(ctx context.Context, ask asker, turns, latest []Turn, round int, c Case) error {
	solutions := make([][]string, len(turns))
	for i := range turns {
		if !turns[i].silent() && (round > 0 || s.InTurn) {
			turns[i].Heard, solutions[i] = s.hear(latest, turns[i].Agent, round, c)
		}
	}
	if s.before(round).Showing.Name == ShowSummary {
		if err := s.sumUp(ctx, ask, turns, solutions, c); err != nil {
			return err
		}
	}
	for i := range turns {
		if !turns[i].silent() {
			turns[i].Messages = s.message(latest, turns[i], solutions[i], c)
		}
	}
	return nil
}

// hear is whom an agent hears before a round, and what it is shown of their texts. Who has not spoken yet is not heard.
func (s Society) hear(latest []Turn, receiver, round int, c Case) (heard []int, solutions []string) {
	e := s.before(round)
	if s.Prompts.Wording(e.Wording).Solution == "" {
		return nil, nil // a self-check
	}
	if s.Layout == LayoutShared {
		receiver = everybody
	}
	f := floor{round: round, truth: c.Truth}
	for _, t := range latest {
		f.answers, f.silent, f.beliefs = append(f.answers, t.Answer), append(f.silent, t.silent() || t.Messages == nil), append(f.beliefs, t.Beliefs)
	}
	hears := e.Topology.hears(receiver, len(latest), s.Seeds.peers(c.ID, round))
	heard = e.Order.others(receiver, f, hears, s.Seeds.orders(c.ID, round))
	heard = e.Showing.keeps(heard, f.answers)
	return heard, s.shown(round, heard, latest, c)
}

// sumUp has everybody who hears others sum them up, all at once; the summary stands in the place of their texts.
func (s Society) sumUp(ctx context.Context, ask asker, turns []Turn, solutions [][]string, c Case) error {
	var summaries []Turn
	var whose []int
	for i, t := range turns {
		if len(solutions[i]) > 0 {
			summaries = append(summaries, Turn{Agent: t.Agent, Round: t.Round, Messages: conversation(s.Prompts.System, s.Prompts.SumUp(solutions[i], c.Question))})
			whose = append(whose, i)
		}
	}
	if len(summaries) == 0 {
		return nil
	}
	ask.MaxTokens, ask.extract = summaryTokens, answer.Raw
	if err := ask.round(ctx, summaries); err != nil {
		return err
	}
	for k, i := range whose {
		turns[i].Before, solutions[i] = append(turns[i].Before, summaries[k]), []string{summaries[k].Reply.Text}
	}
	return nil
}

// summaryTokens is the most that a summary has in source 0's code.
const summaryTokens = 512

// message is what an agent is sent: what opens the debate; later its history with its own last reply and what it hears, or all that
// everybody is sent.
func (s Society) message(latest []Turn, t Turn, solutions []string, c Case) []inference.Message {
	own := latest[t.Agent]
	switch {
	case t.Round > 0 && s.Layout == LayoutShared:
		return conversation(s.Prompts.System, s.Prompts.HearAll(c.Question, solutions, slices.Index(t.Heard, t.Agent)))
	case t.Round > 0:
		text := s.Prompts.Hear(prompts.Heard{Wording: s.before(t.Round).Wording, Solutions: solutions, Question: c.Question, Round: t.Round, Last: t.Round == s.Rounds-1})
		return tell(s.remembered(reply(own.Messages, own), t.Agent), text+s.asides())
	}
	member := s.member(t.Agent)
	system, question := s.Prompts.System, s.Prompts.FirstAs(s.Opening, c.Question)
	if member.Persona != "" {
		system = member.Persona
	}
	if member.Method != "" {
		question += "\n\n" + s.Prompts.Reason(member.Method)
	}
	if len(solutions) > 0 { // the first round in turn
		question += "\n\n" + s.Prompts.Hear(prompts.Heard{Wording: s.Wording, Solutions: solutions, Question: c.Question, Round: 1})
	}
	return conversation(system, question+s.confide())
}

// asides are what later messages end with beside the exchange.
func (s Society) asides() string {
	if s.Intensity == nil {
		return s.confide()
	}
	return "\n\n" + s.Prompts.Agree(*s.Intensity) + s.confide()
}

// confide asks for a confidence.
func (s Society) confide() string {
	if s.Confidence == ConfidenceAsked {
		return "\n\n" + s.Prompts.Confide()
	}
	return ""
}
