package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/unknown"
)

// thinking are the names under which clients say how long the model may reason, besides our own, reasoning_tokens.
type thinking struct {
	ReasoningBudget       *int    `json:"reasoning_budget"`
	ReasoningBudgetTokens *int    `json:"reasoning_budget_tokens"`
	ThinkingBudgetTokens  *int    `json:"thinking_budget_tokens"`
	ThinkingTokenBudget   *int    `json:"thinking_token_budget"`
	ThinkingBudget        *int    `json:"thinking_budget"`
	EnableThinking        *bool   `json:"enable_thinking"`
	ReasoningEffort       *string `json:"reasoning_effort"`
	ReasoningFormat       *string `json:"reasoning_format"`
}

// unbounded is the budget of those for whom 0 is one.
const unbounded = -1

// ReasoningFormats say where reasoning stands in replies, as with llama-server: apart in reasoning_content, which auto
// means too, apart and in content as well, or in content alone.
var ReasoningFormats = []string{"auto", "deepseek", "deepseek-legacy", "none"}

// settleThinking turns what the client says into a bound on reasoning, and into variables of the chat template for what
// only that knows.
func (r *ChatRequest) settleThinking() error {
	none := 0
	if f := r.ReasoningFormat; f != nil && !slices.Contains(ReasoningFormats, *f) {
		return Invalid("reasoning_format", "reasoning_format: %v", unknown.Name("format", *f, ReasoningFormats))
	}
	for name, value := range map[string]*int{"reasoning_budget": r.ReasoningBudget,
		"reasoning_budget_tokens": r.ReasoningBudgetTokens, "thinking_budget_tokens": r.ThinkingBudgetTokens,
		"thinking_token_budget": r.ThinkingTokenBudget, "thinking_budget": r.ThinkingBudget} {
		if err := r.bound(name, value); err != nil {
			return err
		}
	}
	variables := map[string]any{}
	switch on := r.EnableThinking; {
	case on != nil && *on:
		variables["enable_thinking"] = true
	case on != nil:
		if err := r.bound("enable_thinking", &none); err != nil {
			return err
		}
	}
	switch effort := r.ReasoningEffort; {
	case effort != nil && *effort == "none":
		if err := r.bound("reasoning_effort", &none); err != nil {
			return err
		}
	case effort != nil:
		variables["reasoning_effort"] = *effort
	}
	return r.addVariables(variables)
}

// bound sets the bound that a field gives.
func (r *ChatRequest) bound(name string, value *int) error {
	if value == nil || *value == unbounded {
		return nil
	}
	if *value < 0 {
		return Invalid(name, "%s %d: must be -1, for no bound, or a number of tokens from 0", name, *value)
	}
	b := inference.BudgetOf(*value)
	if r.ReasoningTokens != nil && *r.ReasoningTokens != b {
		return Invalid(name, "%s asks for %d tokens of reasoning at most, and another field for %s: leave one out",
			name, *value, *r.ReasoningTokens)
	}
	r.ReasoningTokens = &b
	return nil
}

// addVariables adds variables of the chat template to those that the client gives.
func (r *ChatRequest) addVariables(more map[string]any) error {
	if len(more) == 0 {
		return nil
	}
	given := map[string]json.RawMessage{}
	if r.Variables != nil {
		if err := json.Unmarshal(r.Variables, &given); err != nil {
			return Invalid("chat_template_kwargs", "chat_template_kwargs: must be an object")
		}
	}
	all := map[string]any{}
	for name, value := range given {
		if _, twice := more[name]; twice {
			return Invalid(name, "%s stands in the request and in its chat_template_kwargs: leave one out", name)
		}
		all[name] = value
	}
	maps.Copy(all, more)
	text, err := json.Marshal(all)
	r.Variables = text
	return err
}

// Thinks returns the part of the sampling that decides how the conversation is rendered.
func (r *ChatRequest) Thinks() (s inference.Sampling) {
	Set(&s.ReasoningTokens, r.ReasoningTokens)
	Set(&s.ReasoningWaits, r.ReasoningWaits)
	return s
}
