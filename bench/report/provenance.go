package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
)

// property is a name with its value, one line of a list: of provenance, of what conditions mean, of a debate's
// settings.
type property struct{ Name, Value string }

// provenance lists what the run's header records, and leaves out what is empty.
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
			{"sampling", string(sampling)}, {"most tokens per reply", wording.Comma(h.MaxTokens)},
			{"reasoning in replies", string(h.Reasoning)}, {"seed of the run", fmt.Sprint(h.Seed)},
		}
	hash, file := "SHA-256 of the model", ""
	if r := h.Model.Remote; r != nil {
		file = r.FileHash
		model, hash = fmt.Sprintf("%s (%s)", h.Model.Name, h.Model.About()), "SHA-256 of what its servers say of it"
	}
	var team []property
	for _, m := range h.Model.Team {
		about := fmt.Sprintf("%s %s, %s parameters", m.Architecture, m.Quantization,
			humanize.SIWithDigits(float64(m.Parameters), 1, ""))
		if m.Remote != nil {
			about = m.About()
		} else if m.GPULayers != 0 || h.Model.GPULayers != 0 {
			about += ", on " + m.Device
		}
		team = append(team, property{"in teams also", fmt.Sprintf("%s (%s), SHA-256 %s", m.Name, about, m.Hash)})
	}
	if members, _ := json.Marshal(h.Team); len(h.Team) > 0 {
		team = append(team, property{"team of the standard conditions", string(members)})
	}
	if h.Imported != nil {
		model, generated = cmp.Or(h.Model.Name, "none")+", as the logs name it",
			[]property{{"imported from", h.Imported.String()}}
		if t := h.Imported.Temperature; t != nil {
			generated = append(generated, property{"temperature", fmt.Sprint(*t)})
		}
	}
	for _, f := range slices.Concat([]property{
		{"model", model}, {"quantization", h.Model.Quantization}, {hash, h.Model.Hash},
		{"SHA-256 of the model, as its servers say", file},
		{"SHA-256 of its template", h.Model.Template},
	}, team, []property{
		{"mode", h.Model.Mode}, {"replies may depend on the batch", h.Model.Depends}, {"kernels", h.Model.Kernels},
		{"KV cache", h.Model.KV}, {"KV cells", ifText(h.Cells > 0, wording.Comma(h.Cells))},
		{"device", h.Model.Device}, {"layers on a GPU", ifText(h.Model.GPULayers != 0, fmt.Sprint(h.Model.GPULayers))},
		{"threads", ifText(h.Threads > 0, fmt.Sprint(h.Threads))},
		{"task", h.TaskName()}, {"source", h.Source}, {"SHA-256 of the task", h.TaskHash},
		{"questions", wording.Comma(run.Comparison.Questions)},
		{"shard", ifText(h.Shard != nil, h.Shard.String())},
		{"repeats", ifText(h.Repeats > 1, wording.Comma(h.Repeats))}, {"ends", ifText(h.Stop != nil, h.Stop.String())},
		{"columns", h.Columns.String()}, {"answer rule", h.AnswerRule}, {"right is", h.Measure}, {"conditions",
			strings.Join(h.Conditions, ", ")},
		{"agents", ifText(h.Agents > 0, wording.Comma(h.Agents))},
		{"rounds", ifText(h.Rounds > 0, wording.Comma(h.Rounds))}, {"reading", h.Reading},
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
