package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// Beside is what another rule reads from the replies of a run: our reader beside the rule of a paper's program, or that
// beside our reader. Nothing is decided by it.
type Beside struct {
	Rule    string `json:"answer_rule"`
	Replies int    `json:"replies"`
	// Disputes are the replies from which the two rules read different answers, or from which only one reads any.
	Disputes []Dispute `json:"disputes"`
	// Last counts the replies of the last rounds; Right of them are right by the used rule, RightBeside by this one.
	Last        int `json:"last"`
	Right       int `json:"right"`
	RightBeside int `json:"right_beside"`
}

// Dispute is a reply that two rules read otherwise.
type Dispute struct {
	Question  string        `json:"question"`
	Repeat    int           `json:"repeat,omitempty"`
	Condition string        `json:"condition"`
	Round     int           `json:"round"` // from 0, as is the agent
	Agent     int           `json:"agent"`
	Used      answer.Answer `json:"used"`   // by the rule that scores
	Beside    answer.Answer `json:"beside"` // by the other
}

// otherRule returns the rule whose reading stands beside that of the used one, "" if there is none: the newest reader
// for the kind of a paper's rule, or the rule of the paper for the task of a reader.
func (s *scorer) otherRule() string {
	switch {
	case !answer.IsReader(s.answerRule) && answer.KindOf(s.answerRule) != answer.KindText:
		return answer.KindOf(s.answerRule).Reader()
	case answer.IsReader(s.answerRule) && s.given != nil && !answer.IsReader(s.given.Rule):
		if _, err := reader.Rule(s.given.Rule); err == nil {
			return s.given.Rule
		}
	}
	return ""
}

// beside reads the replies of debates by another rule than the one they were scored by.
func (s *scorer) beside(debates []*outcome.Debate) *Beside {
	b := &Beside{Rule: s.otherRule(), Disputes: []Dispute{}}
	if b.Rule == "" {
		return nil
	}
	other := *s
	other.answerRule = b.Rule
	for _, d := range debates {
		o := *d.Outcome
		if o.Failed() || o.Transcript.Phases != nil || o.Transcript.Records != nil {
			continue // whose answers no rule reads from replies
		}
		reread, keyed := other.reader(o), other.keyedBeside(o)
		for r, round := range d.Rounds() {
			for _, turn := range round.Turns {
				if turn.Error != "" || turn.Reply.Text == "" {
					continue
				}
				a := reread(*turn.Turn).Answer
				b.Replies++
				if !a.Same(turn.Answer) {
					b.Disputes = append(b.Disputes, Dispute{o.Question, o.Repeat, o.Condition, r, turn.Agent,
						turn.Answer, a})
				}
				if r == len(d.Rounds())-1 {
					b.Last++
					b.Right += stat.One[int](d.IsRight(turn.Answer))
					b.RightBeside += stat.One[int](keyed.IsRight(a))
				}
			}
		}
	}
	return b
}

// keyedBeside returns a debate with what tells right answers as its own rule reads them.
func (s *scorer) keyedBeside(o trial.Outcome) trial.Outcome {
	if t, err := readBy(s.given, s.answerRule); err == nil && t != nil {
		return s.keyedBy(*t, o)
	}
	o.Truth, o.Key = answer.Unparsed, nil
	if a, err := reader.ReadTarget(s.answerRule, o.Target, s.about(o)); err == nil {
		o.Truth = a
	}
	return o
}

// reader returns a function that reads a turn of a debate anew, whose agent may have seen the options in another order.
func (s *scorer) reader(o trial.Outcome) func(debate.Turn) debate.Turn {
	extract := s.ruleFor(s.about(o))
	return func(t debate.Turn) debate.Turn {
		if t.Options == nil {
			return t.Reread(extract)
		}
		seen, known := reader.Relisted(s.questions[o.Question].About(), t.Options)
		if !known {
			seen = askedIn(t)
		}
		return t.Reread(answer.Reordered(s.ruleFor(seen), t.Options))
	}
}

// ruleFor returns the rule that reads replies to a question.
func (s *scorer) ruleFor(about answer.Question) answer.Extractor {
	extract, err := reader.RuleFor(s.answerRule, about)
	if err != nil { // which newScorer has found out
		return func(string) answer.Answer { return answer.Unparsed }
	}
	return extract
}

// about returns what is known of the question of a debate: from the task, or else from the message that asked it.
func (s *scorer) about(o trial.Outcome) answer.Question {
	if q, ok := s.questions[o.Question]; ok {
		return q.About()
	}
	for _, turn := range trial.Turns(o.Transcript) {
		if len(turn.Messages) > 0 {
			return askedIn(*turn)
		}
	}
	return answer.Question{}
}

// askedIn returns what the message to an agent tells of the question.
func askedIn(t debate.Turn) answer.Question {
	if len(t.Messages) == 0 {
		return answer.Question{}
	}
	_, options := reader.KindOfQuestion(t.Messages[len(t.Messages)-1].Content)
	return answer.Question{Options: options}
}

// text says how many replies are in dispute, and lists them if asked to.
func (b *Beside) text(list bool) string {
	if b == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "beside it, %s reads %s of %s replies otherwise; of %s last replies, %s are right as read "+
		"and %s by it\n",
		b.Rule, wording.Comma(len(b.Disputes)), wording.Comma(b.Replies), wording.Comma(b.Last), wording.Comma(b.Right),
		wording.Comma(b.RightBeside))
	for _, d := range b.Disputes {
		if list {
			fmt.Fprintf(&out, "%s  %s, round %d, agent %d: read %s, by %s %s\n", trial.CaseID(d.Question, d.Repeat),
				d.Condition, d.Round+1, d.Agent, told(d.Used), b.Rule, told(d.Beside))
		}
	}
	return out.String()
}

// told is an answer with how it was read.
func told(a answer.Answer) string {
	text := a.String()
	if a.Parsed {
		text = fmt.Sprintf("%.80q", a.Text)
	}
	if a.How != "" && !slices.Contains([]answer.How{answer.Explicit, answer.Nothing}, a.How) {
		text += " (" + string(a.How) + ")"
	}
	return text
}
