package chat

import (
	"errors"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	control "github.com/nikolalohinski/gonja/v2/builtins/control_structures"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// deepestNesting bounds how deep brackets, operators and statements are nested. Go cannot recover from an exhausted
// stack.
const deepestNesting = 100

// instrumenter puts a meter around every expression of a template that costs anything, and into every body. gonja has
// no hooks for that, but it can call functions: the expression X becomes the call of a hidden function with X's number,
// which spends from the budget, has gonja evaluate X, and measures the result. Names, literals and what is reached from
// a name by attributes and literal keys stay as they are: they cost nothing, and methods that change a value need it in
// place.
type instrumenter struct {
	metered []nodes.Expression
	bodies  []int // bytes of plain text in each body
	depth   int   // of what is being instrumented
}

// Names of the hidden functions, and of two variables that hold the operands of an operation. No template can spell
// them.
const (
	meterName = "\x00meter"
	bodyName  = "\x00body"
	loopName  = "\x00loop"
	leftName  = "\x00left"
	rightName = "\x00right"
)

// functions are the hidden functions by their names.
func (in *instrumenter) functions() map[string]any {
	number := func(params *exec.VarArgs) int { return params.Args[0].Integer() }
	return map[string]any{
		meterName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			b := budgetOf(e)
			b.enter()
			defer b.leave()
			value := b.eval(e, in.metered[number(params)])
			b.measure(value)
			return value
		},
		bodyName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			budgetOf(e).spend(1, in.bodies[number(params)])
			return exec.AsValue("")
		},
		loopName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			budgetOf(e).spend(params.Args[0].Len(), 0)
			return params.Args[0]
		},
	}
}

var riskyOperators = []tokens.Type{tokens.Multiply, tokens.Division, tokens.FloorDivision, tokens.Modulo}

// eval evaluates an expression. It checks the operands first where gonja would not: repeating a text is the only
// operation whose result can be much larger than its operands, and a division by zero would panic.
func (b *budget) eval(e *exec.Evaluator, node nodes.Expression) *exec.Value {
	switch n := node.(type) {
	case *choice:
		return n.eval(e)
	case *nodes.GetItem:
		return item(e, n)
	}
	n, ok := node.(*nodes.BinaryExpression)
	if !ok || !slices.Contains(riskyOperators, n.Operator.Token.Type) {
		return e.Eval(node)
	}
	operator := n.Operator.Token.Type
	left, right := e.Eval(n.Left), e.Eval(n.Right)
	switch {
	case left.IsError():
		return left
	case right.IsError():
		return right
	case operator != tokens.Multiply && (right.Float() == 0 || operator == tokens.Modulo && right.Integer() == 0):
		return exec.AsValue(errors.New("division by zero"))
	case operator == tokens.Multiply && left.IsString() && !right.IsFloat():
		return exec.AsValue(b.repeat(left.String(), max(0, right.Integer())))
	}
	e.Environment.Context.Set(leftName, left)
	e.Environment.Context.Set(rightName, right)
	return e.Eval(&nodes.BinaryExpression{Left: variable(leftName), Right: variable(rightName), Operator: n.Operator})
}

// item is what an index or a key leads to. gonja does not find the first element by its index from the end, counts the
// bytes of texts, and knows only texts as keys.
func item(e *exec.Evaluator, n *nodes.GetItem) *exec.Value {
	if n.Arg == nil {
		return e.Eval(n)
	}
	from, at := e.Eval(n.Node), e.Eval(n.Arg)
	switch {
	case from.IsError():
		return from
	case at.IsError():
		return at
	case at.IsInteger() && (from.IsList() || from.IsString()):
		i := at.Integer()
		if i < 0 {
			i += from.Len()
		}
		if i < 0 || i >= from.Len() {
			return exec.AsValue(nil)
		}
		return from.Index(i)
	case at.IsInteger() && from.IsDict():
		if d, ok := from.Interface().(*exec.Dict); ok {
			for _, p := range d.Pairs {
				if p.Key.IsInteger() && p.Key.Integer() == at.Integer() {
					return p.Value
				}
			}
		}
		return exec.AsValue(nil)
	}
	e.Environment.Context.Set(leftName, from)
	e.Environment.Context.Set(rightName, at)
	return e.Eval(&nodes.GetItem{Location: n.Location, Node: variable(leftName), Arg: variable(rightName)})
}

func (b *budget) repeat(text string, times int) string {
	if n := len(text); n > 0 && times > b.bytes/n {
		refuse("a text of %d bytes is repeated %d times", n, times)
	}
	return strings.Repeat(text, times)
}

// down counts a level of nesting while a template is instrumented, until up.
func (in *instrumenter) down() {
	if in.depth++; in.depth > deepestNesting {
		refuse("expressions or statements over %d deep", deepestNesting)
	}
}

func (in *instrumenter) up() { in.depth-- }

// call is the call of a hidden function.
func call(at *tokens.Token, name string, argument nodes.Expression) nodes.Expression {
	return &nodes.Call{Location: at, Func: variable(name), Args: []nodes.Expression{argument}}
}

func variable(name string) *nodes.Name {
	return &nodes.Name{Name: &tokens.Token{Type: tokens.Name, Val: name}}
}

func number(at *tokens.Token, n int) nodes.Expression { return &nodes.Integer{Location: at, Val: n} }

// meter puts a meter around an expression, even one that costs nothing.
func (in *instrumenter) meter(e nodes.Expression) nodes.Expression {
	at := e.Position()
	if at == nil {
		at = &tokens.Token{}
	}
	in.metered = append(in.metered, e)
	return call(at, meterName, number(at, len(in.metered)-1))
}

// expression puts meters around an expression and its operands, unless it costs nothing.
func (in *instrumenter) expression(e nodes.Expression) nodes.Expression {
	if e == nil {
		return nil
	}
	in.down()
	defer in.up()
	if free(e) {
		return e
	}
	if c, ok := choiceOf(e); ok {
		e = c
	}
	in.operands(e)
	return in.meter(e)
}

// free reports whether an expression costs nothing and needs nothing that gonja lacks, as numbers as keys and indices
// do (item).
func free(e nodes.Node) bool { return located(e, false) }

// located reports whether an expression is a name, a literal, or what is reached from one by attributes and literal
// keys; by literal numbers too if they may be among them.
func located(e nodes.Node, numbers bool) bool {
	switch n := e.(type) {
	case *nodes.Name, *nodes.String, *nodes.Integer, *nodes.Float, *nodes.Bool, *nodes.None, *nodes.Error:
		return true
	case *nodes.GetAttribute:
		return short(n.Node, 8) && located(n.Node, numbers)
	case *nodes.GetItem:
		_, text := n.Arg.(*nodes.String)
		_, number := n.Arg.(*nodes.Integer)
		return (text || number && numbers) && short(n.Node, 8) && located(n.Node, numbers)
	}
	return false
}

// short reports whether a path of attributes and indices has fewer than `parts` of them.
func short(e nodes.Node, parts int) bool {
	for ; parts > 0; parts-- {
		switch n := e.(type) {
		case *nodes.GetAttribute:
			e = n.Node
		case *nodes.GetItem:
			e = n.Node
		default:
			return true
		}
	}
	return false
}

// operands puts meters around the operands of an expression.
func (in *instrumenter) operands(e nodes.Expression) {
	switch n := e.(type) {
	case *choice:
		n.condition, n.then, n.otherwise = in.expression(n.condition), in.expression(n.then), in.expression(n.otherwise)
	case *nodes.List:
		in.all(n.Val, nil)
	case *nodes.Tuple:
		in.all(n.Val, nil)
	case *nodes.Dict:
		for _, p := range n.Pairs {
			p.Key, p.Value = in.expression(p.Key), in.expression(p.Value)
		}
	case *nodes.GetItem:
		n.Node, n.Arg = in.expression(n.Node), in.expression(n.Arg)
	case *nodes.GetSlice:
		n.Node, n.Start, n.End, n.Step = in.expression(n.Node), in.expression(n.Start), in.expression(n.End),
			in.expression(n.Step)
	case *nodes.GetAttribute:
		n.Node = in.expression(n.Node)
	case *nodes.Negation:
		n.Term = in.expression(n.Term)
	case *nodes.UnaryExpression:
		n.Term = in.expression(n.Term)
	case *nodes.BinaryExpression:
		n.Left, n.Right = in.expression(n.Left), in.expression(n.Right)
	case *nodes.Call:
		in.call(n)
	case *nodes.FilteredExpression:
		n.Expression = in.expression(n.Expression)
		for _, f := range n.Filters {
			in.all(f.Args, f.Kwargs)
		}
	case *nodes.TestExpression:
		n.Expression = in.expression(n.Expression)
		in.all(n.Test.Args, n.Test.Kwargs)
	default:
		refuse("an expression of type %T", e)
	}
}

// call leaves the attribute that names a method in place: gonja looks at it. Where the method is that of an expression
// in brackets, gonja's parser does not say whose it is.
func (in *instrumenter) call(n *nodes.Call) {
	if method, ok := n.Func.(*nodes.GetAttribute); ok {
		if !located(method.Node, true) {
			method.Node = in.expression(method.Node)
		}
		n.Parent = method.Node
	} else {
		n.Func = in.expression(n.Func)
	}
	in.all(n.Args, n.Kwargs)
}

func (in *instrumenter) all(list []nodes.Expression, named map[string]nodes.Expression) {
	for i, e := range list {
		list[i] = in.expression(e)
	}
	for name, e := range named {
		named[name] = in.expression(e)
	}
}

// body puts meters into what stands between two tags. Statements in it got theirs when they were parsed.
func (in *instrumenter) body(list []nodes.Node) []nodes.Node {
	at, bytes := &tokens.Token{}, 0
	for _, node := range list {
		switch n := node.(type) {
		case *nodes.Data:
			bytes += len(n.Data.Val)
		case *nodes.ControlStructureBlock:
			if raw, ok := n.ControlStructure.(*control.RawControlStructure); ok {
				bytes += len(raw.Position().Val)
			}
		case *nodes.Output:
			in.output(n)
		}
	}
	in.bodies = append(in.bodies, bytes)
	meter := &nodes.Output{Start: at, End: at, Expression: call(at, bodyName, number(at, len(in.bodies)-1))}
	return append([]nodes.Node{meter}, list...)
}

// output measures everything that is written, names and literals too.
func (in *instrumenter) output(n *nodes.Output) {
	measured := func(e nodes.Expression) nodes.Expression {
		if e != nil && free(e) {
			return in.meter(e)
		}
		return in.expression(e)
	}
	n.Expression, n.Condition, n.Alternative = measured(n.Expression), in.expression(n.Condition),
		measured(n.Alternative)
}

func (in *instrumenter) wrapper(w *nodes.Wrapper) {
	if w != nil {
		w.Nodes = in.body(w.Nodes)
	}
}

// statements are those of Jinja that need nothing from outside: no template can include a file.
func (in *instrumenter) statements() *exec.ControlStructureSet {
	set := map[string]parser.ControlStructureParser{
		"set": in.nested(in.parseSet), "generation": in.nested(in.parseGeneration),
	}
	for _, name := range []string{"for", "if", "macro", "call", "do", "break", "continue", "raw"} {
		parse, _ := builtins.ControlStructures.Get(name)
		set[name] = in.nested(func(p, args *parser.Parser) (nodes.ControlStructure, error) {
			statement, err := parse(p, args)
			if err == nil {
				in.statement(statement)
			}
			return statement, err
		})
	}
	return exec.NewControlStructureSet(set)
}

// nested counts the nesting of statements while they are parsed.
func (in *instrumenter) nested(parse parser.ControlStructureParser) parser.ControlStructureParser {
	return func(p, args *parser.Parser) (nodes.ControlStructure, error) {
		in.down()
		defer in.up()
		return parse(p, args)
	}
}

// statement puts meters into a statement that has been parsed.
func (in *instrumenter) statement(statement nodes.ControlStructure) {
	switch s := statement.(type) {
	case *control.ForControlStructure:
		s.ObjectEvaluator = call(&tokens.Token{}, loopName, in.expression(s.ObjectEvaluator))
		s.IfCondition = in.expression(s.IfCondition)
		in.wrapper(s.BodyWrapper)
		in.wrapper(s.EmptyWrapper)
	case *control.IfControlStructure:
		in.all(s.Conditions, nil)
		for _, w := range s.Wrappers {
			in.wrapper(w)
		}
	case *control.MacroControlStructure:
		for _, p := range s.Kwargs {
			p.Value = in.expression(p.Value)
		}
		in.wrapper(s.Wrapper)
	case *control.CallControlStructure:
		in.call(s.Call)
		in.wrapper(s.Body)
	case *control.DoControlStructure:
		s.Expression = in.expression(s.Expression)
	}
}
