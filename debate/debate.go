// Package debate holds debates among agents, which are asked by messages, and takes their decisions.
//
// To hold one, most programs need no more than protocol.Hold, which composes a debate by name. This package is what
// debates and forms are written in. It knows messages and decisions, and never files, models or tokens.
//
// A Case is the question, with the rule that reads answers from replies. A Speaker replies to requests;
// inference.Participant is one, with a model behind it. A Debate is held on a case with a speaker and returns a
// Transcript: turns by round and agent, and the Decision. The example holds one with a speaker of three lines.
//
// A form is the loop of a paper as plain blocking code, run by one goroutine for each debate. Each is a package below
// this one. Its settings are the fields of a struct, whose tags say what files call them, what they mean and in which
// range they are; Form describes the rest: how many agents there are, what the first round asks, which controls fit.
// Register makes forms known, and from then on Settings of them can be read, written and composed. Register also takes
// forms of your own. Within a form, Asking has how agents are asked, Asker asks them, and Stage keeps the transcript.
//
// Results rest on these rules, which hold for all forms:
//   - A request's seed is a hash of run, case, agent, round and sample (Seeds) and of nothing else. So debates that ask
//     the same get the same reply.
//   - An agent whose request fails is silent from then on: it is not asked again, and nobody hears it again. A debate
//     in which nobody is left ends with ErrSilence.
//   - A transcript is enough to score a debate and to decide it again without a model. The names in its JSON never
//     change, because records of earlier versions must stay readable.
//
// Forms import debate and vote, protocol imports the forms, and nothing imports the other way.
package debate

import (
	"context"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Speaker answers messages; inference.Participant is one. It gives one reply to each request, in the order of the
// requests. A reply to a request that cannot be served holds its error; an error of Generate itself ends the debate.
type Speaker interface {
	Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error)
}

// Case is the question that a debate is about, with what is known about it.
type Case struct {
	ID       string           // names the question in seeds and records
	Question string           // as it stands in the data set
	Extract  answer.Extractor // reads answers from replies
	Ending   Ending           // of replies that state their answer, for closing turns
	Choices  Choices          // to be scored without a reply; empty if the question has no options
	Truth    answer.Answer    // the right answer; only those look at it who order, pick or avoid right answers
	// Right tells right answers where several are, Truth among them; nil: those that equal Truth are. See IsRight.
	Right func(answer.Answer) bool
	Facts string      // about the question; shown to voters of a discussion, and by its challenge "facts"
	Wrong string      // an answer known to be wrong; shown by a discussion's challenge "wrong"
	Prior *Transcript // an earlier debate on the question, for forms that build on one; nil if there is none
	// Donor is another question, whose reasoning replaces that on this one where arguments are shuffled or noise; nil
	// if there is none.
	Donor *Case
}

// IsRight reports whether an answer to the question is right.
func (c Case) IsRight(a answer.Answer) bool {
	if c.Right != nil {
		return c.Right(a)
	}
	return a.Equal(c.Truth)
}

// Debate is a form with all its settings, ready to be held on any case. Run may be called from several goroutines at
// once.
type Debate interface {
	Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error)
}

// Named is a Debate that knows beforehand what its transcripts will call the agents (Transcript.Roles).
type Named interface{ RoleNames() []string }

// Echoing is a Debate that can tell beforehand that several of its agents will reply the same: see Asking.Echo.
type Echoing interface{ Echo() string }

// Copying is a Debate that can tell beforehand that all of its replies will be one text, so that it decides nothing
// that its first reply does not.
type Copying interface{ Copies() bool }

// CopiesOf reports whether a debate is Copying and all of its replies will be one text.
func CopiesOf(d Debate) bool {
	c, ok := d.(Copying)
	return ok && c.Copies()
}

// Borrowing is a Debate that can tell beforehand that its agents hear about another question, Case.Donor.
type Borrowing interface{ Borrows() bool }

// BorrowsOf reports whether a debate is Borrowing and cannot be held without another question.
func BorrowsOf(d Debate) bool {
	b, ok := d.(Borrowing)
	return ok && b.Borrows()
}

// EchoOf returns the warning of a debate that is Echoing, and "" for any other.
func EchoOf(d Debate) string {
	if e, ok := d.(Echoing); ok {
		return e.Echo()
	}
	return ""
}

// Choices are the options of a question, for those who are to continue a text with one of them instead of replying.
type Choices struct {
	Prompt  string   // all of what is sent, without a chat template; a blank follows, and then a text
	Texts   []string // of the options
	Answers []string // what each stands for, as the answer rule gives answers
}

// Messages are what is sent.
func (c Choices) Messages() []inference.Message {
	return []inference.Message{{Role: inference.RoleText, Content: c.Prompt}}
}
