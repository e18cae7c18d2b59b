package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/vote"
)

// Rescoring says how to read, decide and score a run anew. The zero value repeats what was recorded.
type Rescoring struct {
	Answer string     // name of the answer rule for all replies; "" keeps the recorded answers
	Decide string     // name of a decision rule, see vote.Rules; "" keeps the recorded one
	Task   *task.Task // whose questions and measure score; nil: what is recorded tells right answers
}

// Change is a debate that scores differently than recorded.
type Change struct {
	Question  string     `json:"question"`
	Repeat    int        `json:"repeat,omitempty"`
	Condition string     `json:"condition"`
	Target    string     `json:"target"`
	Was       task.Score `json:"was"`
	Is        task.Score `json:"is"`
	WasAnswer string     `json:"was_answer"`
	IsAnswer  string     `json:"is_answer"`
}

// Rescored is a run under a Rescoring, and what changed by it.
type Rescored struct {
	Answer    string   `json:"answer_rule"`
	Decide    string   `json:"decide,omitempty"` // "" is as recorded
	Replies   int      `json:"replies"`
	Reread    int      `json:"changed_replies"`   // replies with another answer
	Decisions int      `json:"changed_decisions"` // decisions for another answer
	Changes   []Change `json:"changed_scores"`
	// Beside is what another rule reads, or nil if no other rule fits the task.
	Beside     *Beside             `json:"beside,omitempty"`
	Comparison analysis.Comparison `json:"-"`
	Result     any                 `json:"result"` // as in result.json

	reread bool // replies were read, by Answer; else their recorded answers stay
}

// Rescore reads, decides and scores all debates of a run anew. It does not change the run.
func Rescore(r rundir.Run, how Rescoring) (Rescored, error) {
	s, err := newScorer(r, how)
	if err != nil {
		return Rescored{}, err
	}
	out := Rescored{Answer: s.answerRule, reread: s.reread, Decide: how.Decide, Changes: []Change{}}
	outcomes := make([]trial.Outcome, len(r.Outcomes))
	for i, before := range r.Outcomes {
		if outcomes[i], err = s.score(before); err != nil {
			return Rescored{}, fmt.Errorf("question %s, condition %s: %w", before.Case(), before.Condition, err)
		}
		out.note(before, outcomes[i])
	}
	scored := outcome.NewTable(outcomes)
	out.Beside = s.beside(scored.Debates())
	out.Comparison = analysis.Comparison{Run: r.Comparison.Run, Model: r.Header.Model,
		Guess: r.Header.Chance(scored.Debates())}
	if out.Comparison.Questions = r.Header.Questions; r.Header.Stop == nil {
		out.Comparison.Questions = analysis.QuestionsIn(scored.Debates())
	}
	if out.Comparison.Contrasts, err = r.Header.ReadContrasts(); err != nil {
		return Rescored{}, err
	}
	out.Comparison.Tabulate(s.conditions, scored, r.Header.Stop)
	out.Result = out.Comparison.Result()
	return out, nil
}

// note counts how a debate differs from its record.
func (s *Rescored) note(before, after trial.Outcome) {
	was, is := before.Transcript.Decision.Answer, after.Transcript.Decision.Answer
	if !was.Same(is) {
		s.Decisions++
	}
	if before.Score != after.Score {
		s.Changes = append(s.Changes, Change{before.Question, before.Repeat, before.Condition, before.Target,
			before.Score, after.Score, was.Text, is.Text})
	}
	read := trial.Turns(after.Transcript)
	for i, turn := range trial.Turns(before.Transcript) {
		s.Replies++
		if !turn.Answer.Same(read[i].Answer) {
			s.Reread++
		}
	}
}

// scorer scores outcomes by one Rescoring.
type scorer struct {
	recordedRule, answerRule string
	given                    *task.Task               // as it was named; nil: score by recorded targets
	task, recorded           *task.Task               // their right answers are those read anew, and those recorded
	questions                map[string]task.Question // of the task, by ID
	index                    map[string]int           // of these questions in the task
	reread                   bool                     // else the recorded answers stay
	byRecord                 bool                     // each debate is recorded with what tells right answers
	decide                   *vote.Rule               // where it is nil, the recorded rule is kept
	seeds                    debate.Seeds
	conditions               []trial.Condition
}

func newScorer(r rundir.Run, how Rescoring) (*scorer, error) {
	h := r.Header
	s := &scorer{recordedRule: h.AnswerRule, answerRule: h.AnswerRule, seeds: debate.Seeds{Run: h.Seed},
		given:     how.Task,
		questions: make(map[string]task.Question), index: make(map[string]int)}
	if how.Task != nil && how.Task.Hash != h.TaskHash {
		return nil, fmt.Errorf("the run used a file with SHA-256 %.12s, and %s has %.12s: name the file of the run",
			h.TaskHash, how.Task.Source, how.Task.Hash)
	}
	if how.Answer != "" {
		s.reread, s.answerRule = true, answer.Resolve(how.Answer, answer.KindOf(h.AnswerRule))
		if _, err := reader.Rule(s.answerRule); err != nil {
			return nil, err
		}
	}
	var err error
	if how.Task == nil && !task.ByTarget(h.Measure) && !task.Judged(h.Measure) {
		if err = s.keyedByRecord(r); err != nil {
			return nil, err
		}
	}
	if s.task, err = readBy(how.Task, s.answerRule); err != nil {
		return nil, err
	}
	if s.recorded, err = readBy(how.Task, s.recordedRule); err != nil {
		return nil, err
	}
	if s.task != nil {
		for i, q := range s.task.Questions {
			s.questions[q.ID], s.index[q.ID] = q, i
		}
	}
	if how.Decide != "" {
		rule, err := vote.RuleNamed(how.Decide)
		if err != nil {
			return nil, err
		}
		s.decide = &rule
	}
	conditions, err := h.ConditionsOf()
	s.conditions = conditions
	return s, err
}

// keyedByRecord has right answers told by what is recorded with each debate, or says what else has to tell them. The
// accepted answers in records are as the recorded rule reads them.
func (s *scorer) keyedByRecord(r rundir.Run) error {
	h := r.Header
	older := slices.ContainsFunc(r.Outcomes, func(o trial.Outcome) bool {
		return o.Target != "" && !o.Failed() && (o.Key == nil || !o.Key.Complete())
	})
	logs := h.Imported != nil && h.Imported.Digest() == h.TaskHash // no file has the questions
	switch s.byRecord = !older && s.answerRule == s.recordedRule; {
	case s.byRecord:
		return nil
	case logs && older:
		return fmt.Errorf("the measure %s needs more than this older record to tell what is right: import the logs "+
			"again (%s)", h.Measure, h.Source)
	case logs:
		return fmt.Errorf("the logs (%s) have right answers for the rule %s alone: leave out --answer", h.Source,
			s.recordedRule)
	}
	return fmt.Errorf("the measure %s needs the task file to tell what is right%s: name it with --task (%s)", h.Measure,
		map[bool]string{false: " by another rule"}[older], h.Source)
}

// readBy returns a task whose right answers are read by our reader, if the rule is one. The answers of papers' rules
// are compared with those of the task's own rule.
func readBy(t *task.Task, rule string) (*task.Task, error) {
	if t == nil || !answer.IsReader(rule) || t.Rule == answer.KindOf(rule).Reader() {
		return t, nil
	}
	ours, err := t.ReadBy(answer.KindOf(rule).Reader()) // an older reader's texts of right answers are the newest's
	return &ours, err
}

// score returns an outcome read, decided and scored anew. A debate that could not be held stays as it is.
func (s *scorer) score(o trial.Outcome) (trial.Outcome, error) {
	if o.Failed() {
		return o, nil
	}
	condition := s.condition(o.Condition)
	if err := s.check(o, condition); err != nil {
		return o, err
	}
	o, err := s.addKey(o)
	if err != nil {
		return o, err
	}
	if s.reread {
		if o.Transcript, err = reread(o.Transcript, s.reader(o)); err != nil {
			return o, err
		}
	}
	if err := s.redecide(&o.Transcript); err != nil {
		return o, err
	}
	if s.byRecord && o.Target == "" { // a debate from a log without right answers, which counts as unparsed
		return o, nil
	}
	o.Score = condition.ScoreOf(o.Transcript, o.ScoreOf)
	if s.task != nil {
		o.Partial = condition.PartialOf(o.Transcript,
			func(a answer.Answer) *float64 { return s.task.Partial(s.questions[o.Question], a) })
	} else if s.byRecord {
		o.Partial = condition.PartialOf(o.Transcript,
			func(a answer.Answer) *float64 { return o.Key.Degree(a, o.Truth) })
	}
	return o, nil
}

// addKey returns a debate with what tells right answers as they are read anew.
func (s *scorer) addKey(o trial.Outcome) (_ trial.Outcome, err error) {
	switch {
	case s.task != nil:
		return s.keyedBy(*s.task, o), nil
	case s.byRecord:
		return o, nil
	}
	if o.Key = nil; s.reread || !o.Truth.Parsed {
		o.Truth, err = truthBy(s.answerRule, o.Target)
	}
	return o, err
}

// keyedBy returns a debate with what tells right answers by a task.
func (s *scorer) keyedBy(t task.Task, o trial.Outcome) trial.Outcome {
	q := t.Questions[s.index[o.Question]]
	o.Truth, o.Key = q.Truth, t.Key(q)
	return o
}

// condition returns a condition of the run by its name.
func (s *scorer) condition(name string) trial.Condition {
	i := slices.IndexFunc(s.conditions, func(c trial.Condition) bool { return c.Name == name })
	if i < 0 {
		return trial.Condition{Name: name}
	}
	return s.conditions[i]
}

// check refuses a debate whose recorded score does not follow from its recorded decision: it was scored in a way that
// Rescore does not know, and every new score would be wrong.
func (s *scorer) check(o trial.Outcome, c trial.Condition) error {
	if _, known := s.questions[o.Question]; s.task != nil && !known {
		return fmt.Errorf("is not in %s", s.task.Source)
	}
	was := o
	switch {
	case s.task != nil:
		was = s.keyedBy(*s.recorded, o)
	case s.byRecord: // as it is
		if o.Target == "" {
			return nil
		}
	default:
		if was.Key = nil; !o.Truth.Parsed {
			var err error
			if was.Truth, err = truthBy(s.recordedRule, o.Target); err != nil {
				return err
			}
		}
	}
	if again := c.ScoreOf(o.Transcript, was.ScoreOf); again != o.Score {
		return fmt.Errorf("is recorded as %s, and its decision %q with target %q makes it %s: it was scored in "+
			"another way", o.Score, o.Transcript.Decision.Answer.Text, o.Target, again)
	}
	return nil
}

// reread reads all replies by another rule. An agent that could not speak has no answer by any rule.
func reread(t debate.Transcript, read func(debate.Turn) debate.Turn) (debate.Transcript, error) {
	if t.Phases != nil || t.Records != nil {
		return t, fmt.Errorf("answers of protocol %s are not read from replies by a rule: leave out --answer",
			t.Protocol)
	}
	return trial.WithTurns(t, func(turn debate.Turn) debate.Turn {
		if turn.Error == "" {
			turn = read(turn)
		}
		return turn
	}), nil
}

// redecide takes the decision anew if the rule or the answers may have changed it. In a puzzle the majority is one for
// each player, and other rules decide between whole solutions; the votes on the players stay, since partial scores and
// tables of roles need them.
func (s *scorer) redecide(t *debate.Transcript) (err error) {
	players := t.Decision.Players
	switch {
	case trial.Empty(*t): // nothing to decide on
	case s.decide != nil && s.decide.Name == vote.MajorityDecision && players != nil:
		t.Decision = vote.Among(*t, t.Last())
	case s.decide != nil:
		t.Decision = s.decide.Decide(*t, debate.TiesFirst, nil)
		t.Decision.Players = players
	case s.reread:
		if t.Decision, err = vote.Again(*t, s.seeds); err != nil {
			return fmt.Errorf("%w: name one with --decide", err)
		}
	}
	return err
}

// Document is the table without the engine's times, what changed and, with list, the debates whose scores changed.
func (s Rescored) Document(list bool) table.Document {
	c := s.Comparison
	read, decide := "read as recorded", cmp.Or(s.Decide, "as recorded")
	if s.reread {
		read = "read by " + s.Answer
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n%s, decided %s: the answers of %s of %s replies changed, %s decisions and %s "+
		"scores\n", c.Legend(false), read, decide, wording.Comma(s.Reread),
		wording.Comma(s.Replies), wording.Comma(s.Decisions), wording.Comma(len(s.Changes)))
	for _, r := range c.Rows {
		if text := s.changesIn(r.Condition); text != "" {
			fmt.Fprintf(&out, "  %-17s %s\n", r.Condition, text)
		}
	}
	out.WriteString(s.Beside.text(list))
	for _, d := range s.Changes {
		if list {
			fmt.Fprintf(&out, "%s  %s: %s, was %s (%q, was %q; right is %s)\n", trial.CaseID(d.Question, d.Repeat),
				d.Condition, d.Is, d.Was, d.IsAnswer, d.WasAnswer, d.Target)
		}
	}
	return table.Document{c.Table(false), c.ContrastsBlocks(), table.Text(out.String())}
}

// changesIn counts the changed scores of one condition, such as "2 wrong → right".
func (s Rescored) changesIn(condition string) (text string) {
	for _, was := range trial.Scores {
		for _, is := range trial.Scores {
			n := 0
			for _, c := range s.Changes {
				if c.Condition == condition && c.Was == was && c.Is == is {
					n++
				}
			}
			if n > 0 && text != "" {
				text += ", "
			}
			if n > 0 {
				text += fmt.Sprintf("%d %s → %s", n, was, is)
			}
		}
	}
	return text
}
