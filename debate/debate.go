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
// this one. Its settings are the fields of a struct, and Describe says what they mean and in which range they
// are; Form describes the rest: how many agents there are, what the first round asks, which controls fit.
// Register makes forms known, and from then on Settings of them can be read, written and composed. Register also takes
// forms of your own. Within a form, Asking has how agents are asked, Asker asks them, and Stage keeps the transcript.
//
// A Debate of your own needs no registration to be measured: as a trial.Condition, bench.Record holds it on a task in a
// run directory, whole or in shards (examples/relay).
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
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/unknown"
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
	Relist   reader.Relist    // asks it with its options in another order; nil if that is not possible
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

// ErrUnlisted is the error of a debate that needs the options of a question (Case.Relist), where that is not
// possible.
var ErrUnlisted = errors.New("the question does not list its options as (A), (B) and so on, or its answer is no such " +
	"letter: options shuffled cannot list them in other orders, nor can sides be assigned")

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

// Chooser is a Debate that chooses among a case's options, so that it cannot be held on every question. CheckChoices
// says what is missing before anybody is asked.
type Chooser interface{ CheckChoices(c Choices) error }

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

// Terse is a Debate whose agents can be shown the others' answers alone, which takes the least of their prompts.
type Terse interface {
	// ShowingAnswers returns that debate, nil if it could not be held or would be no other one.
	ShowingAnswers() Debate
}

// ShowingAnswers returns a debate as it is if agents are shown answers alone, nil if it is not Terse.
func ShowingAnswers(d Debate) Debate {
	if t, ok := d.(Terse); ok {
		return t.ShowingAnswers()
	}
	return nil
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

// Asking is how agents are asked, whatever the form of the debate.
type Asking struct {
	Sampling     inference.Sampling // its Seed is set for each request from Seeds
	SamplingFrom string             // who chose the sampling, for records
	UsualBound   bool               // see inference.Request; a member that chooses its own bound has that
	MaxTokens    int                // of one reply; 0 means inference.DefaultMaxTokens
	// Stop are texts that end a reply: see inference.Request.Stop. Nil: those of the prompts; an empty list is none.
	Stop []string
	// Origin and PromptsFile are those of the prompts that are sent, for records: see Worded.
	Origin, PromptsFile string

	Tool     string // what replies may call, see inference.Request.Tool; a member may have its own
	EndLoops bool   // whether a reply that repeats itself ends: see inference.Request.EndLoops
	// Confidences has replies keep the confidence of each token: see inference.Request.Confidences
	Confidences bool
	Reasoning   string // who sees the reasoning in replies: HideReasoning, if it is empty, or another one
	// Closing asks for the answer alone where a reply states none (Turn.After). It needs an answer rule that tells how
	// it reads.
	Closing bool
	// Beliefs measures, before and behind each message of an agent, how probable each answer is to it: see Hold.
	Beliefs bool
	Seeds   Seeds
	Team    []Agent            // what sets agents apart; agents beyond its end have nothing of their own
	Observe func(round []Turn) // called after each round; may be nil
}

// Validate refuses sampling parameters and reply lengths that are out of range.
func (a Asking) Validate() error {
	return errors.Join(a.Sampling.Validate(), bounds.Check("max-tokens", a.MaxTokens,
		inference.MaxTokensRange.OrZero()), CheckReasoning(a.Reasoning), ending.CheckStops(a.Stop))
}

// How is the Asking itself: a form that has embedded one says by this method how it asks.
func (a Asking) How() Asking { return a }

// HowOf returns how a debate asks; ok is false for one that does not say.
func HowOf(d Debate) (a Asking, ok bool) {
	if asking, says := d.(interface{ How() Asking }); says {
		return asking.How(), true
	}
	return a, false
}

// Worded returns the asking with what a set of prompts says of itself: its origin, the SHA-256 of the file that it was
// read from ("" for a set in the program), and its stop texts, unless the asking has its own.
func (a Asking) Worded(origin, file string, stop []string) Asking {
	if a.Origin, a.PromptsFile = origin, file; a.Stop == nil {
		a.Stop = stop
	}
	return a
}

// Who sees the reasoning that a model's family marks in its replies (package chat). Answers are read from the rest of a
// reply in any case, and the agent itself is not sent its reasoning again.
const (
	HideReasoning  = "hide"  // nobody but the record
	ShowReasoning  = "show"  // the reader of the debate, no agent
	ShareReasoning = "share" // the reader, and the agents that hear the reply: it stands before the answer
)

// ReasoningModes are all of them.
var ReasoningModes = []string{HideReasoning, ShowReasoning, ShareReasoning}

// CheckReasoning refuses a name that none of them has; none is HideReasoning.
func CheckReasoning(name string) error {
	if name == "" || slices.Contains(ReasoningModes, name) {
		return nil
	}
	return fmt.Errorf("reasoning: %w", unknown.Name("mode", name, ReasoningModes))
}

// Agent is what sets one member of a team apart from the others. Its zero value is an agent like any other.
type Agent struct {
	Name     string              // as the others and records see it; empty: its number
	Persona  string              // replaces the system message of the prompts
	Method   string              // how it is to reason: one of the prompts' methods, or an instruction of your own
	Memory   int                 // how many of its own latest replies it still sees; 0 is all
	Sampling *inference.Sampling // replaces that of Asking; its Seed is not read
	Model    string              // as the engine knows it (inference.Also); empty: the engine's first
	Tool     string              // what its replies may call; empty: that of Asking
}

// HasOwnPrompt reports whether an agent is sent something that others are not.
func (a Agent) HasOwnPrompt() bool {
	return a.Persona != "" || a.Method != "" || a.Memory != 0 || a.Tool != ""
}

// Member returns an agent of the team, or the zero value beyond its end.
func (a Asking) Member(agent int) Agent {
	if agent < len(a.Team) {
		return a.Team[agent]
	}
	return Agent{}
}

// Names returns what so many agents are called, or nil if none has a name.
func (a Asking) Names(agents int) (names []string) {
	for i := range min(agents, len(a.Team)) {
		if a.Team[i].Name != "" {
			names = make([]string, agents)
		}
	}
	for i := range names {
		names[i] = Transcript{}.Role(i)
		if name := a.Member(i).Name; name != "" {
			names[i] = name
		}
	}
	return names
}

// Remember returns as much of an agent's history as its memory holds: the messages that opened the debate, and its
// latest replies with what it was sent between them.
func (a Asking) Remember(history []inference.Message, agent int) []inference.Message {
	memory := a.Member(agent).Memory
	opening := slices.IndexFunc(history, func(m inference.Message) bool { return m.Role == "assistant" })
	if from := len(history) - 2*memory + 1; memory > 0 && opening > 0 && from > opening {
		return slices.Concat(history[:opening], history[from:])
	}
	return history
}

// Echo says that several of so many agents are asked the same at temperature 0; the result is "" if no two are. They
// then give the same reply in the first round, so that a vote counts copies and a debate has nothing to discuss (the
// agents-lab lesson calls this its silent failure).
func (a Asking) Echo(agents int) string {
	most := a.alike(agents)
	if most < 2 {
		return ""
	}
	return fmt.Sprintf("%d of %d agents are asked the same at temperature 0 and give the same first reply: set a "+
		"temperature above 0, or give them personas, methods or models of their own", most, agents)
}

// Copies reports whether all of so many agents are asked the same at temperature 0: their first replies are one text,
// copied.
func (a Asking) Copies(agents int) bool { return agents > 1 && a.alike(agents) == agents }

// alike is how many of so many agents are asked the same at temperature 0.
func (a Asking) alike(agents int) (most int) {
	alike := make(map[Agent]int) // agents by what they are sent and by whom they are played
	for i := range agents {
		m := a.Member(i)
		drawn := a.Sampling
		if m.Sampling != nil {
			drawn = *m.Sampling
		}
		if drawn.Temperature == 0 {
			asked := Agent{Persona: m.Persona, Method: m.Method, Model: m.Model, Tool: m.Tool}
			alike[asked]++
			most = max(most, alike[asked])
		}
	}
	return most
}

// Report calls Observe with a round. A form calls it once for each round that it adds to its transcript.
func (a Asking) Report(round []Turn) {
	if a.Observe != nil {
		a.Observe(round)
	}
}

// For returns an Asker for one debate. It passes requests to speaker and reads answers with the case's rule.
func (a Asking) For(speaker Speaker, c Case) Asker {
	return Asker{Asking: a, speaker: speaker, caseID: c.ID, Extract: c.Extract, ending: c.Ending}
}
