package remote

import (
	"encoding/json"
	"fmt"
)

// said is a message of a model. Programs call its reasoning by several names: llama-server and SGLang
// reasoning_content, vLLM that or reasoning, by its version, and Ollama's own protocol thinking. Mistral and Cohere
// have it in parts of the content.
type said struct {
	Content   content `json:"content"`
	Refusal   content `json:"refusal"`
	Reasoning content `json:"reasoning_content"`
	Thought   content `json:"reasoning"`
	Thinking  content `json:"thinking"`
}

// fields are the fields of a message: what it answers, then what may be its reasoning.
func (m *said) fields() []*content {
	return []*content{&m.Content, &m.Refusal, &m.Reasoning, &m.Thought, &m.Thinking}
}

// add appends what a later piece of a stream says.
func (m *said) add(more said) {
	for i, c := range more.fields() {
		m.fields()[i].add(*c)
	}
}

// into takes the text and the reasoning of a message. A model that refused says so in a field of its own.
func (m *said) into(s *server, d *drawn) error {
	d.reasoning = m.Content.reasoning
	for i, c := range m.fields() {
		text := c.text + c.reasoning
		switch {
		case c.strange != "":
			return &fault{server: s, lasting: true, mine: true, err: fmt.Errorf("its message has %s, which is neither "+
				"text nor reasoning", s.clean(c.strange))}
		case i < 2 && d.text == "":
			d.text = c.text
		case i >= 2 && d.reasoning == "":
			d.reasoning = text
		}
	}
	d.reasoned = d.reasoning != ""
	return nil
}

// content is what a field of a message says: a text, or a list of parts, which may be reasoning.
type content struct {
	text, reasoning string
	strange         string // what cannot be read of it, in words
}

// add appends content.
func (c *content) add(more content) {
	c.text, c.reasoning, c.strange = c.text+more.text, c.reasoning+more.reasoning, c.strange+more.strange
}

// UnmarshalJSON implements json.Unmarshaler. What is neither a text nor a list of parts of known types is no error but
// strange, since a server that says it will do so again.
func (c *content) UnmarshalJSON(raw []byte) error {
	*c = content{}
	var parts []part
	switch {
	case json.Unmarshal(raw, &c.text) == nil: // null as well
	case json.Unmarshal(raw, &parts) == nil:
		for _, p := range parts {
			c.add(p.content())
		}
	default:
		c.strange = "in the place of a text " + string(raw)
	}
	return nil
}

// part is a part of a message. Its text stands in a field named text or like the type of the part.
type part struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Refusal   string `json:"refusal"`
	Thinking  pieces `json:"thinking"`
	Reasoning pieces `json:"reasoning"`
}

// content returns what a part says. References to sources and reasoning that its server hides say nothing.
func (p part) content() content {
	switch p.Type {
	case "text", "output_text", "refusal":
		return content{text: p.Text + p.Refusal}
	case "thinking", "reasoning", "reasoning_text":
		return content{reasoning: p.Text + string(p.Thinking+p.Reasoning)}
	case "reference", "redacted_thinking":
		return content{}
	}
	return content{strange: fmt.Sprintf("a part of type %q", p.Type)}
}

// pieces is a text, or a list of parts of which the texts are read.
type pieces string

// UnmarshalJSON implements json.Unmarshaler.
func (p *pieces) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, (*string)(p)) == nil {
		return nil
	}
	var list []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(raw, &list)
	for _, l := range list {
		*p += pieces(l.Text)
	}
	return err
}
