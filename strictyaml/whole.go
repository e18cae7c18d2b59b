package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// checkWhole refuses a fraction where into has a whole number, and an empty value where it has a number: the decoder
// would truncate the one and read the other as 0. It does not follow aliases.
func checkWhole(file *ast.File, into any) error {
	for _, doc := range file.Docs {
		if err := whole("", doc.Body, reflect.TypeOf(into)); err != nil {
			return err
		}
	}
	return nil
}

// whole checks the node under a name against the type that it is decoded into.
func whole(name string, node ast.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n := node.(type) {
	case *ast.AnchorNode:
		return whole(name, n.Value, t)
	case *ast.FloatNode, *ast.NanNode, *ast.InfinityNode:
		if integer(t) {
			return misplaced(name, n, "whole number")
		}
	case *ast.NullNode:
		if integer(t) || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
			return misplaced(name, n, "number")
		}
	case *ast.SequenceNode:
		for _, value := range n.Values {
			if t.Kind() == reflect.Slice {
				if err := whole(name, value, t.Elem()); err != nil {
					return err
				}
			}
		}
	case ast.MapNode:
		return wholeFields(n.MapRange(), t)
	}
	return nil
}

func integer(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 }

// misplaced returns the error for a node that should be something else.
func misplaced(name string, n ast.Node, what string) error {
	at := n.GetToken()
	return fmt.Errorf("[%d:%d] %s %s: must be a %s", at.Position.Line, at.Position.Column, name, at.Value, what)
}

// wholeFields checks the fields of a struct.
func wholeFields(items *ast.MapNodeIter, t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return nil
	}
	types := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		types[name] = f.Type
	}
	for items.Next() {
		name := items.Key().String()
		if field, known := types[name]; known {
			if err := whole(name, items.Value(), field); err != nil {
				return err
			}
		}
	}
	return nil
}
