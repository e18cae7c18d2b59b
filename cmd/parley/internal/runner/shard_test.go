package runner_test

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// TestShards divides an experiment with a sweep over the threshold of reversal, kills a shard and resumes it, merges
// while one is missing, and compares what the merged directory comes to with what one machine does, byte for byte. A
// soak has more questions and up to 8 shards.
func TestShards(t *testing.T) {
	t.Parallel()
	file, counts := stagedFile(t), []int{2}
	whole, took := parleytest.SharedRun(t, "staged", func(out string) *exec.Cmd { return runStaged(file, out) })
	if soak.On() {
		text := strings.Replace(staged, "generated: 3", "generated: 8", 1)
		datatest.Write(t, file, text)
		whole, counts = filepath.Join(t.TempDir(), "whole"), []int{1, 2, 4, 8}
		took = parleytest.Timed(t, runStaged(file, whole))
	}
	for _, n := range counts {
		out := filepath.Join(t.TempDir(), fmt.Sprint("of", n))
		shard := func(i int) *exec.Cmd { return runStaged(file, out, "--shard", fmt.Sprintf("%d/%d", i, n)) }
		if endsWithin(t, shard(1), took/4) {
			t.Logf("shard 1/%d ended before it was killed", n)
		}
		for i := range n {
			if i == n-1 && n > 1 {
				text, err := exec.Command("parley", "merge", out).CombinedOutput()
				if parleytest.ExitCode(err) != 1 || !strings.Contains(string(text), fmt.Sprintf("--shard=%d/%[1]d",
					n)) {
					t.Fatalf("an unfinished merge ends with 1 and names the shard of %d that goes on: status %d\n%s",
						n, parleytest.ExitCode(err), text)
				}
			}
			parleytest.Timed(t, shard(i+1))
		}
		parleytest.Timed(t, exec.Command("parley", "merge", out))
		elsewhere := filepath.Join(t.TempDir(), "in one place")
		merged := append([]string{"merge", elsewhere}, rundir.ShardsOf(out)...)
		text, err := exec.Command("parley", merged...).CombinedOutput()
		if err != nil || !strings.HasSuffix(string(text), "--out="+wording.Shell(elsewhere)+"\n") {
			t.Errorf("merging elsewhere: %v, want no error and the command to go on with --out=%s:\n%s", err, elsewhere,
				text)
		}
		parleytest.Timed(t, runStaged(file, out))
		for _, task := range []string{"few", "more"} {
			sameFiles(t, filepath.Join(out, task), filepath.Join(whole, task), "result.json")
			sameDebates(t, filepath.Join(out, task), filepath.Join(whole, task))
			if s := lastSession(t, out, task); s.Generations != 0 || s.Restored == 0 {
				t.Errorf("%d shards, %s: after merging %d generations were computed and %d restored, want none and "+
					"some", n, task, s.Generations, s.Restored)
			}
		}
		sameFiles(t, out, whole, "report.md", "report.csv", "report-rounds.csv")
		if got, want := pageOf(t, out), pageOf(t, whole); got != want {
			t.Errorf("the report of %d shards is another one, want that of the whole run", n)
		}
	}
}

// processes are what a report says of the processes that made a run: with what command, where and when, by which first
// record, and how many tokens of each prompt they had in their caches.
var processes = regexp.MustCompile(`(<dt>(?:started|command|computed|SHA-256 of the plan, the first record)</dt><dd>)` +
	`[^<]*|,"cached":\d+`)

// packed matches what a report has compressed: gzip in base64.
var packed = regexp.MustCompile(`H4sI[A-Za-z0-9+/]+=*`)

// pageOf returns the page of a report with its data unpacked, without what it says of processes.
func pageOf(t *testing.T, directory string) string {
	t.Helper()
	page := datatest.Read(t, filepath.Join(directory, "report.html"))
	unpacked := packed.ReplaceAllStringFunc(string(page), func(text string) string {
		r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	})
	if unpacked == string(page) {
		t.Fatal("the page has no data, want some")
	}
	return processes.ReplaceAllString(unpacked, "$1")
}
