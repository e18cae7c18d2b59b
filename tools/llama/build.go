package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// flagsFile has the flags of the compiler and the linker, as lines of a Makefile. Where it is, all is.
const flagsFile = "flags.mk"

// recipe counts changes of how things are built here: what another one built is built anew.
const recipe = 1

// prefix returns the directory with the library, which is built if it is not there. Several builds at once build it
// once: the others wait.
func prefix(ctx context.Context, l lock, o options, cache string, stderr io.Writer) (string, error) {
	if o.gpu != "" && backends[o.gpu] == nil {
		return "", fmt.Errorf("GPU=%s is none of cuda, vulkan, metal", o.gpu)
	}
	var s sources
	tree := l.tree
	if o.source != "" { // what is in it decides
		var err error
		if s, err = byHand(o.source, cache); err != nil {
			return "", err
		}
		defer s.remove()
		tree = s.tree
	}
	dir := filepath.Join(cache, key(tree, o))
	if isBuilt(dir) {
		return dir, nil
	}
	free, err := takeTurn(ctx, cache, stderr)
	if err != nil {
		return "", err
	}
	defer free()
	if isBuilt(dir) {
		return dir, nil
	}
	if o.source == "" {
		if s, err = findSources(ctx, l, cache, stderr); err != nil {
			return "", err
		}
		defer s.remove()
	}
	if s.tree != l.tree {
		fmt.Fprintf(stderr, "llama.cpp: these sources are version %s and not those that Parley is tested with, %s; "+
			"the program says so\n", s.version, l.version)
	}
	return dir, compile(ctx, l, o, s, dir, stderr)
}

// isBuilt reports whether a directory has a library, which gets there as a whole.
func isBuilt(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, flagsFile))
	return err == nil
}

// key names what is built: of which sources, for which processors, by which compiler, and how.
func key(tree string, o options) string {
	h := sha256.New()
	o.source = "" // the tree says what is in it
	fmt.Fprintf(h, "%d %s %+v\n", recipe, tree, o)
	for _, compiler := range []string{cmp.Or(os.Getenv("CC"), "cc"), cmp.Or(os.Getenv("CXX"), "c++")} {
		version, _ := exec.Command(compiler, "--version").Output()
		fmt.Fprintf(h, "%s %s\n", compiler, version)
	}
	if native.MatchString(o.arch) {
		cpu, _ := os.ReadFile("/proc/cpuinfo")
		h.Write(features.Find(cpu))
	}
	fmt.Fprintln(h, runtime.GOARCH)
	if o.gpu == "cuda" {
		fmt.Fprintln(h, toolkit())
	}
	return fmt.Sprintf("%.12x", h.Sum(nil))
}

var (
	native   = regexp.MustCompile(`-m(arch|cpu)=native`)
	features = regexp.MustCompile(`(?m)^(flags|Features)\s*:.*$`)
)

// backends are the libraries that a backend is linked with, beside its own.
var backends = map[string][]string{
	"cuda": {"-L" + toolkit() + "/lib64", "-lcudart", "-lcublas", "-lcublasLt", "-L" + toolkit() + "/lib64/stubs",
		"-lcuda"},
	"vulkan": {"-lvulkan"},
	"metal":  {"-framework", "Metal", "-framework", "MetalKit"},
}

// toolkit is CUDA's directory.
func toolkit() string { return cmp.Or(os.Getenv("CUDA_PATH"), "/usr/local/cuda") }

// compile builds static libraries in a directory beside dir, and renames it when all is there.
func compile(ctx context.Context, l lock, o options, s sources, dir string, stderr io.Writer) (err error) {
	if err := checkCompilers(); err != nil {
		return err
	}
	cmake, env, err := findCMake(ctx, filepath.Dir(dir), stderr)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	fmt.Fprintf(stderr, "compiling llama.cpp %s, once for this kind of machine: some minutes\n", s.version)
	steps := [][]string{
		append([]string{"-S", s.dir, "-B", filepath.Join(work, "build"), "-DCMAKE_INSTALL_PREFIX=" + dir},
			o.settings()...),
		{"--build", filepath.Join(work, "build"), "--parallel", fmt.Sprint(runtime.NumCPU())},
		{"--install", filepath.Join(work, "build")},
	}
	for _, step := range steps {
		c := exec.CommandContext(ctx, cmake, step...)
		// The commit that is recorded is that of llama.cpp or none, not that of a repository around it.
		c.Env = append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(s.dir), "DESTDIR="+filepath.Join(work, "new"))
		if output, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s %s\n%s", err, cmake, strings.Join(step, " "), tail(output, 40))
		}
	}
	made := filepath.Join(work, "new", dir)
	if err := gather(filepath.Join(work, "build"), filepath.Join(made, "lib")); err != nil {
		return err
	}
	if err := describe(l, o, s, dir, made); err != nil {
		return err
	}
	if err := os.Rename(made, dir); err != nil {
		if isBuilt(dir) { // by another one meanwhile, where files cannot be locked
			return nil
		}
		return err
	}
	return nil
}

// settings are CMake's: the libraries alone, static, without OpenMP, whose threads would be others than ours.
func (o options) settings() []string {
	settings := []string{"-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib", "-DBUILD_SHARED_LIBS=OFF",
		"-DCMAKE_POSITION_INDEPENDENT_CODE=ON", "-DGGML_OPENMP=OFF", "-DGGML_BLAS=OFF", "-DLLAMA_OPENSSL=OFF",
		"-DLLAMA_BUILD_COMMON=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_TOOLS=OFF",
		"-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_SERVER=OFF", "-DLLAMA_BUILD_APP=OFF",
		"-DGGML_METAL=" + onOff(o.gpu == "metal"), "-DGGML_CUDA=" + onOff(o.gpu == "cuda"),
		"-DGGML_VULKAN=" + onOff(o.gpu == "vulkan"), "-DGGML_NATIVE=" + onOff(native.MatchString(o.arch))}
	if arm, ok := strings.CutPrefix(o.arch, "-march=armv"); ok {
		arm, _, _ = strings.Cut(arm, " ") // what follows is no part of it
		settings = append(settings, "-DGGML_CPU_ARM_ARCH=armv"+arm)
	}
	if os, arch, _ := strings.Cut(o.target, "/"); arch != "" && arch != runtime.GOARCH {
		settings = append(settings, "-DCMAKE_SYSTEM_NAME="+systems[cmp.Or(os, runtime.GOOS)],
			"-DCMAKE_SYSTEM_PROCESSOR="+processors[arch])
	}
	for _, language := range []string{"C", "CXX"} {
		settings = append(settings, "-DCMAKE_"+language+"_FLAGS="+o.arch)
	}
	return append(settings, strings.Fields(o.cmake)...)
}

// CMake's names of what Go calls otherwise.
var (
	systems    = map[string]string{"linux": "Linux", "darwin": "Darwin"}
	processors = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
)

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

// gather copies libraries that were built and not installed, since others are linked with them.
func gather(build, lib string) error {
	return filepath.WalkDir(build, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".a" {
			return err
		}
		to := filepath.Join(lib, entry.Name())
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		return copyFile(name, to)
	})
}

// describe writes what others need to know: the flags, ggml's layout of blocks, and the licence.
func describe(l lock, o options, s sources, dir, made string) error {
	found, err := filepath.Glob(filepath.Join(made, "lib", "lib*.a"))
	if err != nil {
		return err
	}
	var names []string
	for _, f := range found {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "lib"), ".a"))
	}
	// Whoever needs another comes before it.
	order := []string{"llama", "ggml", "ggml-cuda", "ggml-vulkan", "ggml-metal", "ggml-cpu", "ggml-base"}
	slices.SortStableFunc(names, func(a, b string) int { return rank(order, a) - rank(order, b) })
	link := []string{"-L" + filepath.Join(dir, "lib")}
	for _, n := range names {
		link = append(link, "-l"+n)
	}
	link = append(link, backends[o.gpu]...)
	if target, _, _ := strings.Cut(o.target, "/"); cmp.Or(target, runtime.GOOS) == "darwin" {
		link = append(link, "-framework", "Accelerate", "-framework", "Foundation")
	} else {
		link = append(link, "-lm", "-ldl", "-lpthread")
	}
	name := s.version + "+" + s.tree[:12]
	if s.tree != l.tree {
		name += ".untested"
	}
	texts, err := licences(s.dir, o.gpu)
	if err != nil {
		return err
	}
	flags := fmt.Sprintf("CGO_CPPFLAGS := -I%s -DPARLEY_LLAMA=%s\nCGO_LDFLAGS := %s\n", filepath.Join(dir, "include"),
		name, strings.Join(link, " "))
	return errors.Join(
		copyFile(filepath.Join(s.dir, "ggml", "src", "ggml-common.h"), filepath.Join(made, "include", "ggml-common.h")),
		os.WriteFile(filepath.Join(made, "LICENSE"), texts, 0o666),
		os.WriteFile(filepath.Join(made, flagsFile), []byte(flags), 0o666))
}

func rank(order []string, name string) int {
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}

// checkCompilers looks for the compilers that CMake would take, before anything is installed for it.
func checkCompilers() error {
	var missing []string
	for _, c := range []struct{ variable, programs, needed string }{
		{"CC", "cc gcc clang", "C compiler, such as gcc"}, {"CXX", "c++ g++ clang++", "C++ compiler, such as g++"},
	} {
		programs := strings.Fields(c.programs)
		if own := strings.Fields(os.Getenv(c.variable)); len(own) > 0 {
			programs = own[:1]
		}
		if !slices.ContainsFunc(programs, func(p string) bool { _, err := exec.LookPath(p); return err == nil }) {
			missing = append(missing, c.needed)
		}
	}
	if missing != nil {
		return fmt.Errorf("there is no %s: install it, or name yours in CC and CXX", strings.Join(missing, ", and no "))
	}
	return nil
}

// findCMake returns the program and the environment it runs in: the system's, or one that pip or apt-get brings.
func findCMake(ctx context.Context, cache string, stderr io.Writer) (program string, env []string, err error) {
	env = os.Environ()
	if program, err = exec.LookPath("cmake"); err == nil {
		return program, env, nil
	}
	venv := filepath.Join(cache, "cmake")
	program = filepath.Join(venv, "bin", "cmake")
	if exec.CommandContext(ctx, program, "--version").Run() == nil {
		return program, env, nil
	}
	var output []byte
	for _, commands := range [][][]string{
		{{"python3", "-m", "venv", venv}, {filepath.Join(venv, "bin", "pip"), "install", "--quiet", "cmake==3.31.10"}},
		{{"apt-get", "update", "-q"}, {"apt-get", "install", "-yq", "--no-install-recommends", "cmake"}},
	} {
		for _, c := range commands {
			fmt.Fprintln(stderr, strings.Join(c, " "))
			var said []byte
			if said, err = exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput(); err != nil {
				output = append(output, fmt.Sprintf("%s: %v\n%s", c[0], err, tail(said, 5))...)
				break
			}
		}
		if err != nil {
			continue
		}
		if _, err := os.Stat(program); err == nil {
			return program, env, nil
		}
		if program, err := exec.LookPath("cmake"); err == nil {
			return program, env, nil
		}
	}
	return "", nil, fmt.Errorf("CMake is missing, and neither pip nor apt-get brought it: install it\n%s", output)
}

// tail returns the last lines of what a program printed.
func tail(output []byte, lines int) []byte {
	all := bytes.Split(bytes.TrimRight(output, "\n"), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
