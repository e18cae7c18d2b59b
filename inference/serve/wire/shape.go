package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve/schema"
	"github.com/parley-debate/parley/inference/serve/strict"
)

// shaping are the fields that say which form the reply must have: OpenAI's, llama.cpp's and vLLM's, old and new.
type shaping struct {
	ResponseFormat *responseFormat `json:"response_format"`
	Grammar        string          `json:"grammar"`
	GuidedJSON     jsonSchema      `json:"guided_json"`
	GuidedChoice   []string        `json:"guided_choice"`
	GuidedRegex    string          `json:"guided_regex"`
	GuidedGrammar  string          `json:"guided_grammar"`
	Structured     *structured     `json:"structured_outputs"`

	made *string // the grammar, once GrammarOf has made it
}

// responseFormat says what form the reply must have; see shapes for which of its fields belong together.
type responseFormat struct {
	Type       string          `json:"type"`
	JSONSchema *namedSchema    `json:"json_schema"`
	Schema     json.RawMessage `json:"schema"` // beside json_object, as with llama-server and llama-cpp-python

	in string // the field that has it, "" for response_format
}

// namedSchema is a schema as OpenAI's clients send it. All but the schema is for people.
type namedSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict"`
}

// structured are vLLM's structured_outputs.
type structured struct {
	JSON       jsonSchema `json:"json"`
	Choice     []string   `json:"choice"`
	Regex      string     `json:"regex"`
	Grammar    string     `json:"grammar"`
	JSONObject bool       `json:"json_object"`
}

// jsonSchema is a schema, or a text that is one.
type jsonSchema []byte

// ReadStrictly implements strict.Reader.
func (s *jsonSchema) ReadStrictly(raw []byte, at string) error {
	if *s = bytes.Clone(raw); !bytes.HasPrefix(raw, []byte(`"`)) {
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return strict.Wrong(at, "%v", err)
	}
	*s = []byte(text)
	return nil
}

// shape is one demand on the form of a reply.
type shape struct {
	field   string   // of the request, for errors
	compile compiler // makes the grammar; nil if nothing is demanded
}

type compiler func(context.Context) (string, error)

func ofGrammar(text string) compiler {
	if text == "" {
		return nil
	}
	return func(context.Context) (string, error) { return text, nil }
}

func ofChoice(texts []string) compiler {
	if texts == nil {
		return nil
	}
	return func(context.Context) (string, error) { return choiceOf(texts) }
}

func ofRegex(pattern string) compiler {
	if pattern == "" {
		return nil
	}
	return func(context.Context) (string, error) { return schema.Regex(pattern) }
}

func ofSchema(raw []byte) compiler {
	if raw == nil {
		return nil
	}
	return func(ctx context.Context) (string, error) { return schema.Compile(ctx, raw) }
}

// shapes returns what a request demands of the form of its reply.
func (s *shaping) shapes() ([]shape, error) {
	all := []shape{{"grammar", ofGrammar(s.Grammar)}, {"guided_grammar", ofGrammar(s.GuidedGrammar)},
		{"guided_choice", ofChoice(s.GuidedChoice)}, {"guided_regex", ofRegex(s.GuidedRegex)},
		{"guided_json", ofSchema(s.GuidedJSON)}}
	if o := s.Structured; o != nil {
		all = append(all, shape{"structured_outputs.grammar", ofGrammar(o.Grammar)},
			shape{"structured_outputs.choice", ofChoice(o.Choice)}, shape{"structured_outputs.regex", ofRegex(o.Regex)},
			shape{"structured_outputs.json", ofSchema(o.JSON)})
		if o.JSONObject {
			all = append(all, shape{"structured_outputs.json_object", ofGrammar(schema.AnyObject)})
		}
	}
	format, err := s.ResponseFormat.shape()
	all = append(all, format)
	return slices.DeleteFunc(all, func(s shape) bool { return s.compile == nil }), err
}

// shape returns what the format demands, and refuses fields that do not belong together.
func (f *responseFormat) shape() (none shape, err error) {
	if f == nil {
		return none, nil
	}
	in, beside := cmp.Or(f.in, "response_format"), "response_format.schema"
	named := in + ".json_schema.schema"
	if f.in != "" {
		named = in + ".schema"
	}
	switch {
	case f.Type != "json_schema" && f.JSONSchema != nil:
		return none, Invalid(in+".json_schema", "%s.json_schema: belongs to type json_schema", in)
	case f.Type != "json_object" && f.Schema != nil:
		return none, Invalid(beside, "%s: belongs to type json_object; json_schema has it in %s", beside, named)
	case f.Type == "text":
		return none, nil
	case f.Type == "json_object" && f.Schema == nil:
		return shape{in, ofGrammar(schema.AnyObject)}, nil
	case f.Type == "json_object":
		return shape{beside, ofSchema(f.Schema)}, nil
	case f.Type != "json_schema":
		return none, Invalid(in+".type", "%s.type: %q must be text, json_object or json_schema", in, f.Type)
	case f.JSONSchema == nil || f.JSONSchema.Schema == nil:
		return none, Invalid(named, "%s: is missing", named)
	}
	return shape{named, ofSchema(f.JSONSchema.Schema)}, nil
}

// GrammarOf returns the grammar that the reply must follow, "" if it is free. It refuses requests that name two. The
// grammar is made once, however many prompts are to be replied to.
func (s *shaping) GrammarOf(ctx context.Context) (string, error) {
	if s.made != nil {
		return *s.made, nil
	}
	text, err := s.makeGrammar(ctx)
	if err == nil {
		s.made = &text
	}
	return text, err
}

func (s *shaping) makeGrammar(ctx context.Context) (string, error) {
	all, err := s.shapes()
	switch {
	case err != nil || len(all) == 0:
		return "", err
	case len(all) > 1:
		return "", Invalid(all[0].field, "%s and %s both say what the reply must be: leave one out", all[0].field,
			all[1].field)
	}
	text, err := all[0].compile(ctx)
	if err == nil {
		err = llamacpp.CheckGrammar(text) // refuses what is too large, too
	}
	return text, ofField(err, all[0].field)
}

// choiceOf returns the grammar of exactly one of these texts.
func choiceOf(texts []string) (string, error) {
	if len(texts) == 0 {
		return "", errors.New("at least one text is needed")
	}
	for _, text := range texts {
		switch {
		case text == "":
			return "", errors.New("an empty text is no choice")
		case strings.ContainsRune(text, 0):
			return "", fmt.Errorf("%q has a zero byte, which no token has", text)
		}
	}
	return grammar.Choice(texts...).String(), nil
}

// compileSchema returns the grammar of a schema; at is the field in which the schema stands, for errors.
func compileSchema(ctx context.Context, raw []byte, at string) (text string, err error) {
	if text, err = schema.Compile(ctx, raw); err == nil {
		err = llamacpp.CheckGrammar(text)
	}
	return text, ofField(err, at)
}

// ofField returns an error of what a field demands, as the client is told it. The end of the request is none.
func ofField(err error, at string) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return Invalid(at, "%s: %v", at, err)
}
