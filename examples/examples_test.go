// Package examples_test builds and runs the examples.
package examples_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// examples are their arguments and their whole output: of the model's debate a pattern, since what it says may differ
// between processors.
var examples = map[string]struct {
	arguments []string
	output    string
}{
	"debate": {nil, `(round [01], agent [012]: \([ABC]\)
){6}decision: \([ABC]\) \(majority, ties to the answer first in agent order\)
`},
	"relay": {[]string{"run"}, `society: \d+ of 10 right
relay: \d+ of 10 right
20 debates in the report
`},
	"protocol": {[]string{"protocol/ring.yaml"}, `round 0: (B) (A) (A) (A)
round 1: (B) after [1 3] (B) after [0 2] (A) after [1 3] (B) after [0 2]
round 2: (B) after [1 3] (B) after [0 2] (B) after [1 3] (B) after [0 2]
decision of cautious-ring: (B) (majority, ties to the answer first in agent order)
`},
	"engine": {nil, `round 0, agent 0: (A)
round 0, agent 1: (B)
round 0, agent 2: (A)
round 1, agent 0: (A)
round 1, agent 1: (A)
round 1, agent 2: failed: agent 2 has nothing left to say
decision: (A) (majority, ties to the answer first in agent order)
`},
}

// TestExamples: each compiles, runs, and prints what is written here.
func TestExamples(t *testing.T) {
	binaries, packages := t.TempDir(), []string{}
	for name := range examples {
		packages = append(packages, "./"+name)
	}
	build := exec.Command("go", append([]string{"build", "-o", binaries}, packages...)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, example := range examples {
		t.Run(name, func(t *testing.T) {
			onModel := name == "debate" || name == "relay"
			if onModel && llamacpp.Build().Llama == "none" {
				t.Skip(llamacpp.ErrNoCgo)
			}
			arguments := slices.Clone(example.arguments)
			if name == "relay" {
				arguments[0] = filepath.Join(t.TempDir(), arguments[0])
			}
			cmd := exec.Command(filepath.Join(binaries, name), arguments...)
			cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if onModel {
				if !regexp.MustCompile("^" + example.output + "$").Match(out) {
					t.Errorf("it went another way than expected:\n%s", out)
				}
			} else if diff := cmp.Diff(example.output, string(out)); diff != "" {
				t.Errorf("the example prints what is written here (-want +got):\n%s", diff)
			}
		})
	}
}
