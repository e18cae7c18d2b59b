package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompilersAreMissed: without compilers the build says so before it installs anything.
func TestCompilersAreMissed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	says := func(want string) {
		t.Helper()
		err := checkCompilers()
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	program := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	says("no C compiler, such as gcc, and no C++ compiler, such as g++")
	program("gcc")
	says("no C++ compiler")
	t.Setenv("CXX", "my-c++ -O2")
	program("c++")
	says("no C++ compiler")
	program("my-c++")
	says("")
}
