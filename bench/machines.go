package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// OnMachines is what a run takes that is cut into one shard for each of several machines.
type OnMachines struct {
	Machines       int       `json:"machines"`
	Shards         []float64 `json:"shard_ms"`        // the time of each, with that to open the model
	PromptComputed int       `json:"prompt_computed"` // tokens, by all machines
	Most           int       `json:"most_machines"`   // that have something to do: the number of questions
}

// Time is that of the slowest shard, in milliseconds.
func (m OnMachines) Time() float64 { return slices.Max(m.Shards) }

// machines simulates a run on 2, 4, 8 machines and so on, up to c.Machines, which is simulated in any case. More
// machines than questions have nothing to do. whole is the time of the run on one machine in milliseconds, computed its
// prompt tokens, and simulate gives both for a shard.
func (c Calibration) machines(o Options, whole float64, computed int,
	simulate func(Options) (took float64, computed int, err error)) (list []OnMachines, err error) {
	if c.Machines < 2 {
		return nil, nil
	}
	questions := len(o.Task.Questions)
	list = append(list, OnMachines{Machines: 1, Shards: []float64{whole}, PromptComputed: computed, Most: questions})
	for n := 1; n < min(c.Machines, questions); {
		n = min(2*n, c.Machines, questions)
		c.says("simulating the run on %d machines", n)
		m := OnMachines{Machines: n, Most: questions}
		for i := range n {
			part, err := o.Shard(trial.Shard{Index: i + 1, Of: n})
			if err != nil {
				return nil, err
			}
			took, computed, err := simulate(part)
			if err != nil {
				return nil, err
			}
			m.Shards, m.PromptComputed = append(m.Shards, took), m.PromptComputed+computed
		}
		list = append(list, m)
	}
	return list, nil
}

// shardTime is what a machine takes for a simulated run, in milliseconds. Apart from the model this is processor time:
// simulations follow each other, and are compared, while the machine may also be busy with something else.
func shardTime(latencies inference.Latencies, r dryRun, start time.Duration) float64 {
	return wording.Milliseconds(start + latencies.Time(r.stats) + r.cpu)
}

// Together sums the forecasts of several tasks up, which each machine computes one after the other. A task that has
// fewer questions than there are machines is computed by some of them, as trial.PartsOf says.
func Together(tasks []Forecast, machines int) (list []OnMachines) {
	questions := 0
	for _, f := range tasks {
		questions += f.Questions
	}
	most := min(machines, questions)
	for n := 1; n <= most; n = min(2*n, max(n+1, most)) {
		sum, first := OnMachines{Machines: n, Shards: make([]float64, n), Most: questions}, 0
		for _, f := range tasks {
			at := slices.IndexFunc(f.Machines, func(m OnMachines) bool { return m.Machines >= n })
			if at < 0 {
				at = len(f.Machines) - 1 // as many as the task has questions
			}
			m := f.Machines[at]
			for i, took := range m.Shards {
				if len(m.Shards) < n {
					i = (first + i) % n // as trial.PartsOf has it
				}
				sum.Shards[i] += took
			}
			if len(m.Shards) < n {
				first += len(m.Shards)
			}
			sum.PromptComputed += m.PromptComputed
		}
		list = append(list, sum)
	}
	return list
}

// worthIt is the share of the time that twice as many machines have to save.
const worthIt = 0.1

// MachinesBlocks has a line for each number of machines, and says from which on more of them do not help.
func MachinesBlocks(list []OnMachines) table.Document {
	if len(list) == 0 {
		return nil
	}
	one, last := list[0], list[len(list)-1]
	t := table.New([]table.Column[OnMachines]{
		table.Right("machines", func(m OnMachines) string { return wording.Comma(m.Machines) }),
		table.Right("time", func(m OnMachines) string { return duration(m.Time()) }),
		table.Right("times as fast", func(m OnMachines) string { return fmt.Sprintf("%.1f", one.Time()/m.Time()) }),
		table.Right("machines busy", func(m OnMachines) string {
			sum := 0.0
			for _, took := range m.Shards {
				sum += took
			}
			return fmt.Sprintf("%.0f %%", 100*sum/m.Time()/float64(m.Machines))
		}),
		table.Right("prompt tokens computed", func(m OnMachines) string { return wording.Comma(m.PromptComputed) }),
		table.Right("more", func(m OnMachines) string {
			return fmt.Sprintf("%.1f %%", 100*(float64(m.PromptComputed)/float64(max(1, one.PromptComputed))-1))
		}),
	}, list)
	return table.Document{table.Text("\n"), t, table.Text("time: that of the slowest shard; more: prompt tokens " +
		"computed again, since machines share none\n" + helping(list, last))}
}

// helping says from which number on more machines do not help.
func helping(list []OnMachines, last OnMachines) string {
	for i, m := range list[1:] {
		if before := list[i]; m.Machines == 2*before.Machines && m.Time() > (1-worthIt)*before.Time() {
			return fmt.Sprintf("more machines than %d help little: %d take %.0f %% of the time that %d take",
				before.Machines, m.Machines, 100*m.Time()/before.Time(), before.Machines)
		}
	}
	if last.Machines == last.Most {
		return fmt.Sprintf("more machines than %d have nothing to do: a question is computed on one", last.Machines)
	}
	return fmt.Sprintf("up to %s, each doubling saves more than a tenth of the time",
		wording.Count(last.Machines, "machine"))
}
