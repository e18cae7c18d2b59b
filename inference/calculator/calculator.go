// Package calculator lets a reply call a calculator while it is written: where it has << and an expression, what
// follows "=" is the value and >>, as in <<48/2=24>>. Those are the calculation annotations of GSM8K (Cobbe et al.
// 2021, arXiv 2110.14168), whose program (openai/grade-school-math, calculator.py) puts the value there in the same
// way. Here numbers are exact, a reply need not write the "=", and an expression without a value gets an error instead.
//
// What is found depends on the text alone, not on the pieces in which it comes. It knows texts and no tokens.
package calculator

import (
	"strings"
	"unicode/utf8"
)

// Name is what requests and settings call the tool.
const Name = "calculator"

// failed begins what is written in the place of a value.
const failed = "error: "

// mostExpression bounds an expression in bytes: what is longer is no call.
const mostExpression = 100

// where a Reader is in a text.
const (
	outside = iota
	within  // an expression
	behind  // its "=": within what is written there
)

// Reader reads a reply piece by piece and tells where it calls the calculator. Its zero value is at the beginning of a
// reply. It is a value: a copy goes on by itself.
type Reader struct {
	at         int
	last       rune
	expression string
}

// Reset ends an expression that was begun: what follows is not the answer of a reply.
func (r *Reader) Reset() { *r = Reader{} }

// Open reports whether an expression was begun, and what is written behind it is not complete.
func (r *Reader) Open() bool { return r.at != outside }

// Read goes on with a text that stands as it is.
func (r *Reader) Read(text string) {
	for _, c := range text {
		r.next(c)
	}
}

// Instead returns what takes the place of a text with which the reply would go on, if that completes a call: what it
// has of the expression, and "=", value and >>. The reader itself stays where it is.
func (r *Reader) Instead(text string) (instead string, calls bool) {
	ahead := *r
	for i, c := range text {
		if ahead.next(c) {
			return text[:i] + "=" + Answer(ahead.expression) + ">>", true
		}
	}
	return "", false
}

// next reads a character, and reports whether it completes a call.
func (r *Reader) next(c rune) (calls bool) {
	last := r.last
	r.last = c
	switch {
	case c == '<':
		if r.at = outside; last == '<' {
			r.at, r.expression = within, ""
		}
	case r.at == outside:
	case c == '\n' || c == utf8.RuneError:
		r.at = outside
	case r.at == behind:
		if c == '>' && last == '>' {
			r.at = outside
		}
	case c == '=' || c == '>':
		if r.at = outside; strings.TrimSpace(r.expression) == "" { // an operator, such as <<=
			return false
		}
		r.at = behind
		return true
	default:
		if r.expression += string(c); len(r.expression) > mostExpression {
			r.at = outside
		}
	}
	return false
}

// Answer returns what is written behind an expression: its value, or why it has none.
func Answer(expression string) string {
	value, err := Value(expression)
	if err != nil {
		return failed + err.Error()
	}
	return value
}

// Calls counts the calls in a reply, and those that got a value.
func Calls(reply string) (calls, computed int) {
	var r Reader
	for i, c := range reply {
		if !r.next(c) {
			continue
		}
		calls++
		value, _, complete := strings.Cut(reply[i+1:], ">>")
		if complete && !strings.HasPrefix(value, failed) {
			computed++
		}
	}
	return calls, computed
}
