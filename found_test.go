package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTestsFindWork: a test that finds nothing to do fails. What a pattern finds is looked at, no test is skipped
// because something is empty, and the public files are looked for in one place, so that a test that moves does not pass
// from then on by doing nothing.
func TestTestsFindWork(t *testing.T) {
	seen := map[string]int{}
	eachFile(t, func(file string, _ []string) {
		if !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "third_party") || file == "found_test.go" {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Body != nil && !strings.HasPrefix(f.Name.Name, "Fuzz") { // which are given what they try
				for _, complaint := range idleIn(f.Body, seen) {
					t.Errorf("%s: test %s may do nothing: %s", file, f.Name.Name, complaint)
				}
			}
		}
	})
	if seen["patterns"] < 15 || seen["skips"] < 50 {
		t.Errorf("saw only %v", seen)
	}
}

// TestIdleTestsAreFound: what TestTestsFindWork complains about, and what it does not.
func TestIdleTestsAreFound(t *testing.T) {
	for body, want := range map[string]bool{
		`for _, f := range must(filepath.Glob("x")) { use(f) }`:                              true,
		`files, err := filepath.Glob("x"); if err != nil { t.Fatal(err) }; use(files)`:       true,
		`files, _ := filepath.Glob("x"); if len(files) == 0 { t.Skip("none") }`:              true,
		`if err != nil || files == 0 { t.Skip(err) }`:                                        true,
		`if compared < 1 { t.Skipf("%d", compared) }`:                                        true,
		`file, _ := os.Open(filepath.Join("..", "..", "shared", "data"))`:                    true,
		`walk("../../../shared/data")`:                                                       true,
		`files, _ := fs.Glob(x, "y"); use(files)`:                                            true,
		`files, err := filepath.Glob("x"); if err != nil || len(files) < 4 { t.Fatal(err) }`: false,
		`if left, _ := filepath.Glob("x"); left != nil { t.Error(left) }`:                    false,
		`if errors.Is(err, llamacpp.ErrNoCgo) { t.Skip(err) }`:                               false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		complaints := idleIn(file.Decls[0].(*ast.FuncDecl).Body, map[string]int{})
		if got := len(complaints) > 0; got != want {
			t.Errorf("a test that may do nothing is found (%v): %s\ngot %q", want, body, complaints)
		}
	}
}

// idleIn looks for what makes a test pass, or be skipped, where there is nothing to do; it counts what it looked at.
func idleIn(body *ast.BlockStmt, seen map[string]int) (complaints []string) {
	found, looked := map[string]bool{}, map[string]bool{}
	named := func(e ast.Expr, names ...string) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains(names, s.Sel.Name)
	}
	patterns, kept, away := 0, 0, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if named(n, "Glob") {
				patterns++
			}
			for i := range len(n.Args) - 1 {
				away = away || isText(n.Args[i], `"shared"`) && isText(n.Args[i+1], `"data"`)
			}
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && named(n.Rhs[0], "Glob") {
				found[name.Name], kept = true, kept+1
			}
		case *ast.BasicLit:
			away = away || strings.Contains(n.Value, "../shared")
		case *ast.IfStmt:
			names, empty := counted(n.Cond)
			for _, name := range names {
				looked[name] = true
			}
			if skips := slices.ContainsFunc(n.Body.List, func(s ast.Stmt) bool {
				e, ok := s.(*ast.ExprStmt)
				return ok && named(e.X, "Skip", "Skipf", "SkipNow")
			}); skips {
				if seen["skips"]++; empty {
					complaints = append(complaints, "is skipped because something is empty: it should fail")
				}
			}
		}
		return true
	})
	if seen["patterns"] += patterns; patterns > kept {
		complaints = append(complaints, "goes over what a pattern finds without a look at whether it finds something")
	}
	if away {
		complaints = append(complaints, "counts the way to the public files itself: take datatest.Public")
	}
	for name := range found {
		if !looked[name] {
			complaints = append(complaints, "does not look at whether "+name+" are there")
		}
	}
	return complaints
}

func isText(e ast.Expr, quoted string) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Value == quoted
}

// counted are the variables whose number or absence a condition asks for, and whether it asks for a number near 0.
func counted(condition ast.Expr) (names []string, empty bool) {
	ast.Inspect(condition, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "len" {
				if name, ok := n.Args[0].(*ast.Ident); ok {
					names = append(names, name.Name)
				}
			}
		case *ast.BinaryExpr:
			if name, ok := n.X.(*ast.Ident); ok && (n.Op == token.EQL || n.Op == token.NEQ) {
				names = append(names, name.Name)
			}
			number, ok := n.Y.(*ast.BasicLit)
			empty = empty || ok && number.Kind == token.INT && slices.Contains([]token.Token{token.EQL, token.LSS,
				token.LEQ}, n.Op)
		}
		return true
	})
	return names, empty
}

// TestScriptsNameTests: each name in a list of tests that a script or the Makefile runs is the beginning of a test's of
// a package that it runs: go test passes where it finds none.
func TestScriptsNameTests(t *testing.T) {
	lists := regexp.MustCompile(`(?:SANITIZE_TESTS \?= |[ =|]['"$]?)((?:\w+\|)+\w+)`)
	packages := regexp.MustCompile(`\./(?:\w+/)*\w+`)
	names := 0
	for _, script := range []string{"Makefile", "tools/test-vulkan.sh"} {
		text := read(t, script)
		var tests strings.Builder
		for _, pkg := range slices.Compact(packages.FindAllString(text, -1)) {
			files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
			if err != nil || len(files) == 0 {
				continue // a program
			}
			for _, file := range files {
				tests.WriteString(read(t, file))
			}
		}
		for _, list := range lists.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(list[1], "|") {
				if name == "engines" { // a list that stands before
					continue
				}
				if names++; !regexp.MustCompile(`(?m)^func Test\w*` + name).MatchString(tests.String()) {
					t.Errorf("%s runs %s, which is no test", script, strconv.Quote(name))
				}
			}
		}
	}
	if names < 25 {
		t.Errorf("saw %d names, want at least 25", names)
	}
}
