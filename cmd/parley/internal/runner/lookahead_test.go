package runner_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestRunsForeseen: a run of debates that cannot fit is refused before anything is recorded; all of its tasks are
// named.
func TestRunsForeseen(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := "name: x\nmax-tokens: 4000\ntasks:\n  - {name: p, generated: 2}\n  - {name: q, generated: 2, objects: " +
		"5}\nconditions:\n  - {protocol: society}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"compare --generated 2 --max-tokens 4000",
		"compare --generated 2 --max-tokens 4000 --dry-run", "run " + file, "run " + file + " --only p"} {
		out := filepath.Join(t.TempDir(), "out")
		var stderr bytes.Buffer
		code := cli.Run(append(strings.Fields(line), "--out", out), nil, io.Discard, &stderr)
		left, err := filepath.Glob(filepath.Join(out, "*"))
		if said := stderr.String(); code != exit.CodeUsage || left != nil || !strings.Contains(said, "cannot fit") ||
			!strings.Contains(said, "and the model was trained for 4096") {
			t.Errorf("%s: exit %d, %v: %s", line, code, err, said)
		}
		if both := strings.Contains(stderr.String(), "task q: "); both != strings.HasSuffix(line, "yaml") {
			t.Errorf("%s: %s, want both = %v", line, stderr.String(), strings.HasSuffix(line, "yaml"))
		}
	}
}

// TestLookAheadIsBudgeted: the check of what fits, which takes seconds for a sweep with long replies, takes its time
// from the budget, and says how far it came. Nothing is left of a run that had not begun.
func TestLookAheadIsBudgeted(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := "name: x\nmax-tokens: 4000\ntasks:\n  - {name: p, generated: 1}\nreference: pool\ncontrols: false\n" +
		"conditions:\n  - {name: pool, protocol: self-consistency, set: {agents: 400}, once: true}\n" +
		"  - {name: first, protocol: reversal-correct-first, set: {most: 80}, sweep: {agents: 1..80}, after: pool}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"run " + file, "run " + strings.Replace(file, "x.yaml", "y.yaml", 1)} {
		t.Run(line, func(t *testing.T) {
			if strings.HasSuffix(line, "y.yaml") { // several tasks are looked at together
				more := strings.Replace(text, "generated: 1}", "generated: 1}\n  - {name: q, generated: 1}", 1)
				if err := os.WriteFile(strings.Fields(line)[1], []byte(more), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			code := cli.Run(append(strings.Fields(line), "--for", "1ms", "--out", out), nil, io.Discard, &stderr)
			said := stderr.String()
			if code != exit.CodeBudget || !strings.Contains(said, "the budget is used up: 0 tokens generated in ") ||
				!strings.Contains(said, "while checking that the debates fit: ") ||
				!strings.Contains(said, " of 81 conditions") {
				t.Errorf("%s: exit %d: %s", line, code, said)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s: %s is left", line, out)
			}
		})
	}
}
