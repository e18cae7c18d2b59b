package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// checkWhole refuses a fraction where into has a whole number, and an empty value where it has a number: the decoder
// would truncate the one and read the other as 0.
func checkWhole(file *ast.File, into any) error {
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		w := wholeChecker{make(map[string]ast.Node), make(map[*ast.AliasNode]ast.Node)}
		ast.Walk(w, doc.Body)
		if err := w.check("", doc.Body, reflect.TypeOf(into)); err != nil {
			return err
		}
	}
	return nil
}

// wholeChecker checks one document.
type wholeChecker struct {
	anchors map[string]ast.Node         // values of the anchors so far
	targets map[*ast.AliasNode]ast.Node // values that aliases stand for
}

// Visit implements ast.Visitor: it resolves the aliases. An anchor counts once its value is complete, so that an alias
// leads to an earlier value and no chain of them is endless, even if a name is used twice.
func (w wholeChecker) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.AnchorNode:
		ast.Walk(w, n.Value)
		w.anchors[nameOf(n.Name)] = n.Value
		return nil
	case *ast.AliasNode:
		w.targets[n] = w.anchors[nameOf(n.Value)]
	}
	return w
}

// check checks the node under a name against the type that it is decoded into.
func (w wholeChecker) check(name string, node ast.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n := node.(type) {
	case *ast.AnchorNode:
		return w.check(name, n.Value, t)
	case *ast.AliasNode:
		return w.check(name, w.targets[n], t)
	case *ast.FloatNode, *ast.NanNode, *ast.InfinityNode:
		if integer(t) {
			return misplacedError(name, n, "whole number")
		}
	case *ast.NullNode:
		if integer(t) || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
			return misplacedError(name, n, "number")
		}
	case *ast.SequenceNode:
		for _, value := range n.Values {
			if t.Kind() == reflect.Slice {
				if err := w.check(name, value, t.Elem()); err != nil {
					return err
				}
			}
		}
	case ast.MapNode:
		return w.checkFields(name, n.MapRange(), t)
	}
	return nil
}

func integer(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 }

// misplacedError returns the error for a node that should be something else.
func misplacedError(name string, n ast.Node, what string) error {
	at := n.GetToken()
	return fmt.Errorf("[%d:%d] %s %s: must be a %s", at.Position.Line, at.Position.Column, name, at.Value, what)
}

// checkFields checks the fields of a struct, or the values of a map. A merge ("<<") has fields of the same type.
func (w wholeChecker) checkFields(name string, items *ast.MapNodeIter, t reflect.Type) error {
	if t.Kind() == reflect.Map {
		for items.Next() {
			if err := w.check(name, items.Value(), t.Elem()); err != nil {
				return err
			}
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	types := map[string]reflect.Type{"<<": t}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		types[name] = f.Type
	}
	for items.Next() {
		name := items.Key().String()
		if field, known := types[name]; known {
			if err := w.check(name, items.Value(), field); err != nil {
				return err
			}
		}
	}
	return nil
}
