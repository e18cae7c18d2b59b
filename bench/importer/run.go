package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/bench/rundir"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/protocol"
	"parley/debate/vote"
	"parley/inference"
)

// Task makes a task of the questions and right answers that a log has itself. What is right of translations is told by
// Common MT's rule.
func (l Log) Task() (task.Task, error) {
	t := task.Task{Name: l.Format.Name, Source: l.source()}
	if len(l.Files) == 1 {
		t.Name = strings.TrimSuffix(filepath.Base(l.Files[0].Path), filepath.Ext(l.Files[0].Path))
	}
	sum := sha256.New()
	for _, f := range l.Files {
		fmt.Fprintln(sum, f.Hash)
	}
	t.Hash = hex.EncodeToString(sum.Sum(nil))
	if t.Rule = "raw"; l.Format.Name == "liang" {
		t.Measure = "lexical"
	} else if err := l.findRule(&t); err != nil {
		return t, err
	}
	for _, h := range l.debates {
		q := task.Question{ID: fmt.Sprintf("%s/%d", t.Name, h.number), Text: h.question, Rejected: h.rejected}
		if q.Truth = truth(t.Rule, h.target); q.Truth.Parsed {
			q.Target = q.Truth.Text
		}
		t.Questions = append(t.Questions, q)
	}
	var err error
	t.Extract, err = answer.Named(t.Rule)
	return t, err
}

// findRule takes the rule by which answers are read from the form of the first right answer. Where nothing is right,
// replies are answers.
func (l Log) findRule(t *task.Task) error {
	at := slices.IndexFunc(l.debates, func(h held) bool { return h.target != "" })
	if at < 0 {
		return nil
	}
	target := l.debates[at].target
	for _, rule := range []string{"letter", "number"} {
		if truth(rule, target).Parsed {
			t.Rule = rule
			return nil
		}
	}
	return fmt.Errorf("right answers such as %.40q are not a letter and do not end in a number: name the task file "+
		"with --task",
		target)
}

// truth reads a right answer as logs have it: a letter alone, or a number, which in GSM8K stands behind a solution and
// ####.
func truth(rule, target string) answer.Answer {
	switch target = strings.TrimSpace(target); {
	case rule == "letter" && len(target) == 1 && target[0] >= 'A' && target[0] <= 'Z':
		return answer.Of("(" + target + ")")
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

// Run reads the answers of all debates by the rule of a task and scores them; without a task, by the log's own, see
// Log.Task. A debate without a right answer, or that the task does not ask, counts as unparsed, and its notes say why.
func (l Log) Run(t *task.Task) (rundir.Run, error) {
	own, err := l.Task()
	switch {
	case t != nil && l.Format.Name == "liang" && t.Measure != "lexical":
		return rundir.Run{}, fmt.Errorf("task %q is of family %s; liang's debates are translations, which are scored "+
			"by common-mt", t.Name, t.Family)
	case t == nil && err != nil:
		return rundir.Run{}, err
	case t == nil:
		t = &own
	}
	asked := make(map[string]task.Question)
	for _, q := range t.Questions {
		asked[plainQuestion(q.Text)] = q
	}
	outcomes, seen := make([]trial.Outcome, 0, len(l.debates)), make(map[string]int)
	for i, h := range l.debates {
		q, known := asked[plainQuestion(h.question)]
		if t == &own {
			q, known = t.Questions[i], true
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
	return rundir.NewRun(l.header(*t), outcomes)
}

// plainQuestion is a question without what a copy may have changed.
func plainQuestion(text string) string { return strings.Join(strings.Fields(text), " ") }

func (l Log) outcome(h held, q task.Question, known bool, t task.Task) trial.Outcome {
	o := trial.Outcome{Question: q.ID, Condition: l.Format.condition, Target: q.Target, Truth: q.Truth,
		Score: task.Unparsed, Transcript: h.transcript}
	o.Transcript.Protocol, o.Transcript.Case = l.Format.condition, q.ID
	o.Transcript.Settings = &debate.Settings{Form: l.Format.form, Agents: debaters(h.transcript),
		Rounds: argued(h.transcript)}
	if o.Transcript.Decision.Rule == "" {
		o.Transcript.Rounds = answered(h.transcript.Rounds, t.Reader(q))
		o.Transcript.Decision = vote.Majority(o.Transcript.Last())
	}
	note := ""
	switch {
	case !known:
		note = fmt.Sprintf("not scored: task %s does not ask it", t.Name)
	case !q.Truth.Parsed:
		note = "not scored: the log does not say what is right"
	default:
		o.Score, o.Partial = t.Score(q, o.Transcript.Decision.Answer), t.Partial(q, o.Transcript.Decision.Answer)
		return o
	}
	o.Transcript.Notes = append(slices.Clip(o.Transcript.Notes), note)
	return o
}

// answered are the turns with the answers that a rule reads.
func answered(rounds [][]debate.Turn, extract answer.Extractor) [][]debate.Turn {
	read := make([][]debate.Turn, len(rounds))
	for r, round := range rounds {
		read[r] = slices.Clone(round)
		for i := range round {
			read[r][i].Answer = extract(round[i].Reply.Text)
		}
	}
	return read
}

// debaters is how many argue: of a tit for tat all but moderator and judge.
func debaters(t debate.Transcript) int {
	if slices.Contains(t.Roles, debate.RoleModerator) {
		return 2
	}
	return t.Agents()
}

// argued is in how many rounds all of them speak.
func argued(t debate.Transcript) (rounds int) {
	for _, round := range t.Rounds {
		if len(round) >= debaters(t) {
			rounds++
		}
	}
	return rounds
}

func (l Log) header(t task.Task) rundir.Header {
	h := rundir.Header{
		Task: t.Name, TaskHash: t.Hash, Source: t.Source, Questions: len(l.debates), AnswerRule: t.Rule,
		Conditions: []string{l.Format.condition},
		Imported:   &rundir.Imported{Format: l.Format.Name, Files: l.Files, Temperature: l.debates[0].temperature},
	}
	var models []string
	for _, d := range l.debates {
		if d.model != "" && !slices.Contains(models, d.model) {
			models = append(models, d.model)
		}
		if was := h.Imported.Temperature; was != nil && (d.temperature == nil || *d.temperature != *was) {
			h.Imported.Temperature = nil // they differ
		}
		h.Agents, h.Rounds = max(h.Agents, debaters(d.transcript)), max(h.Rounds, argued(d.transcript))
	}
	h.Model = inference.ModelInfo{Name: strings.Join(models, ", ")}
	h.Protocols = []protocol.Protocol{{
		Name: l.Format.condition, Source: l.Format.Source, Meaning: fmt.Sprintf("imported from %s logs", l.Format.Name),
		Settings: debate.Settings{Form: l.Format.form, Agents: h.Agents, Rounds: h.Rounds},
	}}
	return h
}

// source names the files, or the first one and how many there are.
func (l Log) source() string {
	if len(l.Files) == 1 {
		return l.Files[0].Path
	}
	return fmt.Sprintf("%s and %d other files", l.Files[0].Path, len(l.Files)-1)
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
