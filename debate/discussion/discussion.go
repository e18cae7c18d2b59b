// Package discussion is source 4's protocol: agents with personas speak in turns about one draft, until a consensus
// ends it or a vote after a turn does.
package discussion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
)

// Discussion is source 4's protocol (Kaesberg et al., Voting or Consensus?, and its program): agents with personas
// speak in turns about one draft, each by two calls, a message and the solution in it. A consensus ends it, or a vote
// after a turn.
//
// Where the readings differ, ReadingCode is the released program 1.0 and ReadingPaper what the paper's numbers need. In
// the code a record that agrees carries a copy of the solution, so that three agents or more reach no consensus; all
// messages are seen; agreement is the word anywhere in a reply; 10 points are shared out; an open vote ends without an
// answer; there are 10 turns. In the paper an agreement carries no solution; messages of this turn and the two before
// are seen; agreement is the marker [AGREE]; 25 points are shared out; after an open vote the first agent's answer
// stands; there are 5 turns.
type Discussion struct {
	debate.Asking        // agents of its Team that have a Persona or Name keep it
	Agents        int    // panelists; 0 means 3
	Neutral       bool   // one more agent speaks first and only drafts
	Turns         int    // at most; 0 means 10, in the paper's reading 5
	Full          bool   // all turns are held; see holdsBack
	Paradigm      string // one of Paradigms; empty is ParadigmMemory
	Rounds        int    // of a turn of ParadigmDebate; 0 means 1
	Generator     string // a style of the prompts; empty is "simple". ParadigmCollective has its own
	// when all agents draft without seeing anything: DraftNone, the default, DraftFirst or DraftEvery
	Drafting string
	Direct   bool   // nobody is asked to think step by step
	Decide   string // one of DiscussionDecisions; empty is "hybrid"
	VoteFrom int    // the first turn that is voted after; 0 means 3, and 1 for ConsensusVoting, which is always 1
	Shown    string // what voters see besides the solutions: ShownAnonymous, the default, and so on
	Ballots  string // how ballots are asked for: BallotsFree, the default, BallotsGrammar or BallotsSoft
	// kinds of personas with commas, from the first agent on and then again: PersonaNone, the default, and so on
	Personas  string
	Challenge string // after the decision: ChallengeNone, the default, and so on
	// so many improvements by a single agent instead of a discussion, such as there were messages; 0 is a discussion
	Ablate  int
	Reading string // ReadingCode or ReadingPaper
	Prompts prompts.Discussion
}

// When all agents draft: draft and discussion are then hidden from them.
const (
	DraftNone  = "none"
	DraftFirst = "first" // in the first turn
	DraftEvery = "every" // in every turn
)

// Run holds one discussion. In the transcript a round has all calls of a turn, those of the personas and of the
// challenge are rounds of their own, and ballots stand in Voting. The first agent that fails ends the discussion with
// its error; a voter that fails has no vote.
func (d Discussion) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	d = d.complete()
	t := debate.Transcript{Protocol: "discussion", Case: c.ID, Reading: d.Reading}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	x := d.open(speaker, c, &t)
	if d.Ablate > 0 {
		return t, x.ablate(ctx)
	}
	if err := x.cast(ctx); err != nil {
		return t, err
	}
	for decided := false; x.turn < d.Turns && (!decided || d.Full); {
		x.turn++
		var err error
		if decided, err = x.hold(ctx); err != nil {
			return t, err
		}
	}
	if d.Challenge != ChallengeNone {
		return t, x.challenge(ctx)
	}
	return t, nil
}

// discussing is a discussion under way.
type discussing struct {
	Discussion
	*debate.Stage
	c        debate.Case
	paradigm Paradigm
	turn     int // 1 is the first
}

func (d Discussion) open(speaker debate.Speaker, c debate.Case, t *debate.Transcript) *discussing {
	d.Team = d.seats() // which the asker shares
	for _, seat := range d.Team {
		t.Roles = append(t.Roles, seat.Name)
	}
	paradigm, _ := paradigmNamed(d.Paradigm) // checked
	return &discussing{Discussion: d, paradigm: paradigm, c: c,
		Stage: &debate.Stage{Asker: d.Asking.For(speaker, c.ID, c.Extract), Transcript: t}}
}

// hold holds one turn, and decides as soon as the rule allows.
func (x *discussing) hold(ctx context.Context) (decided bool, err error) {
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

// speak has a group of agents say something, and takes the solutions out of it.
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
		records[i] = debate.Record{Agent: p.agent, Turn: x.turn, To: p.to, Message: text,
			Agreement: x.agreement(p, text, stances[i])}
	}
	return x.solve(ctx, records)
}

// agreement is whether a message agrees. A draft does neither; what comes first has nothing to agree to.
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

// solve gives records their solutions by a call each, and enters them. Those that agree carry the solution of the
// record before them in the code's reading, whatever the call says, and none in the paper's, without a call.
func (x *discussing) solve(ctx context.Context, records []debate.Record) error {
	var turns []debate.Turn
	var asked []int
	for i, r := range records {
		if !r.Agrees() || x.Reading != debate.ReadingPaper {
			turns = append(turns, debate.Turn{Agent: r.Agent,
				Messages: debate.Conversation(x.Prompts.Extract.With("{message}",
					r.Message))})
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

// passOn lets those whom a message of a debate reaches see all that the debaters said before it in the same turn, and
// everybody with the next draft: in the released program the list that is handed on is emptied after a draft, and not
// after a message.
func (x *discussing) passOn(r debate.Record) {
	if x.Paradigm != ParadigmDebate || x.Reading != debate.ReadingCode {
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

// union adds to a list what is not in it.
func union(list, more []int) []int {
	list = slices.Clone(list)
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// decide takes the decision if that can be done after this message: a consensus at any time, everything else after a
// turn.
func (x *discussing) decide(ctx context.Context, turnOver bool) (decided bool, err error) {
	lastChance := turnOver && x.turn == x.Turns
	if x.holdsBack() && !lastChance || x.paradigm.late && !turnOver {
		return false, nil
	}
	if rule, ok := consensusNamed(x.Decide); ok {
		return x.agreed(rule, lastChance), nil
	}
	if !turnOver || x.turn < x.VoteFrom {
		return false, nil
	}
	return x.vote(ctx)
}

// holdsBack reports whether nothing is decided before the last turn is over. Where all turns are held, the released
// program decides in each as it always does, cuts the turn short if it can, and forgets the decision in the next.
func (x *discussing) holdsBack() bool { return x.Full && x.Reading == debate.ReadingPaper }

// ask has agents reply at once to one kind of request. Only what holds an answer is read as one.
func (x *discussing) ask(ctx context.Context, kind string, turns []debate.Turn) ([]debate.Turn, error) {
	for i := range turns {
		turns[i].Kind = kind
	}
	x.Extract = x.c.Extract
	if kind == debate.KindStance || kind == debate.KindConfidence || kind == debate.KindPersona {
		x.Extract = nothing
	}
	return x.SayAll(ctx, turns)
}

// nothing reads no answer: there is none to be expected.
func nothing(string) answer.Answer { return answer.Unparsed }

// agents is how many speak: the panelists, and a neutral agent before them if there is one.
func (x *discussing) agents() int { return len(x.Team) }

// panelists are the agents that vote.
func (x *discussing) panelists() (all []int) {
	for i := x.agents() - x.Agents; i < x.agents(); i++ {
		all = append(all, i)
	}
	return all
}

// drafts reports whether a part is a draft.
func (x *discussing) drafts(p part) bool { return p.drafts || x.Neutral && p.agent == 0 }
