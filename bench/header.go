package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/bench/task"
	"parley/debate"
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
	Conditions []string            `json:"conditions"`
	Protocols  []debate.Protocol   `json:"protocols,omitempty"` // of the conditions that are protocols
	Agents     int                 `json:"agents"`
	Rounds     int                 `json:"rounds"`
	Reading    string              `json:"reading"`
	Prompts    string              `json:"prompts"`
	Origin     string              `json:"prompts_origin"`
	Sampling   inference.Sampling  `json:"sampling"` // but for the seed of each generation, which is made from Seed
	MaxTokens  int                 `json:"max_tokens"`
	Seed       uint64              `json:"seed"`
	Time       string              `json:"time"` // of the start, RFC 3339
}

// NewHeader describes a run, but for the program, its build and the time.
func NewHeader(model inference.ModelInfo, t task.Task, s debate.Society, conditions []Condition) Header {
	h := Header{
		Model: model, Task: t.Name, TaskHash: t.Hash, Source: t.Source, Questions: len(t.Questions), AnswerRule: t.Rule,
		Agents: s.Agents, Rounds: s.Rounds, Reading: s.Order.Reading, Prompts: s.Prompts.Name, Origin: s.Prompts.Origin,
		Sampling: s.Sampling, MaxTokens: s.MaxTokens, Seed: s.Seeds.Run,
	}
	if h.MaxTokens == 0 {
		h.MaxTokens = inference.DefaultMaxTokens
	}
	for _, c := range conditions {
		h.Conditions = append(h.Conditions, c.Name)
		if c.Protocol != nil {
			h.Protocols = append(h.Protocols, *c.Protocol)
		}
	}
	return h
}

// Headline says in a few lines what is about to run.
func (h Header) Headline() string {
	return fmt.Sprintf("model    %s (%s %s, %s parameters, sha256 %.12s)\ntask     %s, %d questions (%s)\ndebates  %d agents, %d rounds, %s reading, prompts %s, temperature %g, seed %d\nrun      %s\n",
		h.Model.Name, h.Model.Architecture, h.Model.Quantization, humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), h.Model.Hash,
		h.Task, h.Questions, h.Source, h.Agents, h.Rounds, h.Reading, h.Prompts, h.Sampling.Temperature, h.Seed, strings.Join(h.Conditions, ", "))
}

// differs lists what makes this another run, not a wider or narrower one.
func (h Header) differs(other Header) (differences []string) {
	for _, field := range []struct {
		name      string
		was, will any
	}{
		{"the model's SHA-256", h.Model.Hash, other.Model.Hash}, {"mode", h.Model.Mode, other.Model.Mode}, {"build", h.Build, other.Build},
		{"task", h.Task + " " + h.TaskHash, other.Task + " " + other.TaskHash}, {"answer rule", h.AnswerRule, other.AnswerRule},
		{"reading", h.Reading, other.Reading}, {"prompts", h.Prompts, other.Prompts}, {"sampling", h.Sampling, other.Sampling},
		{"max tokens", h.MaxTokens, other.MaxTokens}, {"seed", h.Seed, other.Seed},
	} {
		if field.was != field.will {
			differences = append(differences, fmt.Sprintf("%s was %v and is %v", field.name, field.was, field.will))
		}
	}
	return differences
}

// same reports whether it is the same run altogether.
func (h Header) same(other Header) bool {
	return h.Questions == other.Questions && h.Agents == other.Agents && h.Rounds == other.Rounds && h.Source == other.Source && slices.Equal(h.Conditions, other.Conditions) &&
		slices.EqualFunc(h.Protocols, other.Protocols, debate.Protocol.Equal)
}
