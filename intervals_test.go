package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestIntervalsAreMadeByStatistics: no package but bench/stat and those below it makes a confidence interval of two
// numbers, and none writes one by a format of its own, which would show an end that is not known as a number.
func TestIntervalsAreMadeByStatistics(t *testing.T) {
	seen := make(map[string]int)
	eachFile(t, func(file string, imported []string) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "bench/stat/") {
			return
		}
		for _, i := range imported {
			if strings.HasPrefix(i, modulePath+"bench/") {
				made, at := handMade(t, file, nil)
				if seen["files"]++; made != "" {
					t.Errorf("%s: line %d %s: let a function of bench/stat make it, and table.Span or table.Between "+
						"write it", file, at, made)
				}
				return
			}
		}
	})
	for code, want := range map[string]bool{`x := stat.Interval{}`: false, `x := stat.Interval{Low: 1, High: 2}`: true,
		`x := stat.Interval(y)`: true, `x.Interval.Low = 1`: true, `x := stat.Bounds{High: 1}`: false,
		`x := fmt.Sprintf("%g to %g", i.Low, i.High)`: true, `x := table.Span("%g", i.Low, i.High)`: false,
		`x := []any{i.Low, i.High}`: false} {
		t.Run(code, func(t *testing.T) {
			made, _ := handMade(t, "x.go", "package x\nfunc f() {\n"+code+"\n}\n")
			if (made != "") != want {
				t.Errorf("it %q, want a complaint: %t", made, want)
			}
		})
	}
	if seen["files"] < 100 {
		t.Errorf("only %d files were read", seen["files"])
	}
}

// handMade says what a file does with intervals that only statistics may, and in which line.
func handMade(t *testing.T, file string, source any) (what string, line int) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		did := ""
		switch n := n.(type) {
		case *ast.CompositeLit:
			if named(n.Type, "stat", "Interval") && len(n.Elts) > 0 {
				did = "makes an interval"
			}
		case *ast.CallExpr:
			switch {
			case named(n.Fun, "stat", "Interval"):
				did = "makes an interval of something else"
			case named(n.Fun, "fmt", "Sprintf") && isEnd(n.Args, "Low") && isEnd(n.Args, "High"):
				did = "writes an interval"
			}
		case *ast.AssignStmt:
			if isEnd(n.Lhs, "Low") || isEnd(n.Lhs, "High") {
				if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && strings.HasSuffix(inner(s.X), "Interval") {
					did = "sets the end of an interval"
				}
			}
		}
		if did != "" && what == "" {
			what, line = did, files.Position(n.Pos()).Line
		}
		return true
	})
	return what, line
}

// isEnd reports whether one of the expressions is a field of this name.
func isEnd(list []ast.Expr, field string) bool {
	for _, e := range list {
		if s, ok := e.(*ast.SelectorExpr); ok && s.Sel.Name == field {
			return true
		}
	}
	return false
}

// named reports whether an expression is a name of a package.
func named(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && inner(s.X) == pkg && s.Sel.Name == name
}

// inner is the last name of an expression.
func inner(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
