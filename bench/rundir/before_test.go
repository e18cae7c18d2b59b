package rundir_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// The directories in testdata/before were written by the program of revision ceb6efd: all but "scripted" by its
// commands on the embedded model, with replies of 8 tokens. What later programs change in a header, a key, a record or
// a result shows here as a directory that no longer resumes byte for byte.

// TestResumesRunsOfBefore: a complete run of each kind is read, begun again under its own header and given its debates
// once more. No byte of its journals and its result changes.
func TestResumesRunsOfBefore(t *testing.T) {
	for _, kind := range []string{"compare", "experiment", "shard", "stopping", "forked", "widened", "imported",
		"interrupted"} {
		t.Run(kind, func(t *testing.T) {
			path := copyOfBefore(t, kind)
			resume(t, path)
			for _, file := range []string{"generations.jsonl.zst", "debates.jsonl.zst", "result.json"} {
				want, err := os.ReadFile(filepath.Join("testdata", "before", kind, file))
				if os.IsNotExist(err) && file == "result.json" {
					continue // an interrupted run has none
				}
				got, gotErr := os.ReadFile(filepath.Join(path, file))
				if file == "result.json" {
					want, got = renamed(want), withoutAdditions(t, got)
				}
				if kind == "experiment" { // a condition none of whose personas arrived is compared no more
					want = regexp.MustCompile(`\n *"paired": \{(?:[^{}]|\{[^{}]*\})*\},`).ReplaceAllFunc(want,
						func(paired []byte) []byte {
							if bytes.Contains(paired, []byte(`"fisher"`)) {
								return nil
							}
							return paired
						})
					got = bytes.Replace(got, []byte("\n      \"untested\": \"0 of 10 personas arrived\","), nil, 1)
					// of three questions, whose equivalence is exact today
					want = bytes.ReplaceAll(want, []byte("0.31867594411696853"), []byte("0.81"))
					want = bytes.ReplaceAll(want, []byte("0.5749693909936535"), []byte("0.78"))
				}
				if err != nil || gotErr != nil || !bytes.Equal(got, want) && !fused(file) {
					t.Errorf("%s: %d bytes (%v), want the %d bytes (%v) of before", file, len(got), gotErr, len(want),
						err)
				}
			}
		})
	}
}

// TestResumesCutRunsOfBefore: a run whose journal of debates was cut anywhere, also within a record, resumes to the
// same records.
func TestResumesCutRunsOfBefore(t *testing.T) {
	for _, kind := range []string{"compare", "experiment", "shard", "stopping", "forked", "imported"} {
		t.Run(kind, func(t *testing.T) {
			want := recordsIn(t, filepath.Join("testdata", "before", kind, "debates.jsonl.zst"))
			for _, share := range []int{1, 4, 7, 9} {
				path := copyOfBefore(t, kind)
				whole := benchtest.ReadRun(t, path)
				journal := filepath.Join(path, "debates.jsonl.zst")
				info, err := os.Stat(journal)
				if err == nil {
					err = os.Truncate(journal, info.Size()*int64(share)/10)
				}
				if err != nil {
					t.Fatal(err)
				}
				again(t, path, whole)
				if got := recordsIn(t, journal); !slices.Equal(got, want) {
					t.Errorf("%s, cut to %d tenths: %d records, want the %d of before, or they differ", kind, share,
						len(got), len(want))
				}
			}
		})
	}
}

// TestAsksAsBefore: the options of a run that a script answers make the header, the requests and the records of before,
// whether all of it is recorded, a part, or nothing.
func TestAsksAsBefore(t *testing.T) {
	kept := filepath.Join("testdata", "before", "scripted")
	if os.Getenv("UPDATE") == "before" {
		if err := benchtest.RecordIn(t, kept, scriptedOptions(t)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][]string{}
	files := []string{"generations.jsonl.zst", "debates.jsonl.zst"}
	for _, file := range files {
		want[file] = recordsIn(t, filepath.Join(kept, file))
	}
	for _, tenths := range []int64{10, 5, 0} {
		path := copyOfBefore(t, "scripted")
		for _, file := range files {
			info, err := os.Stat(filepath.Join(path, file))
			if err == nil {
				err = os.Truncate(filepath.Join(path, file), info.Size()*tenths/10)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if tenths == 0 { // else it holds the rest of a run whose journals are lost
			path = filepath.Join(t.TempDir(), "scripted")
			for i, r := range want[files[1]] { // a header of today names the source, and says how it is tested
				r = strings.Replace(r, "wording of source 0 (", "wording of MADC (", 1)
				if strings.Contains(r, `"kind":"header"`) {
					r = strings.Replace(r, `,"v":2}`, `,"tested":"`+analysis.Tested+`","v":2}`, 1)
				}
				want[files[1]][i] = r
			}
		}
		if err := benchtest.RecordIn(t, path, scriptedOptions(t)); err != nil {
			t.Fatal(err)
		}
		if got := recordsIn(t, filepath.Join(path, files[1])); !slices.Equal(got, want[files[1]]) {
			t.Errorf("%d tenths: %d debates, want the %d of before, or they differ:\n%s", tenths, len(got),
				len(want[files[1]]), cmp.Diff(want[files[1]], got))
		}
		got, err := os.ReadFile(filepath.Join(path, "result.json"))
		result, resultErr := os.ReadFile(filepath.Join(kept, "result.json"))
		result, got = renamed(result), withoutAdditions(t, got)
		if err != nil || resultErr != nil || !bytes.Equal(got, result) && !fused("result.json") {
			t.Errorf("%d tenths: a result of %d bytes (%v), want the %d bytes (%v) of before", tenths, len(got), err,
				len(result), resultErr)
		}
	}
}

// renamed is a result of before as it is written today: how debates went is called dynamics, and was called course, and
// of repeats that do not differ nothing is known, where an interval without a width was.
func renamed(result []byte) []byte {
	widths := regexp.MustCompile(`"interval": \{\s*"low": ([0-9.]+),\s*"high": ([0-9.]+)\s*\}`)
	result = widths.ReplaceAllFunc(result, func(interval []byte) []byte {
		if ends := widths.FindSubmatch(interval); bytes.Equal(ends[1], ends[2]) {
			return []byte(`"interval": null`)
		}
		return interval
	})
	// written today only if answers are not known to be right
	result = regexp.MustCompile(`\n *"by_equality": true,`).ReplaceAll(result, nil)
	result = regexp.MustCompile(`\n *"harm": \{[^{}]*\},`).ReplaceAll(result, nil) // predicted no more
	return bytes.ReplaceAll(result, []byte(`"course":`), []byte(`"dynamics":`))
}

// withoutAdditions is a result of today as it was before its rows had the measures of package relation, and it said
// what is worth its tokens.
func withoutAdditions(t *testing.T, result []byte) []byte {
	t.Helper()
	var kept []string
	end := "" // of what is left out
	left := 0
	result = regexp.MustCompile(`,\n *"(?:within_noise|unmeasured|unknown)": (?:true|"[^"]*")`).ReplaceAll(result, nil)
	added := regexp.MustCompile(`^( *)"(measures|front|choice|noise)": \{\n$`)
	for line := range strings.Lines(string(result)) {
		begin := added.FindStringSubmatch(line)
		switch {
		case end != "" && strings.TrimRight(line, ",\n") != end:
		case end != "":
			if end = ""; !strings.HasSuffix(line, ",\n") { // it was the last of its row
				kept[len(kept)-1] = strings.TrimSuffix(kept[len(kept)-1], ",\n") + "\n"
			}
		case begin != nil:
			end, left = begin[1]+"}", left+1
		default:
			kept = append(kept, line)
		}
	}
	if left == 0 {
		t.Error("a result has no measures")
	}
	return []byte(strings.Join(kept, ""))
}

// scriptedOptions sets every option of a run that is no control of another one.
func scriptedOptions(t *testing.T) bench.Options {
	t.Helper()
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Only(questions.Questions[:4])
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool {
		return !slices.Contains([]string{"single", "mad", "vote", "oracle"}, c.Name)
	})
	cold := float32(0.5)
	return bench.Options{Run: spec.Run{Repeats: 2, Reference: "mad", Tests: spec.Tests{Equivalence: 0.2,
		Contrasts: []string{"vote - single", "(mad, vote) - single"}},
		Team:  []debate.Member{{Name: "cold", Chosen: inference.Chosen{Temperature: &cold}}},
		Notes: []string{"a line about what was left out"}},
		Task: questions, Conditions: conditions, Engine: described{benchtest.Crowd(questions)}}
}

// fused reports whether a file has figures that this machine may round otherwise, since its compiler fuses
// multiplications with additions.
func fused(file string) bool { return file == "result.json" && runtime.GOARCH != "amd64" }

// copyOfBefore copies a directory, so that what a test records does not change it.
func copyOfBefore(t *testing.T, kind string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), kind)
	if err := os.CopyFS(path, os.DirFS(filepath.Join("testdata", "before", kind))); err != nil {
		t.Fatal(err)
	}
	return path
}

// resume begins a run again under its own header and records all that it has.
func resume(t *testing.T, path string) {
	t.Helper()
	run := benchtest.ReadRun(t, path)
	again(t, path, run)
}

// again records a run in its directory.
func again(t *testing.T, path string, run rundir.Run) {
	t.Helper()
	d := benchtest.OpenDirectory(t, path)
	defer d.Close()
	if err := d.Begin(run.Header); err != nil {
		t.Fatal(err)
	}
	for _, o := range run.Outcomes {
		if err := d.Outcome(o); err != nil {
			t.Fatal(err)
		}
	}
	if !run.Finished {
		return
	}
	if err := d.Result(run.Comparison); err != nil {
		t.Fatal(err)
	}
}

// recordsIn returns the records of a journal without what a script happens to have in its cache.
func recordsIn(t *testing.T, path string) (lines []string) {
	t.Helper()
	if _, err := record.Read(path, func(line []byte) error {
		line, err := record.WithoutTimes(line, "cached_tokens")
		lines = append(lines, string(line))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}
