package rundir_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// described is an engine whose model is described completely.
type described struct{ inference.Engine }

func (described) Model() inference.ModelInfo {
	return inference.ModelInfo{Name: "script", Hash: "abc", Template: "def", Mode: "fast", Kernels: "parley", KV: "f16",
		Device: "CPU"}
}

// TestFork: a fork takes exactly the generations that it would compute in the same way.
func TestFork(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:5]
	from := benchtest.RecordRun(t, questions, conditions, described{benchtest.Crowd(questions)})
	run := benchtest.ReadRun(t, from)
	status, err := rundir.ReadStatus(from)
	if err != nil {
		t.Fatal(err)
	}
	before := benchtest.BytesOf(t, from)
	for name, c := range map[string]struct {
		change func(*rundir.Header)
		usable bool
	}{
		"temperature": {func(h *rundir.Header) { h.Sampling.Temperature = 0.5 }, true},
		"max tokens":  {func(h *rundir.Header) { h.MaxTokens = 7 }, true},
		"model":       {func(h *rundir.Header) { h.Model.Hash = "another" }, false},
		"template":    {func(h *rundir.Header) { h.Model.Template = "another" }, false},
		"kernels":     {func(h *rundir.Header) { h.Model.Kernels = "flash" }, false},
		"GPU layers":  {func(h *rundir.Header) { h.Model.GPULayers = 3 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fork")
			d, err := rundir.ForkDirectory(from, path)
			if err != nil || !d.Empty() {
				t.Fatalf("a fork begins without debates: %v", err)
			}
			h := run.Header
			c.change(&h)
			if err := d.Begin(h); err != nil {
				t.Fatal(err)
			}
			want := 0
			if c.usable {
				want = status.Generations
			}
			if recorded, usable, damaged := d.Forked(); damaged != 0 || recorded != status.Generations ||
				usable != want {
				t.Errorf("%d of %d generations, want %d of %d", usable, recorded, want, status.Generations)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err := rundir.ReadStatus(path); err != nil || s.Generations != want || s.Debates != 0 ||
				s.Header == nil ||
				s.Header.MaxTokens != h.MaxTokens {
				t.Errorf("a fork has the %d generations, the header with %d tokens, and no debate: got %+v, %v", want,
					h.MaxTokens, s, err)
			}
			some, err := offline.FindGeneration(path, run.Outcomes[0].Transcript.Rounds[0][0].Reply.Key)
			if c.usable && (err != nil || some.Header.MaxTokens != run.Header.MaxTokens) {
				t.Errorf("a generation keeps the header under which it was made, of %d tokens: got %+v, %v",
					run.Header.MaxTokens, some.Header, err)
			}
			if _, err := rundir.ForkDirectory(from, path); err == nil ||
				!strings.Contains(err.Error(), "holds a run already; resume it with --out "+path+
					" and without --fork") {
				t.Error(err)
			}
		})
	}
	if diff := cmp.Diff(before, benchtest.BytesOf(t, from)); diff != "" {
		t.Errorf("the first run stays as it was (-before +after):\n%s", diff)
	}
}

func TestForkIsRefused(t *testing.T) {
	from, _ := benchtest.Finished(t)
	if _, err := rundir.ForkDirectory(from, from); err == nil || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a fork into itself is refused, as it \"holds a run already\": got %v", err)
	}
	if _, err := rundir.ForkDirectory(t.TempDir(), filepath.Join(t.TempDir(), "fork")); err == nil ||
		!strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("a fork of an empty directory is refused, as it \"is not a run directory\": got %v", err)
	}
	begun, err := rundir.OpenDirectory(filepath.Join(t.TempDir(), "begun")) // without a header yet
	if err != nil {
		t.Fatal(err)
	}
	if err := begun.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := rundir.ForkDirectory(begun.Path, begun.Path); err == nil ||
		!strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a fork into a run that has begun is refused, as it \"holds a run already\": got %v", err)
	}
}

// TestOlderHeaders: what an older program did not record does not refuse a run, and what it did record does.
func TestOlderHeaders(t *testing.T) {
	_, run := benchtest.Finished(t)
	now := run.Header
	now.Build, now.Model.Template, now.Model.Kernels, now.Model.KV, now.Model.Device, now.Threads, now.Cells = "gcc",
		"abc", "parley", "f16", "CPU", 4, 8192
	if differences := run.Header.Differs(now); len(differences) > 0 {
		t.Errorf("a run goes on under the header of an older program: got the differences %v, want none", differences)
	}
	for name, change := range map[string]func(*rundir.Header){
		"the template's SHA-256": func(h *rundir.Header) { h.Model.Template = "def" },
		"build":                  func(h *rundir.Header) { h.Build = "clang" },
		"KV cache":               func(h *rundir.Header) { h.Model.KV = "q8_0" },
		"kernels":                func(h *rundir.Header) { h.Model.Kernels = "plain" },
		"device":                 func(h *rundir.Header) { h.Model.Device, h.Model.GPULayers = "CUDA0", -1 },
		"measure":                func(h *rundir.Header) { h.Measure = "any" },
		"temperature":            func(h *rundir.Header) { h.Sampling.Temperature++ },
	} {
		t.Run(name, func(t *testing.T) {
			other := now
			change(&other)
			if got := now.Differs(other); len(got) != 1 || got[0].Name != name {
				t.Errorf("what older headers say otherwise is told by one name, %s: got %v", name, got)
			}
		})
	}
	wider := now
	wider.Threads, wider.Cells = 8, 4096
	if got := now.Differs(wider); len(got) > 0 || len(now.Differences(wider)) != 2 {
		t.Errorf("threads and cells are 2 differences, and neither keeps a run from going on: got %v of %v",
			got, now.Differences(wider))
	}
}

// TestDiffOfServers: what servers say of a model is not called the model's own hash; parley serve tells that.
func TestDiffOfServers(t *testing.T) {
	_, run := benchtest.Finished(t)
	here, there := run.Header, run.Header
	here.Model = inference.ModelInfo{Hash: "abc", Mode: inference.Fast, Kernels: "parley", KV: "f16", Device: "CPU"}
	there.Model = inference.ModelInfo{Hash: "def", Mode: inference.Elsewhere, Kernels: "parley serve", Device: "remote",
		Remote: &inference.Remote{Program: "parley serve", FileHash: "abc", Fingerprint: "parley-abc-parley-f16-1"}}
	found := func(a, b rundir.Header) map[string]string {
		all := make(map[string]string)
		for _, d := range a.Differences(b) {
			all[d.Name] = fmt.Sprint(d.First, "|", d.Second)
		}
		return all
	}
	want := map[string]string{"the SHA-256 of what servers say of the model": "|def", "mode": "fast|" +
		inference.Elsewhere,
		"the servers' fingerprint": "|parley-abc-parley-f16-1", "kernels": "parley|parley serve", "KV cache": "f16|",
		"device": "CPU|remote"}
	if diff := cmp.Diff(want, found(here, there)); diff != "" {
		t.Errorf("two runs on servers differ in this (-want +got):\n%s", diff)
	}
	q8 := there
	remote := *there.Model.Remote
	remote.Fingerprint, q8.Model.Remote = "parley-abc-parley-q8_0-2", &remote
	if got := there.Differs(q8); len(got) != 1 || got[0].Name != "the servers' fingerprint" {
		t.Errorf("a server that computes otherwise: %v, want 1 of them and Name \"the servers' fingerprint\"", got)
	}
	older := there
	older.Model.Remote = &inference.Remote{Program: "parley serve"}
	if got := older.Differs(there); len(got) > 0 {
		t.Errorf("an older header refuses: %v, want none", got)
	}
}

// TestOlderKeys: a directory knows the replies of an older program by keys that say only what was asked for, and those
// of this one by keys that also say by which engine.
func TestOlderKeys(t *testing.T) {
	path, run := benchtest.Finished(t)
	older := run.Outcomes[0].Transcript.Rounds[0][0].Reply
	d := benchtest.OpenDirectory(t, path)
	by := inference.Identity{Model: "m"}.Digest()
	for key, want := range map[string]bool{older.Key: true, older.Key + "-" + inference.Key{By: by}.String()[33:]: true,
		"0" + older.Key: false, "-" + older.Key: false, inference.Key{By: by}.String(): false} {
		t.Run(key, func(t *testing.T) {
			if got, ok := d.Reply(key); ok != want || ok && got.Text != older.Text {
				t.Errorf("key %s: a reply of an older program is found %v, want %v, with its text: got %+v", key, ok,
					want, got)
			}
		})
	}
	reply := older
	reply.Key, reply.Text = inference.Key{By: by}.String(), "by this engine"
	if err := errors.Join(d.Begin(run.Header), d.Generation(inference.Generation{Name: "x", Reply: reply}),
		d.Close()); err != nil {
		t.Fatal(err)
	}
	d = benchtest.OpenDirectory(t, path)
	defer d.Close()
	if got, ok := d.Reply(reply.Key); !ok || got.Text != reply.Text {
		t.Errorf("a reply is found by its new key: %v, got %+v, want the text %q", ok, got, reply.Text)
	}
	if _, ok := d.Reply(inference.AskedIn(reply.Key)); ok {
		t.Error("a key that says more is taken for one that says less, want it unknown")
	}
}

// TestOtherGenerations: a debate that comes to the same score by other replies is not the recorded one.
func TestOtherGenerations(t *testing.T) {
	path, run := benchtest.Finished(t)
	d := benchtest.OpenDirectory(t, path)
	defer d.Close()
	first := run.Outcomes[0]
	if err := errors.Join(d.Begin(run.Header), d.Outcome(first)); err != nil {
		t.Fatal(err)
	}
	second := run.Outcomes[1]
	second.Transcript = trial.WithoutMessages(second.Transcript) // a copy
	second.Transcript.Rounds[0][0].Reply.Key = "another"
	if err := d.Outcome(second); err == nil || !strings.Contains(err.Error(), "is recorded with other generations") {
		t.Errorf("a debate of other generations is refused, as \"is recorded with other generations\": got %v", err)
	}
}
