// Command skipped reads the events of `go test -json` and prints what go test prints without -json; above what a test
// that fails prints, the rule that it is for, which its comment says; and at the end how many tests were skipped, why
// and which. It fails if a test fails:
//
//	go test -json ./... | skipped
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

// module is what the paths of packages begin with whose directories are below this one.
const module = "github.com/parley-debate/parley/"

// test names a test or a part of one.
type test struct{ pkg, name string }

// results are those of the tests so far.
type results struct {
	out     io.Writer
	printed map[test]string     // by tests that have not ended
	skipped map[string][]string // names, by the reason
	begun   map[string]bool     // packages that have not ended
	told    map[test]bool       // tests whose rule is printed
	ran     int
	failed  bool
}

func main() {
	r := results{out: os.Stdout, printed: make(map[test]string), skipped: make(map[string][]string),
		begun: make(map[string]bool), told: make(map[test]bool)}
	err := r.read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
	}
	if r.summary(); r.failed || err != nil {
		os.Exit(1)
	}
}

// read takes all events; lines that are none are printed as they are.
func (r *results) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	events := 0
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		events++
		r.add(e)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if events == 0 {
		return errors.New("there are no events of go test -json")
	}
	if len(r.begun) > 0 {
		begun := slices.Sorted(maps.Keys(r.begun))
		return fmt.Errorf("go test ended before %s did", strings.Join(begun, " "))
	}
	return nil
}

func (r *results) add(e event) {
	at := test{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		if strings.HasPrefix(e.Output, "=== ") {
			return // what go test says of its own course only with -json
		}
		if e.Test != "" {
			r.printed[at] += e.Output
		} else if e.Output != "PASS\n" {
			fmt.Fprint(r.out, e.Output)
		}
		return
	case "build-fail":
		r.failed = true
		return
	case "start":
		r.begun[e.Package] = true
		return
	case "fail":
		r.failed = true
		byName := func(a, b test) int { return cmp.Compare(a.name, b.name) }
		for _, t := range slices.SortedFunc(maps.Keys(r.printed), byName) {
			if t == at || e.Test == "" && t.pkg == e.Package { // those that a panic ended with the package
				r.rule(t)
				fmt.Fprint(r.out, r.printed[t])
				delete(r.printed, t)
			}
		}
	case "skip":
		if why := reason(r.printed[at]); e.Test != "" {
			r.skipped[why] = append(r.skipped[why], e.Package[strings.LastIndex(e.Package, "/")+1:]+"."+e.Test)
		}
	case "pass":
	default:
		return
	}
	delete(r.printed, at)
	if e.Test == "" {
		delete(r.begun, e.Package)
	} else if e.Action != "skip" {
		r.ran++
	}
}

// rule prints the comment of a test that fails, once for all its parts.
func (r *results) rule(t test) {
	t.name, _, _ = strings.Cut(t.name, "/")
	if r.told[t] {
		return
	}
	r.told[t] = true
	files, _ := filepath.Glob(filepath.Join(strings.TrimPrefix(t.pkg+"/", module), "*_test.go"))
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			continue // go test says so
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == t.name && f.Doc != nil {
				fmt.Fprintln(r.out, "--- rule:", strings.Join(strings.Fields(f.Doc.Text()), " "))
			}
		}
	}
}

// line is where a test says why it is skipped.
var line = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`)

// reason is what a test says before it is skipped: the last that it prints.
func reason(printed string) string {
	said := line.FindAllStringSubmatch(printed, -1)
	if len(said) == 0 {
		return "no reason"
	}
	return said[len(said)-1][1]
}

// summary prints how many tests ran, and which were skipped for which reason.
func (r *results) summary() {
	total := 0
	for _, tests := range r.skipped {
		total += len(tests)
	}
	fmt.Fprintf(r.out, "%d tests and parts of tests ran, %d were skipped\n", r.ran, total)
	mostFirst := func(a, b string) int {
		return cmp.Or(cmp.Compare(len(r.skipped[b]), len(r.skipped[a])), cmp.Compare(a, b))
	}
	for _, why := range slices.SortedFunc(maps.Keys(r.skipped), mostFirst) {
		fmt.Fprintf(r.out, "%4d: %s\n      %s\n", len(r.skipped[why]), why, strings.Join(r.skipped[why], " "))
	}
}
