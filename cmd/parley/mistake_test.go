package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/parley-debate/parley/bench/wording"
)

// confined is how a command begins whose process may not read and write everything although root starts it: by giving
// up the capabilities for that. It is empty for other users, and where setpriv is missing or may not do it.
var confined = sync.OnceValue(func() []string {
	without := []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search"}
	if os.Geteuid() != 0 || exec.Command(without[0], without[1], "true").Run() != nil {
		return nil
	}
	return without
})

// knownHere are conditions of scripts: permissions, where files that may not be read cannot be, and pip, where it is.
func knownHere(condition string) (bool, error) {
	switch condition {
	case "permissions":
		return os.Geteuid() != 0 || confined() != nil, nil
	case "pip":
		return hasPip(), nil
	}
	return false, fmt.Errorf("no condition %q", condition)
}

var hasPip = sync.OnceValue(func() bool { return exec.Command("python3", "-m", "pip", "--version").Run() == nil })

// mistake is a command of scripts: it runs parley with the arguments and appends what that says and its exit code to
// the file "mistakes", which a script compares with what is wanted. A mistake prints nothing on standard output.
func mistake(ts *testscript.TestScript, neg bool, args []string) {
	whole := slices.Concat(confined(), []string{"parley"}, args)
	err := ts.Exec(whole[0], whole[1:]...)
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
		words[i] = wording.Shell(arg)
	}
	said := strings.NewReplacer(ts.Getenv("WORK"), "WORK", ts.Getenv("XDG_CACHE_HOME"), "CACHE").
		Replace(ts.ReadFile("stderr"))
	ts.Check(os.WriteFile(path, fmt.Appendf(before, "$ parley %s\n%sexit %d\n\n", strings.Join(words, " "), said,
		exit.ExitCode()), 0o644))
}
