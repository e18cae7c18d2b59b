// Command architecture draws the rooms of a repository and their imports as an SVG: a band for each floor that
// house_test.go names, the highest on top, a box for each room, which has the packages whose paths begin like it,
// and an arrow for each import that others do not imply.
//
//	architecture REPOSITORY >docs/architecture.svg
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: architecture REPOSITORY")
	}
	floors, err := readFloors(filepath.Join(os.Args[1], "house_test.go"))
	if err != nil {
		log.Fatal(err)
	}
	imports, err := readImports(os.Args[1], floors)
	if err != nil {
		log.Fatal(err)
	}
	imports.prune()
	imports.reduce()
	picture, err := layOut(imports, floors)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(picture.svg())
}

// readFloors takes the map literal of the variable floors.
func readFloors(name string) (map[string]int, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return nil, err
	}
	floors := make(map[string]int)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "floors" || len(spec.Values) != 1 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, element := range literal.Elts {
			pair := element.(*ast.KeyValueExpr)
			name, nameErr := strconv.Unquote(pair.Key.(*ast.BasicLit).Value)
			floor, floorErr := strconv.Atoi(types.ExprString(pair.Value))
			if nameErr == nil && floorErr == nil {
				floors[name] = floor
			}
		}
		return false
	})
	if len(floors) == 0 {
		return nil, fmt.Errorf("%s: no floors: a variable of that name with a map literal is expected", name)
	}
	return floors, nil
}

// graph has the imports of each room, by path below the module.
type graph map[string]map[string]bool

// readImports reads all Go files of the module but tests, whatever their build tags.
func readImports(root string, floors map[string]int) (graph, error) {
	module, err := modulePath(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	g := make(graph)
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && outside(file):
			return filepath.SkipDir
		case d.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		below, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		return g.add(roomOf(filepath.ToSlash(below), floors), file, module, floors)
	})
	return g, err
}

// outside reports whether a directory has no packages of the module.
func outside(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, "go.mod"))
	name := filepath.Base(directory)
	return err == nil || strings.HasPrefix(name, ".") || name == "testdata"
}

// add enters what a file of a room imports from the module.
func (g graph) add(room, file, module string, floors map[string]int) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	if g[room] == nil {
		g[room] = make(map[string]bool)
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if to, ours := strings.CutPrefix(name, module+"/"); ours && roomOf(to, floors) != room {
			g[room][roomOf(to, floors)] = true
		}
	}
	return nil
}

// roomOf is the longest prefix of a package's path that has a floor, or the path itself.
func roomOf(pkg string, floors map[string]int) string {
	for prefix := pkg; prefix != "."; prefix = path.Dir(prefix) {
		if _, ok := floors[prefix]; ok {
			return prefix
		}
	}
	return pkg
}

func modulePath(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if module, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(module), nil
		}
	}
	return "", fmt.Errorf("%s: no line begins with module", name)
}

// prune leaves out what only tests import: rooms below commands and examples that nobody imports.
func (g graph) prune() {
	imported := make(map[string]bool)
	for _, targets := range g {
		for to := range targets {
			imported[to] = true
		}
	}
	for pkg := range g {
		if !imported[pkg] && pkg != "cmd" && pkg != "examples" {
			delete(g, pkg)
			g.prune()
			return
		}
	}
}

// reduce leaves out imports of what another import leads to as well.
func (g graph) reduce() {
	all := make(map[string]map[string]bool) // everything below each package
	var below func(pkg string) map[string]bool
	below = func(pkg string) map[string]bool {
		if all[pkg] == nil {
			all[pkg] = make(map[string]bool)
			for to := range g[pkg] {
				all[pkg][to] = true
				for further := range below(to) {
					all[pkg][further] = true
				}
			}
		}
		return all[pkg]
	}
	for pkg := range g {
		below(pkg)
	}
	for _, targets := range g {
		for to := range targets {
			for by := range targets {
				if by != to && all[by][to] {
					delete(targets, to)
					break
				}
			}
		}
	}
}
