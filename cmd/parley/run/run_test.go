package run_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/soak"
)

// withShuffled are the experiments with the control that takes reasoning from another question.
var withShuffled = []string{"consensus-cost", "du-arithmetic", "du-chess", "du-gsm8k", "du-mmlu",
	"madc-agents", "madc-orders", "madc-rounds", "madc-table1", "madc-talk", "ringelmann"}

// smallest are the flags with which a miniature still has every condition: as few questions as these need, once, with
// short replies. More of them add no code; a soak runs miniatures whole.
func smallest(experiment string) []string {
	if soak.On() {
		return nil
	}
	flags := []string{"--repeats", "1", "--questions", "1"}
	if slices.Contains(withShuffled, experiment) {
		flags[3] = "2"
	}
	if !slices.Contains(withAnswers, experiment) {
		flags = append(flags, "--max-tokens", "20")
	}
	return flags
}

// withAnswers have conditions or tables of which nothing comes unless some replies end in an answer.
var withAnswers = []string{"kks-soundness", "madc-position", "madc-resampling", "madc-reversal"}

// TestEveryExperiment runs the miniature of each on the embedded model to its results, as many at once as there are
// cores.
func TestEveryExperiment(t *testing.T) {
	parleytest.WarmCache(t)
	for _, e := range experiment.List() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			small, err := e.Miniature(true)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "run")
			var stdout, stderr bytes.Buffer
			args := append([]string{"run", e.Name, "--small", "--out", out, "--json"},
				smallest(e.Name)...)
			if code := cli.Run(args, nil, &stdout, &stderr); code != 0 {
				t.Fatalf("exit %d: %s, want 0", code, stderr.String())
			}
			results := json.NewDecoder(&stdout)
			for _, task := range small.Tasks {
				var result analysis.Comparison
				if err := results.Decode(&result); err != nil {
					t.Fatalf("the result of task %s is no JSON: %v, want no error", task.Name, err)
				}
				checkMiniature(t, small, result)
				if _, err := os.Stat(filepath.Join(out, task.Name, "result.json")); err != nil {
					t.Error(err)
				}
			}
			page, err := os.ReadFile(filepath.Join(out, "report.html"))
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(page)), "</html>") {
				t.Errorf("the report has %d bytes (%v), want a whole page", len(page), err)
			}
			for _, task := range small.Tasks {
				if !strings.Contains(string(page), "<h2>"+task.Name+"</h2>") {
					t.Errorf("the report lacks the task %s", task.Name)
				}
			}
			if e.Name == "kks-soundness" {
				checkSoundness(t, out)
			}
			kept, err := experiment.Load(filepath.Join(out, "experiment.yaml"))
			if err != nil || kept.Name != e.Name {
				t.Errorf("the experiment as it was run: %q, %v; want %v and no error", kept.Name, err, e.Name)
			}
		})
	}
}

// checkMiniature: every condition was held, no debate failed, and something was said.
func checkMiniature(t *testing.T, e experiment.Experiment, result analysis.Comparison) {
	t.Helper()
	points, err := e.Points()
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range result.Failed {
		t.Errorf("%s has a failed debate, want none: %s", result.Task, failure)
	}
	for _, p := range points {
		if strings.HasPrefix(p.Condition, "chain-") { // of models that think
			continue
		}
		i := slices.IndexFunc(result.Rows, func(r analysis.Row) bool { return r.Condition == p.Condition })
		if i < 0 || result.Rows[i].N == 0 || result.Rows[i].Tokens == 0 {
			t.Errorf("%s: nothing came of the condition %s", result.Task, p.Condition)
		}
	}
}
