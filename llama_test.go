package parley_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLlamaRefusals: what is no llama.cpp, or an older one, is refused before anything is built, and says why.
func TestLlamaRefusals(t *testing.T) {
	for _, program := range []string{"make", "cmake", "pkg-config"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	older := filepath.Join(dir, "older", "vendor", "llama.cpp")
	if err := os.MkdirAll(filepath.Join(dir, "lib", "pkgconfig"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(older, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(older, "CMakeLists.txt"): "project(\"llama.cpp\" C CXX)\nset(LLAMA_VERSION_MAJOR 0)\n" +
			"set(LLAMA_VERSION_MINOR 4)\n",
		filepath.Join(dir, "notes.tar.gz"):                 "no archive",
		filepath.Join(dir, "lib", "pkgconfig", "llama.pc"): "Name: llama\nDescription: a test\nVersion: 0.0.7000\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prefix := filepath.Join(dir, "prefix")
	for _, c := range []struct{ arguments, want string }{
		{"llama", "name the sources"},
		{"llama SOURCE=/nowhere", "/nowhere: no such directory or archive"},
		{"llama SOURCE=" + filepath.Join(dir, "lib"), "has no sources of llama.cpp"},
		{"llama SOURCE=" + filepath.Join(dir, "notes.tar.gz"), "no archive that CMake can read"},
		{"llama SOURCE=" + filepath.Join(dir, "older"), "is llama.cpp 0.4; 0.5 or newer is needed"},
		{"build LLAMA=" + older, "has no lib/pkgconfig/llama.pc"},
		{"build LLAMA=" + dir, "llama.cpp is 0.0.7000, and 0.5 or newer is needed"},
	} {
		cmd := exec.Command("make", append(strings.Fields(c.arguments), "PREFIX="+prefix)...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=") // not those of a make that runs the tests
		output, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(output), c.want) {
			t.Errorf("make %s: %v\n%s; want %q", c.arguments, err, output, c.want)
		}
	}
	if left, _ := filepath.Glob(prefix + "*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
