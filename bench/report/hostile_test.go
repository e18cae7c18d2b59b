package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/report/browser"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// fewRecords is a run of few records, so that many changes meet something.
func fewRecords(t testing.TB) string {
	t.Helper()
	return directoryOf(t, 2, 2, 2, "single", "mad", "self-consistency-tokens", "oracle")
}

var journals = []string{"generations.jsonl.zst", "debates.jsonl.zst"}

// TestHostileJournals gives journals that were changed at random, in bytes, frames and records with right hashes, to
// all that reads them: no panic, nothing that computes for over 5 s, and no more than 1 GB.
func TestHostileJournals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	whole := fewRecords(t)
	first := uint64(1)
	if soak.On() {
		first = uint64(time.Now().UnixNano()) // other mutants each time
	}
	m := mutator{random: rand.New(rand.NewPCG(first, 1))}
	for i, name := range journals {
		m.read(t, i, filepath.Join(whole, name))
	}
	mutants, read := 0, 0
	for more := soak.More(t, 200); more(mutants); mutants++ {
		path, seed := filepath.Join(t.TempDir(), "run"), m.random.Uint64()
		m.random = rand.New(rand.NewPCG(seed, 2))
		m.write(t, path)
		before := soak.Processor()
		if readEverything(t, fmt.Sprintf("seed %d", seed), path, mutants%20 == 0) {
			read++
		}
		if took := soak.Processor() - before; took > 5*time.Second {
			t.Errorf("seed %d is read or refused within 5 s: took %v", seed, took)
		}
		os.RemoveAll(filepath.Dir(path))
		modest(t, fmt.Sprintf("seed %d", seed))
	}
	t.Logf("%d mutants, %d of them read as runs", mutants, read)
	if mutants < 10 || read == 0 {
		t.Errorf("%d mutants, %d of them read: hardly anything was tested", mutants, read)
	}
}

// modest fails where the process has taken more than 1 GB.
func modest(t *testing.T, what string) {
	t.Helper()
	var stats runtime.MemStats
	if runtime.ReadMemStats(&stats); stats.Sys > 1<<30 {
		t.Fatalf("%s takes at most 1 GiB: got %d bytes", what, stats.Sys)
	}
}

// mutator changes the journals of a run.
type mutator struct {
	random *rand.Rand
	bytes  [2][]byte
	lines  [2][][]byte
}

func (m *mutator) read(t *testing.T, i int, path string) {
	t.Helper()
	var err error
	if m.bytes[i], err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Read(path, func(line []byte) error {
		m.lines[i] = append(m.lines[i], bytes.Clone(line))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// write makes a run directory of which one journal is changed.
func (m *mutator) write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	changed := m.random.IntN(2)
	for i, name := range journals {
		file := filepath.Join(path, name)
		if i != changed {
			datatest.Write(t, file, m.bytes[i])
		} else if m.random.IntN(2) == 0 {
			datatest.Write(t, file, m.inBytes(bytes.Clone(m.bytes[i])))
		} else {
			m.inRecords(t, file, slices.Clone(m.lines[i]))
		}
	}
}

// inBytes flips bits, and leaves out, doubles, exchanges or clears parts.
func (m *mutator) inBytes(content []byte) []byte {
	from := m.random.IntN(len(content))
	to := min(len(content), from+1+m.random.IntN(300))
	if m.random.IntN(2) == 0 { // whole frames
		from, to = m.frameAt(content, from), m.frameAt(content, to+m.random.IntN(2000))
	}
	part := bytes.Clone(content[from:max(from, to)])
	switch m.random.IntN(6) {
	case 0:
		for range 1 + m.random.IntN(8) {
			content[m.random.IntN(len(content))] ^= 1 << m.random.IntN(8)
		}
		return content
	case 1:
		return append(content[:from], make([]byte, m.random.IntN(5000))...)
	case 2:
		return content[:from]
	case 3:
		return slices.Insert(content, m.frameAt(content, m.random.IntN(len(content))), part...)
	case 4:
		clear(content[from:max(from, to)])
		return content
	}
	return slices.Delete(content, from, max(from, to))
}

// frameAt is where the last frame before a place begins.
func (m *mutator) frameAt(content []byte, at int) int {
	return max(0, bytes.LastIndex(content[:min(at, len(content))], []byte{0x28, 0xB5, 0x2F, 0xFD}))
}

// inRecords exchanges, doubles, leaves out and forges records, and gives them their hashes.
func (m *mutator) inRecords(t *testing.T, path string, lines [][]byte) {
	t.Helper()
	at, other := m.random.IntN(len(lines)), m.random.IntN(len(lines))
	switch m.random.IntN(6) {
	case 0:
		lines[at], lines[other] = lines[other], lines[at]
	case 1:
		lines = slices.Insert(lines, at, lines[other])
	case 2:
		lines = slices.Delete(lines, at, at+1)
	default:
		for range 1 + m.random.IntN(3) {
			lines[at] = m.forged(t, lines[at])
		}
	}
	j, err := record.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var group []any
	for _, line := range lines {
		group = append(group, json.RawMessage(line))
	}
	if err := j.Append(group...); err != nil { // what a journal does not take, nobody reads
		return
	}
}

// forged is a record in which some value is another one.
func (m *mutator) forged(t *testing.T, line []byte) []byte {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(line, &value); err != nil {
		t.Fatal(err)
	}
	m.forge(value)
	text, err := record.Marshal(struct {
		Version any `json:"v"`
		Kind    any `json:"kind"`
	}{value["v"], value["kind"]})
	delete(value, "v")
	delete(value, "kind")
	rest, restErr := record.Marshal(value)
	if err := errors.Join(err, restErr); err != nil {
		t.Fatal(err)
	}
	return append(append(bytes.TrimSuffix(text, []byte("}")), ','), rest[1:]...)
}

func (m *mutator) forge(value any) any {
	if m.random.IntN(5) == 0 {
		return m.strange(value)
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return m.strange(v)
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		key := keys[m.random.IntN(len(keys))]
		if key == "transcript" || key == "rounds" || m.random.IntN(8) > 0 {
			v[key] = m.forge(v[key])
		} else {
			delete(v, key)
		}
		return v
	case []any:
		if len(v) == 0 {
			return m.strange(v)
		}
		at := m.random.IntN(len(v))
		switch m.random.IntN(4) {
		case 0:
			return slices.Delete(v, at, at+1)
		case 1:
			return append(v, v[at])
		}
		v[at] = m.forge(v[at])
		return v
	}
	return m.strange(value)
}

// strange is a value of the same kind, mostly, that nobody writes.
func (m *mutator) strange(value any) any {
	if m.random.IntN(6) == 0 {
		value = nil
	}
	pick := func(values ...any) any { return values[m.random.IntN(len(values))] }
	switch v := value.(type) {
	case float64:
		return pick(-5, -1, 0, 1, 2, 7, 1000, 20_000_000, 1<<40, -1<<40, 0.5, 1e300, -1e300)
	case string:
		return pick("", "-", "\x00\u202e\x1b[31m", strings.Repeat("x", 10_000), v+v, "mad", "judge", "(A)", "=1+1",
			"majority, ties drawn", "wrong")
	case bool:
		return !v
	case []any:
		return pick([]any{}, []any{nil}, []any{nil, []any{}}, append(v, v...), []any{-1, 5, 1 << 40})
	case map[string]any:
		return pick(map[string]any{}, nil)
	}
	return pick(nil, map[string]any{}, []any{}, []any{map[string]any{}}, 1, "x", true)
}

// readEverything gives a run directory to all that reads one, and reports whether it was read as a run. The page of the
// report takes longer than all else, and is made on request.
func readEverything(t *testing.T, name, path string, report bool) (read bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 1<<14)
			t.Fatalf("%s: %v\n%s, want nil", name, p, stack[:runtime.Stack(stack, false)])
		}
	}()
	status, err := rundir.ReadStatus(path)
	if err == nil {
		err = status.Write(io.Discard, time.Now())
	}
	_, _, _ = rundir.Recorded(path)
	_, _ = offline.FindGeneration(path, "a")
	run, runErr := rundir.ReadRun(path)
	if runErr == nil {
		useRun(t, run, report)
	}
	fork := path + "-fork"
	if d, err := rundir.ForkDirectory(path, fork); err == nil {
		_ = d.Begin(run.Header)
		d.Close()
	}
	goOn(path)
	if _, err := rundir.RepairDirectory(path, "now"); err == nil {
		if _, err := rundir.ReadRun(path); err != nil && errors.Is(err, record.ErrDamaged) &&
			!errors.Is(err, rundir.ErrOtherReply) {
			t.Errorf("%s: after its repair a run has no damage: got %v", name, err)
		}
		goOn(path)
	}
	return runErr == nil && err == nil
}

// goOn opens a run to go on with it.
func goOn(path string) {
	if d, err := rundir.OpenDirectory(path); err == nil {
		_ = d.Begin(rundir.Header{Run: spec.Run{Conditions: []string{"mad"}}})
		d.Close()
	}
}

// useRun does with a run what commands do with it.
func useRun(t *testing.T, run rundir.Run, report bool) {
	t.Helper()
	if report {
		_ = Write(io.Discard, run, Options{})
	}
	_, _, _ = browser.Pack([]browser.Run{{Run: run}}, 1000)
	_, _ = slices.Collect(offline.Replies(run)), slices.Collect(offline.Decisions(run))
	_ = run.Comparison.Document().String()
	_ = Details(run.Comparison).String()
	for _, how := range []offline.Rescoring{{}, {Answer: "letter"}, {Decide: "weighted"}, {Decide: "trajectory"},
		{Decide: "first"}} {
		if s, err := offline.Rescore(run, how); err == nil {
			_ = s.Document(true).Layout(40)
		}
	}
	if d, err := offline.CompareRuns(run, run, nil); err == nil {
		_ = d.Document(true).Layout(40)
	}
	_, _ = offline.SimilarityOf(context.Background(), run,
		func(_ context.Context, texts []string) ([][]float32, error) {
			return slices.Repeat([][]float32{{1}}, len(texts)), nil
		})
	for _, o := range run.Outcomes {
		useTranscript(o.Transcript)
	}
}

func useTranscript(t debate.Transcript) {
	_ = t.Story(io.Discard)
	t.Disagreement()
	titfortat.Chosen(t)
	t.Solutions()
	for _, r := range vote.Rules() {
		r.Decide(t, debate.TiesFirst, nil)
	}
	_, _ = vote.Again(t, debate.Seeds{Run: 1})
}

// FuzzJournal gives bytes as the journals of a run to all that reads them.
func FuzzJournal(f *testing.F) {
	whole := fewRecords(f)
	var seeds [2][]byte
	for i, name := range journals {
		content, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			f.Fatal(err)
		}
		seeds[i] = content
	}
	f.Add(seeds[0], seeds[1])
	f.Add(seeds[1], seeds[0])
	f.Add(seeds[0][:len(seeds[0])/2], append(bytes.Clone(seeds[1]), make([]byte, 100)...))
	f.Fuzz(func(t *testing.T, generations, debates []byte) {
		path := filepath.Join(t.TempDir(), "run")
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		datatest.Write(t, filepath.Join(path, journals[0]), generations)
		datatest.Write(t, filepath.Join(path, journals[1]), debates)
		readEverything(t, "fuzz", path, len(generations)%8 == 0)
	})
}

// FuzzTranscript gives JSON as a transcript to all that reads one.
func FuzzTranscript(f *testing.F) {
	run, err := rundir.ReadRun(fewRecords(f))
	if err != nil {
		f.Fatal(err)
	}
	for _, o := range run.Outcomes {
		text, err := json.Marshal(o.Transcript)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"rounds":[null,[]],"voting":[[]],"records":[{"agent":-1}]}`))
	f.Add([]byte(`{"rounds":[[{"agent":20000000}]],"phases":["final"],"roles":["moderator"]}`))
	f.Add([]byte(`{"rounds":[[{"before":[{"before":[{}]}],"probes":[{"kind":"given"}]}]],"decision":{"ballots":[{"ranking":[-1]}],"tally":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "transcript.json")
		datatest.Write(t, file, text)
		var transcript debate.Transcript
		if record.ReadJSON(file, &transcript) != nil || transcript.Validate() != nil {
			return
		}
		useTranscript(transcript)
		o := trial.Outcome{Question: "q", Condition: "mad", Target: "(A)", Truth: answer.Of("(A)"), Score: "right",
			Transcript: transcript}
		forged, err := rundir.NewRun(rundir.Header{Run: spec.Run{Questions: 1, AnswerRule: "choice",
			Conditions: []string{"mad"}}},
			[]trial.Outcome{o})
		if err == nil {
			useRun(t, forged, len(text)%8 == 0)
		}
	})
}
