// Package society is the debate of Du et al. as MADC uses it: all agents answer alone, then hear each other's
// replies and answer again, round by round. Society.Run is the loop. Most files are about the exchange between two
// rounds (exchange.go): who hears whom (topology.go), in which order (package listing), and how much of the texts
// (visibility.go).
//
// Other packages build on two properties. Round 0 depends on nobody's replies, so that conditions with the same agents,
// prompts and seeds share it. And an agent's history only grows at its end, unless agents exchange roles, so that an
// engine computes its beginning once.
package society

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// Society is the debate of Du et al. as MADC uses it. In round 0 all agents answer the same message on their own.
// Before each later round every agent is shown the others' latest replies, listed in an order, and replies again. Each
// agent keeps its own history. The decision is the majority of the last round, another rule over what was said, or an
// election among the last solutions.
type Society struct {
	debate.Asking
	Agents     int
	Rounds     int        // including the first; 1 is a vote without debate
	Opening    string     // how the question is put: one of the prompts' openings, or "" for the question of the set
	Options    string     // in which order agents see the question's options: optionsListed, the default, or another
	Exchange              // before every later round
	Program    []Exchange // replaces Exchange: one before each later round; the last one applies to further rounds too
	Until      string     // UntilRounds, the default, UntilAgreement, or another below
	Sure       float64    // with untilSure, the confidence from which the first answer stands
	Decide     string     // vote.MajorityDecision, the default, another of vote.Rules or vote.Elections, or a writer
	Ballots    string     // how an election asks for ballots: vote.BallotsFree, the default, or vote.BallotsGrammar
	Candidates string     // of an election: debate.CandidatesTexts, the default, or debate.CandidatesAnswers
	Verdict    string     // whether agents change their answers: verdictInferred, the default, or VerdictStated
	Ties       string     // of a rule: debate.TiesFirst, the default, debate.TiesRandom or debate.TiesOpen
	Layout     string     // of the messages of later rounds: layoutHistory, the default, or another
	Confidence string     // how confident agents are: ConfidenceAsked, ConfidenceTokens, or "" if nobody asks
	Window     int        // with one of vote.GroupConfidences, the number of tokens of a group
	Intensity  *int       // how far agents are told to agree with others, from 0 to 10 (DebateLLM); nil: not at all
	Probes     int        // how many other orders of the same texts each agent answers too; measures position bias
	Roles      string     // whether agents keep their roles: rolesFixed, the default, or rolesRotating
	Removal    string     // who leaves before each later round: RemovalNone, the default, or another
	Summarizer string     // who sums up, where ShowSummary shows summaries: summarizerReceiver, the default, or another
	Prompts    prompts.Set
	// Confederate is what the last agent argues for by a script: confederatePopular, confederateNext, or "" if it is an
	// agent like the others.
	Confederate string
	Assigned    string // which side each agent has to argue for: assignedOpposite, assignedDrawn, or "" if it is free
	Judge       string // what is judged after the decision: judgeNone, the default, or JudgeFacts

	given    []string      // of this debate: the side that each agent argues for, nil if sides are free
	borrowed []debate.Turn // for ShowShuffled and ShowNoise: each agent's answer to the donor's question
	// presiding is the call with which the round in progress began, of a summarizerAgent or a selector; nil if there is
	// none.
	presiding *debate.Turn
}

// Order is the order in which the others are listed.
type Order = listing.Order

// ParseOrder returns an order by its name and reading; empty names mean fixed and code.
func ParseOrder(name, reading string) (Order, error) { return listing.Parse(name, reading) }

// When a society ends.
const (
	UntilRounds    = debate.UntilRounds
	UntilAgreement = "agreement" // after a round in which all who spoke gave the same answer, or after all rounds
	// untilCertain asks agents in the last round only as long as their votes could still change the majority. Nobody
	// hears the last round, so the decision is the same.
	untilCertain = "certain"
	// untilSettled does so, and ends as well once a test tells which answer most further votes would be, see
	// vote.Missing.
	untilSettled = "settled"
	// untilSure has the first agent answer alone. If it is sure, that is the answer, and nobody else is asked; if not,
	// the others answer as well, and all goes on as with UntilAgreement.
	untilSure = "sure"
)

// Layouts of the messages of later rounds.
const (
	// layoutHistory is that of the sources: each agent's own history, then the others' solutions.
	layoutHistory = "history"
	// LayoutShared sends all agents the question and all solutions, including the receiver's own, in one order, and
	// says last which is its own. Earlier rounds are not shown. An engine computes the common part once, so that a
	// round of N agents costs N solutions instead of N times N. It is another prompt, and therefore another experiment.
	LayoutShared = "shared"
	// LayoutAnonymous sends all agents the question and all solutions likewise, but nobody is told which is its own, so
	// that no agent can prefer itself or the others (Choi, Zhu and Li, arXiv 2510.07517).
	LayoutAnonymous = "anonymous"
	// LayoutMarked is LayoutAnonymous with a last sentence that tells an agent which solution is its own: what differs
	// between the two is due to that alone.
	LayoutMarked = "marked"
)

// In which order agents see the options of a question.
const (
	optionsListed = "listed"
	// optionsShuffled lists them for each agent in an order of its own, so that a vote does not favour the option of a
	// place or a letter (Medprompt).
	optionsShuffled = "shuffled"
)

// common reports whether everybody is sent the same solutions in later rounds.
func (s Society) common() bool {
	return s.Layout == LayoutShared || s.Layout == LayoutAnonymous || s.Layout == LayoutMarked
}

// Run holds one debate. An agent whose request fails, for instance because its history has outgrown the context, falls
// silent: it has no text and no answer, is not asked again, and the others no longer hear it. If nobody is left, the
// error is ErrSilence.
func (s Society) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t := debate.Transcript{Protocol: "society", Case: c.ID, Order: s.Order.Name, Reading: s.Order.Reading,
		Roles: s.names()}
	t.Layout, t.Topology, t.Visibility = unusual(s.Layout, layoutHistory), unusual(s.Topology.String(), topologyFull),
		unusual(s.Visibility.String(), ShowWhole)
	if err := s.Check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if s.Borrows() {
		var err error
		if s.borrowed, err = s.borrow(ctx, speaker, *c.Donor); err != nil {
			return t, fmt.Errorf("case %q, whose reasoning %q hears: %w", c.Donor.ID, c.ID, err)
		}
		t.Notes = append(t.Notes, "the reasoning heard is that on question "+c.Donor.ID)
	}
	if s.Confederate != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("%s is a confederate with a script, and has no vote", t.Role(s.Agents-1)))
	}
	if s.given = s.sides(c); s.given != nil {
		t.Assigned, t.Notes = s.given, append(t.Notes, "as assigned, "+s.sidesOf(s.given))
	}
	if echo := s.Echo(); echo != "" {
		t.Notes = append(t.Notes, echo)
	}
	ask := s.Asking.For(speaker, c)
	for round := range s.Rounds {
		turns, err := s.round(ctx, ask, t.Last(), round, c)
		if err != nil {
			return t.BrokenOff(turns), err
		}
		t.Rounds = append(t.Rounds, turns)
		s.Report(turns)
		if (s.Until == UntilAgreement || s.Until == untilSure) && agree(turns) {
			break
		}
	}
	if said := contradictions(t.Rounds); s.Verdict == VerdictStated && said != "" {
		t.Notes = append(t.Notes, said)
	}
	if err := s.conclude(ctx, ask, &t, c); err != nil {
		return t, err
	}
	if s.Judge == JudgeFacts {
		return t, s.judgeFacts(ctx, ask, &t, c)
	}
	return t, nil
}

// RoleNames implements debate.Named.
func (s Society) RoleNames() []string { return s.names() }

// Echo implements debate.Echoing. Agents that speak in turn hear different things, shuffled options look different, and
// sides that are assigned differ.
func (s Society) Echo() string {
	if s.InTurn || s.Options == optionsShuffled || s.Assigned != "" {
		return ""
	}
	return s.Asking.Echo(s.askedAgents())
}

// ShowingAnswers implements debate.Terse.
func (s Society) ShowingAnswers() debate.Debate {
	if s.Visibility.String() != ShowWhole {
		return nil
	}
	s.Visibility = Visibility{Name: ShowAnswers}
	return s
}

// Copies implements debate.Copying: of agents that only give their first answers.
func (s Society) Copies() bool {
	return s.Rounds == 1 && !s.InTurn && s.Options != optionsShuffled && s.Assigned == "" &&
		s.Asking.Copies(s.askedAgents())
}

// Borrows implements debate.Borrowing.
func (s Society) Borrows() bool { return s.Rounds > 1 && s.Visibility.borrows() }

// round asks the agents: all at once, one by one, or as many as it takes to be certain. If it fails, the turns have
// what was said until then.
func (s Society) round(ctx context.Context, ask debate.Asker, last []debate.Turn, round int,
	c debate.Case) ([]debate.Turn, error) {
	turns, last, presiding, err := s.prepareRound(ctx, ask, last, round, c)
	if err != nil {
		return turns, err
	}
	s.presiding = presiding
	asked := turns[:s.askedAgents()]
	for from := 0; from < len(asked); {
		to, latest := len(asked), last // turns[from:to] speak next, and hear latest
		if first := s.Until == untilSure && round == 0; first && from == 0 {
			to = 1
		} else if first && s.sure(turns[0]) {
			spare(turns[from:], errSure)
			break
		}
		switch {
		case s.before(round).InTurn:
			to, latest = from+1, slices.Concat(turns[:from], last[from:])
		case s.stopsVoting() && round == s.Rounds-1:
			more, why := s.missing(turns[:from], len(turns))
			if to = from + more; more == 0 {
				spare(turns[from:], why)
			}
		}
		if from == to {
			break
		}
		if s.Options == optionsShuffled {
			ask.ExtractFor = func(agent int) answer.Extractor {
				seen, _ := s.seenBy(agent, c)
				return seen.Extract
			}
		}
		if err := s.prepare(ctx, ask, turns[from:to], latest, round, c); err != nil {
			return turns, err
		}
		if err := ask.Try(ctx, turns[from:to]); err != nil {
			return turns, err
		}
		from = to
	}
	if err := s.readBeside(asked, round); err != nil {
		return turns, err
	}
	if err := debate.Spoken(asked); err != nil {
		return turns, err
	}
	if s.Confederate != "" {
		if err := s.confess(turns, last, c); err != nil {
			return turns, err
		}
	}
	if round+1 < s.Rounds && s.before(round+1).Order.Probable() {
		if err := s.believe(ctx, ask, turns); err != nil {
			return turns, err
		}
	}
	return turns, s.probe(ctx, ask, turns, last, c)
}

// prepareRound returns the turns of a round before anybody speaks, with the calls that precede it, what was said last,
// and the call of the agent that sums that up or selects from it, if there is one.
func (s Society) prepareRound(ctx context.Context, ask debate.Asker, before []debate.Turn, round int,
	c debate.Case) (turns, last []debate.Turn, presiding *debate.Turn, err error) {
	turns, last = debate.NextRound(before, s.Agents), before
	switch {
	case before == nil:
		last = turns // nobody has spoken yet
		for i := range s.borrowed {
			turns[i].Before = []debate.Turn{s.borrowed[i]}
		}
	case s.Removal != "" && s.Removal != RemovalNone:
		last = s.dismiss(turns, before, round)
	}
	if presiding, err = s.summarize(ctx, ask, last, round, c); presiding == nil && err == nil {
		presiding, err = s.retain(ctx, ask, last, round, c)
	}
	first := slices.IndexFunc(turns, func(t debate.Turn) bool { return !t.Silent() })
	if presiding != nil && first >= 0 {
		turns[first].Before = append(turns[first].Before, *presiding)
	}
	return turns, last, presiding, err
}

// unusual returns what records say of a setting. They say nothing if it has its default, so that old records keep
// their bytes.
func unusual(setting, usual string) string {
	if setting == usual {
		return ""
	}
	return setting
}
