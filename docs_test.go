package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manuals are the documents whose code names are checked.
var manuals = append(guide(), "README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/structure.md", "docs/format.md",
	"docs/decisions.md", "docs/log.md", "docs/reading.md", "docs/performance.md", "docs/glossary.md", "docs/models.md",
	"docs/platforms.md", "docs/serve.md", "docs/testing.md")

func guide() []string {
	pages, err := filepath.Glob("docs/guide/*.md")
	if err != nil || len(pages) == 0 {
		panic("there are no pages in docs/guide")
	}
	return pages
}

var (
	quoted     = regexp.MustCompile("`([^`\n]+)`")
	linked     = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	fileName   = regexp.MustCompile(`^[\w./-]+\.(go|cpp|hpp|h|yaml|py|sh|md|mod|svg)$`)
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*((\.|::)\w+)*$`)
	tested     = regexp.MustCompile(`go test (\./\S+) -run '?(\w+)`)
	shown      = regexp.MustCompile(`(?m)^    (?:\w+=\S+ )?(make|go test|tools/\S+)( .*)?$`)
	targets    = regexp.MustCompile(`(?m)^([a-z-]+):`)
)

// source is what the repository declares: files by path, and names as "pkg.Name", "Type.Member" and "Name".
type source struct {
	paths []string
	names map[string]bool
	c     string // all C++
}

// TestNamesInDocs: files, directories, links, make targets and tests that the documents name exist.
func TestNamesInDocs(t *testing.T) {
	s := readSource(t)
	makefile := read(t, "Makefile")
	for _, manual := range manuals {
		text := read(t, manual)
		joined := strings.Join(strings.Fields(text), " ") // so that a line break in a name does not hide it
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(manual), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", manual, m[1])
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(joined, -1) {
			if target, ok := strings.CutPrefix(m[1], "make "); ok {
				s.checkTarget(t, manual, target, makefile)
			} else if s.isPath(m[1]) {
				s.checkPath(t, manual, m[1])
			}
		}
		for _, m := range shown.FindAllStringSubmatch(text, -1) {
			s.checkShown(t, manual, m[1], m[2], makefile)
		}
		for _, m := range tested.FindAllStringSubmatch(joined, -1) {
			if !s.tests(m[1], m[2]) {
				t.Errorf("%s: `%s` runs no test", manual, m[0])
			}
		}
	}
}

// TestQualifiedNamesInDocs: every name such as Type.Method or package.Function is declared somewhere.
func TestQualifiedNamesInDocs(t *testing.T) {
	qualified := regexp.MustCompile(`^[A-Za-z]\w*\.[A-Z]\w*$`)
	s, checked := readSource(t), 0
	for _, manual := range manuals {
		for _, m := range quoted.FindAllStringSubmatch(strings.Join(strings.Fields(read(t, manual)), " "), -1) {
			if !qualified.MatchString(m[1]) {
				continue
			}
			if checked++; !s.names[m[1]] {
				t.Errorf("%s names %s, which nothing declares", manual, m[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d names were found: the test looks at nothing", checked)
	}
}

// TestNamesInContributing: every identifier that CONTRIBUTING names is declared somewhere.
func TestNamesInContributing(t *testing.T) {
	s, checked := readSource(t), 0
	yaml := read(t, "debate/protocol/protocols.yaml") + read(t, "bench/experiment/experiments/du-mmlu.yaml")
	joined := strings.Join(strings.Fields(read(t, "CONTRIBUTING.md")), " ")
	for _, m := range quoted.FindAllStringSubmatch(joined, -1) {
		name := m[1]
		if fileName.MatchString(name) || !identifier.MatchString(name) {
			continue
		}
		checked++
		field := regexp.MustCompile(`(?m)^[ -]*` + name + `:`)
		if !s.names[name] && !s.inC(name) && !s.has(name) && !field.MatchString(yaml) {
			t.Errorf("CONTRIBUTING.md names %s, which nothing declares", name)
		}
	}
	if checked < 30 {
		t.Errorf("only %d names were found: the test looks at nothing", checked)
	}
}

// TestNewcomersQuestions: the three steps of each question lead from a package to a file to a name in it.
func TestNewcomersQuestions(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| ([^|]+\\?) \\| `(\\S+)` \\| `(\\S+)` \\| `(\\S+)` \\|[^|]*\\|$")
	rows := row.FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1)
	if len(rows) == 0 {
		t.Error("no questions: the test looks at nothing")
	}
	for _, m := range rows {
		file := path.Join(m[2], m[3])
		text, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s %v", m[1], err)
			continue
		}
		s := source{names: map[string]bool{}}
		if path.Ext(file) == ".go" {
			s.declare(t, file)
		} else {
			s.c = string(text)
		}
		if !s.names[m[4]] && !s.inC(m[4]) {
			t.Errorf("%s %s does not declare %s", m[1], file, m[4])
		}
	}
}

// checkShown checks a command that stands in a line of its own: make's target, and the paths of others.
func (s *source) checkShown(t *testing.T, manual, program, arguments, makefile string) {
	t.Helper()
	switch arguments, _, _ = strings.Cut(arguments, " #"); program {
	case "make":
		s.checkTarget(t, manual, strings.TrimSpace(arguments), makefile)
	case "go test":
		for _, argument := range strings.Fields(arguments) {
			if dir, ok := strings.CutPrefix(strings.TrimSuffix(argument, "/..."), "./"); ok && !s.has(dir) {
				t.Errorf("%s: go test %s tests no package", manual, argument)
			}
		}
	default:
		s.checkPath(t, manual, program)
	}
}

func (s *source) checkTarget(t *testing.T, manual, target, makefile string) {
	t.Helper()
	target, _, _ = strings.Cut(target, " ")
	for _, m := range targets.FindAllStringSubmatch(makefile, -1) {
		if m[1] == target {
			return
		}
	}
	t.Errorf("%s: there is no make %s", manual, target)
}

// isPath reports whether a name is meant as a path in the repository: neither a module nor a package to import.
func (s *source) isPath(name string) bool {
	top, _, nested := strings.Cut(name, "/")
	return top != "github.com" && (nested && s.has(top) || fileName.MatchString(name))
}

// checkPath wants a path from the root, or the end of one.
func (s *source) checkPath(t *testing.T, manual, name string) {
	t.Helper()
	if files, _ := filepath.Glob(name); len(files) == 0 && !s.has(strings.TrimSuffix(name, "/")) && !made[name] {
		t.Errorf("%s names %s, which does not exist", manual, name)
	}
}

// made are files that a run or a user makes.
var made = map[string]bool{"report.md": true, "experiment.yaml": true, "run/report.html": true}

// has reports whether a file or directory has this path, or ends in it.
func (s *source) has(name string) bool {
	return slices.ContainsFunc(s.paths, func(p string) bool { return p == name || strings.HasSuffix(p, "/"+name) })
}

// tests reports whether a package has a test whose name contains part.
func (s *source) tests(pattern, part string) bool {
	declared := regexp.MustCompile(`(?m)^func (Test|Fuzz|Benchmark)\w*` + strings.TrimPrefix(part, "Test"))
	files, err := filepath.Glob(path.Join(strings.TrimSuffix(pattern, "/..."), "*_test.go"))
	if err != nil || len(files) == 0 {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && declared.Match(text)
	})
}

func (s *source) inC(name string) bool {
	last := name[strings.LastIndexAny(name, ".:")+1:]
	return regexp.MustCompile(`\b` + last + `\b`).MatchString(s.c)
}

func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{names: map[string]bool{}}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == "." {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "bin" || d.Name() == "build" ||
			d.Name() == "parley-runs") { // which tests of other packages may have for a moment
			return filepath.SkipDir
		}
		s.paths = append(s.paths, filepath.ToSlash(file))
		switch path.Ext(file) {
		case ".go":
			s.declare(t, file)
		case ".cpp", ".hpp", ".h":
			s.c += read(t, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// declare enters what a Go file declares.
func (s *source) declare(t *testing.T, name string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(owner, name string) {
		s.names[name], s.names[owner+"."+name], s.names[file.Name.Name+"."+owner+"."+name] = true, true, true
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			add(receiver(d, file.Name.Name), d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(file.Name.Name, spec.Name.Name)
					for _, member := range members(spec.Type) {
						add(spec.Name.Name, member)
					}
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						add(file.Name.Name, n.Name)
					}
				}
			}
		}
	}
}

// receiver is the type of a method, or the package of a function.
func receiver(d *ast.FuncDecl, pkg string) string {
	if d.Recv == nil {
		return pkg
	}
	expr := d.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if index, ok := expr.(*ast.IndexExpr); ok {
		expr = index.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name
	}
	return pkg
}

// members are the fields of a struct and the methods of an interface.
func members(expr ast.Expr) (names []string) {
	var fields *ast.FieldList
	switch e := expr.(type) {
	case *ast.StructType:
		fields = e.Fields
	case *ast.InterfaceType:
		fields = e.Methods
	default:
		return nil
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
