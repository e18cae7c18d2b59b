package inference

import (
	"errors"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestCostHolds: a measurement counts until a run doubts it or the work that held the cores then has ended.
func TestCostHolds(t *testing.T) {
	good := stepCosts{Rows: 11, Row: time.Millisecond}
	with := func(change func(*stepCosts)) stepCosts {
		c := good
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		kept  stepCosts
		load  float64 // now
		holds bool
	}{
		"as measured":            {good, 0, true},
		"on a busy machine":      {good, 20, true},
		"none":                   {stepCosts{}, 0, false},
		"not positive":           {with(func(c *stepCosts) { c.Row = -1 }), 0, false},
		"beyond belief":          {with(func(c *stepCosts) { c.Rows = mostCost + 1 }), 0, false},
		"doubted":                {with(func(c *stepCosts) { c.Anew = true }), 0, false},
		"under load, now idle":   {with(func(c *stepCosts) { c.Load = 20 }), 3, false},
		"under load, still":      {with(func(c *stepCosts) { c.Load = 20 }), 18, true},
		"with a core to spare":   {with(func(c *stepCosts) { c.Load = 1.5 }), 0, true},
		"a run agreed":           {good.after(1.9), 0, true},
		"a run agreed, faster":   {good.after(0.51), 0, true},
		"a run took 18 times":    {good.after(18), 0, false},
		"a run took a fifth":     {good.after(0.2), 0, false},
		"two runs took 3 times":  {with(func(c *stepCosts) { c.Took = 3 }).after(3.5), 0, true},
		"one run took it, or 18": {with(func(c *stepCosts) { c.Took = 3 }).after(18), 0, false},
		"measured anew, equal":   {good.insteadOf(good.after(3)).after(3.1), 0, true},
		"measured anew, other":   {good.insteadOf(stepCosts{Rows: 11, Row: time.Second, Took: 3}).after(3.1), 0, false},
	} {
		if got := test.kept.holds(test.load, 2); got != test.holds {
			t.Errorf("%s: %v, want %v of %+v", name, got, test.holds, test.kept)
		}
	}
}

// TestCostMeasuredAgain: whatever false cost is kept of an earlier measurement, one run corrects it for those after
// it. A cost that agrees stays.
func TestCostMeasuredAgain(t *testing.T) {
	dir := t.TempDir()
	path := modeltest.Embedded(t)
	file := options{calibration: dir}.costFile()
	run := func(tokens int) {
		t.Helper()
		l, err := Open(path, Threads(1), Context(512), Calibrated(dir))
		if errors.Is(err, llamacpp.ErrNoCgo) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if tokens > 0 {
			_, err = l.Join(0).Generate(t.Context(), []Request{{Grammar: `root ::= "a" root`, MaxTokens: tokens,
				Messages: []Message{{Role: "user", Content: "Who is a knave?"}}}})
		}
		if err := errors.Join(err, l.Close(), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (name string, costs stepCosts) {
		t.Helper()
		known := measurements[stepCosts](file)
		if len(known) != 1 {
			t.Fatalf("%d measurements, want 1", len(known))
		}
		for name, costs = range known {
		}
		return name, costs
	}
	run(0)
	name, first := kept()
	if _, err := time.Parse(time.RFC3339, first.Date); err != nil || first.Took != 0 {
		t.Errorf("%+v, %v, want a date, and no run yet", first, err)
	}
	for what, wrong := range map[string]stepCosts{
		"row too dear":    {Rows: first.Rows, Row: 30 * first.Row},
		"row too cheap":   {Rows: first.Rows, Row: max(1, first.Row/30)},
		"step too dear":   {Rows: mostCost, Row: first.Row * 10},
		"took what it is": {Rows: first.Rows, Row: 30 * first.Row, Took: 1},
	} {
		keep(file, map[string]stepCosts{}, name, wrong)
		run(fewSteps / 2)
		if _, c := kept(); c != wrong {
			t.Errorf("%s: %+v after few steps, want %+v", what, c, wrong)
		}
		run(4 * fewSteps)
		if _, c := kept(); !c.Anew || c.Took == 0 || c.Row != wrong.Row {
			t.Errorf("%s: %+v after a run, want it doubted", what, c)
		}
		run(0)
		if _, c := kept(); c.Anew || c.Row == wrong.Row || c.Date < first.Date {
			t.Errorf("%s: %+v, want a new measurement", what, c)
		}
	}
	for _, text := range []string{"null", "[", `{"` + name + `":{"rows":-1}}`} {
		datatest.Write(t, file, text)
		run(0)
		if _, c := kept(); c.Row <= 0 {
			t.Errorf("%+v instead of %s", c, text)
		}
	}
}

// TestEnoughWidth: the least width with nine tenths of the highest rate, and none without a rate.
func TestEnoughWidth(t *testing.T) {
	for _, c := range []struct {
		rates []float64
		want  int
	}{{nil, 0}, {[]float64{5}, 16}, {[]float64{1, 2, 3, 4}, 128}, {[]float64{1000, 2656, 3000, 3094, 2900}, 64},
		{[]float64{91, 100}, 16}, {[]float64{89, 100}, 32}, {[]float64{3, 3, 3}, 16}} {
		if got := enough(c.rates); got != c.want {
			t.Errorf("%v: %d, want %d", c.rates, got, c.want)
		}
	}
}

// TestMeasureWidth measures where it can be measured: a width is a power of two that the model has sequences for, and
// leaves nothing in the way of another measurement.
func TestMeasureWidth(t *testing.T) {
	path := modeltest.Embedded(t)
	l, err := Open(path, Context(1024))
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.models[0]
	for range 2 {
		n, err := m.measureWidth(m.options.context)
		if err != nil || n < narrowest || n > m.model.MaxSequences() || n&(n-1) != 0 {
			t.Errorf("%d, %v, want a power of two from %d to %d", n, err, narrowest, m.model.MaxSequences())
		}
	}
}
