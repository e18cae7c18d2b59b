package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMan: every command has a page, which names its flags, and man can read it.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	must(t, []string{"man", dir})
	page, err := os.ReadFile(filepath.Join(dir, "parley-compare.1"))
	if err != nil || !strings.Contains(string(page), `--conditions`) {
		t.Fatalf("%v\n%.500s", err, page)
	}
	for _, c := range newRoot().Commands() {
		if _, err := os.Stat(filepath.Join(dir, "parley-"+c.Name()+".1")); err != nil && c.IsAvailableCommand() {
			t.Error(err)
		}
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("no man here to read the pages")
	}
	read := exec.Command("man", "--warnings", "-l", filepath.Join(dir, "parley-run.1"))
	read.Env = append(os.Environ(), "MANWIDTH=80", "PAGER=cat")
	if out, err := read.CombinedOutput(); err != nil || !strings.Contains(string(out), "Run an experiment") {
		t.Errorf("%v\n%.500s", err, out)
	}
}

// TestWheel packs the program as pip installs it, twice with the same bytes, and installs it into a new environment.
func TestWheel(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("python3", "-c", "import venv, ensurepip").CombinedOutput(); err != nil {
		t.Skipf("no python3 with venv and pip here: %v %s", err, out)
	}
	var contents []string
	var wheel string
	for range 2 {
		dir := t.TempDir()
		out, err := exec.Command("python3", "../../tools/wheel.py", "--program", program, "--version",
			"v0.3.1-0.20260102030405-0123456789ab", "--out", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		found, err := filepath.Glob(filepath.Join(dir,
			"parley_debate-0.3.1.dev20260102030405-py3-none-manylinux_2_*.whl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v: %s", found, err, out)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		wheel, contents = found[0], append(contents, string(text))
	}
	if contents[0] != contents[1] {
		t.Error("the same program gave other bytes")
	}
	if r, err := zip.OpenReader(wheel); err != nil || len(r.File) != 5 {
		t.Fatalf("%v, %v", r, err)
	}
	env := filepath.Join(t.TempDir(), "env")
	for _, command := range [][]string{{"python3", "-m", "venv", env},
		{filepath.Join(env, "bin/pip"), "install", "--quiet", "--no-index", wheel}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	out, err := exec.Command(filepath.Join(env, "bin/parley"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "parley ") || !strings.Contains(string(out), "built with ") {
		t.Errorf("%v\n%s", err, out)
	}
}
