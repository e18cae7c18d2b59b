package offline

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/samples"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/outfile"
)

// logEndings are those of the files that parley stats reads.
var logEndings = map[string]string{FormatInspect: ".eval", FormatEveryEvalEver: "_samples.jsonl"}

// exported writes a run as logs, and returns their paths.
func exported(t *testing.T, run rundir.Run, directory, format string) (paths []string) {
	t.Helper()
	e, err := Export(run, directory, filepath.Join(t.TempDir(), "out"), format)
	for _, file := range e.Files {
		if strings.HasSuffix(file, logEndings[format]) {
			paths = append(paths, file)
		}
	}
	if err != nil || len(paths) != len(run.Comparison.Rows) {
		t.Fatalf("%d conditions are exported into a log each: %q, %v", len(run.Comparison.Rows), e.Files, err)
	}
	return paths
}

// TestLogsRoundTrip: what parley stats reads of the logs of a run is what the run's table says, and a debate that
// failed is in no accuracy.
func TestLogsRoundTrip(t *testing.T) {
	directory, run := benchtest.Finished(t)
	failed := &run.Outcomes[len(run.Outcomes)-1]
	failed.Score, failed.Error = task.Failed, "the prompt does not fit"
	run, err := rundir.NewRun(run.Header, append(run.Outcomes[:0:0], run.Outcomes...))
	if err != nil {
		t.Fatal(err)
	}
	for format := range logEndings {
		t.Run(format, func(t *testing.T) {
			read, err := samples.Read(exported(t, run, directory, format), samples.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := read.Run(spec.Tests{}, "", "")
			if err != nil {
				t.Fatal(err)
			}
			type counts struct {
				N, Right, Failed, Tokens int
				Accuracy                 float64
			}
			for i, row := range run.Comparison.Rows {
				got := again.Comparison.Rows[i]
				if diff := cmp.Diff(counts{row.N, row.Right, row.Failed, row.Tokens, row.Accuracy},
					counts{got.N, got.Right, got.Failed, got.Tokens, got.Accuracy}); diff != "" {
					t.Errorf("%s has in its log the counts of the run (-run +log):\n%s", row.Condition, diff)
				}
			}
		})
	}
}

// TestInspectSays: a sample has all replies in the order of the record, each with agent, round and reasoning, and the
// calls with what was sent and the seed of their generation.
func TestInspectSays(t *testing.T) {
	directory, run := benchtest.Finished(t)
	at := slices.IndexFunc(run.Outcomes, func(o trial.Outcome) bool { return o.Condition == trial.Reference })
	held := run.Outcomes[at]
	turn := &held.Transcript.Rounds[0][1]
	turn.Reply.Reasoning, turn.Reply.LogProb = "hm", -2.5
	seeds := map[uint64]bool{}
	if _, err := rundir.EachGeneration(directory, func(_ rundir.Header, g rundir.Generation) {
		seeds[g.Sampling.Seed] = true
	}); err != nil {
		t.Fatal(err)
	}
	paths := exported(t, run, directory, FormatInspect)
	path := paths[slices.IndexFunc(run.Comparison.Rows, func(r analysis.Row) bool {
		return r.Condition == trial.Reference
	})]
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if archive.Comment != "" {
		t.Error("the archive has a comment, behind which inspect's viewer does not look")
	}
	entry, err := archive.Open("samples/" + held.Question + "_epoch_1.json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Messages []struct {
			Role     string
			Content  json.RawMessage
			Metadata struct{ Parley debate.Turn }
		}
		Events []struct {
			Event  string
			Input  []struct{ Content string }
			Config struct{ Seed uint64 }
		}
	}
	if err := json.NewDecoder(entry).Decode(&got); err != nil {
		t.Fatal(err)
	}
	var said, want []string
	for _, m := range got.Messages {
		if turn := m.Metadata.Parley; m.Role == "assistant" && turn.Reply.Key != "" {
			said = append(said, fmt.Sprint(turn.Round, turn.Agent, turn.Reply.LogProb, string(m.Content)))
		}
	}
	var sent []string
	for _, round := range held.Transcript.Rounds {
		for _, turn := range round {
			content, _ := json.Marshal(turn.Reply.Text)
			if turn.Reply.Reasoning != "" {
				content, _ = json.Marshal([]map[string]string{{"type": "reasoning", "reasoning": turn.Reply.Reasoning},
					{"type": "text", "text": turn.Reply.Text}})
			}
			want = append(want, fmt.Sprint(turn.Round, turn.Agent, turn.Reply.LogProb, string(content)))
			for _, m := range turn.Messages {
				sent = append(sent, m.Content)
			}
		}
	}
	if diff := cmp.Diff(want, said); diff != "" || len(want) < 2 {
		t.Errorf("the log has the replies of the record, two or more: %d (-record +log):\n%s", len(want), diff)
	}
	var received []string
	for _, e := range got.Events {
		if e.Event != "model" {
			continue
		}
		for _, m := range e.Input {
			received = append(received, m.Content)
		}
		if !seeds[e.Config.Seed] {
			t.Errorf("a generation has the seed %d of the log: there is none", e.Config.Seed)
		}
	}
	if diff := cmp.Diff(sent, received); diff != "" {
		t.Errorf("the log has the messages of the record (-record +log):\n%s", diff)
	}
}

// TestExportsReplaceTheirOwn: an earlier export is replaced, and a file that another program has written stays.
func TestExportsReplaceTheirOwn(t *testing.T) {
	directory, run := benchtest.Finished(t)
	dir := t.TempDir()
	for _, format := range ExportFormats() {
		var files []string
		prefix := filepath.Join(dir, format)
		for range 2 {
			e, err := Export(run, directory, prefix, format)
			if err != nil {
				t.Fatal(err)
			}
			files = e.Files
		}
		for _, path := range files {
			mine := datatest.Read(t, path)
			datatest.Write(t, path, "PK\x03\x04 of somebody else")
			if _, err := Export(run, directory, prefix, format); !errors.As(err, new(outfile.Foreign)) {
				t.Errorf("%s: %v, want the file of somebody else refused", path, err)
			}
			datatest.Write(t, path, string(mine))
		}
	}
}
