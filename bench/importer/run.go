package importer

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// task makes a task from the questions and right answers in the log itself. Translations are scored by the measure of
// Common MT.
func (l Log) task() (task.Task, error) {
	t := task.Task{Name: l.Format.Name, Source: l.source()}
	if len(l.Files) == 1 {
		t.Name = strings.TrimSuffix(filepath.Base(l.Files[0].Path), filepath.Ext(l.Files[0].Path))
	}
	t.Hash = rundir.Imported{Files: l.Files}.Digest()
	if t.Rule = "raw"; l.Format.Name == "liang" {
		t.Measure = "lexical"
	} else if err := l.findRule(&t); err != nil {
		return t, err
	}
	for _, h := range l.debates {
		q := task.Question{ID: fmt.Sprintf("%s/%d", t.Name, h.number), Text: h.question, Rejected: h.rejected}
		if answer.KindOf(t.Rule) == answer.KindChoice {
			_, q.Options = reader.KindOfQuestion(h.question)
		}
		if q.Truth = truth(t.Rule, h.target); q.Truth.Parsed {
			q.Target = q.Truth.Text
		}
		t.Questions = append(t.Questions, q)
	}
	var err error
	t.Extract, err = reader.Rule(t.Rule)
	t.Guess = t.Chance()
	return t, err
}

// findRule chooses the answer rule by the form of the first right answer. If no answer is right, each whole reply is
// the answer, and the rule stays raw.
func (l Log) findRule(t *task.Task) error {
	at := slices.IndexFunc(l.debates, func(h loggedDebate) bool { return h.target != "" })
	if at < 0 {
		return nil
	}
	target := l.debates[at].target
	for _, rule := range []string{l.Format.letters, "number"} {
		if truth(rule, target).Parsed {
			t.Rule = rule
			return nil
		}
	}
	return fmt.Errorf("right answers such as %.40q are not a letter and do not end in a number: name the task file "+
		"with --task",
		target)
}

// choiceTarget matches a letter as logs have it: alone, in parentheses, or before the text of the option.
var choiceTarget = regexp.MustCompile(`^(?:([A-Z])|\(([A-Z])\)|([A-Z])\) .*)$`)

// truth reads a right answer as logs have it: a letter, or a number, which in GSM8K follows a solution and ####.
func truth(rule, target string) answer.Answer {
	switch target = strings.TrimSpace(target); {
	case answer.KindOf(rule) == answer.KindChoice:
		if m := choiceTarget.FindStringSubmatch(target); m != nil {
			return answer.Of("(" + m[1] + m[2] + m[3] + ")")
		}
	case rule == "number":
		_, number, solved := strings.Cut(target, "####")
		if !solved {
			number = target
		}
		if a := answer.LastNumber(number); solved || len(strings.Fields(target)) == 1 {
			return a
		}
	case rule == "raw":
		return answer.Raw(target)
	}
	return answer.Unparsed
}

// Run reads the answers of all debates by the rule of a task and scores them; if t is nil, the task is Log.Task. A
// debate without a right answer, or on a question that the task does not have, counts as unparsed, and its notes say
// why.
func (l Log) Run(t *task.Task) (rundir.Run, error) {
	own, err := l.task()
	different := 0
	switch {
	case t != nil && l.Format.Name == "liang" && t.Measure != "lexical":
		return rundir.Run{}, fmt.Errorf("task %q is of family %s; liang's debates are translations, which are scored "+
			"by common-mt", t.Name, t.Family)
	case t == nil && err != nil:
		return rundir.Run{}, err
	case t == nil:
		own, different = own.Whole() // of a task that is given, each question is in the log once
		t = &own
	default:
		lettered, err := l.letterOptions(*t)
		if err != nil {
			return rundir.Run{}, err
		}
		t = &lettered
	}
	asked := make(map[string]task.Question)
	for _, q := range t.Questions {
		asked[plainQuestion(q.Text)] = q
	}
	outcomes, seen := make([]trial.Outcome, 0, len(l.debates)), make(map[string]int)
	for i, h := range l.debates {
		q, known := asked[plainQuestion(h.question)]
		switch {
		case t == &own:
			q, known = t.Questions[i], true
		case h.question == "":
			if q, known = h.inOrder(*t); !known {
				return rundir.Run{}, fmt.Errorf("debate %d has the right answer %.40q and no question, and question "+
					"%d of task %q has another one, or does not exist: the log needs a task with its questions in its "+
					"order", h.number, h.target, h.number, t.Name)
			}
		}
		if !known {
			q = task.Question{ID: fmt.Sprintf("%s/%d", l.Format.Name, h.number)}
		}
		if seen[q.ID]++; seen[q.ID] > 1 {
			return rundir.Run{}, fmt.Errorf("debate %d and an earlier one are both on question %s of task %q: import "+
				"each into its own directory", h.number, q.ID, t.Name)
		}
		outcomes = append(outcomes, l.outcome(h, q, known, *t))
	}
	h := l.header(*t)
	if h.Cluster = t.Cluster; different < len(t.Questions) {
		h.Different = different
	}
	return rundir.NewRun(h, outcomes)
}

// Decision is what a debate of a log came to.
type Decision struct {
	Number                         int    // of the debate in the log, from 1
	Question, Target, Answer, Text string // "" of what is not known; Text is what the answer is read from
	Right                          bool
}

// Decisions are those of all debates, read and scored by the log's own task.
func (l Log) Decisions() (list []Decision, err error) {
	run, err := l.Run(nil)
	for i, o := range run.Outcomes {
		d := Decision{Number: l.debates[i].number, Question: l.debates[i].question, Target: o.Target,
			Answer: o.Transcript.Decision.Answer.Text, Right: o.Score == task.Right}
		if decided := l.debates[i].decided; decided != nil {
			d.Text = *decided
		}
		list = append(list, d)
	}
	return list, err
}

// letterOptions returns a multiple-choice task with the format's answer rule, if the program writes letters in a way
// that other rules misread: answer.Letter reads 42 from "B) 42".
func (l Log) letterOptions(t task.Task) (task.Task, error) {
	if l.Format.letters == "letter" || answer.IsReader(t.Rule) || slices.ContainsFunc(t.Questions,
		func(q task.Question) bool {
			return !choiceTarget.MatchString(q.Truth.Text)
		}) {
		return t, nil
	}
	var err error
	t.Rule = l.Format.letters
	t.Extract, err = reader.Rule(t.Rule)
	return t, err
}

// inOrder returns the question of a task that stands where the debate stands in its log, if the right answers agree.
func (h loggedDebate) inOrder(t task.Task) (q task.Question, agrees bool) {
	if h.number > len(t.Questions) {
		return q, false
	}
	q = t.Questions[h.number-1]
	for _, rule := range []string{"letter", "number"} {
		if want := truth(rule, h.target); want.Parsed {
			return q, t.Score(q, want) == task.Right
		}
	}
	return q, plainQuestion(h.target) == plainQuestion(q.Target)
}

var optionMark = regexp.MustCompile(`(?m)^\(?([A-Z])\) `)

// plainQuestion returns a question with single blanks, without quotation marks, and with options as in (A), because a
// copy may have changed these.
func plainQuestion(text string) string {
	text = strings.ReplaceAll(optionMark.ReplaceAllString(text, "($1) "), `"`, "")
	return strings.Join(strings.Fields(text), " ")
}

// outcome scores a debate on question q, which the task has if known is true.
func (l Log) outcome(h loggedDebate, q task.Question, known bool, t task.Task) trial.Outcome {
	o := trial.Outcome{Question: q.ID, Cluster: q.Cluster, Condition: l.Format.form, Target: q.Target, Truth: q.Truth,
		Score: task.Unparsed, Transcript: h.transcript}
	o.Transcript.Protocol, o.Transcript.Case = l.Format.form, q.ID
	settings := h.settings.With("agents", debaters(h.transcript)).With("rounds", fullRounds(h.transcript))
	settings.Form = l.Format.form
	o.Transcript.Settings = &settings
	extract := t.Reader(q)
	if answer.KindOf(t.Rule) == answer.KindChoice {
		extract = answer.Offered(extract, q.Options) // the log's program may read what is no option
	}
	h.decide(&o.Transcript, extract)
	note := ""
	switch {
	case !known:
		note = fmt.Sprintf("not scored: task %s does not ask it", t.Name)
	case !q.Truth.Parsed:
		note = "not scored: the log does not say what is right"
	default:
		o.Key = t.Key(q)
		o.Score, o.Partial = o.ScoreOf(o.Transcript.Decision.Answer), t.Partial(q, o.Transcript.Decision.Answer)
		if h.verdict == nil || *h.verdict == (o.Score == task.Right) {
			return o
		}
		note = fmt.Sprintf("the log counts the decision as %s", map[bool]task.Score{true: task.Right,
			false: task.Wrong}[*h.verdict])
	}
	o.Transcript.Notes = append(slices.Clip(o.Transcript.Notes), note)
	return o
}

// decide reads the answers and the decision by a rule. Where the log has no decision, the majority decides.
func (h loggedDebate) decide(t *debate.Transcript, extract answer.Extractor) {
	if t.Decision.Rule != (debate.Rule{}) {
		return // the format has read both
	}
	t.Rounds = h.withAnswers(extract)
	majority := vote.Majority(t.Last())
	if h.decided == nil {
		t.Decision = majority
		return
	}
	t.Decision.Answer, t.Decision.Rule = extract(*h.decided), debate.Rule{Means: debate.MeansLogged, Name: h.by}
	if t.Decision.Votes == nil {
		t.Decision.Votes, t.Decision.Tie = majority.Votes, majority.Tie
	}
}

// withAnswers returns the turns with the answers that a rule reads.
func (h loggedDebate) withAnswers(extract answer.Extractor) [][]debate.Turn {
	read := make([][]debate.Turn, len(h.transcript.Rounds))
	for r, round := range h.transcript.Rounds {
		read[r] = slices.Clone(round)
		for i := range round {
			text := round[i].Reply.Text
			if h.solutions != nil {
				text = h.solutions[r][i]
			}
			read[r][i].Answer = extract(text)
		}
	}
	return read
}

// debaters returns how many agents argue: all except moderator and judge.
func debaters(t debate.Transcript) (n int) {
	for agent := range t.Agents() {
		if !t.Presides(agent) {
			n++
		}
	}
	return n
}

// fullRounds returns the number of rounds in which all debaters speak.
func fullRounds(t debate.Transcript) (rounds int) {
	if len(t.Records) > 0 { // a consensus may end a turn of a discussion early
		return t.RoundsHeld()
	}
	for _, round := range t.Rounds {
		if len(round) >= debaters(t) {
			rounds++
		}
	}
	return rounds
}

func (l Log) header(t task.Task) rundir.Header {
	h := rundir.Header{
		Run: spec.Run{Task: t.Name, TaskHash: t.Hash, Source: t.Source, Questions: len(l.debates), AnswerRule: t.Rule,
			Guess: &t.Guess, Columns: t.Columns, Conditions: []string{l.Format.form}},
		Imported: &rundir.Imported{Format: l.Format.Name, Files: l.Files, Temperature: l.debates[0].temperature},
	}
	if task.BareKey(t.Measure) != nil {
		h.Measure = t.Measure // else answers are right that equal the target
	}
	var models []string
	for _, d := range l.debates {
		if d.model != "" && !slices.Contains(models, d.model) {
			models = append(models, d.model)
		}
		if was := h.Imported.Temperature; was != nil && (d.temperature == nil || *d.temperature != *was) {
			h.Imported.Temperature = nil // they differ
		}
		h.Agents, h.Rounds = max(h.Agents, debaters(d.transcript)), max(h.Rounds, fullRounds(d.transcript))
	}
	h.Model = inference.ModelInfo{Name: strings.Join(models, ", ")}
	h.Protocols = []protocol.Protocol{{
		Name: l.Format.form, Source: l.Format.Source, Meaning: fmt.Sprintf("imported from %s logs", l.Format.Name),
		Settings: debate.Settings{Form: l.Format.form}.With("agents", h.Agents).With("rounds", h.Rounds),
	}}
	return h
}

// source names the first file and says how many others there are.
func (l Log) source() string {
	if len(l.Files) == 1 {
		return l.Files[0].Path
	}
	return fmt.Sprintf("%s and %d other files", l.Files[0].Path, len(l.Files)-1)
}

// SaveTo writes an imported run into a directory, in which nothing of it stays if that fails.
func SaveTo(path string, run rundir.Run) error {
	directory, err := rundir.OpenDirectory(path)
	if err != nil {
		return err
	}
	if err := Save(directory, run); err != nil {
		return errors.Join(err, directory.Discard())
	}
	return directory.Close()
}

// Save writes an imported run into a run directory.
func Save(d *rundir.Directory, run rundir.Run) error {
	if err := d.Begin(run.Header); err != nil {
		return err
	}
	for _, o := range run.Outcomes {
		if err := d.Outcome(o); err != nil {
			return err
		}
	}
	return d.Result(run.Comparison)
}
