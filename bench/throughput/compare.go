package throughput

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/table"
)

// Comparison is what two reports say of the same workloads.
type Comparison struct {
	Changes   []Change `json:"changes"`
	Different []string `json:"different,omitempty"` // how the circumstances of the two reports differ
	Missing   []string `json:"missing,omitempty"`   // workloads that only one of them has
	Warnings  []string `json:"warnings,omitempty"`  // of the reports
}

// Change is a workload in two reports. Ratios are rates of the second divided by those of the first, by pairs of
// repeats, which have the same token ids.
type Change struct {
	Workload string    `json:"workload"` // with the settings that differ within its report
	Before   float64   `json:"before"`   // tokens a second, the median of the runs
	After    float64   `json:"after"`
	Ratios   []float64 `json:"ratios"` // sorted
}

// Compare pairs the workloads of two reports: those of the same name, sizes and settings. It refuses reports that have
// none in common.
func Compare(before, after Report) (c Comparison, err error) {
	c.differ("machine", before.Machine+", "+before.Processor.String(), after.Machine+", "+after.Processor.String())
	c.differ("program", before.Program, after.Program)
	c.differ("llama.cpp", before.LlamaCpp, after.LlamaCpp)
	for i, r := range []Report{before, after} {
		for _, w := range r.Warnings {
			c.Warnings = append(c.Warnings, fmt.Sprintf("the %s report: %s", [...]string{"first", "second"}[i], w))
		}
	}
	left := slices.Clone(after.Results)
	for _, m := range before.Results {
		i := slices.IndexFunc(left, func(o Measurement) bool {
			return o.Workload == m.Workload && o.Sizes == m.Sizes && slices.Equal(o.Settings, m.Settings)
		})
		if i < 0 {
			c.Missing = append(c.Missing, m.name()+", of the first report")
			continue
		}
		o := left[i]
		left = slices.Delete(left, i, i+1)
		for _, d := range [][3]string{{"model", m.Model, o.Model}, {"model's SHA-256", m.ModelHash, o.ModelHash},
			{"flags", m.Flags, o.Flags}, {"seed", fmt.Sprint(m.Seed), fmt.Sprint(o.Seed)}} {
			c.differ(d[0], d[1], d[2])
		}
		c.Changes = append(c.Changes, Change{Workload: m.name(), Before: m.rate(), After: o.rate(),
			Ratios: quotients(o.rates(o.Ours), m.rates(m.Ours))})
	}
	for _, o := range left {
		c.Missing = append(c.Missing, o.name()+", of the second report")
	}
	if len(c.Changes) == 0 {
		return c, fmt.Errorf("the reports have no workload of the same name, sizes and settings in common: %v",
			c.Missing)
	}
	return c, nil
}

// differ notes once that something is not the same in both reports.
func (c *Comparison) differ(what, before, after string) {
	text := fmt.Sprintf("%s: %s before, %s after", what, before, after)
	if before != after && !slices.Contains(c.Different, text) {
		c.Different = append(c.Different, text)
	}
}

// Document is the comparison for people.
func (c Comparison) Document() table.Document {
	d := table.Document{table.New(changes, c.Changes)}
	for _, text := range c.Different {
		d = append(d, table.Paragraph("Not the same: "+text))
	}
	for _, text := range c.Missing {
		d = append(d, table.Paragraph("Not compared: "+text))
	}
	for _, text := range c.Warnings {
		d = append(d, table.Paragraph("Warning of "+text))
	}
	return d
}

var changes = []table.Column[Change]{
	table.Words("workload", func(c Change) string { return c.Workload }, "workload"),
	number("before", "before", "%.1f", func(c Change) float64 { return c.Before }),
	number("after", "after", "%.1f", func(c Change) float64 { return c.After }),
	table.Counts("pairs", func(c Change) int { return len(c.Ratios) }),
	number("after / before", "ratio", "%.3f", func(c Change) float64 { return median(c.Ratios) }),
	between("lowest to highest", "%.3f", []string{"lowest", "highest"}, func(c Change) []float64 { return c.Ratios }),
	table.Left("", Change.says),
}

// says is what the pairs agree on.
func (c Change) says() string {
	switch n := len(c.Ratios); {
	case n < 2:
		return "one pair tells nothing"
	case c.Ratios[0] > 1:
		return "faster in all pairs"
	case c.Ratios[n-1] < 1:
		return "slower in all pairs"
	}
	return "pairs disagree"
}
