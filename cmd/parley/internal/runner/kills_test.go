package runner_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// killing is a command that is killed again and again in a directory until it comes to its end, which then has to be
// what an undisturbed one leaves.
type killing struct {
	name    string
	from    string // what the directory is a copy of, "" for nothing
	damage  bool   // in the middle of its generations
	command func(directory string) *exec.Cmd
	finish  func(directory string) *exec.Cmd // goes on where the command has ended, nil if nothing does
	same    func(t *testing.T, directory string)
}

// TestKills kills compare, also of a team of models, run, report, export and repair by SIGKILL at random instants, and
// goes on with what they have left until they end; what goes on is killed too. Results, tables and reports are those of
// commands that nobody disturbed, byte for byte, and so are journals, but for times and what was cached. When soaking,
// rounds are kills.
func TestKills(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	whole, file := filepath.Join(t.TempDir(), "whole"), stagedFile(t)
	compare := func(out string) *exec.Cmd {
		return exec.Command("parley", "compare", "--generated", "3", "--rounds", "2", "--conditions", "madc,truth-last",
			"--seed", "3", "--out", out)
	}
	report := func(out string) *exec.Cmd { return exec.Command("parley", "report", out) }
	export := func(out string) *exec.Cmd {
		return exec.Command("parley", "export", out, "--out", filepath.Join(out, "table"))
	}
	repair := func(out string) *exec.Cmd { return exec.Command("parley", "repair", out) }
	run := func(out string) *exec.Cmd { return runStaged(file, out) }
	models, wholeTeam := teamDirectory(t), filepath.Join(t.TempDir(), "team")
	team := func(out string) *exec.Cmd { return compareTeam(models, out) }
	experiment, stagedTook := parleytest.SharedRun(t, "staged", run)
	took := map[string]time.Duration{"run": stagedTook, "compare": parleytest.Timed(t, compare(whole)),
		"team": parleytest.Timed(t, team(wholeTeam)), "report": parleytest.Timed(t, report(whole)),
		"export": parleytest.Timed(t, export(whole))}
	took["repair"] = took["report"]
	files := func(names ...string) func(t *testing.T, directory string) {
		return func(t *testing.T, directory string) { t.Helper(); sameFiles(t, directory, whole, names...) }
	}
	results := func(t *testing.T, directory string) {
		t.Helper()
		sameFiles(t, directory, whole, "result.json")
		sameJournals(t, directory, whole)
	}
	killings := []killing{
		{name: "compare", command: compare, same: results},
		{name: "run", command: run, same: func(t *testing.T, directory string) {
			t.Helper()
			for _, task := range []string{"few", "more"} {
				sameFiles(t, filepath.Join(directory, task), filepath.Join(experiment, task), "result.json")
				sameJournals(t, filepath.Join(directory, task), filepath.Join(experiment, task))
			}
			sameFiles(t, directory, experiment, "report.md", "report.csv")
		}},
		{name: "team", command: team, same: func(t *testing.T, directory string) {
			t.Helper()
			sameFiles(t, directory, wholeTeam, "result.json")
			sameJournals(t, directory, wholeTeam)
		}},
		{name: "report", from: whole, command: report, same: files("report.html", "report.md", "report.csv")},
		{name: "export", from: whole, command: export, same: files("table.replies.csv", "table.decisions.csv")},
		{name: "repair", from: whole, damage: true, command: repair, finish: compare,
			same: func(t *testing.T, directory string) {
				t.Helper()
				sameFiles(t, directory, whole, "result.json")
				sameGenerations(t, directory, whole)
			}},
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	more, sum, kills := soak.More(t, 0), 0, make(map[string]int)
	for i := 0; i < len(killings) || sum == 0 || more(sum); i++ {
		k := killings[i%len(killings)]
		n := k.kill(t, random, [2]time.Duration{took[k.name], took["compare"]})
		kills[k.name] += n
		sum += n
		t.Logf("%s: %d kills", k.name, n)
	}
	for _, name := range slices.Sorted(maps.Keys(kills)) {
		t.Logf("%d kills of %s", kills[name], name)
	}
	t.Logf("%d kills in all", sum)
}

// kill kills the command until it ends, then what goes on from there, and compares; took is how long they take
// undisturbed.
func (k killing) kill(t *testing.T, random *rand.Rand, took [2]time.Duration) (kills int) {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "killed")
	if k.from != "" {
		k.copy(t, directory, random)
	}
	for i, command := range []func(string) *exec.Cmd{k.command, k.finish} {
		// what begins anew each time has to come to its end, however busy the machine is now
		for tries := 1.0; command != nil; tries += 0.25 {
			if endsWithin(t, command(directory), time.Duration(tries*random.Float64()*float64(took[i]))) {
				break
			}
			kills++
		}
	}
	k.same(t, directory)
	return kills
}

// copy makes the directory, without what the command is to make.
func (k killing) copy(t *testing.T, directory string, random *rand.Rand) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"generations.jsonl.zst", "debates.jsonl.zst", "result.json", "engine.json"} {
		text := datatest.Read(t, filepath.Join(k.from, name))
		if k.damage && name == "generations.jsonl.zst" {
			text[len(text)/4+random.IntN(len(text)/2)] ^= 1 << random.IntN(8)
		}
		datatest.Write(t, filepath.Join(directory, name), text)
	}
}

func sameFiles(t *testing.T, directory, other string, names ...string) {
	t.Helper()
	for _, name := range names {
		got := datatest.Read(t, filepath.Join(directory, name))
		want, err := os.ReadFile(filepath.Join(other, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s is equal after a kill: %v (-want +got):\n%s", name, err, cmp.Diff(string(want), string(got)))
		}
	}
}

// sameJournals: debates are the same in the same order; generations are the same, in whatever order a run that goes on
// makes them.
func sameJournals(t *testing.T, directory, other string) {
	t.Helper()
	sameDebates(t, directory, other)
	sameGenerations(t, directory, other)
}

func sameDebates(t *testing.T, directory, other string) {
	t.Helper()
	if diff := cmp.Diff(journal(t, other, "debates.jsonl.zst"),
		journal(t, directory, "debates.jsonl.zst")); diff != "" {
		t.Fatalf("debates are recorded as by a run that nobody disturbed (-want +got):\n%s", diff)
	}
}

func sameGenerations(t *testing.T, directory, other string) {
	t.Helper()
	want, got := journal(t, other, "generations.jsonl.zst"), journal(t, directory, "generations.jsonl.zst")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("generations are recorded as by a run that nobody disturbed (-want +got):\n%s", diff)
	}
}

// journal lists the records of a journal without what differs between runs that are the same: times, what the engine
// held when it began with a prompt, and repairs.
func journal(t *testing.T, directory, name string) (lines []string) {
	t.Helper()
	return slices.DeleteFunc(parleytest.Records(t, filepath.Join(directory, name), "cached_tokens"),
		func(line string) bool { return strings.Contains(line, `"kind":"repair"`) })
}
