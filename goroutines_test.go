package parley_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// TestGoroutinesAreGuarded: nothing above a goroutine of ours would recover a panic of it, and the whole process would
// end, with all debates and requests that are under way. So whatever starts one, tests aside, gives it a function of
// package bug, or one that begins with deferred calls of which one is bug.Catch.
func TestGoroutinesAreGuarded(t *testing.T) {
	guarded := 0
	eachFile(t, func(file string, _ []string) {
		ofTests := strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test")
		if ofTests || path.Dir(file) == "internal/bug" {
			return
		}
		places := token.NewFileSet()
		parsed, err := parser.ParseFile(places, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found, bare := goroutines(parsed)
		guarded += found - len(bare)
		for _, node := range bare {
			t.Errorf("%s: a goroutine without bug.Guarded, bug.Lone or a deferred bug.Catch",
				places.Position(node.Pos()))
		}
	})
	if guarded < 20 {
		t.Errorf("saw %d goroutines: the test looks at nothing, want at least 20", guarded)
	}
}

// goroutines counts what starts goroutines in a file, and returns those that a panic would not stay in.
func goroutines(file *ast.File) (found int, bare []ast.Node) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt: // go bug.Guarded(...)()
			if found++; len(n.Call.Args) > 0 || !guards(n.Call.Fun) {
				bare = append(bare, n)
			}
		case *ast.CallExpr: // of a group, or later
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				break
			}
			if name := called.Sel.Name; name == "Go" || name == "TryGo" || name == "AfterFunc" {
				if found++; !guards(n.Args[len(n.Args)-1]) {
					bare = append(bare, n)
				}
			}
		}
		return true
	})
	return found, bare
}

// guards reports whether a function lets no panic out.
func guards(function ast.Expr) bool {
	switch f := function.(type) {
	case *ast.CallExpr:
		return isOf(f.Fun, "Guarded") || isOf(f.Fun, "Lone")
	case *ast.FuncLit:
		for _, s := range f.Body.List {
			d, ok := s.(*ast.DeferStmt)
			if !ok {
				return false
			}
			if isOf(d.Call.Fun, "Catch") {
				return true
			}
		}
	}
	return false
}

// isOf reports whether an expression is a name of package bug.
func isOf(e ast.Expr, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	of, ok := s.X.(*ast.Ident)
	return ok && of.Name == "bug"
}

// TestGuards: the ways to start a goroutine are found, and what is no guard does not pass.
func TestGuards(t *testing.T) {
	for text, found := range map[string]bool{
		"go bug.Guarded(f, g)()": false,
		"go bug.Lone(f)()":       false,
		"group.Go(func() (err error) { defer bug.Catch(&err); return f() })": false,
		"g.Go(func() (err error) { defer h(); defer bug.Catch(&err); f() })": false,
		"context.AfterFunc(ctx, bug.Lone(f))":                                false,
		"f()":                                                                false,
		"go f()":                                                             true,
		"go func() { f() }()":                                                true,
		"all.Go(func() { f() })":                                             true,
		"all.Go(f)":                                                          true,
		"group.Go(func() (err error) { f(); defer bug.Catch(&err); return })": true,
		"time.AfterFunc(d, func() { f() })":                                   true,
		"go func() { bug.Guarded(f, g) }()":                                   true,
	} {
		t.Run(text, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf("package p; func _() { %s }", text), 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, bare := goroutines(file); (len(bare) > 0) != found {
				t.Errorf("%s: found %d bare goroutines", text, len(bare))
			}
		})
	}
}
