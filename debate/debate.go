// Package debate has what all forms of debate share: what a debate is about (Case), who takes part (Agent, Asking), how
// agents are asked (Speaker, Asker, Stage), and what came of it (Transcript). It knows messages and decisions, and
// never files, models or tokens.
//
// The forms are packages below this one, each the loop of a paper as plain blocking code, one goroutine a debate.
// Package protocol composes debates of them by name; protocol.Hold is the shortest way to hold one. The forms import
// debate and vote, protocol imports the forms, and nothing imports the other way.
//
// What holds for all of them, and what results rest on:
//   - A request's seed is a hash of run, case, agent, round and sample (Seeds). Nothing else goes in, so that debates
//     which ask the same get the same reply.
//   - An agent whose request fails is silent from then on: it is not asked or heard again. ErrSilence ends a debate in
//     which nobody is left.
//   - A transcript is enough to score and decide a debate again without a model, and its JSON names never change:
//     records of earlier versions are read for good.
package debate

import (
	"context"
	"fmt"

	"parley/debate/answer"
	"parley/inference"
)

// Speaker answers messages; inference.Participant is one. It gives one reply to each request, in their order. A request
// that cannot be served has its error in its reply; an error of Generate itself ends the debate.
type Speaker interface {
	Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error)
}

// Case is what a debate is about.
type Case struct {
	ID       string           // names the question in seeds and records
	Question string           // as it stands in the data set
	Extract  answer.Extractor // how answers are read from replies
	Truth    answer.Answer    // the right answer; only the oracle orders look at it
	Facts    string           // about the question; only a discussion's voters and challenges of that name see them
	Wrong    string           // an answer known to be wrong; only the challenge of that name shows it
	Prior    *Transcript      // another debate on the question, for protocols that build on one; nil if there is none
	// another question, whose reasoning stands in for that on this one where texts are shown shuffled; nil if there is
	// none
	Donor *Case
}

// Turn is what one agent said in one round.
type Turn struct {
	Agent int `json:"agent"`
	Round int `json:"round"`
	// how often it was asked in this round before, where that is more than once
	Sample int `json:"sample,omitempty"`
	// of a discussion: what it was asked for, KindMessage and so on; else KindGiven, KindDonor or none
	Kind     Kind                `json:"kind,omitempty"`
	Messages []inference.Message `json:"messages,omitempty"` // everything the agent was sent; none once it is silent
	Grammar  string              `json:"grammar,omitempty"`  // GBNF that its reply had to follow
	Heard    []int               `json:"heard,omitempty"`    // whose replies of the round before, in the order listed
	Reply    inference.Reply     `json:"reply"`
	Answer   answer.Answer       `json:"answer"`
	// of knights: players whose role the reply does not give, see Knights.Run
	Filled []string `json:"filled,omitempty"`
	Error  string   `json:"error,omitempty"` // why the agent said nothing

	Confidence *float64 `json:"confidence,omitempty"` // from 0 to 1, where it was asked for or read from the tokens
	Beliefs    []Belief `json:"beliefs,omitempty"`    // about the answers of the round, where an order needs them
	// what the agent was asked on the way to its message: a summary of the others
	Before []Turn `json:"before,omitempty"`
	Probes []Turn `json:"probes,omitempty"` // the same with the others listed in other ways
}

// Transcript is a whole debate; it is enough to render, re-score and re-decide without a model.
type Transcript struct {
	Protocol string   `json:"protocol"`        // its name, or that of its form
	Roles    []string `json:"roles,omitempty"` // of the agents, where they differ
	Case     string   `json:"case"`
	Order    string   `json:"order,omitempty"`
	Reading  string   `json:"reading,omitempty"`  // "paper" or "code" where they differ
	Topology string   `json:"topology,omitempty"` // of a society: who hears whom, if it is not everybody
	// of a society: how much of the others' texts is seen, if it is not all
	Showing string  `json:"showing,omitempty"`
	Layout  string  `json:"layout,omitempty"` // of a society, if it is not LayoutHistory
	Phases  []Phase `json:"phases,omitempty"` // of knights: what each round is
	// Rounds[r][i] is agent i in round r, where all speak in each; round 0 is independent
	Rounds   [][]Turn `json:"rounds"`
	Voting   [][]Turn `json:"voting,omitempty"`  // of elections: who was asked for a ballot, attempt by attempt
	Records  []Record `json:"records,omitempty"` // of a discussion: its messages as its rules see them
	Budget   *Budget  `json:"budget,omitempty"`  // of sampling
	Notes    []string `json:"notes,omitempty"`   // what went another way than asked for
	Decision Decision `json:"decision"`
	Failed   string   `json:"failed,omitempty"` // why it ended before its decision: it has what was said until then

	Challenges []Challenged `json:"challenges,omitempty"` // of a discussion: what each panelist says to the decision
	Settings   *Settings    `json:"settings,omitempty"`   // what it was composed of, if it was
}

// Role is what an agent is called.
func (t Transcript) Role(agent int) string {
	if agent >= 0 && agent < len(t.Roles) {
		return t.Roles[agent]
	}
	return fmt.Sprintf("agent %d", agent)
}

// Debate is what can be held: a protocol with all its settings.
type Debate interface {
	Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error)
}

// Named is a debate that says beforehand what its transcript will call the agents (Transcript.Roles).
type Named interface{ RoleNames() []string }
