package rundir_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// damages are the things that can happen to a journal.
var damages = map[string]func(random *rand.Rand, content []byte) []byte{
	"a flipped bit": func(random *rand.Rand, content []byte) []byte {
		content[random.IntN(len(content))] ^= 1 << random.IntN(8)
		return content
	},
	"zeros": func(random *rand.Rand, content []byte) []byte {
		from := random.IntN(len(content))
		clear(content[from:min(len(content), from+random.IntN(4096))])
		return content
	},
	"a hole": func(random *rand.Rand, content []byte) []byte {
		from := random.IntN(len(content))
		return slices.Delete(content, from, min(len(content), from+random.IntN(4096)))
	},
	"a doubled part": func(random *rand.Rand, content []byte) []byte {
		from := random.IntN(len(content))
		part := bytes.Clone(content[from:min(len(content), from+random.IntN(4096))])
		return slices.Insert(content, from, part...)
	},
	"a torn end and zeros": func(random *rand.Rand, content []byte) []byte {
		return append(content[:random.IntN(len(content))], make([]byte, random.IntN(4096))...)
	},
}

// TestRepair damages the journals of a run in every way and at random places, repairs them and resumes the run: the
// result and every reply are those of the undisturbed run, whether they were kept or computed again.
func TestRepair(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions, conditions = questions.Questions[:4], conditions[:4]
	whole := benchtest.RecordRun(t, questions, conditions, benchtest.Crowd(questions))
	want := benchtest.ReadRun(t, whole)
	files := benchtest.BytesOf(t, whole)
	random := rand.New(rand.NewPCG(5, 6))
	repaired, kept := 0, 0
	for i := range 8 {
		for name, damage := range damages {
			path := filepath.Join(t.TempDir(), "run")
			both := i%4 == 0
			damagedCopy(t, path, files, func(file string, content []byte) []byte {
				if both || (file == rundir.GenerationsFile) == (i%2 == 0) {
					return damage(random, content)
				}
				return content
			})
			done, err := rundir.RepairDirectory(path, "now")
			if err != nil && strings.Contains(err.Error(), "no run, or nothing of it is intact") ||
				err != nil && strings.Contains(err.Error(), "no journal has an intact header") {
				continue // which may be, where both are damaged at their beginning
			}
			if err != nil {
				t.Fatalf("%s: what is damaged is repaired: got %v, want no error", name, err)
			}
			if _, err := rundir.ReadRun(path); err != nil && !strings.Contains(err.Error(), "no run has begun") {
				t.Fatalf("%s: a repaired run is read, or none has begun: got %v", name, err)
			}
			for _, j := range done {
				if j.Repair != nil {
					repaired++
					kept += j.Repair.Kept
					if _, err := os.Stat(j.Backup); err != nil {
						t.Errorf("%s: the damaged journal is not kept: %v", name, err)
					}
				}
			}
			if again, err := rundir.RepairDirectory(path, "now"); err != nil || again[0].Repair != nil ||
				again[1].Repair != nil {
				t.Fatalf("%s: a repaired run has nothing to repair: got %+v, %v", name, again, err)
			}
			if err := benchtest.RecordIn(t, path, bench.Options{Task: questions, Conditions: conditions,
				Engine: benchtest.Crowd(questions)}); err != nil {
				t.Fatalf("%s: the run does not go on: %v", name, err)
			}
			got, err := rundir.ReadRun(path)
			if err != nil {
				t.Fatalf("%s: a repaired run that went on is read: got %v, want no error", name, err)
			}
			if diff := cmp.Diff(plain(t, want.Outcomes), plain(t, got.Outcomes)); diff != "" {
				t.Fatalf("%s: a repaired run has the debates of the whole one, as far as they are left (-want "+
					"+got):\n%s", name, diff)
			}
			if text := benchtest.BytesOf(t, path)["result.json"]; text != files["result.json"] {
				t.Fatalf("%s: the result is\n%s\nwant\n%s", name, text, files["result.json"])
			}
		}
	}
	if repaired < 20 || kept < 500 {
		t.Errorf("%d journals were repaired, %d records kept: hardly anything was tested", repaired, kept)
	}
}

// TestRepairOfAWiderRun: damage before the last header drops no debate after it, since all of them are recorded again
// there.
func TestRepairOfAWiderRun(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	all := questions.Questions
	options := bench.Options{Conditions: conditions[:2], Engine: benchtest.Crowd(questions)}
	path := filepath.Join(t.TempDir(), "run")
	var ends []int // of the journal's bytes
	for _, n := range []int{4, 6} {
		questions.Questions = all[:n]
		options.Task = questions
		if err := benchtest.RecordIn(t, path, options); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, len(benchtest.BytesOf(t, path)[rundir.DebatesFile]))
	}
	want := benchtest.ReadRun(t, path)
	broken := filepath.Join(t.TempDir(), "broken")
	damagedCopy(t, broken, benchtest.BytesOf(t, path), func(file string, content []byte) []byte {
		if file == rundir.DebatesFile {
			content[ends[0]/2] ^= 4
		}
		return content
	})
	done, err := rundir.RepairDirectory(broken, "now")
	if err != nil || len(done) != 2 || done[1].Repair == nil || done[1].Repair.LostBytes == 0 {
		t.Fatalf("%+v, %v, want something of the debates to be lost", done, err)
	}
	got := benchtest.ReadRun(t, broken)
	if diff := cmp.Diff(plain(t, want.Outcomes), plain(t, got.Outcomes)); diff != "" || len(want.Outcomes) != 12 {
		t.Errorf("%d debates: %s", len(want.Outcomes), diff)
	}
}

// plain returns outcomes as JSON without what differs between a fresh engine and one that was running.
func plain(t *testing.T, outcomes []trial.Outcome) (lines []string) {
	t.Helper()
	for _, o := range outcomes {
		text, err := record.Marshal(o)
		if err == nil {
			text, err = record.WithoutTimes(text, "cached_tokens")
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

// damagedCopy writes a copy of a run directory with damaged journals.
func damagedCopy(t *testing.T, path string, files map[string]string, damage func(file string, content []byte) []byte) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		content := []byte(text)
		if strings.HasSuffix(name, ".zst") {
			content = damage(name, content)
		}
		datatest.Write(t, filepath.Join(path, name), content)
	}
}

// flipped returns a run whose generations are damaged in the middle.
func flipped(t *testing.T) (path string, run rundir.Run) {
	t.Helper()
	path, run = benchtest.Finished(t)
	damagedCopy(t, path, benchtest.BytesOf(t, path), func(file string, content []byte) []byte {
		if file == rundir.GenerationsFile {
			content[len(content)/2] ^= 4
		}
		return content
	})
	return path, run
}

// TestDamageIsOneError: whatever reads a damaged run reports what is damaged and how to repair it.
func TestDamageIsOneError(t *testing.T) {
	path, _ := flipped(t)
	for name, read := range map[string]func() error{
		"ReadRun":        func() error { _, err := rundir.ReadRun(path); return err },
		"ReadStatus":     func() error { _, err := rundir.ReadStatus(path); return err },
		"OpenDirectory":  func() error { _, err := rundir.OpenDirectory(path); return err },
		"Recorded":       func() error { _, _, err := rundir.Recorded(path); return err },
		"FindGeneration": func() error { _, err := offline.FindGeneration(path, "a"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := read()
			if !errors.Is(err, record.ErrDamaged) {
				t.Errorf("%s: %v, want %v", name, err, record.ErrDamaged)
				return
			}
			for _, part := range []string{rundir.GenerationsFile, "damaged at byte", "records before it and",
				"parley repair"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: the error has %q: got %v", name, part, err)
				}
			}
		})
	}
}

// TestForkOfDamage: a fork takes the intact records of a damaged run and does not change it.
func TestForkOfDamage(t *testing.T) {
	path, run := flipped(t)
	before := benchtest.BytesOf(t, path)
	d, err := rundir.ForkDirectory(path, filepath.Join(t.TempDir(), "fork"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(run.Header); err != nil {
		t.Fatal(err)
	}
	recorded, usable, damaged := d.Forked()
	if recorded < 10 || usable != recorded || damaged != 1 {
		t.Errorf("a fork of a run with one damaged place can use all generations that are left, 10 or more: got "+
			"%d, %d usable, %d places", recorded, usable, damaged)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, benchtest.BytesOf(t, path)); diff != "" {
		t.Errorf("a fork leaves the damaged journal as it was (-want +got):\n%s", diff)
	}
	if s, err := rundir.ReadStatus(d.Path); err != nil || s.Generations != usable {
		t.Errorf("a fork of a damaged run has the %d usable generations: got %+v, %v", usable, s, err)
	}
}

// TestOldJournals: journals of the previous version, without hashes, are refused with a hint to repair. After the
// repair everything is there, and the status says that earlier changes cannot be detected.
func TestOldJournals(t *testing.T) {
	path, run := benchtest.Finished(t)
	for _, name := range []string{rundir.GenerationsFile, rundir.DebatesFile} {
		var lines [][]byte
		if _, err := record.Read(filepath.Join(path, name), func(line []byte) error {
			lines = append(lines, bytes.Replace(line, []byte(`{"v":2,`), []byte(`{"v":1,`), 1))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		benchtest.WriteFrames(t, filepath.Join(path, name), lines...)
	}
	for i, read := range []func() error{
		func() error { _, err := rundir.ReadRun(path); return err },
		func() error { _, err := rundir.OpenDirectory(path); return err },
		func() error {
			d, err := rundir.ForkDirectory(path, filepath.Join(t.TempDir(), "fork"))
			return errors.Join(err, d.Begin(run.Header))
		},
	} {
		t.Run([]string{"read", "opened", "forked"}[i], func(t *testing.T) {
			if err := read(); !errors.Is(err, record.ErrVersion) ||
				!strings.Contains(err.Error(), "records have version 1, without hashes") {
				t.Errorf("journals without hashes are refused as those of version 1: got %v", err)
			}
		})
	}
	done, err := rundir.RepairDirectory(path, "now")
	if err != nil || !done[0].Repair.Unverified || !done[1].Repair.Unverified {
		t.Fatalf("old journals are repaired, and it is said that nothing verifies them: got %+v, %v", done, err)
	}
	again, err := rundir.ReadRun(path)
	if diff := cmp.Diff(plain(t, run.Outcomes), plain(t, again.Outcomes)); err != nil || diff != "" {
		t.Errorf("repaired journals have all debates of before: %v (-want +got):\n%s", err, diff)
	}
	var text strings.Builder
	if s, err := rundir.ReadStatus(path); err != nil || s.Write(&text, s.Written) != nil ||
		strings.Count(text.String(), "nothing shows whether they were changed") != 2 {
		t.Errorf("the status says of both journals that changes would not show: %v, got %s", err, text.String())
	}
}

// TestRepairOfImported keeps every intact debate, also if the header before them is lost: nothing of an imported run
// can be computed again.
func TestRepairOfImported(t *testing.T) {
	path, run := benchtest.Finished(t)
	imported := filepath.Join(t.TempDir(), "imported")
	d := benchtest.OpenDirectory(t, imported)
	h := run.Header
	h.Imported = &rundir.Imported{Format: "du", Files: []rundir.LogFile{{Path: path}}}
	err := d.Begin(h)
	for _, o := range run.Outcomes {
		err = errors.Join(err, d.Outcome(o))
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	whole := benchtest.BytesOf(t, imported)
	for place, c := range map[string]struct{ at, lost int }{
		"the header": {10, 0}, "a debate": {len(whole[rundir.DebatesFile]) / 2, 1},
	} {
		t.Run(place, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "damaged")
			damagedCopy(t, path, whole, func(file string, content []byte) []byte {
				if file == rundir.DebatesFile {
					content[c.at] ^= 4
				}
				return content
			})
			if _, err := rundir.RepairDirectory(path, "now"); err != nil {
				t.Fatal(err)
			}
			if got, err := rundir.ReadRun(path); err != nil || len(got.Outcomes) != len(run.Outcomes)-c.lost ||
				got.Header.Imported == nil {
				t.Errorf("%s: a repaired import has %d of %d debates and is imported still: got %d, %v",
					place, len(run.Outcomes)-c.lost, len(run.Outcomes), len(got.Outcomes), err)
			}
		})
	}
}

// TestStrangers: a file with the name of one of ours does not make a directory a run, and nothing is written through
// links.
func TestStrangers(t *testing.T) {
	of, _ := benchtest.Finished(t)
	empty := t.TempDir()
	write := func(path, _ string) error { return os.WriteFile(path, []byte("letter"), 0o600) }
	link := func(path, target string) error { return os.Symlink(target, path) }
	name := func(path, target string) error { return os.Link(target, path) }
	pipe := func(path, _ string) error { return exec.Command("mkfifo", path).Run() }
	directory := func(path, _ string) error { return os.Mkdir(path, 0o700) }
	for _, c := range []struct {
		from, file string
		make       func(path, target string) error
		want       string
	}{
		{empty, "lock", write, "holds lock and no run"},
		{empty, rundir.LockFile, link, "holds " + rundir.LockFile + " and no run"},
		{empty, rundir.LockFile, name, "is not the lock of a run"},
		{empty, rundir.GenerationsFile, write, "holds no record"},
		{empty, rundir.GenerationsFile, link, "and no run"},
		{empty, rundir.DebatesFile, pipe, "and no run"},
		{empty, rundir.DebatesFile, directory, "and no run"},
		{of, rundir.LockFile, link, "too many levels of symbolic links"},
		{of, rundir.LockFile, name, "is not the lock of a run"},
		{of, rundir.LockFile, pipe, "is not the lock of a run"},
		{of, rundir.LockFile, directory, "is a directory"},
		{of, rundir.DebatesFile, link, "is a link"},
		{of, rundir.DebatesFile, pipe, "is not a regular file"},
		{of, rundir.DebatesFile, directory, "is a directory"},
	} {
		path, target := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "target")
		damagedCopy(t, path, benchtest.BytesOf(t, c.from), func(_ string, content []byte) []byte { return content })
		os.Remove(filepath.Join(path, c.file))
		if err := errors.Join(os.WriteFile(target, []byte("precious"), 0o600),
			c.make(filepath.Join(path, c.file), target)); err != nil {
			t.Fatal(err)
		}
		if _, err := rundir.OpenDirectory(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, not %q: %v", c.file, c.want, err)
		}
		if _, err := rundir.ReadStatus(path); err == nil && c.from == empty && c.want != "is not the lock of a run" {
			t.Errorf("%s (%s) has a status", c.file, c.want)
		}
		if runs := rundir.Within(filepath.Dir(path)); slices.Contains(runs, path) != (c.from == of) {
			t.Errorf("%s (%s): the runs are %v", c.file, c.want, runs)
		}
		if text, err := os.ReadFile(target); err != nil || string(text) != "precious" {
			t.Errorf("%s (%s): what it points to is %q, %v", c.file, c.want, text, err)
		}
	}
}

// TestResultIsNotWrittenThroughALink: a link in place of result.json is replaced, and the file that it points to stays.
func TestResultIsNotWrittenThroughALink(t *testing.T) {
	path, run := benchtest.Finished(t)
	target := filepath.Join(t.TempDir(), "target")
	result := filepath.Join(path, "result.json")
	if err := errors.Join(os.WriteFile(target, []byte("precious"), 0o600), os.Remove(result),
		os.Symlink(target, result)); err != nil {
		t.Fatal(err)
	}
	d := rundir.Directory{Path: path}
	if err := d.Result(run.Comparison); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "precious" {
		t.Errorf("what a link leads to stays as it was: got %q, %v, want precious", text, err)
	}
	if info, err := os.Lstat(result); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a link in the place of the result is replaced by a file: got %v, %v", info, err)
	}
}

// TestGoneDirectory: a directory that was removed during the run gets no result, and the run fails.
func TestGoneDirectory(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed":  os.RemoveAll,
		"moved":    func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error { return errors.Join(os.Rename(path, path+".old"), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			_, run := benchtest.Finished(t)
			path := filepath.Join(t.TempDir(), "run")
			d := benchtest.OpenDirectory(t, path)
			if err := errors.Join(d.Begin(run.Header), take(path)); err != nil {
				t.Fatal(err)
			}
			if err := d.Outcome(run.Outcomes[0]); (err != nil) != (name == "removed") {
				t.Errorf("%s: a record of a run whose directory is gone fails just where it was removed: got %v",
					name, err)
			}
			if err := d.Finish(run.Comparison); !errors.Is(err, record.ErrGone) ||
				strings.Contains(err.Error(), "are recorded") {
				t.Errorf("%s: the end says that the journal is gone, %q, and that nothing is recorded: got %v",
					name, record.ErrGone, err)
			}
			if err := d.Close(); !errors.Is(err, record.ErrGone) {
				t.Errorf("%s: closing says %v, want the error %q", name, err, record.ErrGone)
			}
			if _, err := os.Stat(filepath.Join(path, "result.json")); err == nil {
				t.Errorf("%s: a run whose directory is gone has no result: there is one", name)
			}
		})
	}
}

// TestForgedResult: numbers that follow from the debates are not taken from result.json.
func TestForgedResult(t *testing.T) {
	path, run := benchtest.Finished(t)
	text := benchtest.BytesOf(t, path)["result.json"]
	forged := strings.ReplaceAll(strings.ReplaceAll(text, `"accuracy": 0`, `"accuracy": 1`), `"low": 0`, `"low": 1`)
	if forged == text {
		t.Fatal("nothing was forged")
	}
	datatest.Write(t, filepath.Join(path, "result.json"), forged)
	again, err := rundir.ReadRun(path)
	if diff := cmp.Diff(run.Comparison.Rows, again.Comparison.Rows); err != nil || !again.Finished || diff != "" {
		t.Errorf("rows follow from the debates, not from result.json, in a finished run: got finished %t, %v "+
			"(-run +read):\n%s", again.Finished, err, diff)
	}
}

// TestForgedRecords: records with valid hashes but impossible contents are refused.
func TestForgedRecords(t *testing.T) {
	_, run := benchtest.Finished(t)
	for name, c := range map[string]struct {
		forge func(h *rundir.Header, o *trial.Outcome, g *rundir.Generation)
		want  string
	}{
		"agent 20,000,000": {func(_ *rundir.Header, o *trial.Outcome,
			_ *rundir.Generation) {
			o.Transcript.Rounds[0][0].Agent = 20_000_000
		}, "agent 20000000"},
		"agent -5": {func(_ *rundir.Header, o *trial.Outcome,
			_ *rundir.Generation) {
			o.Transcript.Rounds[0][0].Agent = -5
		},
			"agent -5"},
		"round -1": {func(_ *rundir.Header, o *trial.Outcome,
			_ *rundir.Generation) {
			o.Transcript.Rounds[0][0].Round = -1
		},
			"round -1"},
		"tokens -1": {func(_ *rundir.Header, o *trial.Outcome, _ *rundir.Generation) {
			o.Transcript.Rounds[0][0].Reply.Tokens = -1
		},
			"a reply of -1 tokens"},
		"score": {func(_ *rundir.Header, o *trial.Outcome, _ *rundir.Generation) { o.Score = "Right" },
			`the score is "Right"`},
		"condition": {func(_ *rundir.Header, o *trial.Outcome, _ *rundir.Generation) { o.Condition = "magic" },
			"is not a condition of the run"},
		"repeat": {func(_ *rundir.Header, o *trial.Outcome, _ *rundir.Generation) { o.Repeat = -1 }, "repeat -1"},
		"another reply": {func(_ *rundir.Header, o *trial.Outcome,
			_ *rundir.Generation) {
			o.Transcript.Rounds[0][0].Reply.Text = "(A)!"
		}, "differs from the generation with its key"},
		"questions": {func(h *rundir.Header, _ *trial.Outcome, _ *rundir.Generation) { h.Questions = -1 },
			"the header has -1 questions"},
		"agents": {func(h *rundir.Header, _ *trial.Outcome, _ *rundir.Generation) { h.Agents = 2_000_000_000 },
			"the header has 2000000000 agents"},
		"twice": {func(h *rundir.Header, _ *trial.Outcome, _ *rundir.Generation) {
			h.Conditions = append(h.Conditions, "mad")
		},
			`condition "mad" twice`},
		"no key": {func(_ *rundir.Header, _ *trial.Outcome, g *rundir.Generation) { g.Reply.Key = "" },
			"a reply has no key"},
		"prompt tokens": {func(_ *rundir.Header, _ *trial.Outcome, g *rundir.Generation) { g.Reply.PromptTokens = -1 },
			"to -1"},
	} {
		t.Run(name, func(t *testing.T) {
			h, o := run.Header, run.Outcomes[0]
			h.Conditions = slices.Clone(h.Conditions)
			o.Transcript = trial.WithoutMessages(o.Transcript)
			g := rundir.Generation{Version: record.Version, Kind: rundir.KindGeneration,
				Reply: inference.Reply{Key: o.Transcript.Rounds[0][0].Reply.Key,
					Text: o.Transcript.Rounds[0][0].Reply.Text}}
			g.Reply.LogProb = o.Transcript.Rounds[0][0].Reply.LogProb
			c.forge(&h, &o, &g)
			forged := filepath.Join(t.TempDir(), "forged")
			benchtest.WriteJournals(t, forged, []any{h, g}, []any{h, rundir.DebateRecord(record.Version, o)})
			if _, err := rundir.ReadRun(forged); !errors.Is(err, record.ErrDamaged) ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: a forged record is damage, with %q: got %v", name, c.want, err)
			}
		})
	}
	forged := filepath.Join(t.TempDir(), "twice")
	o := rundir.DebateRecord(record.Version, run.Outcomes[0])
	benchtest.WriteJournals(t, forged, []any{run.Header}, []any{run.Header, o, o})
	if _, err := rundir.ReadRun(forged); !errors.Is(err, record.ErrDamaged) ||
		!strings.Contains(err.Error(), "is recorded twice") {
		t.Errorf("a record that stands twice is damage: got %v", err)
	}
	early := filepath.Join(t.TempDir(), "early")
	benchtest.WriteJournals(t, early, []any{run.Header}, []any{o})
	if _, err := rundir.ReadRun(early); !errors.Is(err, record.ErrDamaged) ||
		!strings.Contains(err.Error(), "before any header") {
		t.Errorf("a record before any header is damage: got %v", err)
	}
	strange := filepath.Join(t.TempDir(), "strange")
	benchtest.WriteJournals(t, strange, []any{run.Header, rundir.Kind{Version: record.Version, Kind: "spell"}},
		[]any{run.Header})
	if _, err := rundir.ReadRun(strange); !errors.Is(err, record.ErrVersion) ||
		!strings.Contains(err.Error(), `kind "spell"`) {
		t.Errorf("a record of an unknown kind is one of another version, named: got %v", err)
	}
}
