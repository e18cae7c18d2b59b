package jinja

import (
	"fmt"
	"slices"
)

// parser turns tokens into functions: an expression into one that computes its value, a statement into one that writes.
// The grammar is that of Jinja 3.1 with the extension loopcontrols. What is not known is an error with its line.
type parser struct {
	tokens []token
	at     int
	depth  int // of nested expressions and statements
	loops  int // around what is parsed, in the same macro
	// what is parsed is a part of an if statement, in which jinja2 looks for filters and tests when it renders
	soft bool
}

type (
	expression func(e *evaluator) (any, error)
	statement  func(e *evaluator) error
)

// then returns what a function makes of an expression's value.
func (x expression) then(f func(e *evaluator, v any) (any, error)) expression {
	return func(e *evaluator) (any, error) {
		v, err := x(e)
		if err != nil {
			return nil, err
		}
		return f(e, v)
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// is reports whether the next token is this operator or name.
func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.kind == operator || t.kind == name) && slices.Contains(texts, t.text)
}

// accept consumes the next token if it is this operator or name.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text string) error {
	if !p.accept(text) {
		return fmt.Errorf("%s where %q is expected", p.peek(), text)
	}
	return nil
}

func (t token) String() string {
	switch t.kind {
	case end:
		return "the end of the template"
	case data:
		return "text"
	}
	return fmt.Sprintf("%.40q", t.text)
}

// word consumes a name.
func (p *parser) word() (string, error) {
	t := p.peek()
	if t.kind != name {
		return "", fmt.Errorf("%s where a name is expected", t)
	}
	return p.next().text, nil
}

// down counts a level of nesting, until up.
func (p *parser) down() {
	if p.depth++; p.depth > deepestSource {
		refuse("expressions or statements over %d deep", deepestSource)
	}
}

func (p *parser) up() { p.depth-- }

// body parses what stands up to a block that begins with one of these names, which it leaves to be read. Without names
// it ends with the template.
func (p *parser) body(until ...string) (statement, error) {
	p.down()
	defer p.up()
	var all []statement
	for {
		t := p.next()
		var s statement
		var err error
		switch t.kind {
		case data:
			s = func(e *evaluator) error {
				e.write(t.text)
				return nil
			}
		case outputBegin:
			s, err = p.output()
		case blockBegin:
			if p.is(until...) {
				return inTurn(all), nil
			}
			s, err = p.block()
		case end:
			if len(until) > 0 {
				return nil, fmt.Errorf("line %d: the template ends where %q is expected", t.line, until[len(until)-1])
			}
			return inTurn(all), nil
		}
		if err != nil {
			return nil, addLine(t.line, err)
		}
		all = append(all, at(t.line, s))
	}
}

// lineError is an error that names its line.
type lineError struct{ error }

func (l lineError) Unwrap() error { return l.error }

func addLine(line int, err error) error {
	switch err.(type) {
	case nil, lineError, jump:
		return err
	}
	return lineError{fmt.Errorf("line %d: %w", line, err)}
}

func at(line int, s statement) statement {
	return func(e *evaluator) error { return addLine(line, s(e)) }
}

func inTurn(all []statement) statement {
	return func(e *evaluator) error {
		e.enter()
		defer e.leave()
		for _, s := range all {
			if err := s(e); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *parser) output() (statement, error) {
	value, err := p.tuple()
	if err != nil {
		return nil, err
	}
	if t := p.next(); t.kind != outputEnd {
		return nil, fmt.Errorf("%s where }} is expected", t)
	}
	return func(e *evaluator) error {
		v, err := value(e)
		if err != nil {
			return err
		}
		return e.print(v)
	}, nil
}

// endBlock consumes the end of a tag.
func (p *parser) endBlock() error {
	if t := p.next(); t.kind != blockEnd {
		return fmt.Errorf("%s where %%} is expected", t)
	}
	return nil
}

// within sets whether filters and tests are looked for when they are reached, and returns how to set it back.
func (p *parser) within(soft bool) (back func()) {
	before := p.soft
	p.soft = soft
	return func() { p.soft = before }
}

// section parses the body of a statement and the tag that ends it.
func (p *parser) section(endName string) (statement, error) {
	if err := p.endBlock(); err != nil {
		return nil, err
	}
	body, err := p.body(endName)
	if err != nil {
		return nil, err
	}
	p.next()
	return body, p.endBlock()
}

func (p *parser) block() (statement, error) {
	word, err := p.word()
	if err != nil {
		return nil, err
	}
	switch word {
	case "for":
		return p.forLoop()
	case "if":
		return p.condition()
	case "set":
		return p.assignment()
	case "macro":
		return p.macro()
	case "call":
		return p.callBlock()
	case "generation":
		return p.section("endgeneration")
	case "break", "continue":
		if p.loops == 0 {
			return nil, fmt.Errorf("%s outside of a loop", word)
		}
		return func(*evaluator) error { return jump(word) }, p.endBlock()
	}
	return nil,
		fmt.Errorf("the statement %q is not known; known are break, call, continue, for, generation, if, macro, "+
			"raw and set", word)
}

func (p *parser) condition() (statement, error) {
	defer p.within(true)()
	var conditions []expression
	var bodies []statement
	for more := true; more; {
		condition, err := p.tuple()
		if err != nil {
			return nil, err
		}
		if err := p.endBlock(); err != nil {
			return nil, err
		}
		body, err := p.body("elif", "else", "endif")
		if err != nil {
			return nil, err
		}
		conditions, bodies = append(conditions, condition), append(bodies, body)
		more = p.accept("elif")
	}
	if p.accept("else") {
		body, err := p.section("endif")
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	} else {
		p.next()
		if err := p.endBlock(); err != nil {
			return nil, err
		}
	}
	return func(e *evaluator) error {
		for i, condition := range conditions {
			v, err := condition(e)
			if err != nil {
				return err
			}
			if truth(v) {
				return bodies[i](e)
			}
		}
		if len(bodies) > len(conditions) {
			return bodies[len(conditions)](e)
		}
		return nil
	}, nil
}

// target is what a loop or a set statement gives values to: a name, several, or an attribute of a namespace.
type target struct {
	names     []string
	several   bool
	attribute string // of the namespace names[0]; "" if a name is meant
}

func (p *parser) target(attributes bool) (t target, err error) {
	bracket := p.accept("(")
	for {
		word, err := p.word()
		if err != nil {
			return t, err
		}
		if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, word) {
			return t, fmt.Errorf("%s cannot be set", word)
		}
		t.names = append(t.names, word)
		if attributes && len(t.names) == 1 && p.accept(".") {
			t.attribute, err = p.word()
			return t, err
		}
		if !p.accept(",") {
			break
		}
		if t.several = true; p.is("in", "=", ")") {
			break
		}
	}
	if bracket {
		err = p.expect(")")
	}
	return t, err
}

// set gives the target a value in a scope.
func (t target) set(e *evaluator, s *scope, v any) error {
	if t.attribute != "" {
		ns, ok := e.scope.get(t.names[0]).(*namespace)
		if !ok {
			return fmt.Errorf("%s is no namespace, whose attributes can be set", t.names[0])
		}
		ns.set(t.attribute, v)
		return nil
	}
	if !t.several {
		s.vars[t.names[0]] = v
		return nil
	}
	values, err := elements(v)
	if err != nil {
		return err
	}
	if len(values) != len(t.names) {
		return fmt.Errorf("%d values for %d names", len(values), len(t.names))
	}
	for i, n := range t.names {
		s.vars[n] = values[i]
	}
	return nil
}

func (p *parser) assignment() (statement, error) {
	t, err := p.target(true)
	if err != nil {
		return nil, err
	}
	if p.accept("=") {
		value, err := p.tuple()
		if err != nil {
			return nil, err
		}
		return func(e *evaluator) error {
			v, err := value(e)
			if err != nil {
				return err
			}
			return t.set(e, e.scope, v)
		}, p.endBlock()
	}
	filter := func(_ *evaluator, v any) (any, error) { return v, nil }
	if p.is("|") {
		if filter, err = p.filters(); err != nil {
			return nil, err
		}
	}
	body, err := p.section("endset")
	return func(e *evaluator) error {
		text, err := e.capture(body)
		if err != nil {
			return err
		}
		v, err := filter(e, text)
		if err != nil {
			return err
		}
		return t.set(e, e.scope, v)
	}, err
}

// parameter is one of a macro's; fallback is nil if it has no default.
type parameter struct {
	name     string
	fallback expression
}

func (p *parser) parameters() (list []parameter, err error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for !p.accept(")") {
		if len(list) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		one := parameter{}
		if one.name, err = p.word(); err != nil {
			return nil, err
		}
		if p.accept("=") {
			if one.fallback, err = p.expression(); err != nil {
				return nil, err
			}
		} else if len(list) > 0 && list[len(list)-1].fallback != nil {
			return nil, fmt.Errorf("the parameter %s without a default follows one with a default", one.name)
		}
		list = append(list, one)
	}
	return list, nil
}

func (p *parser) macro() (statement, error) {
	word, err := p.word()
	if err != nil {
		return nil, err
	}
	parameters, err := p.parameters()
	if err != nil {
		return nil, err
	}
	body, err := p.own("endmacro")
	return func(e *evaluator) error {
		e.scope.vars[word] = e.macro(word, parameters, body)
		return nil
	}, err
}

// own parses a body that is none of the loops around it.
func (p *parser) own(endName string) (statement, error) {
	loops := p.loops
	p.loops = 0
	defer func() { p.loops = loops }()
	defer p.within(false)()
	return p.section(endName)
}

func (p *parser) callBlock() (statement, error) {
	var parameters []parameter
	var err error
	if p.is("(") {
		if parameters, err = p.parameters(); err != nil {
			return nil, err
		}
	}
	callee, arguments, err := p.parseCall()
	if err != nil {
		return nil, err
	}
	body, err := p.own("endcall")
	return func(e *evaluator) error {
		f, err := callee(e)
		if err != nil {
			return err
		}
		a, err := arguments(e)
		if err != nil {
			return err
		}
		a.named = append(a.named, Pair{"caller", e.macro("caller", parameters, body)})
		v, err := e.call(f, a)
		if err != nil {
			return err
		}
		return e.print(v)
	}, err
}

func (p *parser) forLoop() (statement, error) {
	t, err := p.target(false)
	if err != nil {
		return nil, err
	}
	if err := p.expect("in"); err != nil {
		return nil, err
	}
	over, err := p.tupleOf(p.or)
	if err != nil {
		return nil, err
	}
	var only expression
	if p.accept("if") {
		if only, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.is("recursive") {
		return nil, fmt.Errorf("recursive loops are not known")
	}
	if err := p.endBlock(); err != nil {
		return nil, err
	}
	defer p.within(false)()
	p.loops++
	body, err := p.body("else", "endfor")
	p.loops--
	if err != nil {
		return nil, err
	}
	otherwise := func(*evaluator) error { return nil }
	if p.next().text == "else" {
		if otherwise, err = p.section("endfor"); err != nil {
			return nil, err
		}
	} else if err := p.endBlock(); err != nil {
		return nil, err
	}
	return loop{t, over, only, body, otherwise}.run, nil
}
