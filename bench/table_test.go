package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestTables holds what is printed of three runs on the scripted engine to testdata/*.txt: asked once, with repeats,
// with a margin of equivalence, and stopped early. UPDATE=1 writes them anew.
func TestTables(t *testing.T) {
	const wide = 150
	questions, conditions := benchtest.Setup(t, 3, 2)
	conditions, err := trial.Select(conditions, []string{"single", "vote", "self-consistency", "mad-random"})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]bench.Options{
		"once":    {},
		"repeats": {Run: spec.Run{Repeats: 3}},
		"within":  {Run: spec.Run{Repeats: 2, Tests: spec.Tests{Equivalence: 0.2}}},
		"stopped": {Run: spec.Run{Stop: &spec.Stopping{Condition: "vote", Every: 10}}},
		"sample":  {Task: questions.Subset(1, 1), Run: spec.Run{Repeats: 40}},
		"failed": {Task: questions.Subset(8, 1), Engine: &benchtest.Mute{Engine: benchtest.Crowd(questions),
			Question: questions.Subset(8, 1).Questions[1].Text}},
	} {
		t.Run(name, func(t *testing.T) {
			if o.Conditions = conditions; o.Task.Questions == nil {
				o.Task = questions
			}
			if o.Engine == nil {
				o.Engine = benchtest.Crowd(questions)
			}
			c, err := bench.Compare(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := c.Table(false).String() + c.Legend(false) + "\n" +
				strings.Join(report.Details(c).Layout(wide), "\n") + "\n"
			for line := range strings.Lines(got) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > wide {
					t.Errorf("%s: a line has at most %d characters: got %d: %s", name, wide, n, line)
				}
			}
			path := filepath.Join("testdata", name+".txt")
			if os.Getenv("UPDATE") != "" {
				datatest.Write(t, path, got)
			}
			want, err := os.ReadFile(path)
			if diff := cmp.Diff(string(want), got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		})
	}
}
