package society

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/unknown"
)

// Exchange is how agents hear each other before a later round. The zero value is the exchange of Du et al.: everybody
// hears all others in full, in the order of their numbers, and all speak at once.
type Exchange struct {
	Order      Order
	Topology   Topology
	Visibility Visibility
	Wording    string // one of the prompts' wordings; "" is the exchange of the set
	Labels     string // labelsNone, the default, labelsNames or labelsShuffled
	InTurn     bool   // agents speak one after the other, and hear what was said earlier in the same round
}

// openings are the first actions of MADC's code by their names there. Its expandA fails on every question but the
// first, since it uses the number of the question as that of an agent; here it does what it was meant to. The program
// has no branch for expandC, so that the question stays as it is.
var openings = map[string]struct {
	opening string
	inTurn  bool
}{
	"expand": {"", false}, "expandA": {"", true}, "expandB": {"five-headings", false}, "expandC": {"", false},
	"expandD": {"zero-shot", false}, "expandE": {"operations", false},
}

// Actions returns the exchanges of MADC's code by their names there. A round program of that code is an opening and
// then a list of these. In the paper's reading their errors are corrected: answers stay with their texts, and texts
// keep what is not in a numbered step.
func Actions() []Action {
	last := Order{Name: "most-frequent-last"}
	shuffled := Order{Name: "random"}
	swapped := func(name string) Order { return Order{Name: name + listing.Mispaired} }
	later := func(percent int) Visibility { return Visibility{ShowLater, percent} }
	half := Topology{Name: TopologyRandom}
	earlier, interleaved := Visibility{Name: showEarlier}, Visibility{Name: ShowInterleaved}
	return []Action{
		{"exchange", "all others, by number", Exchange{}, ""},
		{"update", "the same", Exchange{}, ""},
		{"exchangeN", "shuffled for every receiver", Exchange{Order: shuffled}, ""},
		{"exchangeI", "most frequent first, texts mispaired", Exchange{Order: swapped("most-frequent-first")}, ""},
		{"exchangeI1", "the same, the question before them",
			Exchange{Order: swapped("most-frequent-first"), Wording: "question-first"}, ""},
		{"exchangeI2", "truth first, texts mispaired", Exchange{Order: swapped("truth-first")}, ""},
		{"exchangeI3", "the same, the question after them",
			Exchange{Order: swapped("truth-first"), Wording: "question-last"}, ""},
		{"exchangeI4", "truth last, texts mispaired", Exchange{Order: swapped("truth-last")}, ""},
		{"exchangeI41", "truth last", Exchange{Order: Order{Name: "truth-last"}}, ""},
		{"exchangeI5", "truth last, texts mispaired, the question after them",
			Exchange{Order: swapped("truth-last"), Wording: "question-last"}, ""},
		{"exchangeI6", "most frequent last, texts mispaired", Exchange{Order: swapped("most-frequent-last")}, ""},
		{"exchangeI61", "most frequent last: MADC", Exchange{Order: last}, ""},
		{"exchangeI7", "the same, without answers that only one agent gives",
			Exchange{Order: last, Visibility: Visibility{Name: ShowSupported}}, ""},
		{"exchangeA", "a summary of the others",
			Exchange{Visibility: Visibility{Name: ShowSummary}, Wording: "summary"}, ""},
		{"exchangeB", "the neighbour before, then the one after",
			Exchange{Topology: Topology{Name: TopologyNeighbours}}, ""},
		{"exchangeC", "half the number of agents, drawn and shuffled",
			Exchange{Topology: half, Order: shuffled}, ""},
		{"exchangeD", "the others are to be accepted to 75 percent, 25 less in each round; the released code fails",
			Exchange{Wording: "accept-100"}, ""},
		{"exchangeE", "the same, to 55 percent, 25 less in each round",
			Exchange{Topology: half, Order: shuffled, Wording: "accept-80"}, ""},
		{"exchangeG", "everybody's first step, then everybody's second",
			Exchange{Visibility: interleaved, Wording: "steps"}, ""},
		{"exchangeH", "the same under headings, most frequent first, texts mispaired",
			Exchange{Order: swapped("most-frequent-first"), Visibility: interleaved,
				Wording: "headed-steps-asked"}, ""},
		{"exchangeJ", "as exchangeG, in the paper's reading only",
			Exchange{Visibility: interleaved, Wording: "steps"}, "the released program ends there and records nothing"},
		{"exchangeK", "as exchangeG under headings, and attention is drawn to earlier steps",
			Exchange{Visibility: interleaved, Wording: "headed-steps"}, ""},
		{"exchangeL", "attention is drawn to earlier steps", Exchange{Wording: "earlier-steps"}, ""},
		{"exchangeM", "the same, most frequent first, texts mispaired",
			Exchange{Order: swapped("most-frequent-first"), Wording: "earlier-steps"}, ""},
		{"exchangeO", "without the first 20 percent of the steps, shuffled",
			Exchange{Order: shuffled, Visibility: later(20), Wording: "last-steps"}, ""},
		{"exchangeO1", "without the first 40 percent", Exchange{Visibility: later(40), Wording: "last-steps"}, ""},
		{"exchangeO2", "without the first 60 percent", Exchange{Visibility: later(60), Wording: "last-steps"}, ""},
		{"exchangeO3", "without the first 80 percent", Exchange{Visibility: later(80), Wording: "last-steps"}, ""},
		{"exchangeO4", "without the last step", Exchange{Visibility: earlier, Wording: "last-steps"}, ""},
		{"exchangeO4I6", "the same, most frequent last, texts mispaired",
			Exchange{Order: swapped("most-frequent-last"), Visibility: earlier, Wording: "last-steps"}, ""},
		{"exchangeO4I61", "the same, most frequent last",
			Exchange{Order: last, Visibility: earlier, Wording: "last-steps"}, ""},
		{"verify", "nobody is heard: check your answer", Exchange{Wording: "verify"}, ""},
		{"verifyA", "check it by a question of your own", Exchange{Wording: "verify-sub-question"}, ""},
		{"verifyB", "check it by substitution", Exchange{Wording: "verify-substitution"}, ""},
		{"verifyC", "check the premises", Exchange{Wording: "verify-premises"}, ""},
	}
}

// Action is an exchange with a name.
type Action struct {
	Name     string
	Meaning  string
	Exchange Exchange
	ends     string // why the code's reading does not have it; "" if it does
}

// parseProgram returns the exchanges of the named actions, one for each later round.
func parseProgram(names []string, reading string) (program []Exchange, err error) {
	actions := Actions()
	for _, name := range names {
		at := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name })
		if at < 0 {
			return nil, unknown.Name("action", name, actionNames())
		}
		if why := actions[at].ends; why != "" && reading != debate.ReadingPaper {
			return nil, fmt.Errorf("action %q: %s; take exchangeG, or reading: %s", name, why, debate.ReadingPaper)
		}
		e := actions[at].Exchange
		if reading == debate.ReadingPaper {
			e.Order.Name = strings.TrimSuffix(e.Order.Name, listing.Mispaired)
		}
		if e.Order, err = ParseOrder(e.Order.Name, reading); err != nil {
			return nil, err
		}
		program = append(program, e)
	}
	return program, nil
}

// actionNames returns the names of all actions, for errors.
func actionNames() (names []string) {
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	return names
}

// before returns the exchange that leads to a round.
func (s Society) before(round int) Exchange {
	if len(s.Program) == 0 || round == 0 {
		return s.Exchange
	}
	return s.Program[min(round, len(s.Program))-1]
}

// followsReleased reports whether an exchange follows MADC's released code, errors included.
func (e Exchange) followsReleased() bool { return e.Order.Reading != debate.ReadingPaper }

// hearing is what an agent is shown of the others before it speaks.
type hearing struct {
	heard []int    // the agents heard, in the order in which they are listed
	texts []string // what is shown of their replies
	alone bool     // there is nobody whom the agent could hear
}

// prepare enters the messages of turns, whose agents speak at once. latest has the newest turn of every agent.
func (s Society) prepare(ctx context.Context, ask debate.Asker, turns, latest []debate.Turn, round int,
	c debate.Case) error {
	hearings := make([]hearing, len(turns))
	for i := range turns {
		if !turns[i].Silent() && (round > 0 || s.InTurn) {
			hearings[i] = s.hear(latest, turns[i].Agent, round, c)
		}
	}
	switch {
	case s.presiding != nil && s.presiding.Kind == debate.KindSummary:
		for i := range hearings {
			if len(hearings[i].texts) > 0 {
				hearings[i].replaceBy(*s.presiding)
			}
		}
	case s.before(round).Visibility.Name == ShowSummary:
		if err := s.sumUp(ctx, ask, turns, hearings, c); err != nil {
			return err
		}
	}
	for i := range turns {
		if !turns[i].Silent() {
			turns[i].Heard = hearings[i].heard
			turns[i].Messages = s.message(latest, turns[i], hearings[i], c)
			_, turns[i].Options = s.seenBy(turns[i].Agent, c)
		}
	}
	return nil
}

// replaceBy has a summary stand for the texts. Where it says nothing, the agent hears nobody.
func (h *hearing) replaceBy(summary debate.Turn) {
	if h.texts = []string{summary.Told()}; !summary.Tells() {
		*h = hearing{alone: true}
	}
}

// hear returns whom an agent hears before a round, and what it is shown of their texts. An agent that has not spoken
// yet is not heard.
func (s Society) hear(latest []debate.Turn, receiver, round int, c debate.Case) (h hearing) {
	e := s.before(round)
	if s.Prompts.Wording(e.Wording).Solution == "" {
		return hearing{} // a self-check
	}
	if s.common() || e.Visibility.Name == ShowSummary && s.Summarizer == summarizerAgent {
		receiver = listing.Everybody
	}
	f := listing.Standing{Round: round, Right: c.IsRight}
	for _, t := range latest {
		f.Answers, f.Silent, f.Beliefs = append(f.Answers, t.Answer), append(f.Silent, !spoke(t) || !s.tells(t, round)),
			append(f.Beliefs, t.Beliefs)
	}
	if e.Visibility.Name == ShowSupported && e.followsReleased() {
		f.Answers = labelAnswers(f.Answers)
	}
	hears := e.Topology.hears(receiver, len(latest), s.Seeds.Peers(c.ID, round))
	h.heard = e.Topology.list(receiver, len(latest), e.Order.Others(receiver, f, hears, s.Seeds.Orders(c.ID, round)))
	h.heard = s.retained(e.Visibility.keeps(h.heard, f.Answers))
	h.texts = s.labelTexts(s.showHeard(round, h.heard, latest, c), h.heard, receiver, round, c)
	h.alone = !slices.ContainsFunc(latest, func(t debate.Turn) bool {
		return t.Agent != receiver && hears[t.Agent] && !f.Silent[t.Agent]
	})
	return h
}

// spoke reports whether an agent has said something: it was asked, or it is the confederate.
func spoke(t debate.Turn) bool {
	return !t.Silent() && (t.Messages != nil || t.Kind == debate.KindConfederate)
}

// tells reports whether others have anything to see of an agent before a round: its text, or what is shown instead.
func (s Society) tells(t debate.Turn, round int) bool {
	switch s.before(round).Visibility.Name {
	case ShowAnswers, ShowVacuous, ShowShuffled, ShowNoise:
		return true
	}
	return t.Tells()
}

// message returns what an agent is sent. In round 0 that is the question. Later it is the agent's history with its own
// last reply and what it hears, or, in a common layout, what everybody is sent.
func (s Society) message(latest []debate.Turn, t debate.Turn, h hearing, c debate.Case) []inference.Message {
	own := latest[t.Agent]
	switch {
	case t.Round > 0 && s.common() && len(h.texts) == 0:
		return debate.Conversation(s.Prompts.System, s.Prompts.First(c.Question))
	case t.Round > 0 && s.Layout == LayoutAnonymous:
		return debate.Conversation(s.Prompts.System, s.Prompts.HearAnonymous(c.Question, h.texts))
	case t.Round > 0 && s.Layout == LayoutMarked:
		return debate.Conversation(s.Prompts.System, s.Prompts.HearAnonymous(c.Question, h.texts)+
			s.Prompts.MarkOwn(slices.Index(t.Heard, t.Agent)))
	case t.Round > 0 && s.Layout == LayoutShared:
		return debate.Conversation(s.Prompts.System, s.Prompts.HearAll(c.Question, h.texts,
			slices.Index(t.Heard, t.Agent)))
	case t.Round > 0:
		history, method := s.recast(s.Remember(debate.WithReply(own.Messages, own), t.Agent), t)
		return debate.WithMessage(history, s.Prompts.Hear(s.heardOf(t.Round, h, c))+
			s.outvoted(latest, t.Round)+method+s.argue(t.Agent)+s.asides())
	}
	member := s.Member(t.Agent)
	c, _ = s.seenBy(t.Agent, c)
	question := s.Prompts.FirstAs(s.Opening, c.Question)
	if member.Method != "" {
		question += "\n\n" + s.Prompts.Reason(member.Method)
	}
	if len(h.texts) > 0 { // the first round, if agents speak in turn
		said := prompts.Heard{Wording: s.Wording, Solutions: h.texts, Question: c.Question, Round: 1}
		question += "\n\n" + s.Prompts.Hear(said)
	}
	return debate.Conversation(cmp.Or(member.Persona, s.Prompts.System), question+s.argue(t.Agent)+s.confide())
}

// seenBy returns the case as an agent sees it, and the order in which that lists its options, or nil if it is theirs.
func (s Society) seenBy(agent int, c debate.Case) (seen debate.Case, order []int) {
	if s.Options == optionsShuffled {
		order, c.Question, c.Extract = c.Relist(s.Seeds.Options(c.ID, agent))
	}
	return c, order
}

// FirstMessages returns what an agent is sent in round 0 if all speak at once.
func (s Society) FirstMessages(agent int, c debate.Case) []inference.Message {
	turns := debate.NextRound(nil, s.Agents)
	return s.message(turns, turns[agent], hearing{}, c)
}

// heardOf describes the message with what an agent hears before a later round. MADC's code sends the frame of the
// message even if no text is left in it, and its percentages fall below 0.
func (s Society) heardOf(round int, h hearing, c debate.Case) prompts.Heard {
	e := s.before(round)
	return prompts.Heard{
		Wording: e.Wording, Solutions: h.texts, Question: c.Question, Round: round, Last: round == s.Rounds-1,
		Nobody: h.alone || !e.followsReleased() && len(h.texts) == 0, Negative: e.followsReleased(),
	}
}

// asides returns the requests that follow the exchange in later messages.
func (s Society) asides() string {
	if s.Intensity == nil {
		return s.confide()
	}
	return "\n\n" + s.Prompts.Agree(*s.Intensity) + s.confide()
}

// confide returns the request for a confidence, if there is to be one.
func (s Society) confide() string {
	if s.Confidence == ConfidenceAsked {
		return "\n\n" + s.Prompts.Confide()
	}
	return ""
}

// Who speaks when in a society.
const (
	speakTogether = "together"
	speakOneByOne = "one-by-one"
)

// probe asks every agent of a round again with the same texts in other orders: each time the first moves to the end. An
// agent whose answer then changes was swayed by the places of the texts. Nobody hears the probes, and no decision
// counts them.
func (s Society) probe(ctx context.Context, ask debate.Asker, turns, last []debate.Turn, c debate.Case) error {
	var probes []debate.Turn
	for _, t := range turns {
		for k := 1; k <= min(s.Probes, len(t.Heard)-1); k++ {
			p := debate.Turn{Agent: t.Agent, Round: t.Round, Heard: slices.Concat(t.Heard[k:], t.Heard[:k])}
			p.Messages = s.message(last, p, hearing{heard: p.Heard,
				texts: s.labelTexts(s.showHeard(t.Round, p.Heard, last, c), p.Heard, p.Agent, p.Round, c)}, c)
			probes = append(probes, p)
		}
	}
	if probes == nil {
		return nil
	}
	if err := ask.Try(ctx, probes); err != nil {
		return err
	}
	for _, p := range probes {
		turns[p.Agent].Probes = append(turns[p.Agent].Probes, p)
	}
	return nil
}
