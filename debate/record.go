package debate

import (
	"parley/debate/answer"
	"slices"
)

// Record is one message of a discussion as its rules see it. The k-th record is the k-th turn of KindMessage.
type Record struct {
	Agent     int    `json:"agent"`
	Turn      int    `json:"turn"`               // 1 is the first
	Message   string `json:"-"`                  // stands in the turn
	Agreement *bool  `json:"agreement"`          // with the solution before; none where it is a draft
	Solution  string `json:"solution,omitempty"` // that it carries; "" is none
	To        []int  `json:"to,omitempty"`       // who sees it besides the speaker; everybody where nobody is named
}

// Agrees reports whether a record is an agreement.
func (r Record) Agrees() bool { return r.Agreement != nil && *r.Agreement }

// Reaches reports whether an agent sees a record.
func (r Record) Reaches(agent int) bool {
	return r.Agent == agent || r.To == nil || slices.Contains(r.To, agent)
}

// HeldBy is the solution that an agent stands behind: that of its newest record, or the one that it saw before and
// agreed to.
func HeldBy(records []Record, agent int) string {
	mine := false
	for _, r := range slices.Backward(records) {
		if mine = mine || r.Agent == agent; mine && r.Solution != "" && r.Reaches(agent) {
			return r.Solution
		}
	}
	return ""
}

// Challenged is what a panelist says to the final answer. The source scores the first one only; the decision stays as
// it is.
type Challenged struct {
	Agent  int           `json:"agent"`
	Agrees *bool         `json:"agrees"` // none where neither could be read
	Answer answer.Answer `json:"answer"` // the one that it was shown if it agrees, its own if it does not
}

// Budget is what a debate on a budget could spend and has spent.
type Budget struct {
	In     string `json:"in"`     // BudgetCalls or BudgetTokens
	Calls  int    `json:"calls"`  // of the debate before
	Tokens int    `json:"tokens"` // that it generated
	Used   int    `json:"used"`   // tokens of the answers that count
	Asked  int    `json:"asked"`  // answers asked for: those that count, and those whose tokens did not fit
}

// Belief is the probability with which an agent holds an answer.
type Belief struct {
	Answer      string  `json:"answer"`
	Probability float64 `json:"probability"`
}
