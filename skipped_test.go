package parley_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSkippedTests: runs without llama.cpp say how many tests they left out, and why; they fail where a test does,
// where a package does not build, where nothing was tested, and where go test is killed. The rule of a test that fails
// stands above what it prints, also where a panic ends it.
func TestSkippedTests(t *testing.T) {
	program := filepath.Join(t.TempDir(), "skipped")
	build := exec.Command("go", "build", "-o", program, "./skipped")
	build.Dir = "tools"
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	events := func(list ...[4]string) string {
		var text strings.Builder
		for _, e := range list {
			line, _ := json.Marshal(map[string]string{"Action": e[0], "Package": e[1], "Test": e[2], "Output": e[3]})
			text.Write(append(line, '\n'))
		}
		return text.String()
	}
	passing := events([4]string{"start", "m/a", "", ""}, [4]string{"run", "m/a", "TestOne", ""},
		[4]string{"output", "m/a", "TestOne", "says\n"}, [4]string{"pass", "m/a", "TestOne", ""},
		[4]string{"output", "m/a", "TestTwo", "    a_test.go:7: no engine: make\n"},
		[4]string{"skip", "m/a", "TestTwo", ""},
		[4]string{"output", "m/a", "TestTwo/b", "    b_test.go:9: no engine: make\n"},
		[4]string{"skip", "m/a", "TestTwo/b", ""}, [4]string{"skip", "m/a", "TestThree", ""},
		[4]string{"output", "m/a", "", "ok  \tm/a\t1s\n"}, [4]string{"pass", "m/a", "", ""},
		[4]string{"skip", "m/b", "", ""})
	const summary = "1 tests and parts of tests ran, 3 were skipped\n   2: no engine: make\n" +
		"      a.TestTwo a.TestTwo/b\n   1: no reason\n      a.TestThree\n"
	for name, c := range map[string]struct {
		in, want string
		fails    bool
	}{
		"skipped": {passing, "ok  \tm/a\t1s\n" + summary, false},
		"failing": {passing + events([4]string{"output", "m/c", "TestX", "wrong\n"},
			[4]string{"fail", "m/c", "TestX", ""}),
			"ok  \tm/a\t1s\nwrong\n2" + summary[1:], true},
		"a panic": {events([4]string{"output", "m/c", "TestX", "panic\n"}, [4]string{"fail", "m/c", "", ""}),
			"panic\n0 tests and parts of tests ran, 0 were skipped\n", true},
		"a rule": {events([4]string{"output", modulePath + "internal/lru", "TestCache", "=== RUN   TestCache\n"},
			[4]string{"output", modulePath + "internal/lru", "TestCache/a", "wrong\n"},
			[4]string{"fail", modulePath + "internal/lru", "TestCache/a", ""},
			[4]string{"output", modulePath + "internal/lru", "TestCache", "panic\n"},
			[4]string{"fail", modulePath + "internal/lru", "", ""}),
			"--- rule: TestCache: the cache does what a list does that is searched from its end, whatever is asked " +
				"of it.\nwrong\npanic\n1 tests and parts of tests ran, 0 were skipped\n", true},
		"no build": {"# m/c\n" + events([4]string{"build-fail", "m/c", "", ""}),
			"# m/c\n0 tests and parts of tests ran, 0 were skipped\n", true},
		"killed": {events([4]string{"start", "m/c", "", ""}, [4]string{"pass", "m/c", "TestX", ""}),
			"1 tests and parts of tests ran, 0 were skipped\n", true},
		"nothing": {"go: no such package\n",
			"go: no such package\n0 tests and parts of tests ran, 0 were skipped\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(program)
			cmd.Stdin = strings.NewReader(c.in)
			output, err := cmd.Output()
			if diff := cmp.Diff(c.want, string(output)); diff != "" || (err != nil) != c.fails {
				t.Errorf("%s: fails %v, want %v; what it prints (-want +got):\n%s", name, err != nil, c.fails, diff)
			}
		})
	}
}
