package offline

import (
	"fmt"
	"io"
	"slices"

	"parley/bench/analysis"
	"parley/bench/rundir"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/bench/wording"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/vote"
)

// Rescoring reads what was recorded in another way. What is not set stays as it was.
type Rescoring struct {
	Answer string // name of an answer rule, for all replies
	Decide string // name of one of vote.Rules, for all debates

	Task *task.Task // whose questions and measure score; nil: what equals the recorded target is right
}

// Change is a debate that scores differently than it is recorded.
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

// Rescored is a run under a Rescoring, beside what is recorded.
type Rescored struct {
	Answer              string   `json:"answer_rule"`
	Decide              string   `json:"decide,omitempty"` // empty: as recorded
	Replies             int      `json:"replies"`
	Reread              int      `json:"changed_replies"` // whose answer is another one
	Decisions           int      `json:"changed_decisions"`
	Changes             []Change `json:"changed_scores"`
	analysis.Comparison `json:"-"`
	Result              any `json:"result"` // as in result.json
}

// Rescore reads, decides and scores all debates of a run anew. Recorded targets say what is right, or the questions of
// the task; the run is left as it is.
func Rescore(r rundir.Run, how Rescoring) (Rescored, error) {
	s, err := newScorer(r.Header, how)
	if err != nil {
		return Rescored{}, err
	}
	out := Rescored{Answer: s.answerRule, Decide: how.Decide, Changes: []Change{}}
	outcomes := make([]trial.Outcome, len(r.Outcomes))
	for i, before := range r.Outcomes {
		if outcomes[i], err = s.score(before); err != nil {
			return Rescored{}, fmt.Errorf("question %s, condition %s: %w", before.Case(), before.Condition, err)
		}
		out.note(before, outcomes[i])
	}
	out.Comparison = analysis.Comparison{Task: r.Header.Task, TaskHash: r.Header.TaskHash,
		Measure:   r.Comparison.Measure,
		Model:     r.Header.Model,
		Reference: r.Comparison.Reference, Questions: analysis.QuestionsIn(outcomes),
		Guess: analysis.ConstantGuess(outcomes)}
	if r.Header.Stop != nil {
		out.Questions = r.Header.Questions
	}
	out.Tabulate(s.conditions, analysis.NewTable(outcomes), r.Header.Stop)
	out.Result = out.Comparison.Result()
	return out, nil
}

// note counts what is different.
func (s *Rescored) note(before, after trial.Outcome) {
	was, is := before.Transcript.Decision.Answer, after.Transcript.Decision.Answer
	if was != is {
		s.Decisions++
	}
	if before.Score != after.Score {
		s.Changes = append(s.Changes, Change{before.Question, before.Repeat, before.Condition, before.Target,
			before.Score, after.Score, was.Text, is.Text})
	}
	for r, round := range before.Transcript.Rounds {
		for i, turn := range round {
			s.Replies++
			if turn.Answer != after.Transcript.Rounds[r][i].Answer {
				s.Reread++
			}
		}
	}
}

// scorer scores outcomes by one Rescoring.
type scorer struct {
	recordedRule, answerRule string
	task                     *task.Task               // nil: targets are recorded
	questions                map[string]task.Question // of the task, by ID
	extract                  answer.Extractor         // nil: answers stay
	decide                   *vote.Rule               // nil: the recorded one
	seeds                    debate.Seeds
	conditions               []trial.Condition
}

func newScorer(h rundir.Header, how Rescoring) (*scorer, error) {
	s := &scorer{recordedRule: h.AnswerRule, answerRule: h.AnswerRule, seeds: debate.Seeds{Run: h.Seed}, task: how.Task,
		questions: make(map[string]task.Question)}
	switch {
	case how.Task == nil && !task.ByTarget(h.Measure):
		return nil, fmt.Errorf("what is right by the measure %s is in the task file: name it with --task (%s)",
			h.Measure, h.Source)
	case how.Task != nil && how.Task.Hash != h.TaskHash:
		return nil, fmt.Errorf("the run was on a file with SHA-256 %.12s, and %s has %.12s: name the file of the run",
			h.TaskHash, how.Task.Source, how.Task.Hash)
	case how.Task != nil:
		for _, q := range how.Task.Questions {
			s.questions[q.ID] = q
		}
	}
	if how.Answer != "" {
		extract, err := answer.Named(how.Answer)
		if err != nil {
			return nil, err
		}
		s.extract, s.answerRule = extract, how.Answer
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

// score is the outcome anew; what could not be held stays what it is.
func (s *scorer) score(o trial.Outcome) (trial.Outcome, error) {
	if o.Failed() {
		return o, nil
	}
	condition := s.condition(o.Condition)
	if err := s.check(o, condition); err != nil {
		return o, err
	}
	truth := o.Truth
	if s.task == nil && (s.extract != nil || !truth.Parsed) {
		var err error
		if truth, err = truthBy(s.answerRule, o.Target); err != nil {
			return o, err
		}
	}
	if s.extract != nil {
		rounds, err := reread(o.Transcript, s.extract)
		if err != nil {
			return o, err
		}
		o.Transcript.Rounds = rounds
	}
	if err := s.redecide(&o.Transcript); err != nil {
		return o, err
	}
	o.Truth, o.Score = truth, condition.ScoreOf(o.Transcript, s.measure(o.Question, truth))
	if s.task != nil {
		o.Partial = condition.PartialOf(o.Transcript,
			func(a answer.Answer) *float64 { return s.task.Partial(s.questions[o.Question], a) })
	}
	return o, nil
}

// measure says of an answer to a question how it scores.
func (s *scorer) measure(question string, truth answer.Answer) func(answer.Answer) task.Score {
	if s.task == nil {
		return trial.ByEquality(truth)
	}
	return func(a answer.Answer) task.Score { return s.task.Score(s.questions[question], a) }
}

func (s *scorer) condition(name string) trial.Condition {
	i := slices.IndexFunc(s.conditions, func(c trial.Condition) bool { return c.Name == name })
	if i < 0 {
		return trial.Condition{Name: name}
	}
	return s.conditions[i]
}

// check refuses debates that were scored in a way that is not repeated here: the recorded score must come out of the
// recorded decision.
func (s *scorer) check(o trial.Outcome, c trial.Condition) error {
	truth := o.Truth
	if _, known := s.questions[o.Question]; s.task != nil && !known {
		return fmt.Errorf("is not in %s", s.task.Source)
	}
	if s.task == nil && !truth.Parsed {
		var err error
		if truth, err = truthBy(s.recordedRule, o.Target); err != nil {
			return err
		}
	}
	if again := c.ScoreOf(o.Transcript, s.measure(o.Question, truth)); again != o.Score {
		return fmt.Errorf("is recorded as %s, and its decision %q with target %q makes it %s: it was scored in "+
			"another way", o.Score, o.Transcript.Decision.Answer.Text, o.Target, again)
	}
	return nil
}

// reread reads all replies by another rule. Who said nothing has no answer by any.
func reread(t debate.Transcript, extract answer.Extractor) ([][]debate.Turn, error) {
	if t.Phases != nil || t.Records != nil {
		return nil, fmt.Errorf("answers of protocol %s are not read from replies by a rule: leave out --answer",
			t.Protocol)
	}
	rounds := make([][]debate.Turn, len(t.Rounds))
	for r, round := range t.Rounds {
		rounds[r] = slices.Clone(round)
		for i := range rounds[r] {
			if turn := &rounds[r][i]; turn.Error == "" {
				turn.Answer = extract(turn.Reply.Text)
			}
		}
	}
	return rounds, nil
}

// redecide takes the decision anew where there may be another one.
func (s *scorer) redecide(t *debate.Transcript) (err error) {
	switch {
	case len(t.Rounds) == 0: // there is nothing to decide on
	case s.decide != nil:
		t.Decision = s.decide.Decide(*t, vote.TiesFirst, nil)
	case s.extract != nil:
		if t.Decision, err = vote.Again(*t, s.seeds); err != nil {
			return fmt.Errorf("%w: name one with --decide", err)
		}
	}
	return err
}

// Write prints the table without the engine's times, and what changed.
func (s Rescored) Write(w io.Writer, list bool) error {
	decide := "as recorded"
	if s.Decide != "" {
		decide = s.Decide
	}
	if _, err := fmt.Fprintf(w, "%s\n%s\nread by %s, decided %s: %s of %s replies have another answer, %s decisions "+
		"are others, %s scores\n",
		s.Table(false), s.Legend(false), s.Answer, decide, wording.Comma(s.Reread), wording.Comma(s.Replies),
		wording.Comma(s.Decisions),
		wording.Comma(len(s.Changes))); err != nil {
		return err
	}
	for _, r := range s.Rows {
		if text := s.changesIn(r.Condition); text != "" {
			if _, err := fmt.Fprintf(w, "  %-17s %s\n", r.Condition, text); err != nil {
				return err
			}
		}
	}
	for _, c := range s.Changes {
		if !list {
			break
		}
		if _, err := fmt.Fprintf(w, "%s  %s: %s, was %s (%q, was %q; right is %s)\n",
			trial.CaseID(c.Question, c.Repeat),
			c.Condition, c.Is, c.Was, c.IsAnswer, c.WasAnswer, c.Target); err != nil {
			return err
		}
	}
	return nil
}

// changesIn counts the changed scores of one condition, such as "2 wrong are right".
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
