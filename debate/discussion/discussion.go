// Package discussion is MALLM's protocol: agents with personas speak in turn about one draft, until they reach a
// consensus or a vote after a turn decides. discussion.Run is the loop. paradigm.go says who speaks when and who sees
// what, generator.go what agents are sent, persona.go who they are, consensus.go, voting.go and candidates.go how it is
// decided, challenge.go and ablation.go what can follow a decision or replace the discussion.
package discussion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// discussion is MALLM's protocol (Kaesberg et al., Voting or Consensus?, and its program). Agents with personas
// speak in turn about one draft. Each message takes two calls, one for the message and one that extracts the solution
// in it. A consensus ends the discussion, or a vote after a turn does.
//
// ReadingCode is the released program 1.0, ReadingPaper what the paper's numbers require. They differ in these points:
//   - In the code a record that agrees carries a copy of the solution, so that three or more agents never reach a
//     consensus; in the paper it carries none.
//   - In the code agents see all messages; in the paper, those of this turn and of the two before it.
//   - In the code a reply agrees if it contains the word anywhere; in the paper, if it has the marker [AGREE].
//   - In the code voters distribute 10 points; in the paper, 25.
//   - In the code an open vote after the last turn leaves no answer; in the paper the first agent's answer stands.
//   - In the code there are 10 turns; in the paper, 5.
type discussion struct {
	debate.Asking        // members of its Team keep a Persona or Name that they have; after Agents comes the challenger
	Agents        int    // panelists; 0 means 3
	Neutral       bool   // one more agent speaks first and only drafts
	Turns         int    // at most; 0 means 10, in the paper's reading 5
	Full          bool   // all turns are held: see holdsBack and goesOn
	Paradigm      string // one of paradigms; "" is paradigmMemory
	Rounds        int    // within a turn of paradigmDebate; 0 means 1
	Generator     string // a style of the prompts; "" is "simple". paradigmCollective has a style of its own
	Drafting      string // when all agents draft: draftNone, the default, draftFirst or draftEvery
	Direct        bool   // agents are not asked to think step by step
	Decide        string // one of discussionDecisions; "" is "hybrid"
	VoteFrom      int    // the first turn after which agents vote; 0 means 3. consensusVoting always begins with turn 1
	Shown         string // what voters see besides the solutions: shownAnonymous, the default, or another of shownNames
	Ballots       string // vote.BallotsFree, the default, vote.BallotsGrammar or vote.BallotsSoft
	Personas      string // kinds of personas, separated by commas, which agents get in turn; "" is PersonaNone
	Challenge     string // what follows the decision: challengeNone, the default, or another of challengeNames
	Ablate        int    // replaces the discussion by so many improvements by one agent; 0 is a discussion
	Reading       string // debate.ReadingCode, the default, or debate.ReadingPaper
	// Order is that in which paradigmCollective lists the others' answers, one of listing.Counted.
	Order   listing.Order
	Prompts prompts.Discussion
}

// When all agents draft. The draft and the discussion are then hidden from them.
const (
	draftNone  = "none"
	draftFirst = "first" // in the first turn
	draftEvery = "every" // in every turn
)

// Run holds one discussion. In the transcript a round has all calls of a turn. The calls for personas and those of the
// challenge are rounds of their own, and ballots are in Voting. The first agent that fails ends the discussion with its
// error, but a voter that fails merely has no vote.
func (d discussion) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "discussion", Case: c.ID, Order: d.Order.Unusual(), Reading: d.Reading}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	if d.hasChallenger() && c.Wrong != "" {
		return t, fmt.Errorf("case %q: a wrong answer is given, and the team has a challenger who would be asked for "+
			"one: leave one of them out", c.ID)
	}
	x := d.start(speaker, c, &t)
	if d.Ablate > 0 {
		return t, x.ablate(ctx)
	}
	if err := x.cast(ctx); err != nil {
		return t, err
	}
	for decided := false; x.turn < d.Turns && (!decided || d.goesOn()); {
		x.turn++
		var err error
		if decided, err = x.runTurn(ctx); err != nil {
			return t, err
		}
	}
	if d.Challenge != challengeNone {
		return t, x.challenge(ctx)
	}
	return t, nil
}

// discussing is a discussion in progress.
type discussing struct {
	discussion
	*debate.Stage
	c        debate.Case
	paradigm paradigm
	turn     int // 1 is the first
	// how solutions were read, by their texts, if the rule tells how it reads: whether they were cut and what closing
	// turns added counts. Of equal texts it is the last one.
	said map[string]answer.Answer
}

// start returns the state at the beginning of a discussion. It enters the roles of the seats in the transcript.
func (d discussion) start(speaker debate.Speaker, c debate.Case, t *debate.Transcript) *discussing {
	d.Team = d.seats() // a list of its own, which the asker shares: cast enters personas into it
	for _, seat := range d.Team {
		t.Roles = append(t.Roles, seat.Name)
	}
	paradigm, _ := findParadigm(d.Paradigm) // check has looked it up
	return &discussing{discussion: d, paradigm: paradigm, c: c,
		said: make(map[string]answer.Answer), Stage: &debate.Stage{Asker: d.Asking.For(speaker, c), Transcript: t}}
}

// runTurn holds one turn, and decides as soon as the rule allows it.
func (x *discussing) runTurn(ctx context.Context) (decided bool, err error) {
	groups := x.paradigm.turn(x.agents(), x.Rounds)
	for k, group := range groups {
		if err := x.speak(ctx, group); err != nil {
			return false, err
		}
		if decided, err = x.decide(ctx, k == len(groups)-1); err != nil {
			return false, err
		}
		if decided {
			break
		}
	}
	x.End()
	return decided, nil
}

// speak has a group of agents send their messages, and extracts the solutions from these.
func (x *discussing) speak(ctx context.Context, group []part) error {
	turns := make([]debate.Turn, len(group))
	stances := make([]*bool, len(group))
	for i, p := range group {
		view := x.view(p)
		var err error
		if stances[i], err = x.stance(ctx, view); err != nil {
			return err
		}
		turns[i] = debate.Turn{Agent: p.agent, Messages: x.message(view, stances[i])}
	}
	turns, err := x.ask(ctx, debate.KindMessage, turns)
	if err != nil {
		return err
	}
	records := make([]debate.Record, len(group))
	for i, p := range group {
		text := turns[i].Reply.Text
		records[i] = debate.Record{Agent: p.agent, Turn: x.turn, To: p.to, Message: turns[i].Told(),
			Agreement: x.agreement(p, text, stances[i])}
	}
	return x.solve(ctx, records)
}

// agreement returns whether a message agrees, or nil for a draft. The first message has nothing to agree to.
func (x *discussing) agreement(p part, text string, stance *bool) *bool {
	agrees := agreement(text, x.Reading)
	switch {
	case x.drafts(p):
		return nil
	case len(x.Transcript.Records) == 0:
		agrees = false
	case stance != nil:
		agrees = *stance
	}
	return &agrees
}

// solve extracts the solution of each record by a call, and adds the records to the transcript. In the code's reading a
// record that agrees carries the solution of the record before it, whatever the call says. In the paper's reading it
// carries none, and there is no call, as there is none of a record without a text.
func (x *discussing) solve(ctx context.Context, records []debate.Record) error {
	var turns []debate.Turn
	var asked []int
	for i, r := range records {
		if debate.Visible(r.Message) && (!r.Agrees() || x.Reading != debate.ReadingPaper) {
			turns = append(turns, debate.Turn{Agent: r.Agent,
				Messages: debate.Conversation(x.Prompts.Extract.With("{message}", r.Message))})
			asked = append(asked, i)
		}
	}
	if len(turns) > 0 {
		turns, err := x.ask(ctx, debate.KindSolution, turns)
		if err != nil {
			return err
		}
		for k, i := range asked {
			records[i].Solution = strings.TrimSpace(turns[k].Reply.Text)
		}
	}
	for _, r := range records {
		if r.Agrees() && x.Reading != debate.ReadingPaper {
			r.Solution = x.Transcript.Records[len(x.Transcript.Records)-1].Solution
		}
		x.Transcript.Records = append(x.Transcript.Records, r)
		x.passOn(r)
	}
	return nil
}

// passOn reproduces how the released program passes messages on in paradigmDebate. It empties the list of messages that
// it hands on after a draft, but not after a message. So whoever a message reaches also sees all that the debaters said
// before it in the same turn, and everybody sees it with the next draft.
func (x *discussing) passOn(r debate.Record) {
	if x.Paradigm != paradigmDebate || x.Reading != debate.ReadingCode {
		return
	}
	for i := range x.Transcript.Records {
		switch earlier := &x.Transcript.Records[i]; {
		case r.To == nil:
			earlier.To = nil
		case earlier.Turn == r.Turn && earlier.To != nil:
			earlier.To = union(earlier.To, append([]int{r.Agent}, r.To...))
		}
	}
}

// union returns a list with the numbers of another that it lacks.
func union(list, more []int) []int {
	list = slices.Clone(list)
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// decide decides if that is possible after this message: a consensus can be reached after any message, everything else
// is decided after a turn.
func (x *discussing) decide(ctx context.Context, turnOver bool) (decided bool, err error) {
	lastChance := turnOver && x.turn == x.Turns
	if x.holdsBack() && !lastChance || x.paradigm.late && !turnOver {
		return false, nil
	}
	if rule, ok := findConsensus(x.Decide); ok {
		return x.reachesConsensus(rule, lastChance), nil
	}
	if !turnOver || x.turn < x.VoteFrom {
		return false, nil
	}
	return x.vote(ctx)
}

// holdsBack reports whether nothing is decided before the last turn is over. That is how the paper's reading holds all
// turns. The released program decides in each turn as usual, cuts the turn short if it can, and forgets the decision in
// the next.
func (x *discussing) holdsBack() bool { return x.Full && x.Reading == debate.ReadingPaper }

// goesOn reports whether another turn follows a decision. In paradigmDebate the released program ends with it, whether
// or not all turns are to be held.
func (d discussion) goesOn() bool { return d.Full && !d.endsDecided() }

// endsDecided reports whether a decision ends the discussion even if all turns are to be held.
func (d discussion) endsDecided() bool {
	return d.Paradigm == paradigmDebate && d.Reading == debate.ReadingCode
}

// ask has agents reply at once to one kind of request. Answers are read only from replies that can contain one.
func (x *discussing) ask(ctx context.Context, kind debate.Kind, turns []debate.Turn) ([]debate.Turn, error) {
	for i := range turns {
		turns[i].Kind = kind
	}
	x.Extract = x.c.Extract
	if kind == debate.KindStance || kind == debate.KindConfidence || kind == debate.KindPersona {
		x.Extract = readNothing
	}
	turns, err := x.SayAll(ctx, turns)
	for _, t := range turns {
		if kind != debate.KindMessage && t.Answer.How != "" {
			x.said[strings.TrimSpace(t.Reply.Text)] = t.Answer
		}
	}
	return turns, err
}

// read returns the answer that a solution has.
func (x *discussing) read(solution string) answer.Answer {
	if a, ok := x.said[strings.TrimSpace(solution)]; ok {
		return a
	}
	return x.c.Extract(solution)
}

// readNothing is the answer rule for requests whose replies contain no answer, such as stances and personas.
func readNothing(string) answer.Answer { return answer.Unparsed }

// agents returns how many agents speak: the panelists, and the neutral agent before them if there is one.
func (x *discussing) agents() int {
	if x.Neutral {
		return x.Agents + 1
	}
	return x.Agents
}

// panelists returns the agents that vote.
func (x *discussing) panelists() (all []int) {
	for i := x.agents() - x.Agents; i < x.agents(); i++ {
		all = append(all, i)
	}
	return all
}

// drafts reports whether the message of a part is a draft.
func (x *discussing) drafts(p part) bool { return p.drafts || x.Neutral && p.agent == 0 }
