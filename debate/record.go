package debate

import (
	"slices"

	"github.com/parley-debate/parley/debate/answer"
)

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
	Agrees *bool `json:"agrees"` // nil if the reply says neither
	// what it was shown as the final answer; nil if that was the decision
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
