package inference

import (
	"errors"
	"fmt"

	"github.com/parley-debate/parley/inference/calculator"
	"github.com/parley-debate/parley/inference/step"
)

// Tools are those that a reply may call, see Request.Tool.
var Tools = []string{calculator.Name}

// checkTool refuses a tool that there is not, or that no reply could call.
func (r Request) checkTool() error {
	switch {
	case r.Tool == "":
		return nil
	case r.Tool != calculator.Name:
		return fmt.Errorf("tool %q: the only one is %s", r.Tool, calculator.Name)
	case r.Grammar != "" || r.Forced != nil || len(r.Continuations) > 0:
		return errors.New("a tool is for replies in free text, without a grammar, forced tokens or continuations")
	}
	return nil
}

// tool is what a reply may call, and how much it has of a call. It is nil if it may call none.
type tool struct {
	calculator.Reader
	model *instance
}

// newTool returns nil for a reply without a tool.
func (p *pending) newTool() *tool {
	if p.Tool == "" {
		return nil
	}
	return &tool{model: p.model}
}

// read goes on with what a token adds to the reply. Reasoning calls nothing.
func (t *tool) read(text string, reasons bool) {
	switch {
	case t == nil:
	case reasons:
		t.Reset()
	default:
		t.Read(text)
	}
}

// writes reports whether a token is one that the tool writes: of those that are put into an answer, all within a call.
func (t *tool) writes(s step.Sampled) bool { return t != nil && s.Put && t.Open() }

// instead returns what takes the place of a token that would complete a call: that, with the answer to it. read has
// read what is before it.
func (t *tool) instead(s step.Sampled, read *reader) []step.Token {
	if t == nil || !t.Open() || s.End || s.Stuck != 0 {
		return nil
	}
	ahead := *read.text
	text, calls := t.Instead(ahead.Push(s.Token))
	if !calls {
		return nil
	}
	tokens, err := t.model.model.Tokenize(text, false, false)
	if err != nil { // of a few characters there is none
		return nil
	}
	return tokens
}
