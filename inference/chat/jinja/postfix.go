package jinja

import "fmt"

// postfix parses attributes, elements and calls behind a value.
func (p *parser) postfix(value expression) (expression, error) {
	for n := 0; p.peek().kind == operator; n++ {
		var err error
		switch {
		case n > longestChain:
			refuse("over %d attributes, elements or calls in a row", longestChain)
		case p.accept("."):
			value, err = p.attribute(value)
		case p.accept("["):
			value, err = p.element(value)
		case p.is("("):
			value, err = p.callOf(value)
		default:
			return value, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (p *parser) attribute(value expression) (expression, error) {
	t := p.next()
	switch t.kind {
	case integerToken:
		at, err := literal(t)
		if err != nil {
			return nil, err
		}
		return element(value, at), nil
	case name:
	default:
		return nil, fmt.Errorf("%s where the name of an attribute is expected", t)
	}
	if err := checkAttribute(t.text, p.is("(")); err != nil {
		return nil, err
	}
	return value.then(func(e *evaluator, v any) (any, error) { return e.attribute(v, t.text) }), nil
}

func element(value, at expression) expression {
	return value.then(func(e *evaluator, v any) (any, error) {
		i, err := at(e)
		if err != nil {
			return nil, err
		}
		return e.element(v, i)
	})
}

// element parses an index, a key or a slice, behind its opening bracket.
func (p *parser) element(value expression) (expression, error) {
	var parts [3]expression // of a slice
	slice := false
	for i := 0; !p.accept("]"); i++ {
		if p.accept(":") {
			if slice = true; i == 2 {
				return nil, fmt.Errorf("a slice has three parts")
			}
			continue
		}
		if parts[i] != nil {
			return nil, fmt.Errorf("%s where ] is expected", p.peek())
		}
		one, err := p.expression()
		if err != nil {
			return nil, err
		}
		parts[i] = one
		if !p.is("]", ":") {
			return nil, fmt.Errorf("%s where ] is expected", p.peek())
		}
		i-- // the part goes on up to a colon
	}
	if !slice && parts[0] == nil {
		return nil, fmt.Errorf("an index is missing")
	}
	if !slice {
		return element(value, parts[0]), nil
	}
	return value.then(func(e *evaluator, v any) (_ any, err error) {
		var bounds [3]any
		for i, one := range parts {
			if one == nil {
				continue
			}
			if bounds[i], err = one(e); err != nil {
				return nil, err
			}
		}
		return e.slice(v, bounds)
	}), nil
}

// parseCall parses the value and the arguments of a call block.
func (p *parser) parseCall() (callee expression, a func(*evaluator) (arguments, error), err error) {
	if callee, err = p.primary(); err != nil {
		return nil, nil, err
	}
	for p.accept(".") {
		if callee, err = p.attribute(callee); err != nil {
			return nil, nil, err
		}
	}
	a, err = p.arguments()
	return callee, a, err
}

func (p *parser) callOf(value expression) (expression, error) {
	a, err := p.arguments()
	return value.then(func(e *evaluator, f any) (any, error) {
		list, err := a(e)
		if err != nil {
			return nil, err
		}
		return e.call(f, list)
	}), err
}

// arguments parses what a call passes, in its brackets.
func (p *parser) arguments() (func(*evaluator) (arguments, error), error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var values, named []expression
	var names []string
	for first := true; !p.accept(")"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.accept(")") {
				break
			}
		}
		word := ""
		if t := p.tokens[min(p.at+1, len(p.tokens)-1)]; p.peek().kind == name && t.kind == operator && t.text == "=" {
			word = p.next().text
			p.next()
		}
		value, err := p.expression()
		switch {
		case err != nil:
			return nil, err
		case word != "":
			names, named = append(names, word), append(named, value)
		case len(named) > 0:
			return nil, fmt.Errorf("an argument without a name follows one with a name")
		default:
			values = append(values, value)
		}
	}
	return func(e *evaluator) (a arguments, err error) {
		a.values = make([]any, len(values))
		for i, value := range values {
			if a.values[i], err = value(e); err != nil {
				return a, err
			}
		}
		for i, value := range named {
			v, err := value(e)
			if err != nil {
				return a, err
			}
			a.named = append(a.named, Pair{names[i], v})
		}
		return a, nil
	}, nil
}

// parsePostfix parses filters, tests and calls behind a value.
func (p *parser) parsePostfix(value expression) (expression, error) {
	for n := 0; ; n++ {
		if n > longestChain {
			refuse("over %d filters or tests in a row", longestChain)
		}
		switch {
		case p.is("|"):
			apply, err := p.filters()
			if err != nil {
				return nil, err
			}
			value = value.then(apply)
		case p.accept("is"):
			test, err := p.test()
			if err != nil {
				return nil, err
			}
			value = value.then(test)
		case p.peek().kind == operator && p.is("("):
			var err error
			if value, err = p.callOf(value); err != nil {
				return nil, err
			}
		default:
			return value, nil
		}
	}
}

// filters parses one or more filters, each behind its bar.
func (p *parser) filters() (func(*evaluator, any) (any, error), error) {
	var apply []func(*evaluator, any) (any, error)
	for p.accept("|") {
		word, err := p.word()
		if err != nil {
			return nil, err
		}
		if _, known := filters[word]; !known && !p.soft {
			return nil, unknownName("filter", word, filters)
		}
		a := func(*evaluator) (arguments, error) { return arguments{}, nil }
		if p.is("(") {
			if a, err = p.arguments(); err != nil {
				return nil, err
			}
		}
		if len(apply) > longestChain {
			refuse("over %d filters in a row", longestChain)
		}
		apply = append(apply, func(e *evaluator, v any) (any, error) {
			list, err := a(e)
			if err != nil {
				return nil, err
			}
			return e.filter(word, v, list)
		})
	}
	return func(e *evaluator, v any) (_ any, err error) {
		for _, f := range apply {
			if v, err = f(e, v); err != nil {
				return nil, err
			}
		}
		return v, nil
	}, nil
}

// test parses a test behind its is.
func (p *parser) test() (func(*evaluator, any) (any, error), error) {
	negated := p.accept("not")
	word, err := p.word()
	if err != nil {
		return nil, err
	}
	if _, known := tests[word]; !known && !p.soft {
		return nil, unknownName("test", word, tests)
	}
	a := func(*evaluator) (arguments, error) { return arguments{}, nil }
	t := p.peek()
	switch {
	case p.is("("):
		a, err = p.arguments()
	case t.kind == name && !p.is("else", "or", "and", "if", "is", "in", "not"),
		t.kind == stringToken, t.kind == integerToken, t.kind == floatToken, t.kind == operator && p.is("[", "{"):
		value, err := p.primary()
		if err == nil {
			value, err = p.postfix(value)
		}
		if err != nil {
			return nil, err
		}
		a = func(e *evaluator) (arguments, error) {
			v, err := value(e)
			return arguments{values: []any{v}}, err
		}
	}
	return func(e *evaluator, v any) (any, error) {
		list, err := a(e)
		if err != nil {
			return nil, err
		}
		holds, err := e.test(word, v, list)
		return holds != negated, err
	}, err
}
