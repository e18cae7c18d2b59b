package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mistake is a command of scripts: it runs parley with the arguments and appends what that says and its exit code to
// the file "mistakes", which a script compares with what is wanted. A mistake prints nothing on standard output.
func mistake(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("parley", args...)
	var exit *exec.ExitError
	switch {
	case neg:
		ts.Fatalf("mistakes always fail")
	case !errors.As(err, &exit):
		ts.Fatalf("parley %q: %v, want a failure", args, err)
	case ts.ReadFile("stdout") != "":
		ts.Fatalf("parley %q prints %q", args, ts.ReadFile("stdout"))
	}
	path := ts.MkAbs("mistakes")
	before, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		ts.Check(err)
	}
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = quoted(arg)
	}
	said := strings.NewReplacer(ts.Getenv("WORK"), "WORK", ts.Getenv("XDG_CACHE_HOME"), "CACHE").
		Replace(ts.ReadFile("stderr"))
	ts.Check(os.WriteFile(path, fmt.Appendf(before, "$ parley %s\n%sexit %d\n\n", strings.Join(words, " "), said,
		exit.ExitCode()), 0o644))
}
