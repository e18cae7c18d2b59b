package rundir_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// sharded is a run of nine questions on a script, and its shards.
type sharded struct {
	options bench.Options
	whole   string // its directory
}

func newSharded(t *testing.T) sharded {
	t.Helper()
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Only(questions.Questions[:9])
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool {
		return !slices.Contains([]string{"single", "mad", "shuffled"}, c.Name)
	})
	s := sharded{bench.Options{Task: questions, Conditions: conditions,
		Engine: described{benchtest.Crowd(questions)}}, filepath.Join(t.TempDir(), "whole")}
	if err := benchtest.RecordIn(t, s.whole, s.options); err != nil {
		t.Fatal(err)
	}
	return s
}

// shard computes a shard beside a directory, on a machine.
func (s sharded) shard(t *testing.T, out string, i, n int, host string) (path string) {
	t.Helper()
	part := trial.Shard{Index: i, Of: n, Host: host, Command: "parley compare --out=" + out}
	o, err := s.options.Shard(part)
	if err != nil {
		t.Fatal(err)
	}
	path = rundir.ShardDirectory(out, &part)
	if err := benchtest.RecordIn(t, path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

// merged merges, and says what it was about in a line.
func merged(t *testing.T, out string, shards ...string) string {
	t.Helper()
	m, err := rundir.Merge(out, shards)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d new of %d, %d compared, missing %v", m.Added, m.Generations, m.Compared, m.Missing)
}

// TestMerge: the merged directory comes to the result of one machine, byte for byte, whatever the number of shards and
// the order in which they are merged; merging again changes nothing.
func TestMerge(t *testing.T) {
	s := newSharded(t)
	whole, err := rundir.ReadStatus(s.whole)
	if err != nil {
		t.Fatal(err)
	}
	for number, n := range []int{1, 4, 9} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			var shards []string
			out := filepath.Join(t.TempDir(), "out")
			for i := range n {
				shards = append(shards, s.shard(t, out, i+1, n, fmt.Sprint("node", i+1)))
			}
			if found := rundir.ShardsOf(out); !slices.Equal(found, shards) {
				t.Errorf("found %q, want %q", found, shards)
			}
			if all := rundir.AllShardsOf(filepath.Join(out, "..", "out")); !slices.Equal(all, shards) {
				t.Errorf("found %q, want %q", all, shards)
			}
			says := merged(t, out, shards...)
			if !strings.HasPrefix(says, fmt.Sprintf("%d new of %[1]d,", whole.Generations)) {
				t.Errorf("%d shards: %s, and the whole run has %d; want %q at its beginning",
					n, says, whole.Generations, fmt.Sprintf("%d new of %[1]d,", whole.Generations))
			}
			if want := fmt.Sprintf(" %d compared,", severally(t, shards)); !strings.Contains(says, want) ||
				n > 1 && want == " 0 compared," {
				t.Errorf("%d shards: %s, want%s", n, says, want)
			}
			once := benchtest.BytesOf(t, out)
			merged(t, out, shards...)
			twice := benchtest.BytesOf(t, out)
			twice[rundir.LockFile] = once[rundir.LockFile] // says that there was a run
			if diff := cmp.Diff(once, twice); diff != "" {
				t.Errorf("merged twice is the same as once (-once +twice):\n%s", diff)
			}
			backwards := filepath.Join(t.TempDir(), "out")
			slices.Reverse(shards)
			merged(t, backwards, shards...)
			if diff := cmp.Diff(once["generations.jsonl.zst"],
				benchtest.BytesOf(t, backwards)["generations.jsonl.zst"]); diff != "" {
				t.Errorf("the order of shards does not change what is merged (-first +backwards):\n%s", diff)
			}
			if err := benchtest.RecordIn(t, out, s.options); err != nil {
				t.Fatal(err)
			}
			if got, want := benchtest.BytesOf(t, out)["result.json"],
				benchtest.BytesOf(t, s.whole)["result.json"]; got != want {
				t.Errorf("%d shards: %s", n, cmp.Diff(want, got))
			}
		})
	}
}

// severally counts the generations that several directories have.
func severally(t *testing.T, directories []string) (n int) {
	t.Helper()
	times := make(map[string]int)
	for _, path := range directories {
		for _, key := range generationsIn(t, path) {
			if times[key]++; times[key] == 2 {
				n++
			}
		}
	}
	return n
}

// TestMergeOfEqualShards: a run began when the first of its shards did, and a generation that all of them have is
// compared once.
func TestMergeOfEqualShards(t *testing.T) {
	s := newSharded(t)
	out := filepath.Join(t.TempDir(), "out")
	one := s.shard(t, out, 1, 3, "a")
	var shards []string
	for i, time := range []string{"2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z", "2026-03-03T10:00:00Z"} {
		shards = append(shards, rewritten(t, one, func(h *rundir.Header) { h.Time, h.Shard.Index = time, i+1 }))
	}
	m, err := rundir.Merge(out, shards)
	if err != nil || m.Compared == 0 || m.Compared != m.Generations {
		t.Errorf("a generation that all shards have is compared once: got %d of %d compared, %v",
			m.Compared, m.Generations, err)
	}
	if now, err := rundir.ReadStatus(out); err != nil || now.Header.Time != "2026-03-01T10:00:00Z" {
		t.Errorf("a merged run began when its first shard did, 2026-03-01T10:00:00Z: got %v, %v", now.Header, err)
	}
}

// TestMergeLater merges while a shard is missing, and another one has only a part of its debates.
func TestMergeLater(t *testing.T) {
	s := newSharded(t)
	out := filepath.Join(t.TempDir(), "out")
	first, third := s.shard(t, out, 1, 3, "a"), s.shard(t, out, 3, 3, "c")
	cut(t, filepath.Join(third, "debates.jsonl.zst"))
	m, err := rundir.Merge(out, []string{third, first})
	if err != nil || !slices.Equal(m.Missing, []int{2}) || len(m.Unfinished()) != 1 ||
		m.Unfinished()[0].Path != third || m.Command != "parley compare --out="+out {
		t.Fatalf("shard 2 is missing and one (%s) unfinished, with the command that goes on: got %+v, %v", third, m,
			err)
	}
	second := s.shard(t, out, 2, 3, "b")
	m, err = rundir.Merge(out, []string{first, second, third})
	if err != nil || m.Missing != nil || m.Added == 0 || m.Added == m.Generations {
		t.Errorf("once all shards are there, none is missing and only new generations are added: added %d of %d, "+
			"missing %v, %v", m.Added, m.Generations, m.Missing, err)
	}
	once := filepath.Join(t.TempDir(), "once")
	merged(t, once, first, second, third)
	if diff := cmp.Diff(generationsIn(t, once), generationsIn(t, out)); diff != "" {
		t.Errorf("merged in two steps is the same as in one (-once +twice):\n%s", diff)
	}
}

// cut leaves out the second half of a journal, as of a run that goes on.
func cut(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, content[:len(content)/2], 0o600)
	}
	if err == nil {
		err = os.Remove(filepath.Join(filepath.Dir(path), "result.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// generationsIn lists the keys of a directory, sorted.
func generationsIn(t *testing.T, directory string) (keys []string) {
	t.Helper()
	if _, err := rundir.EachGeneration(directory, func(_ rundir.Header, g rundir.Generation) {
		keys = append(keys, g.Reply.Key)
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// TestMergeRefuses shards that do not belong together, and machines that compute differently.
func TestMergeRefuses(t *testing.T) {
	s := newSharded(t)
	good := s.shard(t, filepath.Join(t.TempDir(), "out"), 1, 2, "node1")
	other := s.options
	other.Engine = described{liar{s.options.Engine}}
	for name, c := range map[string]struct {
		s    sharded
		i, n int
		edit func(h *rundir.Header)
		says []string
	}{
		"another reply": {sharded{options: other}, 2, 2, nil,
			[]string{"is not the same in ", "(node1, build b1) and in ", "(node2, build b1)", "--mode reproducible"}},
		"another build": {s, 2, 2, func(h *rundir.Header) { h.Build = "b2" },
			[]string{"(node1, build b1)", "(node2, build b2)", "build is b1 in the one and b2 in the other"}},
		"another seed": {s, 2, 2, func(h *rundir.Header) { h.Seed++ },
			[]string{"seed is 1 in the one and 2 in the other"}},
		"wider": {s, 2, 2, func(h *rundir.Header) { h.Rounds++ },
			[]string{"rounds is 2 in the one and 3 in the"}},
		"divided otherwise": {s, 2, 3, nil, []string{"number of shards is 2 in the one and 3 in the other"}},
		"more questions": {s, 2, 2, func(h *rundir.Header) { h.Shard.Questions++ },
			[]string{"questions is 9 in the one and 10 in the other"}},
		"no shard": {s, 2, 2, func(h *rundir.Header) { h.Shard = nil }, []string{"holds a whole run and no shard"}},
	} {
		t.Run(name, func(t *testing.T) {
			bad := c.s.shard(t, filepath.Join(t.TempDir(), "out"), c.i, c.n, "node2")
			first := rewritten(t, good, func(h *rundir.Header) { h.Build = "b1" })
			second := rewritten(t, bad, func(h *rundir.Header) {
				if h.Build = "b1"; c.edit != nil {
					c.edit(h)
				}
			})
			out := filepath.Join(t.TempDir(), "out")
			_, err := rundir.Merge(out, []string{first, second})
			for _, text := range c.says {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("shards that do not belong together are refused with %q: got %v", text, err)
				}
			}
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Errorf("a merge that is refused writes nothing: got %v, want no such directory", err)
			}
		})
	}
	if _, err := rundir.Merge(s.whole, []string{rewritten(t, good, func(h *rundir.Header) { h.Seed++ })}); err == nil ||
		!strings.Contains(err.Error(), "seed was 1 and is 2") {
		t.Errorf("a shard of another seed is refused, as \"seed was 1 and is 2\": got %v", err)
	}
}

// liar replies otherwise than the engine that it has.
type liar struct{ inference.Engine }

func (l liar) Join(order int) inference.Participant { return lying{l.Engine.Join(order)} }

// lying is the participant of a liar.
type lying struct{ inference.Participant }

func (l lying) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := l.Participant.Generate(ctx, requests)
	for i := range replies {
		replies[i].LogProb -= 1e-9
	}
	return replies, err
}

// rewritten is a copy of a shard with another header.
func rewritten(t *testing.T, directory string, edit func(h *rundir.Header)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "copy")
	var journals [2][]any
	for i, name := range []string{"generations.jsonl.zst", "debates.jsonl.zst"} {
		if _, err := record.Read(filepath.Join(directory, name), func(line []byte) error {
			if len(journals[i]) > 0 {
				journals[i] = append(journals[i], json.RawMessage(bytes.Clone(line)))
				return nil
			}
			var h rundir.Header
			err := json.Unmarshal(line, &h)
			edit(&h)
			journals[i] = append(journals[i], h)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	benchtest.WriteJournals(t, path, journals[0], journals[1])
	return path
}

// TestShardRefuses what cannot be divided.
func TestShardRefuses(t *testing.T) {
	s := newSharded(t)
	if _, err := s.options.Shard(trial.Shard{Index: 1, Of: 10}); err == nil ||
		!strings.Contains(err.Error(), "shard 1/10: task generated_3_objects has 9 questions") {
		t.Errorf("more shards than questions are refused, as \"task generated_3_objects has 9 questions\": got %v",
			err)
	}
	s.options.Run.Stop = &spec.Stopping{Condition: "single"}
	if _, err := s.options.Shard(trial.Shard{Index: 1, Of: 2}); err == nil ||
		!strings.Contains(err.Error(), "shard 1/2: a run that may stop early") {
		t.Errorf("a shard of a run that may stop early is refused as one: got %v", err)
	}
}

// TestAnotherMachine: a shard that goes on elsewhere records which machine made what follows.
func TestAnotherMachine(t *testing.T) {
	s := newSharded(t)
	path := s.shard(t, filepath.Join(t.TempDir(), "out"), 1, 2, "a")
	header, err := rundir.ReadStatus(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"a", "b", "b", "a"} {
		d := benchtest.OpenDirectory(t, path)
		h, part := *header.Header, *header.Header.Shard
		part.Host, h.Shard = host, &part
		if err := d.Begin(h); err != nil {
			t.Fatal(err)
		}
		reply := inference.Reply{Key: host, Text: host, Stop: "end"}
		if err := d.Generation(inference.Generation{Reply: reply}); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var hosts []string
	if _, err := rundir.EachGeneration(path, func(h rundir.Header, g rundir.Generation) {
		if g.Reply.Key == g.Reply.Text {
			hosts = append(hosts, g.Reply.Key+" by "+h.Shard.Host)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a by a", "b by b", "b by b", "a by a"}; !slices.Equal(hosts, want) {
		t.Errorf("each generation is of the machine that made it, %q: got %q", want, hosts)
	}
}

// TestPlanOfShards: a shard is a part of its plan, and the merged run, once it has all debates, followed it; a fork
// began with replies of another run.
func TestPlanOfShards(t *testing.T) {
	s := newSharded(t)
	out := filepath.Join(t.TempDir(), "out")
	shards := []string{s.shard(t, out, 1, 2, "a"), s.shard(t, out, 2, 2, "b")}
	merged(t, out, shards...)
	if err := benchtest.RecordIn(t, out, s.options); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		shards[0]: "The run departs from its plan: it is shard 1/2.",
		out:       "The run followed its plan.",
		s.whole:   "The run followed its plan.",
	} {
		run := benchtest.ReadRun(t, path)
		if got := run.Followed(); got != want {
			t.Errorf("%s says %q, not %q", filepath.Base(path), got, want)
		}
	}
	fork, err := rundir.ForkDirectory(s.whole, filepath.Join(t.TempDir(), "fork"))
	if err != nil {
		t.Fatal(err)
	}
	run := benchtest.ReadRun(t, s.whole)
	run.Header.Time = "2026-11-28T20:00:00Z" // the recorded one has none
	if err := errors.Join(fork.Begin(run.Header), fork.Close()); err != nil {
		t.Fatal(err)
	}
	if forked, err := rundir.ReadRun(fork.Path); err != nil ||
		!strings.Contains(forked.Followed(), "began with replies of another run; 0 of 27 debates held") {
		t.Errorf("a fork says %q (%v), and not that it began with replies of another run", forked.Followed(), err)
	}
}
