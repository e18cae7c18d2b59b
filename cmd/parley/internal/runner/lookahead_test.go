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
	"github.com/parley-debate/parley/internal/datatest"
)

// TestRunsForeseen: a run of debates that cannot fit is refused before anything is recorded; all of its tasks are
// named.
func TestRunsForeseen(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := "name: x\nmax-tokens: 4000\ntasks:\n  - {name: p, generated: 2}\n  - {name: q, generated: 2, objects: " +
		"5}\nconditions:\n  - {protocol: society}\n"
	datatest.Write(t, file, text)
	for _, line := range []string{"compare --generated 2 --max-tokens 4000",
		"compare --generated 2 --max-tokens 4000 --dry-run", "run " + file, "run " + file + " --only p"} {
		out := filepath.Join(t.TempDir(), "out")
		var stderr bytes.Buffer
		code := cli.Run(append(strings.Fields(line), "--out", out), nil, io.Discard, &stderr)
		left, err := filepath.Glob(filepath.Join(out, "*"))
		if said := stderr.String(); code != exit.CodeUsage || left != nil || !strings.Contains(said, "cannot fit") ||
			!strings.Contains(said, "and the model was trained for 4096") {
			t.Errorf("%s ended with status %d (%v), want %d, \"cannot fit\" and no files: %s", line, code, err,
				exit.CodeUsage, said)
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
	datatest.Write(t, file, text)
	for _, line := range []string{"run " + file, "run " + strings.Replace(file, "x.yaml", "y.yaml", 1)} {
		t.Run(line, func(t *testing.T) {
			if strings.HasSuffix(line, "y.yaml") { // several tasks are looked at together
				more := strings.Replace(text, "generated: 1}", "generated: 1}\n  - {name: q, generated: 1}", 1)
				datatest.Write(t, strings.Fields(line)[1], more)
			}
			out := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			code := cli.Run(append(strings.Fields(line), "--for", "1ms", "--out", out), nil, io.Discard, &stderr)
			said := stderr.String()
			if code != exit.CodeBudget || !strings.Contains(said, "the budget is used up: 0 tokens generated in ") ||
				!strings.Contains(said, "while checking that the debates fit: ") ||
				!strings.Contains(said, " of 81 conditions") {
				t.Errorf("%s ended with status %d, want %d and the budget used up while checking: %s", line, code,
					exit.CodeBudget, said)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s left %s, want no directory", line, out)
			}
		})
	}
}

// TestLeavesOut: conditions that the model cannot hold are left out with what names them, in a dry run, at the start
// and in the report, and the rest is run. With one as the reference nothing is, and the same holds of several tasks.
func TestLeavesOut(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	dir := t.TempDir()
	file, template := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "x.jinja")
	write := func(reference, tasks string) {
		text := "name: x\nmax-tokens: 8\ncontrols: false\ntasks: [{name: p, generated: 1}" + tasks + "]\n" +
			"reference: " + reference + "\ncontrasts: [waits - alone, bound - alone, mixed - waits]\nconditions:\n" +
			"  - {name: alone, protocol: single, set: {team: [{reasoning-tokens: 0}]}}\n" +
			"  - {name: bound, protocol: single, set: {team: [{reasoning-tokens: 4}]}}\n" +
			"  - {name: waits, protocol: single, set: {team: [{reasoning-tokens: 4, reasoning-waits: 1}]}}\n" +
			"  - {name: mixed, protocol: society, set: {agents: 2, rounds: 1, team: [{reasoning-tokens: 4}, " +
			"{reasoning-tokens: 4, reasoning-waits: 1}]}}\n"
		for name, text := range map[string]string{file: text, template: "{% for m in messages %}{{ m.content }}" +
			"{% endfor %}{% if add_generation_prompt %}<think>\n{% endif %}"} {
			datatest.Write(t, name, text)
		}
	}
	for _, c := range []struct {
		reference, tasks, more string
		code                   int
		says, report           []string
	}{
		{"alone", "", "--chat-template " + template, 0, []string{"Left out: waits and mixed. --reasoning-waits: ",
			"Left out, since a condition that it names is: waits - alone; mixed - waits.",
			"2 debates: 1 question under 2 conditions"}, []string{"Left out: waits and mixed. ", "bound - alone"}},
		{"alone", ", {name: q, generated: 1}", "--chat-template " + template, 0,
			[]string{"Left out: waits and mixed. "}, []string{"Left out: waits and mixed. "}},
		{"waits", "", "--chat-template " + template, exit.CodeUsage, []string{"condition waits: --reasoning-waits: "},
			nil},
		{"alone", "", "", exit.CodeUsage, []string{"condition alone: --reasoning-tokens: the chat template"}, nil},
	} {
		for _, dry := range []string{"", " --dry-run"} {
			write(c.reference, c.tasks)
			out := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			code := cli.Run(strings.Fields("run "+file+" --out "+out+" "+c.more+dry), nil, io.Discard, &stderr)
			report, err := os.ReadFile(filepath.Join(out, "report.html"))
			if code != c.code || (err == nil) != (c.report != nil && dry == "") {
				t.Errorf("%+v%s ended with status %d (%v), want %d and a report if one is listed and runs: %s", c, dry,
					code, err, c.code, stderr.String())
			}
			for _, want := range c.says {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("%+v%s: %s, which lacks %q", c, dry, stderr.String(), want)
				}
			}
			for _, want := range c.report {
				if dry == "" && !bytes.Contains(report, []byte(want)) {
					t.Errorf("%+v: the report lacks %q", c, want)
				}
			}
		}
	}
}
