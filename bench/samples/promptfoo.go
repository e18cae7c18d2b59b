package samples

import (
	"encoding/json"
	"fmt"
	"slices"
)

func isPromptfoo(h head) bool {
	var results struct{ Results json.RawMessage }
	return h.has("results") && (json.Unmarshal(h.keys["results"], &results) == nil && results.Results != nil ||
		h.has("version", "stats"))
}

// promptfooResult is one answer to one test, as promptfoo writes it.
type promptfooResult struct {
	PromptIdx, TestIdx int
	Provider           struct{ ID, Label string }
	Vars               map[string]json.RawMessage
	Response           struct{ Output texts }
	Error              *string
	FailureReason      int // 2: the answer could not be had
	Success            *bool
	Score              any
	NamedScores        map[string]any
	TokenUsage         struct{ Completion *int }
}

// readPromptfoo reads the results of promptfoo. A question is a test's variables, since a repeated test is another one
// there; a system is a provider with a prompt.
func readPromptfoo(content []byte, f *source) error {
	var file struct{ Results json.RawMessage }
	if err := json.Unmarshal(content, &file); err != nil {
		return err
	}
	var list []promptfooResult
	inner := struct{ Results *[]promptfooResult }{&list}
	if err := json.Unmarshal(file.Results, &inner); err != nil {
		if err := json.Unmarshal(file.Results, &list); err != nil {
			return err
		}
	}
	measures := []string{"score", "success"}
	prompts := map[int]bool{}
	for _, r := range list {
		prompts[r.PromptIdx] = true
		for name := range r.NamedScores {
			measures = append(measures, name)
		}
	}
	slices.Sort(measures[2:])
	if err := f.choose(distinct(measures)); err != nil {
		return err
	}
	for i, r := range list {
		s := Sample{Place: fmt.Sprint("result ", i+1), System: r.Provider.Label, Repeat: -1, Tokens: -1,
			Cluster: field(r.Vars, f.options.Cluster), Reply: r.Response.Output.first()}
		if s.System == "" {
			s.System = r.Provider.ID
		}
		if len(prompts) > 1 {
			s.System += fmt.Sprint("/prompt-", r.PromptIdx+1)
		}
		if s.Question = fmt.Sprint("test-", r.TestIdx); len(r.Vars) > 0 {
			vars, _ := json.Marshal(r.Vars) // keys sorted
			s.Question, s.Text, s.Digest = string(vars), string(vars), string(vars)
		}
		if r.TokenUsage.Completion != nil {
			s.Tokens = *r.TokenUsage.Completion
		}
		var score any
		switch f.measure {
		case "score":
			score = r.Score
		case "success":
			if r.Success != nil {
				score = *r.Success
			}
		default:
			score = r.NamedScores[f.measure]
		}
		if r.FailureReason == 2 {
			s.Why = "the provider failed"
			if r.Error != nil {
				s.Why = *r.Error
			}
		}
		if err := f.add(s, score); err != nil {
			return err
		}
	}
	return nil
}
