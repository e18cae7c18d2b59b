// Package strictyaml reads YAML files that a stranger may have written. It refuses unknown keys, numbers of the wrong
// kind, and files that would cost too much: size, depth, and the number of values after expanding aliases are checked
// before anything is decoded.
package strictyaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/parley-debate/parley/internal/plaintext"
)

// Bounds on a text. The largest file of this program has 18 KB. The parser's time on hostile YAML grows with the square
// of the size, hence the tight bound on bytes.
const (
	MostBytes = 64 << 10
	mostDepth = 64
	mostNodes = 100_000 // values, with aliases expanded
)

// ReadFile reads a file of at most MostBytes, without its byte order mark. Its errors name the file.
func ReadFile(path string) ([]byte, error) { return plaintext.ReadFile(path, MostBytes) }

// Unmarshal decodes a text into a value. Its errors give the line and mark the place.
func Unmarshal(text []byte, to any) (err error) {
	// The library panics on some malformed texts. They are refused like all others.
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("cannot be read as YAML: the parser failed with %q", fmt.Sprint(value))
		}
	}()
	if text, err = plaintext.Of(text); err != nil {
		return fmt.Errorf("the text %w", err)
	}
	file, err := check(text)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(text, to, yaml.Strict()); err != nil {
		return rewordError(err)
	}
	return checkWhole(file, to)
}

// check parses a text and refuses what is out of bounds or not YAML.
func check(text []byte) (*ast.File, error) {
	if len(text) > MostBytes {
		return nil, fmt.Errorf("a text of %d bytes: at most %d are read", len(text), MostBytes)
	}
	tokens := lexer.Tokenize(string(text))
	if err := errors.Join(checkDepth(tokens), checkLetters(tokens), checkSingle(tokens),
		checkZeros(tokens)); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, err
	}
	c := counter{anchors: make(map[string]int)}
	for _, document := range file.Docs {
		c.add(document.Body, 0)
	}
	return file, c.err
}

// checkSingle refuses a second document: only the first would be decoded.
func checkSingle(tokens token.Tokens) error {
	begun, over, directive := false, false, 0 // the line of the last directive
	for _, t := range tokens {
		switch line := t.Position.Line; {
		case t.Type == token.DirectiveType:
			directive = line
		case t.Type == token.CommentType || line == directive:
		case t.Type == token.DocumentHeaderType:
			over, begun = begun, true
		case t.Type == token.DocumentEndType:
			over = begun
		case over:
			return fmt.Errorf("[%d:%d] a second document behind ---: a file has one, so make another file of it", line,
				t.Position.Column)
		default:
			begun = true
		}
	}
	return nil
}

// checkZeros refuses numbers such as 010, which is 8 in older YAML and 10 in newer.
func checkZeros(tokens token.Tokens) error {
	for _, t := range tokens {
		digits := strings.TrimLeft(t.Value, "+-")
		if t.Type == token.OctetIntegerType && !strings.HasPrefix(digits, "0o") {
			return fmt.Errorf("[%d:%d] %s begins with 0 and may be read as octal: write it without, or as %q where it "+
				"is a text", t.Position.Line, t.Position.Column, t.Value, t.Value)
		}
	}
	return nil
}

// checkDepth bounds the nesting before the recursive parser follows it. It counts open brackets, and the entries, keys,
// tags and anchors in one line, each of which may open a level. Nesting by indentation needs no bound here: its size in
// bytes grows with the square of its depth.
func checkDepth(tokens token.Tokens) error {
	brackets, inLine, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, inLine = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			inLine++
		}
		if brackets > mostDepth || inLine > mostDepth && brackets <= 0 {
			return fmt.Errorf("[%d:%d] nested more than %d deep", line, t.Position.Column, mostDepth)
		}
	}
	return nil
}

// checkLetters refuses escapes that are no letter, such as "\ude00", for which the lexer puts U+FFFD. It does not keep
// how the escape was written, so that of U+FFFD itself is refused too.
func checkLetters(tokens token.Tokens) error {
	const replaced = "\ufffd"
	for _, t := range tokens {
		if t.Type == token.DoubleQuoteType && strings.Count(t.Value, replaced) > strings.Count(t.Origin, replaced) {
			return fmt.Errorf("[%d:%d] an escape is no letter (a lone surrogate, or U+FFFD)", t.Position.Line,
				t.Position.Column)
		}
	}
	return nil
}

// counter counts the values of a document with its aliases expanded.
type counter struct {
	anchors map[string]int // values below each anchor that is complete
	nodes   int
	err     error
}

// add counts a node and everything below it. An alias counts as much as its anchor, which must come before it.
func (c *counter) add(node ast.Node, depth int) {
	if c.err != nil || node == nil {
		return
	}
	if c.nodes++; c.nodes > mostNodes {
		c.fail(node, fmt.Errorf("more than %d values, aliases included", mostNodes))
		return
	}
	if depth > 4*mostDepth {
		c.fail(node, fmt.Errorf("nested more than %d deep", mostDepth))
		return
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, value := range n.Values {
			c.add(value, depth+1)
		}
	case *ast.MappingValueNode:
		c.add(n.Key, depth+1)
		c.add(n.Value, depth+1)
	case *ast.MappingKeyNode:
		c.add(n.Value, depth+1)
	case *ast.SequenceNode:
		for _, value := range n.Values {
			c.add(value, depth+1)
		}
	case *ast.TagNode:
		if tag := n.Start.Value; !strings.HasPrefix(tag, "!!") {
			c.fail(n, fmt.Errorf("the tag %q has no meaning here: remove it", tag))
			return
		}
		c.add(n.Value, depth+1)
	case *ast.AnchorNode:
		before := c.nodes
		c.add(n.Value, depth+1)
		c.anchors[nameOf(n.Name)] = c.nodes - before
	case *ast.AliasNode:
		size, complete := c.anchors[nameOf(n.Value)]
		if !complete {
			c.fail(n, fmt.Errorf("no value before it has the anchor %q", nameOf(n.Value)))
			return
		}
		if c.nodes += size; c.nodes > mostNodes {
			c.fail(n, fmt.Errorf("more than %d values, aliases included", mostNodes))
		}
	}
}

// fail records an error with the place of the node.
func (c *counter) fail(node ast.Node, err error) {
	if t := node.GetToken(); t != nil && t.Position != nil {
		err = fmt.Errorf("[%d:%d] %w", t.Position.Line, t.Position.Column, err)
	}
	c.err = errors.Join(c.err, err)
}

// nameOf returns the name of an anchor or alias.
func nameOf(node ast.Node) string {
	if node == nil || node.GetToken() == nil {
		return ""
	}
	return node.GetToken().Value
}
