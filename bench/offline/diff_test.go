package offline

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/protocol"
)

func TestCompareRuns(t *testing.T) {
	_, run := benchtest.Finished(t)
	d, err := CompareRuns(run, run, nil)
	if err != nil || len(d.Headers) != 0 || len(d.Pairs) != len(run.Header.Conditions) {
		t.Fatalf("a run does not differ from itself, and has a pair for each of %d conditions: got %+v, %v",
			len(run.Header.Conditions), d, err)
	}
	for _, p := range d.Pairs {
		if p.N != 10 || p.Difference != 0 || p.P != 1 || p.Gained+p.Lost+len(p.Changed) != 0 ||
			p.Accuracy[0] != p.Accuracy[1] {
			t.Errorf("a run does not differ from itself (10 questions, difference 0, p 1, none changed): got %+v", p)
		}
	}
	pairs, err := ParsePairs([]string{"mad=single"}, run, run)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = CompareRuns(run, run, pairs); err != nil {
		t.Fatal(err)
	}
	result := rescored(t, run, Rescoring{})
	p, want := d.Pairs[0], benchtest.Row(t, result.Comparison, "single").Paired
	if p.Difference != want.Difference || p.Interval != want.Interval || p.P != want.P || p.Gained != want.OnlyFirst ||
		p.Lost != want.OnlySecond || p.Lost == 0 || len(p.Changed) != p.Gained+p.Lost {
		t.Errorf("%+v, the table has %+v", p, want)
	}
}

func TestCompareRunsOfDifferentWidth(t *testing.T) {
	_, run := benchtest.Finished(t)
	small := rundir.Run{Header: run.Header}
	small.Header.Questions, small.Header.Seed, small.Header.Conditions = 4, 2, run.Header.Conditions[:4]
	small.Outcomes = run.Outcomes[:4*(len(run.Header.Conditions)-1)] // one of them comes after all others
	d, err := CompareRuns(run, small, nil)
	if err != nil || len(d.Pairs) != 4 || d.Pairs[0].N != 4 || d.Pairs[0].OnlyIn != [2]int{6, 0} {
		t.Fatalf("a run of 4 questions has 4 pairs with one of 10, and 6 debates are only in that: got %+v, %v", d,
			err)
	}
	out := d.Document(true).String()
	for _, text := range []string{"seed: 1 | 2\n", "questions: 10 | 4\n", "DIFFERENCE",
		"6 debates only in the first run"} {
		t.Run(text, func(t *testing.T) {
			if !strings.Contains(out, text) {
				t.Errorf("the text has %q: got\n%s", text, out)
			}
		})
	}
	if _, err := CompareRuns(run, small, []Pair{{"single", "oracle"}}); err == nil ||
		!strings.Contains(err.Error(), `second run: no condition "oracle"`) {
		t.Errorf("a condition that the second run has not is refused by its name, oracle: got %v", err)
	}
	small.Outcomes = append([]trial.Outcome{}, small.Outcomes...)
	small.Outcomes[0].Target = "(Q)"
	if _, err := CompareRuns(run, small, nil); err == nil || !strings.Contains(err.Error(), "not the same questions") {
		t.Errorf("runs of other questions are refused, as \"not the same questions\": got %v", err)
	}
	small.Outcomes = nil
	if _, err := CompareRuns(run, small, nil); err == nil || !strings.Contains(err.Error(), "no question in common") {
		t.Errorf("runs without a common question are refused, as \"no question in common\": got %v", err)
	}
	small.Header.Conditions = []string{"other"}
	if _, err := CompareRuns(run, small, nil); err == nil ||
		!strings.Contains(err.Error(), "pair some with --conditions") {
		t.Errorf("runs without a common condition are refused, with \"pair some with --conditions\": got %v", err)
	}
}

// TestParsePairs: names of swept conditions have an = of their own.
func TestParsePairs(t *testing.T) {
	run := func(conditions ...string) rundir.Run {
		return rundir.Run{Header: rundir.Header{Run: spec.Run{Conditions: conditions}}}
	}
	first := run("mad", "mad/agents=3", "mad/agents=5", "madc/agents=3/rounds=2", "a", "a=b")
	second := run("mad", "mad/agents=3", "madc/agents=3", "madc/agents=5", "c", "b=c")
	for text, want := range map[string]string{
		"mad":                                  "mad|mad",
		"mad=mad":                              "mad|mad",
		"mad/agents=3":                         "mad/agents=3|mad/agents=3",
		"mad/agents=3=madc/agents=3":           "mad/agents=3|madc/agents=3",
		"madc/agents=3/rounds=2=madc/agents=5": "madc/agents=3/rounds=2|madc/agents=5",
		"mad/agents=5=mad":                     "mad/agents=5|mad",
		"a=b=c":                                "can be read as a with b=c and as a=b with c",
		"mad/agents=5": "name one of each run, as in mad=madc; the first run has mad, " +
			"mad/agents=3",
		"madc":             "name one of each run",
		"mad/agents=7=mad": "name one of each run",
		"=":                "name one", "a=": "name one", "=b": "name one", "": "name one",
	} {
		t.Run(text, func(t *testing.T) {
			pairs, err := ParsePairs([]string{text}, first, second)
			got := ""
			if err != nil {
				got = err.Error()
			} else if len(pairs) == 1 {
				got = pairs[0].First + "|" + pairs[0].Second
			}
			if !strings.Contains(got, want) || err == nil && got != want {
				t.Errorf("%q: %s, want %s", text, got, want)
			}
		})
	}
}

// TestParsePairsProperty: any two conditions of two runs are found again where nothing else can be meant.
func TestParsePairsProperty(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		text := rapid.SampledFrom([]string{"mad", "madc", "a", "b"}).Draw(t, "series")
		for _, setting := range rapid.SliceOfN(rapid.SampledFrom([]string{"agents", "rounds", "a"}), 0, 2).Draw(t,
			"settings") {
			text += "/" + setting + "=" + rapid.SampledFrom([]string{"1", "2", "a", "x=y"}).Draw(t, "value")
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		var runs [2]rundir.Run
		for i := range runs {
			runs[i].Header.Conditions = rapid.SliceOfN(name, 1, 6).Draw(t, "conditions")
		}
		want := Pair{rapid.SampledFrom(runs[0].Header.Conditions).Draw(t, "first"),
			rapid.SampledFrom(runs[1].Header.Conditions).Draw(t, "second")}
		pairs, err := ParsePairs([]string{want.First + "=" + want.Second}, runs[0], runs[1])
		if err != nil && !strings.Contains(err.Error(), "can be read as") || err == nil && pairs[0] != want {
			t.Fatalf("a pair is read as %+v or refused as one that can be read in two ways: got %+v, %v",
				want, pairs, err)
		}
	})
}

// TestPairsSayWhatDiffers: of two conditions that are not one and the same, the differences say in what, whatever they
// are called; of a condition that was only renamed they say nothing but the list of names.
func TestPairsSayWhatDiffers(t *testing.T) {
	_, run := benchtest.Finished(t)
	tried := 0
	for _, a := range run.Header.Conditions {
		for _, b := range run.Header.Conditions {
			if a == b {
				continue
			}
			tried++
			if d, err := CompareRuns(run, run, []Pair{{a, b}}); err != nil || len(d.Headers) == 0 {
				t.Errorf("%s=%s: %v, %v, want what differs", a, b, d.Headers, err)
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d pairs, want at least 20", tried)
	}
	ring, err := protocol.LoadProtocol("ring")
	if err != nil {
		t.Fatal(err)
	}
	star, same := ring, ring
	star.Name, same.Name = "other", "other"
	if err := star.Set("topology", "star"); err != nil {
		t.Fatal(err)
	}
	named := func(p protocol.Protocol) (r rundir.Run) {
		r.Header.Protocols, r.Header.Conditions = spec.Protocols{p}, []string{p.Name}
		return r
	}
	if got := (Pair{"ring", "other"}).unlike(named(ring), named(star)); len(got) != 1 ||
		got[0] != (rundir.Difference{Name: "ring=other: topology", First: "ring", Second: "star"}) {
		t.Errorf("conditions of other topologies differ in the topology alone: got %+v", got)
	}
	if got := (Pair{"ring", "other"}).unlike(named(ring), named(same)); got != nil {
		t.Errorf("a condition that was renamed has no difference: got %+v", got)
	}
}
