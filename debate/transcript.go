package debate

import (
	"fmt"
	"iter"
	"slices"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Turn is what one agent said when it was asked once.
type Turn struct {
	Agent int `json:"agent"`
	Round int `json:"round"`
	// Sample is how often the agent was asked earlier in this round. It is part of the seed.
	Sample int  `json:"sample,omitempty"`
	Kind   Kind `json:"kind,omitempty"` // what the agent was asked for
	// Messages are everything that the agent was sent, or none if it was silent already.
	Messages []inference.Message `json:"messages,omitempty"`
	Grammar  string              `json:"grammar,omitempty"` // in GBNF; the reply had to follow it
	// Heard are the agents whose replies the agent was shown, in the order in which they were listed. In a reversal
	// they are places in the pool (Transcript.HearsPool).
	Heard []int `json:"heard,omitempty"`
	// Options are the places of the question's options, from 0, in the order in which the agent saw them; nil: in
	// theirs. The reply has the letters that the agent saw, the answer those of the question.
	Options []int           `json:"options,omitempty"`
	Reply   inference.Reply `json:"reply"`
	Shares  bool            `json:"shares,omitempty"` // others are shown the reply's reasoning: see Told
	Answer  answer.Answer   `json:"answer"`
	// Filled are the players of a puzzle whose roles the reply leaves out, so that they were filled in: see
	// Knights.Run.
	Filled []string `json:"filled,omitempty"`
	Error  string   `json:"error,omitempty"` // why the agent said nothing

	// Verdict is whether the agent says that it keeps or revises its answer, where that is asked and can be read.
	Verdict    Verdict  `json:"verdict,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"` // from 0 to 1, if the agent stated it or its tokens imply it
	// Weight is DeepConf's confidence of the reply, above 0, where votes count by that: see vote.GroupConfidence.
	Weight  *float64 `json:"weight,omitempty"`
	Beliefs []Belief `json:"beliefs,omitempty"` // over the answers of the round, if an order needs them
	// Held are the agent's beliefs over the answers of Transcript.Beliefs, where they were measured.
	Held *Held `json:"held,omitempty"`
	// Before are calls that led to this turn, such as the request for a summary of the others.
	Before []Turn `json:"before,omitempty"`
	// After is the closing turn, if the reply states no answer and one was asked for: see Asking.Closing.
	After []Turn `json:"after,omitempty"`
	// Probes are the same request with the others listed in other orders.
	Probes []Turn `json:"probes,omitempty"`
}

// Relisted says in which order the agent saw the question's options, or "" if that was theirs.
func (t Turn) Relisted() string {
	if t.Options == nil {
		return ""
	}
	text := "the options as"
	for _, option := range t.Options {
		text += " " + answer.OptionName(option)
	}
	return text
}

// Transcript is a whole debate. It is enough to render, score and decide it again without a model.
type Transcript struct {
	Protocol string   `json:"protocol"`        // its name, or that of its form
	Roles    []string `json:"roles,omitempty"` // what the agents are called, if not by number
	// Personas are the descriptions of the panelists of a discussion, by agent, or nil if nobody has one. See
	// Described.
	Personas   []string `json:"personas,omitempty"`
	Case       string   `json:"case"`
	Order      string   `json:"order,omitempty"`
	Reading    string   `json:"reading,omitempty"`  // ReadingPaper or ReadingCode, where they differ
	Topology   string   `json:"topology,omitempty"` // of a society: who hears whom, if not everybody hears all
	Visibility string   `json:"showing,omitempty"`  // of a society: how much of the others' texts is shown, if not all
	Layout     string   `json:"layout,omitempty"`   // of a society, if it is not LayoutHistory
	// of a society: the answer that each agent was given to argue for, if they were not free
	Assigned []string `json:"assigned,omitempty"`
	Phases   []Phase  `json:"phases,omitempty"` // of knights: what each round is for
	// Rounds has the turns of each round. Where all agents speak in each round, Rounds[r][i] is agent i in round r, and
	// round 0 is the one in which nobody has heard anybody.
	Rounds   [][]Turn `json:"rounds"`
	Voting   [][]Turn `json:"voting,omitempty"`  // requests for ballots, by attempt, and to who writes the answer
	Judged   []Turn   `json:"judged,omitempty"`  // requests to a judge of facts: see Facts
	Records  []Record `json:"records,omitempty"` // of a discussion: its messages as its rules see them
	Budget   *Budget  `json:"budget,omitempty"`  // of sampling
	Notes    []string `json:"notes,omitempty"`   // what did not go as asked for
	Beliefs  *Beliefs `json:"beliefs,omitempty"` // nil where they were not measured
	Decision Decision `json:"decision"`
	// Failed is why the debate ended before its decision; the transcript then has what was said until then.
	Failed string `json:"failed,omitempty"`

	// Challenges are what each panelist of a discussion said when the decision was challenged.
	Challenges []Challenged `json:"challenges,omitempty"`
	Settings   *Settings    `json:"settings,omitempty"` // that the debate was composed of, if it was
}

// Role returns what an agent is called.
func (t Transcript) Role(agent int) string {
	if agent >= 0 && agent < len(t.Roles) {
		return t.Roles[agent]
	}
	if len(t.Phases) > 0 && len(t.Roles) > 0 && agent == len(t.Roles) {
		return RoleJudge
	}
	return fmt.Sprintf("agent %d", agent)
}

// Named returns what an agent is called where its name says more than its number, else "".
func (t Transcript) Named(agent int) string {
	if agent < 0 || agent >= len(t.Roles) || t.Roles[agent] == Numbered(agent) {
		return ""
	}
	return t.Roles[agent]
}

// SideOf returns the side that an agent was assigned, and whether it was. No number in a journal is trusted.
func (t Transcript) SideOf(agent int) (side string, assigned bool) {
	if agent < 0 || agent >= len(t.Assigned) {
		return "", false
	}
	return t.Assigned[agent], true
}

// Numbered is what an agent of a game is called if it has no name.
func Numbered(agent int) string { return fmt.Sprintf("Agent %d", agent+1) }

// Last returns the last round of the debate, or nil if there is none. What a judge says of the arguments is not a
// round.
func (t Transcript) Last() []Turn {
	last := len(t.Rounds) - 1
	for last >= 0 && last < len(t.Phases) && t.Phases[last].Kind() == PhaseSoundness {
		last--
	}
	if last < 0 {
		return nil
	}
	return t.Rounds[last]
}

// Asked returns what an agent was first sent about the question, such as the question within a prompt, or "" if the
// transcript has no messages.
func (t Transcript) Asked() (text string) {
	for _, turn := range slices.Concat(t.Rounds...) {
		if text == "" || turn.Kind.AnswersQuestion() {
			for _, m := range turn.Messages {
				if text = m.Content; m.Role == "user" {
					break
				}
			}
		}
		if text != "" && turn.Kind.AnswersQuestion() {
			break
		}
	}
	return text
}

// Calls returns every turn for which an agent was asked, including calls that led to another, closing turns, probes and
// ballots.
func (t Transcript) Calls() iter.Seq[Turn] {
	return func(yield func(Turn) bool) {
		for _, turns := range t.Stages() {
			for _, turn := range turns {
				for call := range turn.calls() {
					asked := call.Kind != KindGiven && call.Kind != KindConfederate &&
						(call.Error == "" || call.Messages != nil)
					if asked && !yield(call) {
						return
					}
				}
			}
		}
	}
}

// Stages returns all turns: those of the rounds, the requests for ballots, and those to a judge of facts.
func (t Transcript) Stages() [][]Turn {
	stages := slices.Concat(t.Rounds, t.Voting)
	if t.Judged != nil {
		stages = append(stages, t.Judged)
	}
	return stages
}

// calls returns a turn with the calls before it, its closing turn and its probes, each with their own.
func (t Turn) calls() iter.Seq[Turn] {
	return func(yield func(Turn) bool) { t.parts(yield) }
}

// parts yields the turn's parts and reports whether the caller wants more. The order is the order of the calls.
func (t Turn) parts(yield func(Turn) bool) bool {
	for _, before := range t.Before {
		if !before.parts(yield) {
			return false
		}
	}
	if !yield(t) {
		return false
	}
	for _, after := range slices.Concat(t.After, t.Probes) {
		if !after.parts(yield) {
			return false
		}
	}
	return true
}

// Tokens is how many tokens were generated for a turn, its closing turn included.
func (t Turn) Tokens() int {
	n := t.Reply.Tokens
	for _, after := range t.After {
		n += after.Reply.Tokens
	}
	return n
}

// Record is one message of a discussion as its rules see it. The k-th record belongs to the k-th turn of KindMessage.
type Record struct {
	Agent     int    `json:"agent"`
	Turn      int    `json:"turn"`               // 1 is the first
	Message   string `json:"-"`                  // transcripts have it in the turn
	Agreement *bool  `json:"agreement"`          // with the solution so far; nil for a draft
	Solution  string `json:"solution,omitempty"` // that the message proposes; "" if it proposes none
	To        []int  `json:"to,omitempty"`       // agents that see it besides the speaker; nil for all
}

// Agrees reports whether a record is an agreement.
func (r Record) Agrees() bool { return r.Agreement != nil && *r.Agreement }

// Reaches reports whether an agent sees a record.
func (r Record) Reaches(agent int) bool {
	return r.Agent == agent || r.To == nil || slices.Contains(r.To, agent)
}

// HeldBy returns the solution that an agent stands behind: that of its newest record, or else the newest one before
// that record that it could see, which is the one it agreed to. It is "" if there is none.
func HeldBy(records []Record, agent int) string {
	mine := false
	for _, r := range slices.Backward(records) {
		if mine = mine || r.Agent == agent; mine && r.Solution != "" && r.Reaches(agent) {
			return r.Solution
		}
	}
	return ""
}

// Challenged is how a panelist responds when the final answer is challenged. The decision does not change. The source
// scores the first panelist only.
type Challenged struct {
	Agent  int   `json:"agent"`
	Agrees *bool `json:"agrees"` // it is nil if the reply says neither
	// what it was shown as the final answer; it is nil if that was the decision
	Shown  *answer.Answer `json:"shown,omitempty"`
	Answer answer.Answer  `json:"answer"` // the one that it was shown if it agrees, its own if it does not
}

// Budget is what sampling could spend and what it spent.
type Budget struct {
	In     string `json:"in"`     // BudgetCalls or BudgetTokens of package sampling
	Calls  int    `json:"calls"`  // calls of the earlier debate
	Tokens int    `json:"tokens"` // tokens that the earlier debate generated
	Used   int    `json:"used"`   // tokens of the answers that count
	Asked  int    `json:"asked"`  // answers asked for, including those whose tokens did not fit
}

// Belief is the probability with which an agent holds an answer.
type Belief struct {
	Answer      string  `json:"answer"`
	Probability float64 `json:"probability"`
}
