// Package parley_test holds the house to its plan: who may import whom, and where C is.
package parley_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors of the house; a package may import those of lower floors and, below the same prefix, its own parts.
var floors = map[string]int{
	"strictyaml": 0, "models": 0, "escape": 0, "bounds": 0, "bug": 0, "soak": 0,
	"inference/llamacpp": 1, "scheduler": 2, "inference": 3, "debate": 4, "bench": 5, "cmd": 6,
}

// floorOf finds the floor of a package by its longest named prefix.
func floorOf(pkg string) (name string, floor int) {
	for p := pkg; p != "."; p = path.Dir(p) {
		if n, ok := floors[p]; ok {
			return p, n
		}
	}
	return "", -1
}

func TestImportsRunDownwards(t *testing.T) {
	imports := 0
	eachFile(t, func(file string, imported []string) {
		pkg := path.Dir(file)
		name, floor := floorOf(pkg)
		if floor < 0 && pkg != "." && !strings.HasPrefix(pkg, "tools") {
			t.Errorf("%s is on no floor", file)
		}
		for _, i := range imported {
			target, ours := strings.CutPrefix(i, "parley/")
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
		t.Errorf("saw %d imports between our packages: the test looks at nothing", imports)
	}
}

// benchRooms are the parts of bench, in the order in which they may import each other: one imports only those before it.
// Tests may look into any.
var benchRooms = []string{"bench/stat", "bench/record", "bench/wording", "bench/task", "bench/trial", "bench/analysis",
	"bench/rundir", "bench", "bench/offline", "bench/benchtest", "bench/throughput", "bench/foreign",
	"bench/experiment",
	"bench/report"}

func TestBenchRoomsAreInOrder(t *testing.T) {
	imports := 0
	eachFile(t, func(file string, imported []string) {
		room := path.Dir(file)
		if room != "bench" && !strings.HasPrefix(room, "bench/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		at := slices.Index(benchRooms, room)
		if at < 0 {
			t.Errorf("%s is in no room of bench", file)
		}
		for _, i := range imported {
			other := slices.Index(benchRooms, strings.TrimPrefix(i, "parley/"))
			if imports++; other >= at {
				t.Errorf("%s imports %s, which comes after it", file, i)
			}
			if i == "parley/bench/benchtest" {
				t.Errorf("%s imports what is for tests alone", file)
			}
		}
	})
	if imports < 10 {
		t.Errorf("saw %d imports in bench: the test looks at nothing", imports)
	}
}

func TestOnlyTheBindingUsesC(t *testing.T) {
	seen := false
	eachFile(t, func(file string, imported []string) {
		for _, i := range imported {
			if i != "C" {
				continue
			}
			if seen = true; path.Dir(file) != "inference/llamacpp" {
				t.Errorf("%s imports C", file)
			}
		}
	})
	if !seen {
		t.Error("nobody imports C: the test looks at nothing")
	}
}

// TestPlainGoBuildSaysWhatToRun: without the flags of make, a build stops with a sentence.
func TestPlainGoBuildSaysWhatToRun(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler here")
	}
	out, err := build("CGO_ENABLED=1", "./inference/llamacpp")
	if err == nil || !strings.Contains(out, "run `make build`, or once per shell eval") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBuildsWithoutC: everything builds without cgo, the binding as a stub.
func TestBuildsWithoutC(t *testing.T) {
	if out, err := build("CGO_ENABLED=0", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// build runs go build in the environment of a user who has set nothing.
func build(setting, packages string) (string, error) {
	cmd := exec.Command("go", "build", "-o", os.DevNull, packages)
	cmd.Env = append(os.Environ(), setting, "GOFLAGS=", "CGO_CFLAGS=", "CGO_CXXFLAGS=", "CGO_CPPFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// eachFile visits all Go files with their imports, whatever their build tags.
func eachFile(t *testing.T, visit func(file string, imported []string)) {
	t.Helper()
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
		visit(filepath.ToSlash(file), imported)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
