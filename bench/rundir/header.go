package rundir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/bench/analysis"
	"parley/bench/trial"
	"parley/debate/protocol"
	"parley/debate/society"
	"parley/debate/titfortat"
	"parley/inference"
)

// Header is the first record of both journals: what the run is.
type Header struct {
	Version    int                 `json:"v"`
	Kind       string              `json:"kind"` // "header"
	Parley     string              `json:"parley"`
	Build      string              `json:"build"` // of llama.cpp, with the CPU features it uses
	Model      inference.ModelInfo `json:"model"`
	Task       string              `json:"task"`
	TaskHash   string              `json:"task_hash"`
	Source     string              `json:"source"`
	Questions  int                 `json:"questions"`
	AnswerRule string              `json:"answer_rule"`
	Measure    string              `json:"measure,omitempty"` // when an answer is right, see task.Family
	Conditions []string            `json:"conditions"`
	// the condition that the others are compared with; "" is mad
	Reference string              `json:"reference,omitempty"`
	Protocols []protocol.Protocol `json:"protocols,omitempty"` // of the conditions that are protocols
	Bounds    []string            `json:"bounds,omitempty"`    // of these, who are right if any agent is
	Agents    int                 `json:"agents"`
	Rounds    int                 `json:"rounds"`
	Repeats   int                 `json:"repeats,omitempty"` // of each condition on each question; 0 is 1
	Stop      *analysis.Stopping  `json:"stop,omitempty"`    // nil: after all questions
	// in all; at most, where some are held on candidate questions only
	Debates   int                `json:"debates,omitempty"`
	Reading   string             `json:"reading"`
	Prompts   string             `json:"prompts"`
	Origin    string             `json:"prompts_origin"`
	Sampling  inference.Sampling `json:"sampling"` // but for the seed of each generation, which is made from Seed
	MaxTokens int                `json:"max_tokens"`
	Seed      uint64             `json:"seed"`
	Threads   int                `json:"threads,omitempty"` // that computed when the run began
	Cells     int                `json:"cells,omitempty"`   // of the KV cache, then
	Time      string             `json:"time"`              // of the start, RFC 3339

	Imported *Imported `json:"imported,omitempty"` // of runs that another program has made
}

// Imported says which logs a run was made of. What such a header does not say of the model and its sampling, the logs
// do not say.
type Imported struct {
	Format      string    `json:"format"`
	Files       []LogFile `json:"files"`
	Temperature *float64  `json:"temperature,omitempty"` // if all debates have one
}

// LogFile is one of them.
type LogFile struct {
	Path string `json:"path"`
	Hash string `json:"hash"` // SHA-256, hex
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

// Headline says in a few lines what is about to run.
func (h Header) Headline() string {
	if h.Imported != nil {
		return fmt.Sprintf("model    %s, as the logs name it\nlogs     %s\ntask     %s, %d questions (%s)\n"+
			"run      %s\n",
			cmp.Or(h.Model.Name, "none"), h.Imported, h.Task, h.Questions, h.Source, strings.Join(h.Conditions, ", "))
	}
	return fmt.Sprintf("model    %s (%s %s, %s parameters, sha256 %.12s)\ntask     %s, %d questions (%s)\ndebates  "+
		"%d agents, %d rounds, %s reading, prompts %s, temperature %g, seed %d\nrun      %s\n",
		h.Model.Name, h.Model.Architecture, h.Model.Quantization,
		humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), h.Model.Hash,
		h.Task, h.Questions, h.Source, h.Agents, h.Rounds, h.Reading, h.Prompts, h.Sampling.Temperature, h.Seed,
		strings.Join(h.Conditions, ", ")+h.often())
}

// often says how often each condition is held, and when the run ends, where that is not as ever.
func (h Header) often() (text string) {
	if h.Repeats > 1 {
		text = fmt.Sprintf("; each %d times", h.Repeats)
	}
	if h.Stop != nil {
		text += "; ends " + h.Stop.String()
	}
	return text
}

// provenance is one thing that a header says.
type provenance struct {
	name  string
	value any // can be compared
}

// computation is what makes a generation of what is asked for: a key says what was asked, and of this only the model.
func (h Header) computation() []provenance {
	m := h.Model
	device := m.Device
	if m.GPULayers != 0 {
		device = fmt.Sprintf("%s, --gpu-layers %d", m.Device, m.GPULayers)
	}
	return []provenance{
		{"the model's SHA-256", m.Hash}, {"the template's SHA-256", m.Template}, {"mode", m.Mode}, {"build", h.Build},
		{"kernels", m.Kernels}, {"KV cache", m.KV},
		{"device", device},
	}
}

// identity is what makes a run this run and no other.
func (h Header) identity() []provenance {
	s := h.Sampling
	return append(h.computation(), []provenance{
		{"task", h.Task + " " + h.TaskHash}, {"answer rule", h.AnswerRule}, {"measure", h.Measure},
		{"reading", h.Reading}, {"prompts", h.Prompts},
		{"temperature", s.Temperature}, {"top-k", s.TopK}, {"top-p", s.TopP}, {"min-p", s.MinP},
		{"repeat penalty", s.RepeatPenalty},
		{"tokens that the penalty looks back on", s.RepeatLastN}, {"end ignored", s.IgnoreEnd},
		{"rivals", s.Alternatives},
		{"max tokens", h.MaxTokens}, {"seed", h.Seed},
		{"logs", h.Imported.String()},
	}...)
}

// extent is how wide the run is, and what else may differ while it goes on.
func (h Header) extent() []provenance {
	return []provenance{
		{"model", h.Model.Name}, {"parley", h.Parley}, {"source", h.Source}, {"questions", h.Questions},
		{"agents", h.Agents}, {"rounds", h.Rounds},
		{"repeats", max(1, h.Repeats)}, {"stop", h.Stop.String()}, {"conditions", strings.Join(h.Conditions, ", ")},
		{"threads", h.Threads}, {"KV cells", h.Cells},
	}
}

// differs lists what makes this another run, not a wider or narrower one.
func (h Header) differs(other Header) []Difference { return altered(h.identity(), other.identity()) }

// computes reports whether generations of this run are those that the other one would compute.
func (h Header) computes(other Header) bool {
	return len(altered(h.computation(), other.computation())) == 0
}

// Difference is one thing that two headers say differently.
type Difference struct {
	Name   string `json:"name"`
	First  any    `json:"first"`
	Second any    `json:"second"`
}

// Differences lists all that two headers say differently, but for their times.
func (h Header) Differences(other Header) []Difference {
	return distinct(append(h.identity(), h.extent()...), append(other.identity(), other.extent()...))
}

// altered is distinct without what the first header does not say: those of older programs say less.
func altered(first, second []provenance) []Difference {
	return slices.DeleteFunc(distinct(first, second), func(d Difference) bool { return d.First == "" })
}

func distinct(first, second []provenance) (differences []Difference) {
	for i, f := range first {
		if f.value != second[i].value {
			differences = append(differences, Difference{f.name, f.value, second[i].value})
		}
	}
	return differences
}

// same reports whether it is the same run altogether.
func (h Header) same(other Header) bool {
	return h.Questions == other.Questions && h.Agents == other.Agents && h.Rounds == other.Rounds &&
		max(1, h.Repeats) == max(1, other.Repeats) && h.Stop.String() == other.Stop.String() &&
		h.Source == other.Source && slices.Equal(h.Conditions, other.Conditions) &&
		slices.Equal(h.Bounds, other.Bounds) &&
		slices.EqualFunc(h.Protocols, other.Protocols, protocol.Protocol.Equal)
}

// ConditionsOf are the conditions that a header names. What is not one of the standard ones has its name alone.
func (h Header) ConditionsOf() ([]trial.Condition, error) {
	base := society.Society{Agents: h.Agents, Rounds: h.Rounds}
	if h.Reading != titfortat.ReadingRecorded { // orders have no such reading
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
	return conditions, nil
}

// Power says in a line what the run can find; "" where nobody knows, as when it may stop early.
func (h Header) Power() string {
	if h.Stop != nil {
		return ""
	}
	return analysis.PowerOf(h.Questions, h.Repeats)
}
