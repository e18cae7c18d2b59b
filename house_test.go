// Package parley_test checks the repository as a whole: which package may import which, where C is, and whether the
// documents name what exists.
package parley_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors orders the packages: each may import packages of lower floors, and those that have its own prefix.
var floors = map[string]int{
	"internal/platform": -1, "internal": 0, "internal/strictyaml": 1, "docs": 0,
	"inference/step": 1, "inference/chat": 1, "inference/ending": 1, "inference/calculator": 1, "inference/machine": 1,
	"models": 1, "kernels": 0,
	"inference/llamacpp": 2, "scheduler": 2, "inference": 3,
	"debate": 4, "bench": 5, "inference/serve": 5, "cmd": 6, "examples": 6,
}

// modulePath is what the paths of our packages begin with.
const modulePath = "github.com/parley-debate/parley/"

// nowhere is the floor of packages that have none.
const nowhere = math.MinInt

// floorOf returns the floor of a package and the longest prefix of its path that has one.
func floorOf(pkg string) (name string, floor int) {
	for p := pkg; p != "."; p = path.Dir(p) {
		if n, ok := floors[p]; ok {
			return p, n
		}
	}
	return "", nowhere
}

func TestImportsRunDownwards(t *testing.T) {
	imports := 0
	eachFile(t, func(file string, imported []string) {
		pkg := path.Dir(file)
		name, floor := floorOf(pkg)
		if floor == nowhere && pkg != "." && !strings.HasPrefix(pkg, "tools") {
			t.Errorf("%s is on no floor", file)
		}
		for _, i := range imported {
			target, ours := strings.CutPrefix(i, modulePath)
			if !ours {
				continue
			}
			imports++
			if below, f := floorOf(target); f >= floor && below != name {
				t.Errorf("%s (floor %d) imports %s (floor %d)", file, floor, i, f)
			}
		}
	})
	if imports < 10 {
		t.Errorf("found %d imports between our packages: the test misses files", imports)
	}
}

// TestFloorsInStructure: docs/structure.md names each package of floors, on its floor.
func TestFloorsInStructure(t *testing.T) {
	item := regexp.MustCompile(`(?s)\n- \*\*(-?\d)\*\* (.*?)\n(?:\n|- )`)
	rest, named := read(t, "docs/structure.md"), make(map[string]bool)
	for m := item.FindStringSubmatchIndex(rest); m != nil; m = item.FindStringSubmatchIndex(rest) {
		floor, err := strconv.Atoi(rest[m[2]:m[3]])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range quoted.FindAllStringSubmatch(rest[m[4]:m[5]], -1) {
			if named[name[1]] = true; strings.HasSuffix(name[1], ".go") {
				continue
			}
			if _, f := floorOf(name[1]); f != floor {
				t.Errorf("docs/structure.md has %s on floor %d; it is on floor %d", name[1], floor, f)
			}
		}
		rest = rest[m[5]:]
	}
	for name, floor := range floors {
		if !named[name] {
			t.Errorf("docs/structure.md does not name %s among the packages of floor %d", name, floor)
		}
	}
}

// benchPackages are bench and the packages below it, in the order of their imports: each imports only those before it.
// Tests may import any.
var benchPackages = []string{"bench/puzzle", "bench/stat", "bench/stat/regression",
	"bench/stat/agreement", "bench/stat/team", "bench/stat/pairs", "bench/record", "bench/wording",
	"bench/table", "bench/report/chart", "bench/parquetfile",
	"bench/task/rowfile", "bench/task", "bench/trial", "bench/spec",
	"bench/outcome", "bench/roles", "bench/relation", "bench/contrast", "bench/peers", "bench/validity",
	"bench/analysis", "bench/details", "bench/rundir",
	"bench", "bench/branch", "bench/offline",
	"bench/benchtest", "bench/throughput",
	"bench/importer", "bench/samples", "bench/experiment", "bench/report/paper", "bench/report/formula",
	"bench/report/browser", "bench/report/dynamics",
	"bench/report"}

func TestBenchImportsAreInOrder(t *testing.T) {
	imports := 0
	eachFile(t, func(file string, imported []string) {
		pkg := path.Dir(file)
		if pkg != "bench" && !strings.HasPrefix(pkg, "bench/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		at := slices.Index(benchPackages, pkg)
		if at < 0 {
			t.Errorf("%s: package %s is not in benchPackages", file, pkg)
		}
		for _, i := range imported {
			other := slices.Index(benchPackages, strings.TrimPrefix(i, modulePath))
			if imports++; other >= at {
				t.Errorf("%s imports %s, which comes after it", file, i)
			}
			if i == modulePath+"bench/benchtest" {
				t.Errorf("%s is no test and imports bench/benchtest", file)
			}
		}
	})
	if imports < 10 {
		t.Errorf("saw %d imports in bench: the test looks at nothing", imports)
	}
}

// forms are the packages of floor 4 with their order: each may import those of lower numbers. So no form imports
// another, except for the two that take their answers from a society, and what the forms share imports none of them.
// A package that is not listed is a form.
var forms = map[string]int{
	"debate/answer": 0, "debate/grammar": 0, "debate/answer/reader": 1, "debate/prompts": 2, "debate": 3,
	"debate/vote": 4, "debate/debatetest": 4, "debate/listing": 5,
	"debate/sampling": 7, "debate/reversal": 7, "debate/protocol": 8,
}

func TestFormsKnowNoOthers(t *testing.T) {
	seen := make(map[string]bool)
	eachFile(t, func(file string, imported []string) {
		pkg := path.Dir(file)
		floor, ok := orderOf(pkg)
		if !ok {
			return
		}
		seen[pkg] = true
		for _, i := range imported {
			below, ours := orderOf(strings.TrimPrefix(i, modulePath))
			if ours && below >= floor && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s (%d) imports %s (%d)", file, floor, i, below)
			}
		}
	})
	if len(seen) <= len(forms) {
		t.Errorf("saw %d packages, of which %d are no forms", len(seen), len(forms))
	}
}

// orderOf returns the number of a package of floor 4.
func orderOf(pkg string) (n int, ok bool) {
	const form = 6
	if n, ok = forms[pkg]; ok {
		return n, true
	}
	return form, path.Dir(pkg) == "debate" && path.Base(pkg) != "testdata"
}

// TestFormsSayWhatTheyAre: above floor 4 no form is told by its name, so that a new one gets what fits it.
func TestFormsSayWhatTheyAre(t *testing.T) {
	byName := regexp.MustCompile(`"(society|lesson|tit-for-tat|discussion|centre)"|Form(: | [!=]= )"`)
	seen := 0
	eachFile(t, func(file string, _ []string) {
		if _, floor := floorOf(path.Dir(file)); floor <= floors["debate"] || strings.HasSuffix(file, "_test.go") ||
			strings.HasPrefix(file, "examples/") {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for i, line := range strings.Split(string(text), "\n") {
			if byName.MatchString(line) {
				t.Errorf("%s:%d: %s: ask the form (debate.Form)", file, i+1, strings.TrimSpace(line))
			}
		}
	})
	if seen < 10 {
		t.Errorf("read %d files: the test looks at nothing, want at least 10", seen)
	}
}

// withC are the packages that have C++ in them: the kernels, and the binding, which calls them and llama.cpp.
var withC = []string{"kernels", "inference/llamacpp"}

func TestOnlyTheseUseC(t *testing.T) {
	seen := false
	eachFile(t, func(file string, imported []string) {
		for _, i := range imported {
			if i != "C" {
				continue
			}
			if seen = true; !slices.Contains(withC, path.Dir(file)) {
				t.Errorf("%s imports C", file)
			}
		}
	})
	if !seen {
		t.Error("found no file that imports C: the test misses files")
	}
}

// networked are the packages that use the network, and for what. SECURITY.md tells users the same.
var networked = map[string]string{
	"models/hub":       "models and benchmark files that the user asks for",
	"bench/throughput": "the server that is measured with --peer",
	"inference/remote": "the servers of --engine and of teams",
	// the only ones that open a port
	"inference/serve":         "the clients of parley serve",
	"inference/serve/listen":  "the same",
	"inference/serve/limits":  "nothing: its bounds have the statuses of answers",
	"inference/serve/session": "nothing: requests name their sessions",
	"inference/serve/wire":    "nothing: its failures have the statuses of answers",

	"inference/serve/batch": "nothing: requests of a file go to a handler in this process",

	"cmd/parley/internal/parleytest": "tests: servers in their process",
}

// TestOnlyTheseUseTheNetwork: no other package imports what connects to something. Tests may.
func TestOnlyTheseUseTheNetwork(t *testing.T) {
	seen := make(map[string]bool)
	eachFile(t, func(file string, imported []string) {
		pkg := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(pkg, "tools") {
			return
		}
		for _, i := range imported {
			if i != "net" && !strings.HasPrefix(i, "net/http") && !strings.HasPrefix(i, "golang.org/x/net/") {
				continue
			}
			if seen[pkg] = true; networked[pkg] == "" {
				t.Errorf("%s imports %s", file, i)
			}
		}
	})
	for pkg := range networked {
		if !seen[pkg] {
			t.Errorf("%s does not use the network: take it out of networked", pkg)
		}
	}
}

// registries are hosts of package registries, which the programs that ask them know, and their users configure.
const registries = `(pypi|pythonhosted|crates|npmjs|yarnpkg|jsdelivr|unpkg|rubygems|nuget|anaconda|conda|maven|ghcr|` +
	`docker|quay|(proxy|sum)[.]golang)[.](org|io|com|net|dev|cloud)`

// TestNoRegistryIsNamed: no file names the host of a package registry.
func TestNoRegistryIsNamed(t *testing.T) {
	if !regexp.MustCompile(registries).MatchString("files.pythonhosted" + ".org") {
		t.Error("the pattern matches no host")
	}
	found, err := exec.Command("git", "grep", "-aioE", registries).Output()
	if err == nil {
		t.Errorf("hosts of registries:\n%s", found)
	} else if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 { // 1 is: none
		t.Skipf("no repository here: %v", err)
	}
}

// TestPlainGoBuildSaysWhatToRun: without the flags that make sets, the build stops and tells the reader what to run.
func TestPlainGoBuildSaysWhatToRun(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler here")
	}
	cmd := exec.Command("go", "build", "-o", os.DevNull, "./inference/llamacpp")
	// The kernels, which are compiled before, take a fifth of the time without optimisation.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=", "CGO_CFLAGS=-O0", "CGO_CXXFLAGS=-O0", "CGO_CPPFLAGS=")
	out, err := cmd.CombinedOutput()
	if want := "run `make build`, or once per shell eval"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s: want an error with %q", err, out, want)
	}
}

// eachFile calls visit for every Go file, whatever its build tags, with what it imports.
func eachFile(t *testing.T, visit func(file string, imported []string)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != "." {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imported []string
		for _, spec := range parsed.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imported = append(imported, p)
		}
		files++
		visit(filepath.ToSlash(file), imported)
		return nil
	})
	if err != nil || files < 500 {
		t.Fatalf("saw %d Go files, %v; want at least 500 and no error", files, err)
	}
}
