package chat

import (
	"fmt"
	"strings"

	gonja "github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// choiceName is the function that stands for a choice in brackets, "(a if b else c)", which gonja does not parse: the
// source has parley_choice((b), a, c) instead, and the instrumenter makes a choice of the call.
const choiceName = "parley_choice"

// choice is Jinja's inline if. Only what is chosen is evaluated.
type choice struct {
	at                         *tokens.Token
	condition, then, otherwise nodes.Expression // otherwise is nil if there is no else
}

func (c *choice) Position() *tokens.Token { return c.at }
func (c *choice) String() string          { return fmt.Sprintf("choice(%s)", c.condition) }

// choiceOf returns the choice that a call stands for.
func choiceOf(e nodes.Expression) (*choice, bool) {
	n, ok := e.(*nodes.Call)
	if !ok || len(n.Args) < 2 {
		return nil, false
	}
	if name, ok := n.Func.(*nodes.Name); !ok || name.Name.Val != choiceName {
		return nil, false
	}
	c := &choice{at: n.Location, condition: n.Args[0], then: n.Args[1]}
	if len(n.Args) > 2 {
		c.otherwise = n.Args[2]
	}
	return c, true
}

func (c *choice) eval(e *exec.Evaluator) *exec.Value {
	condition := e.Eval(c.condition)
	switch {
	case condition.IsError():
		return condition
	case condition.IsTrue():
		return e.Eval(c.then)
	case c.otherwise != nil:
		return e.Eval(c.otherwise)
	}
	return exec.AsValue(nil)
}

// withChoices replaces choices in brackets by calls of choiceName.
func withChoices(source string, settings *gonja.Config) string {
	c := chooser{source: source}
	for stream := tokens.LexAll(source, settings); !stream.End(); stream.Next() {
		if t := stream.Current(); t.Type != tokens.Whitespace {
			c.tokens = append(c.tokens, t)
		}
	}
	var out strings.Builder
	for at := 0; c.next < len(c.tokens); {
		from := c.pos(c.next)
		out.WriteString(source[at:from])
		t := c.tokens[c.next]
		c.next++
		if closing(t) != 0 {
			out.WriteString(source[from:c.pos(c.next)] + c.list(closing(t)))
		} else {
			out.WriteString(source[from:c.pos(c.next)])
		}
		at = c.pos(c.next)
	}
	return out.String()
}

// chooser reads the tokens of a source.
type chooser struct {
	source string
	tokens []*tokens.Token
	next   int
}

// pos is where a token begins; behind the last one, the end.
func (c *chooser) pos(i int) int {
	if i < len(c.tokens) {
		return min(c.tokens[i].Pos, len(c.source))
	}
	return len(c.source)
}

// closing is the token that ends what an opening bracket begins, 0 for other tokens.
func closing(t *tokens.Token) tokens.Type {
	switch t.Type {
	case tokens.LeftParenthesis:
		return tokens.RightParenthesis
	case tokens.LeftBracket:
		return tokens.RightBracket
	case tokens.LeftBrace:
		return tokens.RightBrace
	}
	return 0
}

// list reads up to the closing bracket and returns the text with it. Choices end at commas, colons and "=".
func (c *chooser) list(end tokens.Type) string {
	var out strings.Builder
	for {
		out.WriteString(c.element(end))
		if c.next >= len(c.tokens) {
			return out.String()
		}
		t, from := c.tokens[c.next], c.pos(c.next)
		c.next++
		out.WriteString(c.source[from:c.pos(c.next)])
		if t.Type == end || ends(t) {
			return out.String()
		}
	}
}

// ends reports whether a token ends an expression, whatever brackets are open.
func ends(t *tokens.Token) bool {
	return t.Type == tokens.BlockEnd || t.Type == tokens.VariableEnd
}

// element reads up to what ends an element of a list, and makes a call of it if it is a choice.
func (c *chooser) element(end tokens.Type) string {
	then, word := c.upTo(end, "if")
	if word == "" {
		return then
	}
	condition, word := c.upTo(end, "else")
	call := choiceName + "((" + condition + "), " + then
	if word != "" {
		call += ", " + c.element(end)
	}
	return call + ")"
}

// upTo reads up to a word or to what ends an element, and says whether it was the word, which is then read too.
func (c *chooser) upTo(end tokens.Type, word string) (text, found string) {
	var out strings.Builder
	for c.next < len(c.tokens) {
		t, from := c.tokens[c.next], c.pos(c.next)
		switch {
		case t.Type == tokens.Name && t.Val == word:
			c.next++
			return out.String(), word
		case t.Type == end || ends(t) || t.Type == tokens.Comma || t.Type == tokens.Colon || t.Type == tokens.Assign:
			return out.String(), ""
		}
		c.next++
		out.WriteString(c.source[from:c.pos(c.next)])
		if inner := closing(t); inner != 0 {
			out.WriteString(c.list(inner))
		}
	}
	return out.String(), ""
}
