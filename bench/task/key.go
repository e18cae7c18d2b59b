package task

import "github.com/parley-debate/parley/debate/answer"

// Key is what tells right answers to a question where that takes more than equality with its truth: the measure of the
// task, and what the measure looks at. A debate is recorded with it, so that whatever is computed from records scores
// every answer as the task does. A nil Key scores by equality.
type Key struct {
	Measure  string   `json:"measure"`
	Accepted []string `json:"accepted,omitempty"` // as in a Question, and so is the other
	Rejected string   `json:"rejected,omitempty"`
}

// looksAt is what a measure looks at to tell whether an answer is right.
type looksAt int

const (
	equality      looksAt = iota // with the truth
	truthAlone                   // the truth, in another way
	allAccepted                  // the accepted answers
	bothReference                // the truth and the rejected reference
	judgement                    // what a judge of facts says, which no answer shows
)

// Key returns the key of a question, nil where answers are right that equal the truth.
func (t Task) Key(q Question) *Key {
	k := Key{Measure: t.Measure}
	switch t.measure().looksAt {
	case equality:
		return nil
	case allAccepted:
		k.Accepted = q.Accepted
	case bothReference:
		k.Rejected = q.Rejected
	}
	return &k
}

// BareKey returns the key of debates that were recorded without one by a task of this measure.
func BareKey(measure string) *Key { return Task{Measure: measure}.Key(Question{}) }

// Complete reports whether the key has what its measure looks at. A bare one may lack it, and a newer version may have
// measures that this one does not know.
func (k *Key) Complete() bool {
	if k == nil {
		return true
	}
	m, known := measures[k.Measure]
	return known && m.looksAt != judgement && (m.looksAt != allAccepted || len(k.Accepted) > 0) &&
		(m.looksAt != bothReference || k.Rejected != "")
}

// Score says whether an answer is right. A key that is not Complete scores by equality with the truth.
func (k *Key) Score(given, truth answer.Answer) Score {
	if k == nil || !k.Complete() {
		return ScoreOf(given, truth)
	}
	return Task{Measure: k.Measure}.Score(k.question(truth), given)
}

// Degree returns how right an answer is as Partial does, or nil if the measure has no degrees, or if the key does not
// know it.
func (k *Key) Degree(given, truth answer.Answer) *float64 {
	if k == nil || !k.Complete() {
		return nil
	}
	return Task{Measure: k.Measure}.Partial(k.question(truth), given)
}

// question is what measures look at.
func (k *Key) question(truth answer.Answer) Question {
	return Question{Truth: truth, Accepted: k.Accepted, Rejected: k.Rejected}
}

// Rights returns the function that tells right answers to a question, nil where those are right that equal the truth.
func (t Task) Rights(q Question) func(answer.Answer) bool {
	if t.Key(q) == nil {
		return nil
	}
	return func(a answer.Answer) bool { return t.Score(q, a) == Right }
}

// Texts returns the right answers that are known by their texts: those accepted, or else the truth.
func (k *Key) Texts(truth answer.Answer) []string {
	if k != nil && len(k.Accepted) > 0 {
		return k.Accepted
	}
	return []string{truth.Text}
}
