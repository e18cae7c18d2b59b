package rundir

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
)

// Header is the first record of both journals and says what the run is. A wider or narrower run in the same directory
// adds another one.
type Header struct {
	Version  int                 `json:"v"`
	Kind     string              `json:"kind"` // "header"
	Parley   string              `json:"parley"`
	Build    string              `json:"build"` // of llama.cpp, with the CPU features it uses
	Model    inference.ModelInfo `json:"model"`
	spec.Run                     // what the run is
	Threads  int                 `json:"threads,omitempty"` // when the run began
	Cells    int                 `json:"cells,omitempty"`   // of the KV cache, when the run began
	Tested   string              `json:"tested,omitempty"`  // how the program tests, "" in older records
	Time     string              `json:"time"`              // when the run began, RFC 3339

	Shard    *trial.Shard `json:"shard,omitempty"`    // which part of a run this is; nil: the whole
	Imported *Imported    `json:"imported,omitempty"` // it is nil for a run of this program

	Asks []string `json:"-"` // the questions of a run that is to begin, not recorded: its debates name them
}

// Chance is the accuracy of the best constant answer: on the task file or, if the header does not have it, the share of
// the most frequent right answer in these debates.
func (h Header) Chance(debates []*outcome.Debate) float64 {
	if h.Guess != nil {
		return *h.Guess
	}
	return analysis.ConstantGuess(debates)
}

// Imported says which logs of another program a run was made from. The header then has only what the logs say of the
// model and its sampling.
type Imported struct {
	Format      string    `json:"format"`
	Files       []LogFile `json:"files"`
	Temperature *float64  `json:"temperature,omitempty"` // if all debates have one
}

// LogFile is one of these logs.
type LogFile struct {
	Path string `json:"path"`
	Hash string `json:"hash"` // SHA-256, hex
}

// Digest is the SHA-256, hex, of the hashes of all logs. It is the TaskHash of a run whose questions are in the logs.
func (i Imported) Digest() string {
	sum := sha256.New()
	for _, f := range i.Files {
		fmt.Fprintln(sum, f.Hash)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (i *Imported) String() string {
	if i == nil {
		return "no log"
	}
	files := "1 file"
	if len(i.Files) != 1 {
		files = fmt.Sprintf("%d files", len(i.Files))
	}
	return fmt.Sprintf("%s of %s logs, the first %s with SHA-256 %.12s", files, i.Format, i.Files[0].Path,
		i.Files[0].Hash)
}

// Headline says in a few lines what the run is.
func (h Header) Headline() string {
	if h.Imported != nil {
		return fmt.Sprintf("model    %s, as the logs name it\nlogs     %s\ntask     %s, %s (%s)\n"+
			"run      %s\n",
			cmp.Or(h.Model.Name, "none"), h.Imported, h.TaskName(),
			wording.Count(h.Questions, "question"), h.Source, strings.Join(h.Conditions, ", "))
	}
	text := ""
	for i, m := range h.Model.All() {
		what := "model"
		if i > 0 {
			what = "team"
		}
		text += fmt.Sprintf("%-8s %s (%s)\n", what, m.Name, m.About())
	}
	debates := fmt.Sprintf("seed %d", h.Seed)
	if h.Reading != "" {
		debates = h.Reading + " reading, " + debates
	}
	if size := h.Size(); size != "" {
		debates = size + ", " + debates
	}
	return text + fmt.Sprintf("task     %s, %s (%s)\n%sdebates  %s\n%srun      %s\n",
		h.TaskName(), wording.Count(h.Questions, "question"), h.Source, h.columnsLine(), debates, h.Asked(),
		strings.Join(h.Conditions, ", ")+h.repeatsAndStop())
}

// columnsLine says how a file of one's own was read; "" for public benchmarks.
func (h Header) columnsLine() string {
	if h.Columns == nil {
		return ""
	}
	return fmt.Sprintf("columns  %s, answers read by the rule %s\n", h.Columns, h.AnswerRule)
}

// repeatsAndStop says how often each condition is held and when the run ends early; "" for one repeat without a stop.
func (h Header) repeatsAndStop() (text string) {
	if h.Repeats > 1 {
		text = fmt.Sprintf("; each %d times", h.Repeats)
	}
	if h.Stop != nil {
		text += "; ends " + h.Stop.String()
	}
	if h.Shard != nil {
		text += fmt.Sprintf("; shard %s, of %s", h.Shard, wording.Count(h.Shard.Questions, "question"))
	}
	if h.Budget != nil {
		text += "; stops at " + h.Budget.String()
	}
	return text
}

// ModelOf returns the model that made a reply of the run: the one that the reply names, or the run's own.
func (h Header) ModelOf(r inference.Reply) (m inference.ModelInfo, known bool) {
	all := h.Model.All()
	if r.Model == "" {
		return all[0], true
	}
	i := slices.IndexFunc(all, func(m inference.ModelInfo) bool { return m.Hash == r.Model })
	if i < 0 {
		return inference.ModelInfo{}, false
	}
	return all[i], true
}

// ConditionsOf returns the conditions that a header names: the standard ones, and those of its protocols. Of any other
// condition only the name is known.
func (h Header) ConditionsOf() ([]trial.Condition, error) {
	base := society.Society{Agents: h.Agents, Rounds: h.Rounds}
	if h.Reading != titfortat.ReadingRecorded { // a reading of tit for tat alone; orders have none of that name
		base.Order.Reading = h.Reading
	}
	known, err := trial.Conditions(base)
	if err != nil {
		return nil, err
	}
	conditions := make([]trial.Condition, len(h.Conditions))
	for i, name := range h.Conditions {
		conditions[i] = trial.Condition{Name: name}
		for _, c := range known {
			if c.Name == name {
				conditions[i] = c
			}
		}
		for _, p := range h.Protocols {
			if p.Name == name {
				conditions[i] = trial.Condition{Name: name, Meaning: p.Meaning, Agents: p.Agents(), Rounds: p.Rounds(),
					Protocol: &p}
			}
		}
		conditions[i].Oracle = conditions[i].Oracle || slices.Contains(h.Bounds, name)
		conditions[i].Again = name == h.Again
	}
	if h.Stop != nil {
		if err := h.Stop.Validate(conditions); err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	if err := h.CheckTests(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return conditions, nil
}

// ReadContrasts returns the contrasts of the run, not yet tested.
func (h Header) ReadContrasts() ([]analysis.Contrast, error) {
	list, err := analysis.ReadContrasts(h.Contrasts, h.Conditions, h.Measure, h.Stop)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return list, nil
}

// Power says in a line which differences the run can detect; the result is "" if that is unknown, as when it may stop
// early.
func (h Header) Power() string {
	if h.Stop != nil {
		return ""
	}
	different := h.Questions
	if h.Different > 0 {
		different = min(different, h.Different)
	}
	return analysis.PowerOf(different, h.Repeats)
}
