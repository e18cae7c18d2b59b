package inference

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

// deepestNesting bounds brackets, operators and statements in each other. Go cannot recover from an exhausted stack.
const deepestNesting = 100

// tree puts a meter around every expression of a template that costs anything, and into every body. gonja has no hooks
// for that, but it can call functions: the expression X becomes the call of a hidden function with X's number, which
// spends from the budget, has gonja evaluate X, and measures the result. Names, literals and what is reached from a
// name by attributes and literal indices stay as they are: they cost nothing, and methods that change a value need it
// in place.
type tree struct {
	metered []nodes.Expression
	bodies  []int // bytes of plain text in each body
	depth   int
}

// Names of the hidden functions, and of variables for the operands of one operation. No template can spell them.
const (
	meterName = "\x00meter"
	bodyName  = "\x00body"
	loopName  = "\x00loop"
	leftName  = "\x00left"
	rightName = "\x00right"
)

// functions are the hidden ones.
func (t *tree) functions() map[string]any {
	number := func(params *exec.VarArgs) int { return params.Args[0].Integer() }
	return map[string]any{
		meterName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			b := budgetOf(e)
			b.enter()
			defer b.leave()
			value := b.eval(e, t.metered[number(params)])
			b.measure(value)
			return value
		},
		bodyName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			budgetOf(e).spend(1, t.bodies[number(params)])
			return exec.AsValue("")
		},
		loopName: func(e *exec.Evaluator, params *exec.VarArgs) *exec.Value {
			budgetOf(e).spend(params.Args[0].Len(), 0)
			return params.Args[0]
		},
	}
}

var riskyOperators = []tokens.Type{tokens.Multiply, tokens.Division, tokens.FloorDivision, tokens.Modulo}

// eval evaluates an expression. Repeating a text is the only operation whose result can be much larger than its
// operands, and divisions can fail.
func (b *budget) eval(e *exec.Evaluator, node nodes.Expression) *exec.Value {
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

func (b *budget) repeat(text string, times int) string {
	if n := len(text); n > 0 && times > b.bytes/n {
		refuse("a text of %d bytes is repeated %d times", n, times)
	}
	return strings.Repeat(text, times)
}

// down counts a level of nesting, until up.
func (t *tree) down() {
	if t.depth++; t.depth > deepestNesting {
		refuse("expressions or statements over %d deep", deepestNesting)
	}
}

func (t *tree) up() { t.depth-- }

// call is a call of a hidden function.
func call(at *tokens.Token, name string, argument nodes.Expression) nodes.Expression {
	return &nodes.Call{Location: at, Func: variable(name), Args: []nodes.Expression{argument}}
}

func variable(name string) *nodes.Name {
	return &nodes.Name{Name: &tokens.Token{Type: tokens.Name, Val: name}}
}

func number(at *tokens.Token, n int) nodes.Expression { return &nodes.Integer{Location: at, Val: n} }

// meter puts a meter around an expression, whatever it is.
func (t *tree) meter(e nodes.Expression) nodes.Expression {
	at := e.Position()
	if at == nil {
		at = &tokens.Token{}
	}
	t.metered = append(t.metered, e)
	return call(at, meterName, number(at, len(t.metered)-1))
}

// expression puts meters into and around an expression.
func (t *tree) expression(e nodes.Expression) nodes.Expression {
	if e == nil {
		return nil
	}
	t.down()
	defer t.up()
	if free(e) {
		return e
	}
	t.operands(e)
	return t.meter(e)
}

// free reports whether an expression costs nothing.
func free(e nodes.Node) bool {
	switch n := e.(type) {
	case *nodes.Name, *nodes.String, *nodes.Integer, *nodes.Float, *nodes.Bool, *nodes.None, *nodes.Error:
		return true
	case *nodes.GetAttribute:
		return short(n.Node, 8) && free(n.Node)
	case *nodes.GetItem:
		return n.Arg != nil && short(n.Node, 8) && free(n.Node) && literal(n.Arg)
	}
	return false
}

func literal(e nodes.Node) bool {
	switch e.(type) {
	case *nodes.String, *nodes.Integer:
		return true
	}
	return false
}

// short reports whether a path has at most so many parts.
func short(e nodes.Node, most int) bool {
	for ; most > 0; most-- {
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

// operands puts meters into the parts of an expression.
func (t *tree) operands(e nodes.Expression) {
	switch n := e.(type) {
	case *nodes.List:
		t.all(n.Val, nil)
	case *nodes.Tuple:
		t.all(n.Val, nil)
	case *nodes.Dict:
		for _, p := range n.Pairs {
			p.Key, p.Value = t.expression(p.Key), t.expression(p.Value)
		}
	case *nodes.GetItem:
		n.Node, n.Arg = t.expression(n.Node), t.expression(n.Arg)
	case *nodes.GetSlice:
		n.Node, n.Start, n.End, n.Step = t.expression(n.Node), t.expression(n.Start), t.expression(n.End),
			t.expression(n.Step)
	case *nodes.GetAttribute:
		n.Node = t.expression(n.Node)
	case *nodes.Negation:
		n.Term = t.expression(n.Term)
	case *nodes.UnaryExpression:
		n.Term = t.expression(n.Term)
	case *nodes.BinaryExpression:
		n.Left, n.Right = t.expression(n.Left), t.expression(n.Right)
	case *nodes.Call:
		t.call(n)
	case *nodes.FilteredExpression:
		n.Expression = t.expression(n.Expression)
		for _, f := range n.Filters {
			t.all(f.Args, f.Kwargs)
		}
	case *nodes.TestExpression:
		n.Expression = t.expression(n.Expression)
		t.all(n.Test.Args, n.Test.Kwargs)
	default:
		refuse("an expression of type %T", e)
	}
}

// call leaves the attribute that names a method in place: gonja looks at it.
func (t *tree) call(n *nodes.Call) {
	if method, ok := n.Func.(*nodes.GetAttribute); ok {
		method.Node = t.expression(method.Node)
		if n.Parent != nil {
			n.Parent = method.Node
		}
	} else {
		n.Func = t.expression(n.Func)
	}
	t.all(n.Args, n.Kwargs)
}

func (t *tree) all(list []nodes.Expression, named map[string]nodes.Expression) {
	for i, e := range list {
		list[i] = t.expression(e)
	}
	for name, e := range named {
		named[name] = t.expression(e)
	}
}

// body puts meters into what stands between two tags. Statements in it have theirs from the time they were parsed.
func (t *tree) body(list []nodes.Node) []nodes.Node {
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
			t.output(n)
		}
	}
	t.bodies = append(t.bodies, bytes)
	meter := &nodes.Output{Start: at, End: at, Expression: call(at, bodyName, number(at, len(t.bodies)-1))}
	return append([]nodes.Node{meter}, list...)
}

// output measures all that is written.
func (t *tree) output(n *nodes.Output) {
	measured := func(e nodes.Expression) nodes.Expression {
		if e != nil && free(e) {
			return t.meter(e)
		}
		return t.expression(e)
	}
	n.Expression, n.Condition, n.Alternative = measured(n.Expression), t.expression(n.Condition),
		measured(n.Alternative)
}

func (t *tree) wrapper(w *nodes.Wrapper) {
	if w != nil {
		w.Nodes = t.body(w.Nodes)
	}
}

// statements are those of Jinja that need nothing from outside: a template can include no file.
func (t *tree) statements() *exec.ControlStructureSet {
	set := map[string]parser.ControlStructureParser{"set": t.nested(t.parseSet)}
	for _, name := range []string{"for", "if", "macro", "call", "do", "break", "continue", "raw"} {
		parse, _ := builtins.ControlStructures.Get(name)
		set[name] = t.nested(func(p, args *parser.Parser) (nodes.ControlStructure, error) {
			statement, err := parse(p, args)
			if err == nil {
				t.statement(statement)
			}
			return statement, err
		})
	}
	return exec.NewControlStructureSet(set)
}

// nested counts statements within each other while they are parsed.
func (t *tree) nested(parse parser.ControlStructureParser) parser.ControlStructureParser {
	return func(p, args *parser.Parser) (nodes.ControlStructure, error) {
		t.down()
		defer t.up()
		return parse(p, args)
	}
}

// statement puts meters into a statement that was parsed.
func (t *tree) statement(statement nodes.ControlStructure) {
	switch s := statement.(type) {
	case *control.ForControlStructure:
		s.ObjectEvaluator = call(&tokens.Token{}, loopName, t.expression(s.ObjectEvaluator))
		s.IfCondition = t.expression(s.IfCondition)
		t.wrapper(s.BodyWrapper)
		t.wrapper(s.EmptyWrapper)
	case *control.IfControlStructure:
		t.all(s.Conditions, nil)
		for _, w := range s.Wrappers {
			t.wrapper(w)
		}
	case *control.MacroControlStructure:
		for _, p := range s.Kwargs {
			p.Value = t.expression(p.Value)
		}
		t.wrapper(s.Wrapper)
	case *control.CallControlStructure:
		t.call(s.Call)
		t.wrapper(s.Body)
	case *control.DoControlStructure:
		s.Expression = t.expression(s.Expression)
	}
}
