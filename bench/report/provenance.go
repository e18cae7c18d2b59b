package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/bench/rundir"
	"parley/bench/wording"
)

// property is one line of a list of names with what they stand for: what ran, what a condition is, how a debate was
// held.
type property struct{ Name, Value string }

// provenance lists what ran.
func provenance(run rundir.Run) (known []property) {
	h := run.Header
	embedded := ""
	if h.Model.Embedded {
		embedded = ", embedded in the program"
	}
	sampling, _ := json.Marshal(h.Sampling) // plain numbers
	model, generated := fmt.Sprintf("%s (%s, %s parameters, trained for %s tokens%s)", h.Model.Name,
		h.Model.Architecture,
		humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), wording.Comma(h.Model.Context), embedded),
		[]property{
			{"sampling", string(sampling)}, {"most tokens a reply", wording.Comma(h.MaxTokens)},
			{"seed of the run", fmt.Sprint(h.Seed)},
		}
	if h.Imported != nil {
		model, generated = cmp.Or(h.Model.Name, "none")+", as the logs name it",
			[]property{{"imported from", h.Imported.String()}}
		if t := h.Imported.Temperature; t != nil {
			generated = append(generated, property{"temperature", fmt.Sprint(*t)})
		}
	}
	for _, f := range slices.Concat([]property{
		{"model", model}, {"quantization", h.Model.Quantization}, {"SHA-256 of the model", h.Model.Hash},
		{"SHA-256 of its template", h.Model.Template},
		{"mode", h.Model.Mode}, {"kernels", h.Model.Kernels}, {"KV cache", h.Model.KV},
		{"KV cells", ifText(h.Cells > 0, wording.Comma(h.Cells))},
		{"device", h.Model.Device}, {"layers on a GPU", ifText(h.Model.GPULayers != 0, fmt.Sprint(h.Model.GPULayers))},
		{"threads", ifText(h.Threads > 0, fmt.Sprint(h.Threads))},
		{"task", h.Task}, {"source", h.Source}, {"SHA-256 of the task", h.TaskHash},
		{"questions", wording.Comma(run.Comparison.Questions)},
		{"repeats", ifText(h.Repeats > 1, wording.Comma(h.Repeats))}, {"ends", ifText(h.Stop != nil, h.Stop.String())},
		{"answer rule", h.AnswerRule}, {"right is", h.Measure}, {"conditions", strings.Join(h.Conditions, ", ")},
		{"agents", wording.Comma(h.Agents)}, {"rounds", wording.Comma(h.Rounds)}, {"reading", h.Reading},
		{"prompts", h.Prompts}, {"origin of the prompts", h.Origin},
	}, generated, []property{{"program", h.Parley}, {"build", h.Build}, {"started", h.Time}}) {
		if f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

// shared splits the provenance of several runs into what all have in common and the rest of each.
func shared(studies []study) (common []property, rest [][]property) {
	all := make([][]property, len(studies))
	for i, s := range studies {
		all[i] = provenance(s.Run)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, f := range all[0] {
		if !slices.ContainsFunc(all, func(other []property) bool { return !slices.Contains(other, f) }) {
			common = append(common, f)
		}
	}
	for _, list := range all {
		rest = append(rest, slices.DeleteFunc(list, func(f property) bool { return slices.Contains(common, f) }))
	}
	return common, rest
}
