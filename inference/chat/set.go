package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// assignment is a set statement: {% set target = value %}, {% set target = value if condition else otherwise %}, of
// which the last two words may be missing, or {% set target %}body{% endset %}. gonja's own type does not export its
// fields, so that nothing in it could be metered.
type assignment struct {
	nodes.Node                  // the target
	value, condition, otherwise nodes.Expression
	body                        *nodes.Wrapper
}

func (in *instrumenter) parseSet(p, args *parser.Parser) (nodes.ControlStructure, error) {
	target, err := args.ParseVariableOrLiteral()
	if err != nil {
		return nil, err
	}
	switch n := target.(type) {
	case *nodes.Name:
	case *nodes.GetAttribute:
		n.Node = in.expression(n.Node)
	case *nodes.GetItem:
		n.Node, n.Arg = in.expression(n.Node), in.expression(n.Arg)
	default:
		return nil, args.Error("this cannot be set", args.Current())
	}
	s := &assignment{Node: target}
	if args.Match(tokens.Assign) == nil && args.End() {
		if s.body, _, err = p.WrapUntil("endset"); err == nil {
			in.wrapper(s.body)
		}
		return s, err
	}
	if s.value, err = args.ParseExpression(); err != nil {
		return nil, err
	}
	if s.condition, s.otherwise, err = args.ParseCondition(); err != nil {
		return nil, err
	}
	if !args.End() {
		return nil, args.Error("this set statement is not understood", args.Current())
	}
	s.value, s.condition, s.otherwise = in.expression(s.value), in.expression(s.condition), in.expression(s.otherwise)
	return s, nil
}

// Execute implements exec.ControlStructure.
func (s *assignment) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	value, err := s.evaluate(r)
	if err != nil {
		return err
	}
	switch n := s.Node.(type) {
	case *nodes.Name:
		r.Environment.Context.Set(n.Name.Val, value.Interface())
		return nil
	case *nodes.GetAttribute:
		return s.put(r, r.Eval(n.Node), exec.AsValue(n.Attribute), value)
	case *nodes.GetItem:
		return s.put(r, r.Eval(n.Node), r.Eval(n.Arg), value)
	}
	return errors.New("this cannot be set")
}

func (s *assignment) evaluate(r *exec.Renderer) (*exec.Value, error) {
	if s.body != nil {
		sub := r.Inherit()
		var text strings.Builder
		sub.Output = &text
		err := sub.ExecuteWrapper(s.body)
		return exec.AsSafeValue(text.String()), err
	}
	chosen := s.value
	if s.condition != nil {
		condition := r.Eval(s.condition)
		if condition.IsError() {
			return nil, condition
		}
		if condition.IsNil() || !condition.IsTrue() {
			chosen = s.otherwise
		}
	}
	if chosen == nil { // there is no else
		return exec.AsValue(nil), nil
	}
	value := r.Eval(chosen)
	if value.IsError() {
		return nil, value
	}
	return value, nil
}

// generation is {% generation %}body{% endgeneration %}, with which transformers finds what a model is trained
// on. It is rendered as its body.
type generation struct {
	at   *tokens.Token
	body *nodes.Wrapper
}

func (g *generation) Position() *tokens.Token { return g.at }
func (g *generation) String() string          { return "generation" }

func (in *instrumenter) parseGeneration(p, args *parser.Parser) (nodes.ControlStructure, error) {
	g := &generation{at: p.Current()}
	if !args.End() {
		return nil, args.Error("generation takes nothing", args.Current())
	}
	var err error
	if g.body, _, err = p.WrapUntil("endgeneration"); err == nil {
		in.wrapper(g.body)
	}
	return g, err
}

// Execute implements exec.ControlStructure.
func (g *generation) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	return r.Inherit().ExecuteWrapper(g.body)
}

// put enters a value into a map. Measuring the map afterwards refuses one that now contains itself.
func (s *assignment) put(r *exec.Renderer, target, key, value *exec.Value) error {
	for _, v := range []*exec.Value{target, key} {
		if v.IsError() {
			return v
		}
	}
	if err := target.Set(key, value.Interface()); err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	budgetOf(r.Evaluator()).measure(target)
	return nil
}
