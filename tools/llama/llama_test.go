package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// small is a llama.cpp that compiles in a second: the projects and files that are asked of a real one.
func small(version string) map[string]string {
	numbers := strings.Split(version, ".")
	return map[string]string{
		"CMakeLists.txt": "cmake_minimum_required(VERSION 3.14)\nproject(\"llama.cpp\" C)\n" +
			"set(LLAMA_VERSION_MAJOR " + numbers[0] + ")\nset(LLAMA_VERSION_MINOR " + numbers[1] + ")\n" +
			"set(LLAMA_VERSION_PATCH " + numbers[2] + ")\nadd_library(ggml-base STATIC ggml/src/ggml.c)\n" +
			"add_library(llama STATIC src/llama.c)\ninstall(TARGETS llama)\n" +
			"install(FILES include/llama.h DESTINATION include)\n",
		"LICENSE":         "a licence\n",
		"include/llama.h": "int llama(void);\n",
		"src/llama.c":     "int ggml(void);\nint llama(void) { return ggml(); }\n",
		"src/llama-arch.cpp": `LLM_ARCH_NAMES = {
			{ LLM_ARCH_CLIP, "clip" }, { LLM_ARCH_QWEN2, "qwen2" }, { LLM_ARCH_MAMBA, "mamba" }, };`,
		"ggml/src/ggml.c":        "int ggml(void) { return 8; }\n",
		"ggml/src/ggml-common.h": "// blocks\n",
		"tests/not-hashed.c":     "",
	}
}

// archive packs files into a tar.gz, below a directory.
func archive(t *testing.T, below string, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for name, text := range files {
		h := tar.Header{Name: below + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// call runs the command with a cache of its own.
func call(t *testing.T, arguments ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	err = run(t.Context(), arguments, &out, &said)
	return strings.TrimSpace(out.String()), said.String(), err
}

// TestPlaces: what is built is the lock's, from the first place that has it, once; other bytes are refused.
func TestPlaces(t *testing.T) {
	if _, err := exec.LookPath("cmake"); err != nil {
		t.Skip(err)
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	good, other := archive(t, "crate-1/llama.cpp/", small("0.8.0")), archive(t, "x/", small("0.7.0"))
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/good":
			w.Write(good)
		case "/other":
			w.Write(other)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "good.crate"), string(good))
	said, _, err := call(t, "-lockfile", write(t, filepath.Join(dir, "any.lock"), "version 1\ntree "+
		strings.Repeat("0", 64)+"\n"), "-lock", "-source", file)
	if err != nil || !strings.HasPrefix(said, "version 0.8.0\ntree ") {
		t.Fatalf("%q, %v", said, err)
	}
	known, _, err := call(t, "-lockfile", filepath.Join(dir, "any.lock"), "-architectures", "-source", file)
	if err != nil || known != "mamba\nqwen2" {
		t.Errorf("architectures: %q, %v", known, err)
	}
	places := func(lines ...string) string {
		lock := said + "\n"
		for _, l := range lines {
			lock += "place " + server.URL + l + "\n"
		}
		return write(t, filepath.Join(t.TempDir(), "llama.lock"), lock)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(good))

	for _, c := range []struct{ name, lock, want string }{
		{"none", places("/nothing"), "404"},
		{"other bytes", places("/other " + sum), "the SHA-256 is"},
		{"another tree", places("/other"), "the tree of its files is"},
		{"no place", places(), "make build SOURCE=FILE"},
	} {
		if _, _, err := call(t, "-lockfile", c.lock); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	lock := places("/nothing", "/good "+sum, "/other "+sum)
	asked = 0
	prefix, _, err := call(t, "-lockfile", lock)
	if err != nil || asked != 2 {
		t.Fatalf("%v, %d requests", err, asked)
	}
	flags, err := os.ReadFile(filepath.Join(prefix, flagsFile))
	for _, part := range []string{"-I" + prefix + "/include -DPARLEY_LLAMA=0.8.0+", "-lllama -lggml-base"} {
		if !strings.Contains(string(flags), part) {
			t.Errorf("%s, %v; want %q", flags, err, part)
		}
	}
	if again, _, err := call(t, "-lockfile", lock); again != prefix || err != nil || asked != 2 {
		t.Errorf("again: %q, %v, %d requests", again, err, asked)
	}
	if byHand, _, err := call(t, "-lockfile", lock, "-source", file); byHand != prefix || err != nil {
		t.Errorf("the same by hand: %q, %v", byHand, err)
	}
	if v3, _, err := call(t, "-lockfile", lock, "-arch", "-O1"); v3 == prefix || err != nil {
		t.Errorf("other flags: %q, %v", v3, err)
	}
	untested, stderr, err := call(t, "-lockfile", lock, "-source", write(t, filepath.Join(dir, "o.tgz"), string(other)))
	if err != nil || !strings.Contains(stderr, "version 0.7.0 and not those that Parley is tested with, 0.8.0") {
		t.Fatalf("others by hand: %v\n%s", err, stderr)
	}
	if flags, _ := os.ReadFile(filepath.Join(untested, flagsFile)); !strings.Contains(string(flags), ".untested\n") {
		t.Errorf("others by hand: %s", flags)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*", "*", "*-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// said collects what a build says, and tells when it waits.
type said struct {
	bytes.Buffer
	waits chan<- struct{}
}

func (s *said) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("waiting for another build")) {
		close(s.waits)
	}
	return s.Buffer.Write(text)
}

// TestTurns: of two builds at once one compiles, and the other waits, says so and finds what the first has built. One
// that waits can be interrupted.
func TestTurns(t *testing.T) {
	if _, err := exec.LookPath("cmake"); err != nil {
		t.Skip(err)
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	packed, waits := archive(t, "", small("0.8.0")), make(chan struct{})
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-waits // whoever downloads has the lock
		w.Write(packed)
	}))
	defer server.Close()
	lock := write(t, filepath.Join(cache, "any.lock"), "version 1\ntree "+strings.Repeat("0", 64)+"\n")
	of, _, err := call(t, "-lockfile", lock, "-lock", "-source",
		write(t, filepath.Join(cache, "sources.tar.gz"), string(packed)))
	if err != nil {
		t.Fatal(err)
	}
	lock = write(t, lock, of+"\nplace "+server.URL+"\n")
	var builds sync.WaitGroup
	var out [2]bytes.Buffer
	stderr := [2]said{{waits: waits}, {waits: waits}}
	for i := range out {
		builds.Go(func() {
			if err := run(t.Context(), []string{"-lockfile", lock}, &out[i], &stderr[i]); err != nil {
				t.Error(err)
			}
		})
	}
	builds.Wait()
	all := stderr[0].String() + stderr[1].String()
	if out[0].String() != out[1].String() || asked.Load() != 1 || strings.Count(all, "compiling") != 1 ||
		strings.Count(all, "waiting") != 1 {
		t.Errorf("%q and %q, %d downloads\n%s", out[0].String(), out[1].String(), asked.Load(), all)
	}

	free, err := takeTurn(t.Context(), cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := make(chan struct{})
	go func() { <-interrupted; cancel() }()
	if _, err := takeTurn(ctx, cache, &said{waits: interrupted}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestRefusals: what is no llama.cpp, or leads out of its directory, is refused and says why.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	lock := write(t, filepath.Join(dir, "llama.lock"), "version 0.8.0 # comment\ntree "+strings.Repeat("0", 64)+"\n")
	outside := archive(t, "../", map[string]string{"outside": "x"})
	for _, c := range []struct{ source, want string }{
		{filepath.Join(dir, "nowhere"), "no such directory or archive"},
		{write(t, filepath.Join(dir, "notes.tar.gz"), "no archive"), "no tar.gz that can be read"},
		{write(t, filepath.Join(dir, "outside.tar.gz"), string(outside)), "escapes"},
		{filepath.Dir(write(t, filepath.Join(dir, "empty", "CMakeLists.txt"), "project(other)\n")), "has no sources"},
	} {
		if _, _, err := call(t, "-lockfile", lock, "-source", c.source); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.source, err, c.want)
		}
	}
	for _, text := range []string{"", "version 1\n", "place\n", "version 1\ntree 12\n", "colour blue\n"} {
		if l, err := readLock(write(t, filepath.Join(dir, "bad.lock"), text)); err == nil {
			t.Errorf("%q is read as %+v", text, l)
		}
	}
	if _, _, err := call(t, "-lockfile", lock, "-gpu", "abacus"); err == nil {
		t.Error("GPU=abacus is accepted")
	}
}

// TestSettingsForARM: ggml takes the processor by a setting of its own, which flags after it are no part of.
func TestSettingsForARM(t *testing.T) {
	o := options{target: "linux/arm64", arch: "-march=armv8.2-a+dotprod+fp16 -U__AMX_INT8__"}
	got := o.settings()
	for _, want := range []string{
		"-DGGML_CPU_ARM_ARCH=armv8.2-a+dotprod+fp16",
		"-DCMAKE_C_FLAGS=-march=armv8.2-a+dotprod+fp16 -U__AMX_INT8__",
		"-DGGML_NATIVE=OFF",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q: want %q among them", got, want)
		}
	}
}
