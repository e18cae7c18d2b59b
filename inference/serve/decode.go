package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
)

// decode reads the JSON object of a request into a struct, and refuses by its path what would have no effect.
func decode(r *http.Request, into any) error {
	h := holdingOf(r.Context())
	err := strict.Whole(h.text, into)
	h.text = nil
	wrong := new(strict.Error)
	f, beyond := new(failure), new(limits.Beyond)
	switch {
	case err == nil || errors.As(err, &f) || errors.As(err, &beyond):
		return err
	case errors.As(err, &wrong) && wrong.Path != "":
		return invalid(wrong.Path, "%s", wrong.Text)
	}
	return invalid("", "the body: %v", err)
}

// content is a text, or a list of parts that are texts.
type content string

// ReadStrictly implements strict.Reader.
func (c *content) ReadStrictly(raw []byte, at string) error {
	if json.Unmarshal(raw, (*string)(c)) == nil {
		return nil
	}
	if !bytes.HasPrefix(raw, []byte("[")) {
		return strict.Wrong(at, "must be a text or a list of parts of type text")
	}
	var list parts
	if err := strict.Read(raw, at, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		return strict.Wrong(at, "the list of parts is empty")
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = *p.Text
	}
	*c = content(strings.Join(texts, "\n")) // as vLLM
	return nil
}

// parts are the texts of a message.
type parts []part

// Limit implements strict.Limited.
func (parts) Limit() *limits.Limit { return limits.Parts }

// part is one of the texts of a message.
type part struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// ReadStrictly implements strict.Reader. A part of another type is refused for that, and not for its other fields.
func (p *part) ReadStrictly(raw []byte, at string) error {
	var kind struct{ Type any }
	_ = json.Unmarshal(raw, &kind)
	if kind.Type != "text" && kind.Type != nil {
		return strict.Wrong(at+".type", "%v: this server reads parts of type text alone", kind.Type)
	}
	type fields part
	err := strict.Read(raw, at, (*fields)(p))
	switch {
	case err != nil:
		return err
	case p.Type != "text":
		return strict.Wrong(at+".type", "is missing: must be text")
	case p.Text == nil:
		return strict.Wrong(at+".text", "is missing")
	}
	return nil
}

// common are the fields of every request. Each refuses the same others.
type common struct {
	Model string `json:"model"`
}

// Besides implements strict.Besides.
func (common) Besides() map[string][]string { return besides }

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
