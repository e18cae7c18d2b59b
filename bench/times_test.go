package bench_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// clocked is an engine that takes as long for each token as for any other.
type clocked struct{ inference.Engine }

func (c clocked) Stats() inference.Stats {
	s := c.Engine.Stats()
	s.PrefillDuration = time.Duration(s.PromptAsked) * 3 * time.Millisecond
	s.DecodeDuration = time.Duration(s.Decoded) * 50 * time.Millisecond
	return s
}

// restoring is an engine that finds all replies recorded, and computes none.
type restoring struct{ inference.Engine }

func (r restoring) Stats() inference.Stats {
	return inference.Stats{Restored: r.Engine.Stats().Generations}
}

// printed is the table of a run that is in a directory, as its command prints it where every reply is recorded.
func printed(t *testing.T, directory string, o bench.Options) string {
	t.Helper()
	d := benchtest.OpenDirectory(t, directory)
	defer d.Close()
	var err error
	if o.Earlier, err = d.TotalWork(); err != nil {
		t.Fatal(err)
	}
	o.Engine = restoring{benchtest.Crowd(o.Task)}
	c, err := bench.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c.Table(true).String() + c.Legend(true)
}

// TestTimes: a run that is printed again, resumed or merged has the times of the run that nobody interrupted, and none
// where none is recorded.
func TestTimes(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Only(questions.Questions[:9])
	conditions, err := trial.Select(conditions, []string{"single", "vote", "mad"})
	if err != nil {
		t.Fatal(err)
	}
	options := bench.Options{Task: questions, Conditions: conditions, Engine: clocked{benchtest.Crowd(questions)}}
	c, err := bench.Compare(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	want, dir := c.Table(true).String()+c.Legend(true), t.TempDir()
	if strings.Contains(want, " 0.0 s") || strings.Count(want, " s │") != len(conditions) {
		t.Errorf("uninterrupted: %s", want)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	held(t, path("again"), options)
	interrupted(t, path("resumed"), options)
	inShards(t, path("merged"), options)
	for _, name := range []string{"again", "resumed", "merged"} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, printed(t, path(name), options)); diff != "" {
				t.Errorf("%s: the times as they are printed (-want +got):\n%s", name, diff)
			}
			if err := os.Remove(filepath.Join(path(name), "engine.json")); err != nil {
				t.Fatal(err)
			}
			got := printed(t, path(name), options)
			if strings.Count(got, " – │\n") != len(conditions) || strings.Contains(got, " s │") ||
				!strings.HasSuffix(got, "\ntime –: how long the engine computed is not recorded\n") {
				t.Errorf("%s: without times each of %d conditions has a dash, and it is said why: got %s",
					name, len(conditions), got)
			}
			times := regexp.MustCompile(`│[^│]*│\n`)
			without := func(text string) string {
				table, _, _ := strings.Cut(text, "└")
				return times.ReplaceAllString(table, "│\n")
			}
			if diff := cmp.Diff(without(want), without(got)); diff != "" {
				t.Errorf("%s: the table without times is else the same (-with +without):\n%s", name, diff)
			}
		})
	}
}

// held holds a run in a directory.
func held(t *testing.T, directory string, o bench.Options) {
	t.Helper()
	o.Engine = clocked{benchtest.Crowd(o.Task)}
	if err := benchtest.RecordIn(t, directory, o); err != nil {
		t.Fatal(err)
	}
}

// interrupted holds a part of a run in a directory.
func interrupted(t *testing.T, directory string, o bench.Options) {
	t.Helper()
	broken, seen := errors.New("broken"), 0
	o.Observe = func(trial.Outcome) error {
		if seen++; seen == 11 {
			return broken
		}
		return nil
	}
	o.Engine = clocked{benchtest.Crowd(o.Task)}
	if err := benchtest.RecordIn(t, directory, o); !errors.Is(err, broken) {
		t.Fatalf("an interrupted run ends with the error of its engine, %v: got %v", broken, err)
	}
}

// inShards holds a run in three parts, and merges them twice: the second time nothing is new.
func inShards(t *testing.T, directory string, o bench.Options) {
	t.Helper()
	var shards []string
	for i := range 3 {
		part := trial.Shard{Index: i + 1, Of: 3, Host: "node", Command: "parley compare --out=" + directory}
		of, err := o.Shard(part)
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, rundir.ShardDirectory(directory, &part))
		held(t, shards[i], of)
	}
	for range 2 {
		if _, err := rundir.Merge(directory, shards); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(directory, "engine.json"))
	if err != nil || strings.Count(string(text), `"scheduler"`) != len(shards) {
		t.Errorf("the times of all %d shards are recorded: %v, got %s", len(shards), err, text)
	}
}
