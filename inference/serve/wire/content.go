package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
)

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

// texts is a text or a list of texts.
type texts []string

// ReadStrictly implements strict.Reader.
func (t *texts) ReadStrictly(raw []byte, at string) error {
	if bytes.HasPrefix(raw, []byte("[")) {
		return strict.Read(raw, at, (*[]string)(t))
	}
	*t = make(texts, 1)
	if json.Unmarshal(raw, &(*t)[0]) != nil {
		return strict.Wrong(at, "must be a text or a list of texts")
	}
	return nil
}
