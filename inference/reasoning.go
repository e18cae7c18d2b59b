package inference

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
)

// Whole returns the reply as it was generated: its reasoning with the marks of it, and the answer.
func (r Reply) Whole() string { return cmp.Or(r.Raw, r.Text) }

// divide tells the reasoning in a reply from the answer. The reply has its whole text, or is divided already.
func (r *Reply) divide(marks *chat.Marks, opened bool) {
	whole := r.Whole()
	if said := chat.Split(marks, opened, whole); said.Reasons {
		r.Raw, r.Text, r.Reasoning, r.ReasoningCut = whole, said.Answer, said.Reasoning, said.Cut
	}
}

// reasons reports whether the reply to a request may have reasoning. It is an answer as it is where a grammar shapes it
// or the chat template did not render the end of the prompt.
func (r Request) reasons() bool {
	return r.Prompt == nil && r.Grammar == "" && len(r.Continuations) == 0 && !GoesOn(r.Messages)
}

// learn reads how the model marks its reasoning: see chat.Marks. Marks that are control tokens are no part of a text
// otherwise.
func (m *instance) learn(template string) error {
	if template != "" {
		m.info.Template = fmt.Sprintf("%x", sha256.Sum256([]byte(template)))
	}
	m.marks, m.markTokens = chat.MarksOf(template), make(map[step.Token]string)
	if m.marks == nil {
		return nil
	}
	for _, mark := range m.marks.Texts() {
		tokens, err := m.model.Tokenize(mark, false, true)
		if err != nil {
			return err
		}
		if len(tokens) == 1 && m.model.IsControl(tokens[0]) {
			m.markTokens[tokens[0]] = mark
		}
	}
	return nil
}

// reader turns the tokens of a reply into text, and tells its reasoning from the answer.
type reader struct {
	marks  map[step.Token]string
	text   *llamacpp.TextStream
	divide *chat.Splitter // nil if the reply is an answer as it is
}

func (p *pending) reader() *reader {
	r := &reader{text: p.model.model.NewTextStream()}
	if p.reasons {
		r.marks, r.divide = p.model.markTokens, chat.NewSplitter(p.model.marks, p.opened)
	}
	return r
}

// spell returns what a token adds to the whole text.
func (r *reader) spell(t step.Token) string {
	if mark := r.marks[t]; mark != "" {
		return r.text.Flush() + mark
	}
	return r.text.Push(t)
}

// read returns what a token adds to the answer and to the reasoning, and whether it is part of the reasoning or its
// marks.
func (r *reader) read(t step.Token) (answer, reasoning string, reasons bool) {
	return r.part(r.spell(t))
}

// part is read for the text that a token adds.
func (r *reader) part(text string) (answer, reasoning string, reasons bool) {
	if r.divide == nil {
		return text, "", false
	}
	before := r.divide.Marks()
	answer, reasoning = r.divide.Push(text)
	return answer, reasoning, r.divide.Reasoning() || r.divide.Marks() > before
}

// rest returns what was held back.
func (r *reader) rest() (answer, reasoning string) {
	text := r.text.Flush()
	if r.divide == nil {
		return text, ""
	}
	answer, reasoning = r.divide.Push(text)
	more, why := r.divide.End()
	return answer + more, reasoning + why
}

// write enters the text of the tokens that were drawn, and how many of them are reasoning.
func (p *pending) write(tokens []step.Token) {
	if !p.reasons || len(p.model.markTokens) == 0 {
		p.Reply.Text = p.model.model.Detokenize(tokens, false)
	} else {
		r := p.reader()
		for _, t := range tokens {
			p.Reply.Text += r.spell(t)
		}
		p.Reply.Text += r.text.Flush()
	}
	if !p.reasons {
		return
	}
	p.Reply.divide(p.model.marks, p.opened)
	if p.Reply.Raw != "" {
		p.Reply.ReasoningTokens = p.countReasoning(tokens)
	}
}

// countReasoning counts the tokens of a reply that are part of its reasoning or its marks.
func (p *pending) countReasoning(tokens []step.Token) (n int) {
	r := p.reader()
	for _, t := range tokens {
		if _, _, reasons := r.read(t); reasons {
			n++
		}
	}
	return n
}

// restore divides a reply that an older program recorded as a whole. How its text was made of tokens is not known, so
// that they are counted as the tokenizer makes them.
func (p *pending) restore() error {
	if !p.reasons || p.Reply.Raw != "" {
		return nil
	}
	if p.Reply.divide(p.model.marks, p.opened); p.Reply.Raw == "" {
		return nil
	}
	tokens, err := p.model.model.Tokenize(p.Reply.Raw, false, true)
	p.Reply.ReasoningTokens = min(p.countReasoning(tokens), p.Reply.Tokens)
	return err
}
