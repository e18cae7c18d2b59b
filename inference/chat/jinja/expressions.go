package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// longestChain bounds operators, calls and filters in a row, which nest when they are evaluated.
const longestChain = 2_000

// expression parses a value, which may be a choice: a if b else c.
func (p *parser) expression() (expression, error) {
	p.down()
	defer p.up()
	then, err := p.or()
	for n := 0; err == nil && p.accept("if"); n++ {
		if n > longestChain {
			refuse("over %d choices in a row", longestChain)
		}
		var condition expression
		if condition, err = p.or(); err != nil {
			return nil, err
		}
		otherwise := func(*evaluator) (any, error) { return undefined{"a choice without else"}, nil }
		if p.accept("else") {
			if otherwise, err = p.expression(); err != nil {
				return nil, err
			}
		}
		chosen := then
		then = func(e *evaluator) (any, error) {
			v, err := condition(e)
			if err != nil {
				return nil, err
			}
			if truth(v) {
				return chosen(e)
			}
			return otherwise(e)
		}
	}
	return then, err
}

// tuple parses one value, or several separated by commas.
func (p *parser) tuple() (expression, error) { return p.tupleOf(p.expression) }

func (p *parser) tupleOf(element func() (expression, error)) (expression, error) {
	first, err := element()
	if err != nil || !p.is(",") {
		return first, err
	}
	all := []expression{first}
	for p.accept(",") {
		if t := p.peek(); t.kind == outputEnd || t.kind == blockEnd || p.is(")", "]", "=") {
			break
		}
		next, err := element()
		if err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return collect(all, tuple), nil
}

// collect returns a list or a tuple of values.
func collect(all []expression, of kind) expression {
	return func(e *evaluator) (any, error) {
		items := make([]any, len(all))
		for i, one := range all {
			v, err := one(e)
			if err != nil {
				return nil, err
			}
			items[i] = v
		}
		e.spend(1+len(items), 0)
		return &sequence{items, of}, nil
	}
}

func (p *parser) or() (expression, error)  { return p.logical("or", true, p.and) }
func (p *parser) and() (expression, error) { return p.logical("and", false, p.not) }

// logical parses operands of and or or; ends is the truth of the first operand that is the result.
func (p *parser) logical(word string, ends bool, operand func() (expression, error)) (expression, error) {
	left, err := operand()
	for n := 0; err == nil && p.accept(word); n++ {
		if n > longestChain {
			refuse("over %d operands in a row", longestChain)
		}
		var right expression
		if right, err = operand(); err != nil {
			return nil, err
		}
		first := left
		left = func(e *evaluator) (any, error) {
			v, err := first(e)
			if err != nil || truth(v) == ends {
				return v, err
			}
			return right(e)
		}
	}
	return left, err
}

func (p *parser) not() (expression, error) {
	if !p.accept("not") {
		return p.comparison()
	}
	p.down()
	defer p.up()
	value, err := p.not()
	return value.then(func(_ *evaluator, v any) (any, error) { return !truth(v), nil }), err
}

var comparisons = []string{"==", "!=", "<", "<=", ">", ">=", "in"}

// comparison parses operands between comparisons, of which each must hold: a < b < c.
func (p *parser) comparison() (expression, error) {
	first, err := p.sum()
	if err != nil {
		return nil, err
	}
	var operators []string
	var operands []expression
	for {
		t := p.peek()
		o := t.text
		switch {
		case p.is(comparisons...):
			p.next()
		case p.is("not") && p.tokens[p.at+1].kind == name && p.tokens[p.at+1].text == "in":
			p.next()
			p.next()
			o = "not in"
		case len(operators) == 0:
			return first, nil
		default:
			return compareChain(first, operators, operands), nil
		}
		operand, err := p.sum()
		if err != nil {
			return nil, err
		}
		if operators, operands = append(operators, o), append(operands, operand); len(operators) > longestChain {
			refuse("over %d comparisons in a row", longestChain)
		}
	}
}

func compareChain(first expression, operators []string, operands []expression) expression {
	return func(e *evaluator) (any, error) {
		left, err := first(e)
		if err != nil {
			return nil, err
		}
		for i, o := range operators {
			right, err := operands[i](e)
			if err != nil {
				return nil, err
			}
			holds, err := e.holds(o, left, right)
			if err != nil || !holds {
				return false, err
			}
			left = right
		}
		return true, nil
	}
}

func (p *parser) sum() (expression, error)     { return p.binary(p.concatenation, "+", "-") }
func (p *parser) product() (expression, error) { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() (expression, error) {
	return p.binary(func() (expression, error) { return p.unary(true) }, "**")
}

// binary parses operands between operators that group from the left.
func (p *parser) binary(operand func() (expression, error), operators ...string) (expression, error) {
	left, err := operand()
	for n := 0; err == nil && p.peek().kind == operator && p.is(operators...); n++ {
		if n > longestChain {
			refuse("over %d operators in a row", longestChain)
		}
		o := p.next().text
		var right expression
		if right, err = operand(); err != nil {
			return nil, err
		}
		first := left
		left = func(e *evaluator) (any, error) {
			a, err := first(e)
			if err != nil {
				return nil, err
			}
			b, err := right(e)
			if err != nil {
				return nil, err
			}
			return e.operate(o, a, b)
		}
	}
	return left, err
}

// concatenation parses texts that are joined by ~.
func (p *parser) concatenation() (expression, error) {
	first, err := p.product()
	if err != nil || !p.is("~") {
		return first, err
	}
	all := []expression{first}
	for p.accept("~") {
		next, err := p.product()
		if err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return func(e *evaluator) (any, error) {
		var b strings.Builder
		for _, one := range all {
			v, err := one(e)
			if err != nil {
				return nil, err
			}
			text, err := e.text(v)
			if err != nil {
				return nil, err
			}
			e.spend(1, len(text))
			b.WriteString(text)
		}
		return b.String(), nil
	}, nil
}

func (p *parser) unary(filters bool) (value expression, err error) {
	p.down()
	defer p.up()
	switch {
	case p.peek().kind == operator && p.is("-", "+"):
		minus := p.next().text == "-"
		term, err := p.unary(false)
		if err != nil {
			return nil, err
		}
		value = term.then(func(_ *evaluator, v any) (any, error) { return applySign(v, minus) })
	default:
		if value, err = p.primary(); err != nil {
			return nil, err
		}
	}
	if value, err = p.postfix(value); err != nil || !filters {
		return value, err
	}
	return p.parsePostfix(value)
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() (expression, error) {
	t := p.next()
	switch {
	case t.kind == name:
		if v, ok := constants[t.text]; ok {
			return constant(v), nil
		}
		if slices.Contains([]string{"if", "else", "elif", "and", "or", "not", "in", "is"}, t.text) {
			return nil, fmt.Errorf("%s where a value is expected", t)
		}
		return func(e *evaluator) (any, error) { return e.scope.get(t.text), nil }, nil
	case t.kind == stringToken:
		text := t.text
		for p.peek().kind == stringToken {
			text += p.next().text
		}
		return constant(text), nil
	case t.kind == integerToken, t.kind == floatToken:
		return literal(t)
	case t.kind == operator && t.text == "(":
		if p.accept(")") {
			return constant(tupleOf()), nil
		}
		value, err := p.tuple()
		if err != nil {
			return nil, err
		}
		return value, p.expect(")")
	case t.kind == operator && t.text == "[":
		all, err := p.values("]")
		return collect(all, list), err
	case t.kind == operator && t.text == "{":
		return p.mapping()
	}
	return nil, fmt.Errorf("%s where a value is expected", t)
}

func constant(v any) expression {
	return func(e *evaluator) (any, error) {
		e.spend(1, 0)
		return v, nil
	}
}

func literal(t token) (expression, error) {
	digits := strings.ReplaceAll(t.text, "_", "")
	if t.kind == floatToken {
		f, err := strconv.ParseFloat(digits, 64)
		return constant(f), err
	}
	if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == "" && strings.Trim(digits,
		"0") != "" {
		return nil, fmt.Errorf("the number %.40s begins with 0", t.text)
	}
	base := 10
	if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0") != "" {
		base = 0
	}
	n, err := strconv.ParseInt(digits, base, 0)
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is too large", t.text)
	}
	return constant(int(n)), nil
}

// values parses values separated by commas up to a closing bracket.
func (p *parser) values(closing string) (all []expression, err error) {
	for !p.accept(closing) {
		if len(all) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.accept(closing) {
				break
			}
		}
		one, err := p.expression()
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (p *parser) mapping() (expression, error) {
	var keys, values []expression
	for !p.accept("}") {
		if len(keys) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.accept("}") {
				break
			}
		}
		key, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		value, err := p.expression()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	return func(e *evaluator) (any, error) {
		d := &Dict{}
		for i := range keys {
			k, err := keys[i](e)
			if err != nil {
				return nil, err
			}
			v, err := values[i](e)
			if err != nil {
				return nil, err
			}
			if !isKey(k) {
				return nil, fmt.Errorf("%s is no key of a mapping", typeName(k))
			}
			e.spend(1+len(d.pairs), 0)
			d.set(k, v)
		}
		return d, nil
	}, nil
}
