package rundir

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
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
	Task     string              `json:"task"`
	TaskHash string              `json:"task_hash"`
	Family   string              `json:"family,omitempty"` // of the task, see task.Families; "" for generated puzzles
	Source   string              `json:"source"`
	// the file of the experiment's benchmark, by name or pattern, that the user's own replaces; "" if none is replaced
	Replaces   string `json:"replaces,omitempty"`
	Questions  int    `json:"questions"`
	AnswerRule string `json:"answer_rule"`
	Measure    string `json:"measure,omitempty"` // when an answer is right, see task.Family
	// accuracy of the best constant answer on the whole task file, see task.Task.Chance; nil in old records
	Guess *float64 `json:"constant_guess,omitempty"`
	// what was read from which columns, of files that belong to no public benchmark; else nil
	Columns    *task.Columns `json:"columns,omitempty"`
	Conditions []string      `json:"conditions"`
	// the condition that the others are compared with; "" is mad
	Reference string              `json:"reference,omitempty"`
	Protocols []protocol.Protocol `json:"protocols,omitempty"` // of the conditions that are protocols
	Bounds    []string            `json:"bounds,omitempty"`    // the conditions that are right if any agent is
	Agents    int                 `json:"agents"`
	Rounds    int                 `json:"rounds"`
	Repeats   int                 `json:"repeats,omitempty"` // of each condition on each question; 0 is 1
	Stop      *analysis.Stopping  `json:"stop,omitempty"`    // nil: after all questions
	// the difference up to which conditions are called equivalent; 0: not tested
	Equivalence float64 `json:"equivalence,omitempty"`
	// the field of the task's file whose values are clusters of questions; "": each question is one
	Cluster string `json:"cluster,omitempty"`
	// the field whose values are groups, of which the results are told apart; "": the groups of the task's family
	Group     string   `json:"group,omitempty"`
	Contrasts []string `json:"contrasts,omitempty"` // as they were asked for, see package contrast
	// what the command that began or widened the run might take; nil: no limit
	Budget *Budget `json:"budget,omitempty"`
	// in all; an upper bound if some conditions are held on candidate questions only
	Debates  int                `json:"debates,omitempty"`
	Team     []debate.Member    `json:"team,omitempty"` // of the standard conditions
	Reading  string             `json:"reading"`
	Prompts  string             `json:"prompts"`
	Origin   string             `json:"prompts_origin"`
	Sampling inference.Sampling `json:"sampling"` // without seeds: that of each generation is derived from Seed
	// who chose the sampling: the user, an experiment, the model's file or card; "" in older records
	SamplingFrom string `json:"sampling_from,omitempty"`
	MaxTokens    int    `json:"max_tokens"`
	// who sees the reasoning in replies: debate.ShowReasoning, debate.ShareReasoning, or "" for debate.HideReasoning
	Reasoning string   `json:"reasoning,omitempty"`
	StopTexts []string `json:"stop_texts,omitempty"` // that end a reply of the reference: inference.Request.Stop
	EndLoops  bool     `json:"end_loops,omitempty"`  // replies that repeat themselves end: inference.Request.EndLoops
	// replies that state no answer have closing turns: debate.Asking.Closing
	Closing bool   `json:"closing,omitempty"`
	Seed    uint64 `json:"seed"`
	// what its report has to say: controls that were left out, and agents that are bound to reply the same
	Notes   []string `json:"notes,omitempty"`
	Threads int      `json:"threads,omitempty"` // when the run began
	Cells   int      `json:"cells,omitempty"`   // of the KV cache, when the run began
	Time    string   `json:"time"`              // when the run began, RFC 3339

	Shard    *trial.Shard `json:"shard,omitempty"`    // which part of a run this is; nil: the whole
	Imported *Imported    `json:"imported,omitempty"` // nil for a run of this program
}

// Chance is the accuracy of the best constant answer: on the task file or, if the header does not have it, the share of
// the most frequent right answer in these debates.
func (h Header) Chance(debates []*outcome.Debate) float64 {
	if h.Guess != nil {
		return *h.Guess
	}
	return analysis.ConstantGuess(debates)
}

// TaskName is what people call the task: with its family, since files of several benchmarks are called test.
func (h Header) TaskName() string {
	if h.Family == "" || h.Family == task.FamilyOwn || strings.Contains(strings.ToLower(h.Task), h.Family) {
		return h.Task
	}
	return h.Family + " " + h.Task
}

// ReasoningOf is what headers say of who sees the reasoning in replies.
func ReasoningOf(a debate.Asking) string {
	if a.Reasoning == debate.HideReasoning {
		return ""
	}
	return a.Reasoning
}

// Budget is what a command may take before it stops in good order. 0 is no limit.
type Budget struct {
	Tokens int           `json:"tokens,omitempty"`  // generated
	Time   time.Duration `json:"time_ns,omitempty"` // on the clock, nanoseconds
}

// String names the limits.
func (b Budget) String() string {
	var limits []string
	if b.Time > 0 {
		limits = append(limits, "--for "+b.Time.String())
	}
	if b.Tokens > 0 {
		limits = append(limits, "--tokens "+humanize.Comma(int64(b.Tokens)))
	}
	return strings.Join(limits, " and ")
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
	size := h.Size()
	if size != "" {
		size += ", "
	}
	return text + fmt.Sprintf("task     %s, %s (%s)\n%sdebates  %s%s reading, seed %d\n%srun      %s\n",
		h.TaskName(), wording.Count(h.Questions, "question"), h.Source, h.columnsLine(), size, h.Reading, h.Seed,
		h.Asked(),
		strings.Join(h.Conditions, ", ")+h.repeatsAndStop())
}

// Asked says in a line how agents are asked, and how their replies are read.
func (h Header) Asked() string {
	text := fmt.Sprintf("asked    prompts %s, answers by %s, %s", h.Prompts, h.AnswerRule, h.Sampling.Named())
	if h.SamplingFrom != "" {
		text += " (" + h.SamplingFrom + ")"
	}
	text += fmt.Sprintf(", replies of up to %s", wording.Count(cmp.Or(h.MaxTokens, inference.DefaultMaxTokens),
		"token"))
	if len(h.StopTexts) > 0 {
		text += fmt.Sprintf(" that end at %q", h.StopTexts)
	}
	return text + "\n"
}

// Size says how large the debates are, as far as the header knows: the protocol of a run without a society may leave
// the number of agents or rounds to its form.
func (h Header) Size() string {
	var parts []string
	for _, n := range []struct {
		count int
		what  string
	}{{h.Agents, "agent"}, {h.Rounds, "round"}} {
		if n.count > 0 {
			parts = append(parts, wording.Count(n.count, n.what))
		}
	}
	return strings.Join(parts, ", ")
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
				conditions[i] = trial.Condition{Name: name, Meaning: p.Meaning, Agents: p.Agents, Rounds: p.Rounds,
					Protocol: &p}
			}
		}
		conditions[i].Oracle = conditions[i].Oracle || slices.Contains(h.Bounds, name)
	}
	if h.Stop != nil {
		if err := h.Stop.Validate(conditions); err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	if err := analysis.CheckTests(h.Equivalence, h.Cluster, h.Stop); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return conditions, nil
}

// ReadContrasts returns the contrasts of the run, not yet tested.
func (h Header) ReadContrasts() ([]analysis.Contrast, error) {
	list, err := analysis.ReadContrasts(h.Contrasts, h.Conditions, h.Stop)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return list, nil
}

// Power says in a line which differences the run can detect; "" if that is unknown, as when it may stop early.
func (h Header) Power() string {
	if h.Stop != nil {
		return ""
	}
	return analysis.PowerOf(h.Questions, h.Repeats)
}
