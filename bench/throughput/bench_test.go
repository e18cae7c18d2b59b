package throughput

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// TestShape: sizes say what kind a workload is, and a size that would mean nothing is refused with its name.
func TestShape(t *testing.T) {
	for text, want := range map[string]Workload{
		"prefix=1000,prompt=200,reply=250,samples=400": {Kind: "independent",
			Full: Sizes{Requests: 1, Prefix: 1000, Prompt: 200, Reply: 250, Samples: 400}},
		"agents=80, rounds=2,prompt=9,reply=5,layout=shared": {Kind: "debate", Layout: "shared",
			Full: Sizes{Questions: 1, Agents: 80, Rounds: 2, Prompt: 9, Reply: 5}},
		"steps=4,solution=7,prompt=9,reply=5": {Kind: "sweep",
			Full: Sizes{Steps: 4, Solution: 7, Prompt: 9, Reply: 5, Orders: 1, Samples: 1}},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := Shape(text)
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != want.Kind || got.Full != want.Full || got.Small != want.Full ||
				want.Layout != "" && got.Layout != want.Layout {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	for text, says := range map[string]string{
		"":                                   `no size ""`,
		"promt=4,reply=1":                    "did you mean prompt",
		"prompt=4":                           "reply=N is missing",
		"prompt=0,reply=1":                   "from 1 to 1000000",
		"prompt=4,reply=2000000":             "reply=2000000",
		"prompt=4,prompt=5,reply=1":          "prompt is there twice",
		"prompt=4,reply=1,rounds=2":          "rounds means nothing",
		"agents=2,steps=3,prompt=4,reply=1":  "steps means nothing",
		"steps=3,prompt=4,reply=1":           "solution=N is missing",
		"agents=2,prefix=3,prompt=4,reply=1": "prefix means nothing",
		"prompt=4,reply=1,layout=other":      `no size "layout"`,
	} {
		t.Run(says, func(t *testing.T) {
			if _, err := Shape(text); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%q: %v, want %q", text, err, says)
			}
		})
	}
}

// TestLlamaBench: pp512 computes 512 tokens and counts these, tg128 takes 128 steps of one token.
func TestLlamaBench(t *testing.T) {
	found, err := FindWorkloads("pp512", "tg128")
	if err != nil {
		t.Fatal(err)
	}
	ours := &Local{Open: openEmbedded(t)}
	for i, want := range []Usage{{Asked: 512, Computed: 512, Generated: 1, Steps: 1}, {Asked: 1, Computed: 1,
		Generated: 128, Steps: 128}} {
		laps, err := run(t.Context(), found[i], found[i].Full, ours, false, 768, 1)
		if err != nil {
			t.Fatal(err)
		}
		u := laps[0]
		got := Usage{Asked: u.Asked, Computed: u.Computed, Generated: u.Generated, Steps: u.Steps}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s computes what llama-bench does (-want +got):\n%s", found[i].Name, diff)
		}
		if n := u.counted(found[i].Prompts); n != []int{512, 128}[i] {
			t.Errorf("%s counts %d tokens: got %d", found[i].Name, []int{512, 128}[i], n)
		}
	}
	for _, name := range []string{"pp0", "tg", "pp12345678", "xpp1"} {
		if _, err := FindWorkloads(name); err == nil {
			t.Errorf("%s was found, want an error", name)
		}
	}
}

// TestLike: the calls of a debate come in the order in which they were made, those of a round together, and each with
// its own prompt, length and key; what was given or scored is left out.
func TestLike(t *testing.T) {
	turn := func(agent, tokens int, key string, before ...debate.Turn) debate.Turn {
		return debate.Turn{Agent: agent, Messages: []inference.Message{{Role: "user", Content: key}}, Before: before,
			Reply: inference.Reply{Tokens: tokens, Key: key}}
	}
	given := turn(0, 3, "given")
	given.Kind = debate.KindGiven
	outcomes := []trial.Outcome{
		{Transcript: debate.Transcript{Rounds: [][]debate.Turn{
			{turn(0, 3, "a"), turn(1, 4, "b", turn(1, 2, "plan"))},
			{given, turn(1, 0, "scored")},
			{turn(1, 5, "cc")}}}},
		{Transcript: debate.Transcript{}},
	}
	render := func(m []inference.Message) ([]int32, error) { return make([]int32, len(m[0].Content)), nil }
	w, err := Like("run", outcomes, render)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, calls := range w.recorded {
		for i, call := range calls {
			for _, r := range call {
				got = append(got, fmt.Sprintf("%d: agent %d, %d and %d tokens", i, r.Agent, len(r.Prompt), r.Tokens))
			}
		}
	}
	want := []string{"0: agent 0, 1 and 3 tokens", "0: agent 1, 4 and 2 tokens", "1: agent 1, 1 and 4 tokens",
		"2: agent 1, 2 and 5 tokens"}
	if diff := cmp.Diff(want, got); diff != "" || w.Full != (Sizes{Questions: 1, Requests: 4}) {
		t.Errorf("a run's 4 requests are a workload of one question, in their order: got %+v (-want +got):\n%s",
			w.Full, diff)
	}
	if a, b := w.recorded[0][0][0].Seed, w.recorded[0][0][1].Seed; a == b || a>>48 != 0 {
		t.Errorf("seeds %x and %x: want two, of 48 bits", a, b)
	}
	if _, err := Like("none", outcomes[1:], render); err == nil {
		t.Error("a run without replies was taken, want an error")
	}
	laps, err := run(t.Context(), w, w.Full, &Local{Open: openEmbedded(t)}, true, 768, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range laps {
		if u.Requests != 4 || u.Generated != 14 || u.Asked != 8 {
			t.Errorf("%+v: want 4 requests for 14 tokens behind 8", u)
		}
	}
}

// TestLatencies: one time to the first token a reply, and a time for each other one.
func TestLatencies(t *testing.T) {
	ours := &Local{Open: openEmbedded(t)}
	w := Workload{Name: "w", Kind: "independent"}
	laps, err := run(t.Context(), w, Sizes{Requests: 3, Samples: 2, Prompt: 20, Reply: 4}, ours, true, 768, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range laps {
		if f, b := u.FirstToken, u.BetweenTokens; f == nil || b == nil || f.Median <= 0 || f.High < f.Median ||
			b.High < b.Median || f.High > u.Wall || b.High > u.Wall {
			t.Errorf("times to the first token and between tokens are known, within %v, with medians below the "+
				"highest: got %+v and %+v", u.Wall, f, b)
		}
	}
	var l latencies
	watch := l.watch(2)
	for i := range 2 {
		piece := watch(i)
		for range 3 {
			piece(inference.Piece{Drawn: new(inference.TokenScore)})
		}
		piece(inference.Piece{Done: true}) // no token
	}
	if len(l.first) != 2 || len(l.between) != 4 {
		t.Errorf("%d first, %d between, want 2 and 4", len(l.first), len(l.between))
	}
	if p := percentiles([]float64{3, 1, 2}); p.Median != 2*time.Second || p.High != 3*time.Second {
		t.Errorf("1, 2 and 3 s have the median 2 s and the highest 3 s: got %+v", p)
	}
}

// TestEnergy: the counters of packages are subtracted, across their end as well; parts of a package and what cannot be
// read do not count.
func TestEnergy(t *testing.T) {
	zone := func(value, limit string) fstest.MapFS {
		return fstest.MapFS{"intel-rapl:0/energy_uj": {Data: []byte(value + "\n")},
			"intel-rapl:0/max_energy_range_uj": {Data: []byte(limit)},
			"intel-rapl:0:0/energy_uj":         {Data: []byte(value)}}
	}
	for _, c := range []struct {
		name          string
		before, after fstest.MapFS
		want          float64
	}{
		{"used", zone("1000000", "9000000"), zone("3500000", "9000000"), 2.5},
		{"wrapped", zone("8000000", "9000000"), zone("500000", "9000000"), 1.5},
		{"no counter", fstest.MapFS{}, fstest.MapFS{}, 0},
		{"new", fstest.MapFS{}, zone("5", "9"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &energy{root: c.before}
			e.before, e.root = e.packages(), c.after
			if got := e.joules(); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("%g J, want %g", got, c.want)
			}
		})
	}
}

// TestEnergyOfGPUs: two cards of 100 and 50 watts.
func TestEnergyOfGPUs(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nwhile echo '0, 90.0\n1, 50\n0, 110.0\n1, [N/A]'; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	e := startEnergy()
	e.before = nil // no processor
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if time.Since(e.started) > 300*time.Millisecond {
			break
		}
	}
	got := e.joules()
	seconds := time.Since(e.started).Seconds()
	if got < 100*0.3 || got > 160*seconds {
		t.Errorf("%g J in %g s, want 150 watts", got, seconds)
	}
}

// fixed is a result with given rates.
func fixed(name string, rates ...int) Measurement {
	m := Measurement{Workload: name}
	for _, r := range rates {
		m.Ours = append(m.Ours, Usage{Generated: r, Asked: 10 * r, Wall: time.Second})
	}
	return m
}

// TestCompare: ratios are of pairs; what differs, is missing or was warned of is said.
func TestCompare(t *testing.T) {
	a := Report{Machine: "one", Results: []Measurement{fixed("w1", 100, 200), fixed("w0", 5), fixed("gone", 1)}}
	b := Report{Machine: "two", Warnings: []string{"load"},
		Results: []Measurement{fixed("w0", 5), fixed("w1", 150, 260), fixed("new", 1)}}
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{{"w1", 150, 205, []float64{1.3, 1.5}}, {"w0", 5, 5, []float64{1}}}
	if diff := cmp.Diff(want, c.Changes); diff != "" {
		t.Errorf("what both reports have is compared (-want +got):\n%s", diff)
	}
	text := c.Document().String()
	for _, says := range []string{"faster in all pairs", "one pair tells nothing", "machine: one, before, two, after",
		"gone, of the first", "new, of the second", "the second report: load", "1.400", "1.300 to 1.500"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), says) {
			t.Errorf("the comparison says %q: got\n%s", says, text)
		}
	}
	if _, err := Compare(a, Report{Results: []Measurement{fixed("other", 1)}}); err == nil {
		t.Error("reports without a common workload were compared, want an error")
	}
	b.Results[1].Settings = []Setting{{"kv", "q8_0"}}
	if c, err := Compare(a, b); err != nil || len(c.Changes) != 1 {
		t.Errorf("w1 has other settings in the second report, so that 1 workload is compared: got %+v, %v", c, err)
	}
}

// TestReportIsReadBack: JSON is what Compare reads; other files are refused.
func TestReportIsReadBack(t *testing.T) {
	dir := t.TempDir()
	r := Report{Program: "p", LlamaCpp: "l", Machine: "m", Load: "0 0 0", Results: []Measurement{fixed("w1", 3)}}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadReport(filepath.Join(dir, "report.json"))
	if diff := cmp.Diff(r, got); diff != "" || err != nil {
		t.Errorf("a report is read back as it was saved: %v (-want +got):\n%s", err, diff)
	}
	if err := r.Save(dir); err != nil {
		t.Errorf("a report is saved over itself: got %v, want no error", err)
	}
	for i, text := range []string{"", "[]", "{}", `{"results":[]}`, `{"results":[{"workload":"w1"}]}`} {
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReport(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s is no report, refused with its path %s: got %v", text, file, err)
		}
	}
}

// TestWarn: load, repeats that differ and a machine that slows down are warned of, and nothing else.
func TestWarn(t *testing.T) {
	calm := Report{Results: []Measurement{fixed("w1", 100, 105)}}
	calm.Results[0].Speed = llamacpp.Speed{Bytes: 10, ByteProducts: 10}
	calm.Results[0].Speeds = []llamacpp.Speed{{Bytes: 10, ByteProducts: 9}, {Bytes: 9, ByteProducts: 10}}
	calm.Warn(0.1, 2)
	if len(calm.Warnings) > 0 {
		t.Errorf("a calm run has no warnings: got %q", calm.Warnings)
	}
	busy := Report{Results: []Measurement{fixed("w1", 100, 130), fixed("pp", 8, 8)}}
	busy.Results[0].Settings = []Setting{{"kv", "f16"}}
	busy.Results[1].Speed = llamacpp.Speed{Bytes: 10, ByteProducts: 10}
	busy.Results[1].Speeds = []llamacpp.Speed{{Bytes: 10, ByteProducts: 10}, {Bytes: 5, ByteProducts: 8}}
	busy.Warn(3, 2)
	text := strings.Join(busy.Warnings, "\n")
	for _, says := range []string{"load was 3.0", "w1 kv=f16 from 100 to 130", "50 %", "80 %"} {
		if !strings.Contains(text, says) {
			t.Errorf("the warnings have %q: got %s", says, text)
		}
	}
}

// TestColumns: CSV, Markdown and the terminal have the settings that differ, and only columns that have values.
func TestColumns(t *testing.T) {
	r := Report{Results: []Measurement{fixed("w1", 100), fixed("pp9", 7)}}
	r.Results[0].Settings = []Setting{{"kv", "q8_0"}}
	r.Results[1].Prompts = true
	csv := r.CSV()
	want := "workload,kv,runs,tokens_per_second,lowest,highest,prompt_tokens_asked,share_shared,tokens_delivered," +
		"wall_seconds\nw1,q8_0,1,100,100,100,1000,1,100,1\npp9,,1,70,70,70,70,1,7,1\n"
	if diff := cmp.Diff(want, csv); diff != "" {
		t.Errorf("CSV has the settings that differ (-want +got):\n%s", diff)
	}
	if md := r.Markdown(); !strings.Contains(md, "| w1 | q8_0 | 1 | 100.0 | 100.0 to 100.0 | 1,000 |") ||
		strings.Contains(md, "first token") {
		t.Errorf("Markdown has the row of w1 and no column without values: got\n%s", md)
	}
	if encoded, err := r.JSON(); err != nil || !json.Valid(encoded) {
		t.Error(err)
	}
}
