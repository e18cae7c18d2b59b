package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
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

// alone gives a test a cache and a home of its own, and a script as cargo, or none for "".
func alone(t *testing.T, cargo string) (cache string) {
	t.Helper()
	if _, err := exec.LookPath("cmake"); err != nil {
		t.Skip(err)
	}
	cache = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("CARGO", filepath.Join(t.TempDir(), "cargo"))
	if cargo == "" {
		return cache
	}
	if err := os.Chmod(write(t, os.Getenv("CARGO"), "#!/bin/sh\n"+cargo), 0o755); err != nil {
		t.Fatal(err)
	}
	return cache
}

// locked returns the lock of sources with further lines.
func locked(t *testing.T, sources []byte, lines ...string) (lock, sourceFile string) {
	t.Helper()
	dir := t.TempDir()
	sourceFile = write(t, filepath.Join(dir, "sources.tar.gz"), string(sources))
	said, _, err := call(t, "-lockfile", write(t, filepath.Join(dir, "any.lock"), "version 1\ntree "+
		strings.Repeat("0", 64)+"\n"), "-lock", "-source", sourceFile)
	if err != nil || !strings.HasPrefix(said, "version 0.8.0\ntree ") {
		t.Fatalf("the lock names version and tree of 0.8.0: got %q, %v", said, err)
	}
	return write(t, filepath.Join(dir, "llama.lock"), strings.Join(append([]string{said}, lines...), "\n")), sourceFile
}

// serve answers with the archives by their paths, and counts requests.
func serve(t *testing.T, archives map[string][]byte) (address string, asked *atomic.Int32) {
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if a, ok := archives[r.URL.Path]; ok {
			w.Write(a)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// layOut is a cargo that lays out the sources of the directory as the crate of the manifest in its own, as cargo does.
const layOut = `grep -q '^sources-of-llama = "=0.1.0"$' Cargo.toml || exit 3
[ "$1 $3" = "vendor --respect-source-config" ] && mkdir -p "$4/sources-of-llama" &&
	cp -r '%s' "$4/sources-of-llama/llama.cpp"
`

// TestPlaces: what is built is the lock's, by cargo where it is installed and has the crate, or else of the archive,
// once; other bytes are refused. Where nothing has them, the error says what to install and which file to hand over.
func TestPlaces(t *testing.T) {
	good, other := archive(t, "llama.cpp-0.8.0/", small("0.8.0")), archive(t, "x/", small("0.7.0"))
	dirs := make(map[string]string)
	for _, version := range []string{"0.8.0", "0.7.0"} {
		dirs[version] = t.TempDir()
		for name, text := range small(version) {
			write(t, filepath.Join(dirs[version], name), text)
		}
	}
	const crate = "crate sources-of-llama 0.1.0"
	right, wrong := fmt.Sprintf(layOut, dirs["0.8.0"]), fmt.Sprintf(layOut, dirs["0.7.0"])
	const fails = "echo 'error: no matching package' >&2; exit 101\n"
	for _, c := range []struct {
		name, cargo string
		lines       []string // of the lock; archives by their paths
		requests    int
		wants       []string // of the error
	}{
		{"cargo alone", right, []string{crate}, 0, nil},
		{"cargo before the archive", right, []string{"archive /good", crate}, 0, nil},
		{"no cargo", "", []string{crate, "archive /good"}, 1, nil},
		{"cargo fails", fails, []string{crate, "archive /good"}, 1, nil},
		{"another crate", wrong, []string{crate, "archive /good"}, 1, nil},
		{"archive alone", right, []string{"archive /good"}, 1, nil},
		{"nothing", "", []string{crate, "archive /none"}, 1, []string{"could not be had", "install cargo 1.85 or newer",
			"in the crate sources-of-llama", "hand over their archive, the file http://", "make build SOURCE=FILE",
			"cargo is not installed", "404"}},
		{"no network", fails, []string{crate, "archive /none"}, 1, []string{"error: no matching package", "404"}},
		{"other bytes everywhere", wrong, []string{crate, "archive /other"}, 1, []string{"the tree of its files is"}},
		{"no archive", "", []string{crate}, 0, []string{"install cargo", "an archive or a directory"}},
		{"no place", right, nil, 0, []string{"hand over an archive or a directory with them: make build SOURCE=FILE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := alone(t, c.cargo)
			address, asked := serve(t, map[string][]byte{"/good": good, "/other": other})
			for i, l := range c.lines {
				c.lines[i] = strings.Replace(l, "archive /", "archive "+address+"/", 1)
			}
			lock, _ := locked(t, good, c.lines...)
			prefix, _, err := call(t, "-lockfile", lock)
			if asked.Load() != int32(c.requests) || (err == nil) != (c.wants == nil) {
				t.Fatalf("%v, %d requests", err, asked.Load())
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(cache, "*", "*", "*-*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if c.wants != nil {
				return
			}
			flags, err := os.ReadFile(filepath.Join(prefix, flagsFile))
			for _, part := range []string{"-I" + prefix + "/include -DPARLEY_LLAMA=0.8.0+", "-lllama -lggml-base"} {
				if !strings.Contains(string(flags), part) {
					t.Errorf("%s, %v; want %q", flags, err, part)
				}
			}
			again, stderr, err := call(t, "-lockfile", lock)
			if again != prefix || err != nil || stderr != "" || asked.Load() != int32(c.requests) {
				t.Errorf("again: %q, %v, %d requests\n%s", again, err, asked.Load(), stderr)
			}
		})
	}
}

// TestRealCargo: cargo itself lays out a crate from where its settings say, which is a directory here.
func TestRealCargo(t *testing.T) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		t.Skip(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RUSTUP_HOME", cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup"))) // cargo may be rustup's
	mirror := t.TempDir()
	crate := filepath.Join(mirror, "sources-of-llama")
	write(t, filepath.Join(crate, "Cargo.toml"), "[package]\nname = \"sources-of-llama\"\nversion = \"0.1.0\"\n")
	write(t, filepath.Join(crate, "src", "lib.rs"), "")
	write(t, filepath.Join(crate, ".cargo-checksum.json"), `{"files": {}}`)
	for name, text := range small("0.8.0") {
		write(t, filepath.Join(crate, "llama.cpp", name), text)
	}
	alone(t, "exec '"+cargo+"' \"$@\"")
	t.Setenv("CARGO_HOME", t.TempDir())
	write(t, filepath.Join(os.Getenv("CARGO_HOME"), "config.toml"),
		"[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = '"+mirror+"'\n")
	lock, _ := locked(t, archive(t, "", small("0.8.0")), "crate sources-of-llama 0.1.0")
	if prefix, _, err := call(t, "-lockfile", lock); err != nil || !isBuilt(prefix) {
		t.Fatalf("the library is built where it says: got %q, %v", prefix, err)
	}
	lock, _ = locked(t, archive(t, "", small("0.8.0")), "crate sources-of-llama 0.2.0")
	_, _, err = call(t, "-lockfile", lock, "-architectures")
	if err == nil || !strings.Contains(err.Error(), "0.2.0") {
		t.Errorf("a version that is not there: %v", err)
	}
}

// TestByHand: sources that are handed over are built, and others than the lock's are said to be untested.
func TestByHand(t *testing.T) {
	alone(t, "exit 1")
	lock, file := locked(t, archive(t, "crate-1/llama.cpp/", small("0.8.0")), "crate sources-of-llama 0.1.0")
	known, _, err := call(t, "-lockfile", lock, "-architectures", "-source", file)
	if err != nil || known != "mamba\nqwen2" {
		t.Errorf("architectures: %q, %v", known, err)
	}
	prefix, stderr, err := call(t, "-lockfile", lock, "-source", file)
	if err != nil || strings.Contains(stderr, "not those") {
		t.Fatalf("sources by hand are those of the lock: %v\n%s", err, stderr)
	}
	if again, stderr, err := call(t, "-lockfile", lock); again != prefix || err != nil || stderr != "" {
		t.Errorf("those of the lock, which are there: %q, %v\n%s", again, err, stderr)
	}
	if v3, _, err := call(t, "-lockfile", lock, "-source", file, "-arch", "-O1"); v3 == prefix || err != nil {
		t.Errorf("other flags: %q, %v", v3, err)
	}
	other := write(t, filepath.Join(t.TempDir(), "o.tgz"), string(archive(t, "x/", small("0.7.0"))))
	untested, stderr, err := call(t, "-lockfile", lock, "-source", other)
	if err != nil || !strings.Contains(stderr, "version 0.7.0 and not those that Parley is tested with, 0.8.0") {
		t.Fatalf("others by hand: %v\n%s", err, stderr)
	}
	if flags, _ := os.ReadFile(filepath.Join(untested, flagsFile)); !strings.Contains(string(flags), ".untested\n") {
		t.Errorf("others by hand: %s", flags)
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
	lock = write(t, lock, of+"\narchive "+server.URL+"\n")
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
	for _, text := range []string{
		"", "version 1\n", "archive\n", "crate x\n", "version 1\ntree 12\n", "colour blue\n",
	} {
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
