//go:build cgo && !llama_none

package kernels_test

import (
	"cmp"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-debate/parley/kernels"
)

// TestChoose: the fastest target that runs here computes unless another is named; what cannot run is refused with what
// can.
func TestChoose(t *testing.T) {
	t.Setenv(kernels.EnvironmentVariable, "")
	os.Unsetenv(kernels.EnvironmentVariable)
	all := kernels.Targets()
	if len(all) == 0 || all[len(all)-1].Name != "scalar" || !all[len(all)-1].Runs {
		t.Fatalf("targets: %+v; the last should be scalar, which runs everywhere", all)
	}
	var fastest string
	for _, target := range all {
		if target.Runs && fastest == "" {
			fastest = target.Name
		}
		chosen, err := kernels.Choose(target.Name)
		switch {
		case !target.Runs && (err == nil || !strings.Contains(err.Error(), target.Needs)):
			t.Errorf("%s: %v; want a refusal that names %s", target.Name, err, target.Needs)
		case target.Runs && (err != nil || chosen.Name != target.Name || !chosen.Products):
			t.Errorf("%s: chose %+v, %v; want it with products", target.Name, chosen, err)
		}
	}
	if chosen, err := kernels.Choose(""); err != nil || chosen.Name != fastest {
		t.Errorf("chose %q, %v; want the fastest, %s", chosen.Name, err, fastest)
	} else if chosen.Products != (fastest != "scalar") {
		t.Errorf("%s computes products: %t; the portable target does so by name only", fastest, chosen.Products)
	}
	t.Setenv(kernels.EnvironmentVariable, "scalar")
	if chosen, err := kernels.Choose(""); err != nil || chosen.Name != "scalar" || !chosen.Products {
		t.Errorf("the environment names scalar: chose %+v, %v", chosen, err)
	}
	if chosen, err := kernels.Choose(fastest); err != nil || chosen.Name != fastest {
		t.Errorf("%s is named: chose %+v, %v; the environment should not matter", fastest, chosen, err)
	}
	t.Setenv(kernels.EnvironmentVariable, "sse9")
	if chosen, err := kernels.Choose(""); err == nil || !strings.Contains(err.Error(), "scalar") {
		t.Errorf("the environment names sse9: chose %+v, %v; want a refusal that lists scalar", chosen, err)
	}
}

// TestFormats: every format has a name, a number of its own and blocks.
func TestFormats(t *testing.T) {
	seen := make(map[uint32]string)
	for _, f := range kernels.Formats() {
		if other := seen[f.Type]; other != "" || f.Name == "" || f.Bytes < 2 || f.Weights < 1 {
			t.Errorf("%+v: type %d is also %q", f, f.Type, other)
		}
		for _, at := range f.Halves {
			if at < 0 || at+2 > f.Bytes {
				t.Errorf("%s: a number at byte %d of %d", f.Name, at, f.Bytes)
			}
		}
		seen[f.Type] = f.Name
	}
	if len(seen) < 16 {
		t.Errorf("%d formats, want 16 or more", len(seen))
	}
}

// TestTargetsShareNoCode compiles each target for the oldest processor and looks for functions that the linker could
// share with the rest of the program: they may have instructions that not every processor has. Without optimisation the
// compiler keeps all of them.
func TestTargetsShareNoCode(t *testing.T) {
	files, err := filepath.Glob("target_*.cpp")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %q, %v; want four targets or more", files, err)
	}
	for _, file := range files {
		target := strings.TrimSuffix(strings.TrimPrefix(file, "target_"), ".cpp")
		t.Run(target, func(t *testing.T) {
			compiler, functions := compiler(t, target), 0
			for _, s := range symbols(t, compiler, file) {
				if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF {
					continue
				}
				functions++
				own := strings.Contains(s.Name, fmt.Sprintf("7kernels%d%s", len(target), target))
				if elf.ST_BIND(s.Info) == elf.STB_WEAK && !own {
					t.Errorf("%s is shared with the rest of the program", s.Name)
				}
			}
			if functions < 50 {
				t.Errorf("saw %d functions: the test looks at nothing, want at least 50", functions)
			}
		})
	}
}

// symbols are those of a file, compiled.
func symbols(t *testing.T, compiler, file string) []elf.Symbol {
	t.Helper()
	object := filepath.Join(t.TempDir(), "object.o")
	compile := exec.Command(compiler, "-std=c++17", "-O0", "-w", "-Wno-psabi", "-c", file, "-o", object)
	out, err := compile.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// compiler is a C++ compiler of this machine for the processors of a target.
func compiler(t *testing.T, target string) string {
	t.Helper()
	processor := runtime.GOARCH
	switch {
	case strings.HasPrefix(target, "avx"):
		processor = "amd64"
	case strings.HasPrefix(target, "neon"):
		processor = "arm64"
	}
	name := map[string]string{"amd64": "x86_64-linux-gnu-g++", "arm64": "aarch64-linux-gnu-g++"}[processor]
	if processor == runtime.GOARCH {
		name = cmp.Or(os.Getenv("CXX"), "g++")
	}
	path, err := exec.LookPath(name)
	if err != nil || runtime.GOOS != "linux" {
		t.Skipf("no C++ compiler that makes ELF files for %s here: %v", processor, err)
	}
	return path
}
