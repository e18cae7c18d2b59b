package bench_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
)

// on is a run that takes so many seconds in each of its shards, and computes as many prompt tokens.
func on(most, computed int, seconds ...float64) bench.OnMachines {
	m := bench.OnMachines{Machines: len(seconds), PromptComputed: computed, Most: most}
	for _, s := range seconds {
		m.Shards = append(m.Shards, 1000*s)
	}
	return m
}

// TestTogether is worked by hand: tasks follow each other on each machine, and the slowest one counts. The three
// questions of a task are computed by the first three of four machines and more; those of the next one by the machines
// behind these, if there are too many of them.
func TestTogether(t *testing.T) {
	short := bench.Forecast{Questions: 3, Machines: []bench.OnMachines{on(3, 10, 12), on(3, 11, 8, 4),
		on(3, 12, 4, 4, 4)}}
	long := bench.Forecast{Questions: 5, Machines: []bench.OnMachines{on(5, 100, 80), on(5, 110, 41, 43),
		on(5, 120, 21, 22, 23, 24), on(5, 130, 19, 18, 17, 16, 20)}}
	got := bench.Together([]bench.Forecast{short, long}, 100)
	want := []bench.OnMachines{on(8, 110, 92), on(8, 121, 49, 47), on(8, 132, 25, 26, 27, 24),
		on(8, 142, 4, 4, 4, 19, 18, 17, 16, 20)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text := bench.MachinesBlocks(got).String()
	for i, line := range []string{
		"│        2 │   49s │           1.9 │          98 % │                    121 │ 10.0 % │",
		"│        4 │   27s │           3.4 │          94 % │                    132 │ 20.0 % │",
		"more machines than 8 have nothing to do: a question is computed on one",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("%s\nhas no line\n%s", text, line)
			}
		})
	}
}

// TestMoreMachines: the number from which more machines help little is the one after which a doubling saves less than a
// tenth.
func TestMoreMachines(t *testing.T) {
	for want, list := range map[string][]bench.OnMachines{
		"more machines than 2 help little: 4 take 98 % of the time that 2 take": {on(9, 1, 100), on(9, 1, 50, 40),
			on(9, 1, 49, 1, 1, 1)},
		"more machines than 1 help little: 2 take 95 % of the time that 1 take": {on(9, 1, 100), on(9, 1, 95, 5)},
		"up to 2 machines, each doubling saves more than a tenth":               {on(9, 1, 100), on(9, 1, 89, 11)},
		"up to 3 machines, each doubling saves more than a tenth": {on(9, 1, 100), on(9, 1, 60, 40),
			on(9, 1, 59, 1, 1)},
	} {
		t.Run(want, func(t *testing.T) {
			text := bench.MachinesBlocks(list).String()
			if !strings.Contains(text, want) {
				t.Errorf("%s\nwant %s", text, want)
			}
		})
	}
	if none := bench.MachinesBlocks(nil); none != nil {
		t.Errorf("of no machines: %v", none)
	}
}
