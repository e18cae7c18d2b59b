package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/bench/rundir"
)

// provenance is one line about what ran.
type fact struct{ Name, Value string }

// facts list what ran.
func facts(run rundir.Run) (facts []fact) {
	h := run.Header
	embedded := ""
	if h.Model.Embedded {
		embedded = ", embedded in the program"
	}
	sampling, _ := json.Marshal(h.Sampling) // plain numbers
	model, generated := fmt.Sprintf("%s (%s, %s parameters, trained for %s tokens%s)", h.Model.Name,
		h.Model.Architecture,
		humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), comma(h.Model.Context), embedded), []fact{
		{"sampling", string(sampling)}, {"most tokens a reply", comma(h.MaxTokens)},
		{"seed of the run", fmt.Sprint(h.Seed)},
	}
	if h.Imported != nil {
		model, generated = cmp.Or(h.Model.Name, "none")+", as the logs name it",
			[]fact{{"imported from", h.Imported.String()}}
		if t := h.Imported.Temperature; t != nil {
			generated = append(generated, fact{"temperature", fmt.Sprint(*t)})
		}
	}
	for _, f := range slices.Concat([]fact{
		{"model", model}, {"quantization", h.Model.Quantization}, {"SHA-256 of the model", h.Model.Hash},
		{"SHA-256 of its template", h.Model.Template},
		{"mode", h.Model.Mode}, {"kernels", h.Model.Kernels}, {"KV cache", h.Model.KV},
		{"KV cells", ifText(h.Cells > 0, comma(h.Cells))},
		{"device", h.Model.Device}, {"layers on a GPU", ifText(h.Model.GPULayers != 0, fmt.Sprint(h.Model.GPULayers))},
		{"threads", ifText(h.Threads > 0, fmt.Sprint(h.Threads))},
		{"task", h.Task}, {"source", h.Source}, {"SHA-256 of the task", h.TaskHash},
		{"questions", comma(run.Comparison.Questions)},
		{"repeats", ifText(h.Repeats > 1, comma(h.Repeats))}, {"ends", ifText(h.Stop != nil, h.Stop.String())},
		{"answer rule", h.AnswerRule}, {"right is", h.Measure}, {"conditions", strings.Join(h.Conditions, ", ")},
		{"agents", comma(h.Agents)}, {"rounds", comma(h.Rounds)}, {"reading", h.Reading},
		{"prompts", h.Prompts}, {"origin of the prompts", h.Origin},
	}, generated, []fact{{"program", h.Parley}, {"build", h.Build}, {"started", h.Time}}) {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// shared splits the facts of several runs into those that all have and the rest of each.
func shared(studies []study) (common []fact, rest [][]fact) {
	all := make([][]fact, len(studies))
	for i, s := range studies {
		all[i] = facts(s.Run)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, f := range all[0] {
		if !slices.ContainsFunc(all, func(other []fact) bool { return !slices.Contains(other, f) }) {
			common = append(common, f)
		}
	}
	for _, list := range all {
		rest = append(rest, slices.DeleteFunc(list, func(f fact) bool { return slices.Contains(common, f) }))
	}
	return common, rest
}

func comma(n int) string { return humanize.Comma(int64(n)) }

// percent is a share as a number for attributes of drawings.
func percent(share float64) string { return fmt.Sprintf("%.3f", 100*share) }
