// Package wire has OpenAI's protocol, and vLLM's, as far as this server speaks it: the JSON of requests, what of it is
// refused before a model is asked, and the JSON of failures.
//
// Decode reads the body of a request into one of its types, which refuse what would have no effect; their methods then
// refuse what does not belong together, and return what a reply is computed from. Every error becomes a Failure by
// FailureOf. Nothing here knows the server, a model or a generation.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
)

// Decode reads the JSON object of a body into a struct, and refuses by its path what would have no effect.
func Decode(text []byte, into any) error {
	err := strict.Whole(text, into)
	wrong := new(strict.Error)
	f, beyond := new(Failure), new(limits.Beyond)
	switch {
	case err == nil || errors.As(err, &f) || errors.As(err, &beyond):
		return err
	case errors.As(err, &wrong) && wrong.Path != "":
		return Invalid(wrong.Path, "%s", wrong.Text)
	}
	return Invalid("", "the body: %v", err)
}

// Common are the fields of every request. Each refuses the same others.
type Common struct {
	Model string `json:"model"`
}

// Besides implements strict.Besides.
func (Common) Besides() map[string][]string { return besides }

// anything is for fields that say something about the request and nothing about its reply.
var anything = []string{strict.Any}

// besides are fields that this server knows and has no use for, with the values that ask for nothing.
var besides = map[string][]string{
	"metadata": anything, "service_tier": anything, "safety_identifier": anything, "prompt_cache_key": anything,
	"prompt_cache_retention": anything,

	"functions": {"[]"}, "function_call": {`"none"`, `"auto"`},
	"store": {"false"}, "modalities": {`["text"]`}, "audio": {}, "prediction": {}, "reasoning_effort": {},
	"verbosity": {}, "web_search_options": {}, "best_of": {"1"}, "suffix": {`""`}, "length_penalty": {"1"},
	"use_beam_search": {"false"}, "stop_token_ids": {"[]"}, "bad_words": {"[]"},
	"skip_special_tokens": {"true"}, "spaces_between_special_tokens": {"true"},
	"include_stop_str_in_output": {"false"}, "add_generation_prompt": {"true"}, "continue_final_message": {"false"},
	"add_special_tokens": {}, "chat_template": {}, "chat_template_kwargs": {"{}"}, "prompt_logprobs": {"false"},
	"truncate_prompt_tokens": {}, "priority": {"0"}, "logits_processors": {}, "dimensions": {}, "mirostat": {"0"},
	"typical_p": {"1"}, "cache_prompt": {"true"}, "id_slot": {"-1"}, "return_tokens_as_token_ids": {"false"},
}

// Set writes a value that the client sent over a default.
func Set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// OrNull returns a text for a JSON field that is null where there is none.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Compact writes a value as JSON on one line.
func Compact(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
