package rundir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// property is one thing that a header says, by the name that people read.
type property struct {
	name  string
	value any // comparable
}

// computation lists what determines a generation besides the request, for one of the run's models: inference.Identity
// in words. Two runs may share generations only if all of it is equal.
func (h Header) computation(m inference.ModelInfo) []property {
	device := m.Device
	if m.GPULayers != 0 {
		device = fmt.Sprintf("%s, --gpu-layers %d", m.Device, m.GPULayers)
	}
	file, said, fingerprint := m.Hash, "", ""
	if r := m.Remote; r != nil {
		file, said, fingerprint = r.FileHash, m.Hash, r.Fingerprint
	}
	return []property{
		{"the model's SHA-256", file}, {"the SHA-256 of what servers say of the model", said},
		{"the servers' fingerprint", fingerprint}, {"the template's SHA-256", m.Template}, {"mode", m.Mode},
		{"build", h.Build}, {"kernels", m.Kernels}, {"KV cache", m.KV}, {"device", device},
	}
}

// identity lists what makes a run this run and no other. A directory refuses to resume a run if any of it differs.
func (h Header) identity() []property {
	s := h.Sampling
	c := cmp.Or(h.Columns, &task.Columns{Question: "the family's", Answer: "the family's"})
	return append(h.computation(h.Model), []property{
		{"task", h.Task + " " + h.TaskHash}, {"answer rule", h.AnswerRule}, {"measure", h.Measure},
		{"column of the question", c.Question}, {"column of the answer", c.Answer},
		{"columns of the choices", cmp.Or(strings.Join(c.Choices, ","), "none")},
		{"naming of choices", cmp.Or(c.By, "none")}, {"column of the passage", cmp.Or(c.Passage, "none")},
		{"column of the facts", cmp.Or(c.Facts, "none")},
		{"reading", h.Reading}, {"prompts", h.Prompts},
		{"temperature", s.Temperature}, {"top-k", s.TopK}, {"top-p", s.TopP}, {"min-p", s.MinP},
		{"repeat penalty", s.RepeatPenalty}, {"tokens that the penalty looks back on", s.RepeatLastN},
		{"end ignored", s.IgnoreEnd}, {"alternative tokens", s.Alternatives},
		{"max tokens", h.MaxTokens}, {"reasoning", h.heard()}, {"end of loops", h.EndLoops},
		{"stop texts", h.stops()}, {"closing turns", h.Closing},
		{"seed", h.Seed}, {"shard", h.Shard.String()}, {"logs", h.Imported.String()}, {"team", h.team()},
	}...)
}

// heard says whether agents hear the reasoning of others: their prompts have it or not.
func (h Header) heard() string {
	if h.Reasoning == debate.ShareReasoning {
		return "shared with others"
	}
	return "kept from others"
}

// stops returns the stop texts of replies as a text.
func (h Header) stops() string {
	if len(h.StopTexts) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", h.StopTexts)
}

// team returns the members of the standard conditions as a text.
func (h Header) team() string {
	if len(h.Team) == 0 {
		return "none"
	}
	text, _ := json.Marshal(h.Team) // plain texts and numbers
	return string(text)
}

// teamModels returns the other models of the run as a text.
func (h Header) teamModels() string {
	var list []string
	for _, m := range h.Model.Team {
		list = append(list, fmt.Sprintf("%s %.12s", m.Name, m.Hash))
	}
	return strings.Join(list, ", ")
}

// extent lists how wide the run is, and what else may differ when it resumes.
func (h Header) extent() []property {
	return []property{
		{"model", h.Model.Name}, {"parley", h.Parley}, {"source", h.Source}, {"questions", h.Questions},
		{"agents", h.Agents}, {"rounds", h.Rounds},
		{"repeats", max(1, h.Repeats)}, {"stop", h.Stop.String()}, {"equivalence", h.Equivalence},
		{"cluster", h.Cluster}, {"group", h.Group}, {"contrasts", strings.Join(h.Contrasts, "; ")},
		{"conditions", strings.Join(h.Conditions, ", ")},
		{"threads", h.Threads}, {"KV cells", h.Cells}, {"models of teams", h.teamModels()},
	}
}

// differs lists what makes this another run, not a wider or narrower one. A model of a team that is another one now, or
// computed otherwise, does; other teams make a wider run.
func (h Header) differs(other Header) []Difference {
	all := compareKnown(h.identity(), other.identity())
	for _, was := range h.Model.Team {
		for _, is := range other.Model.Team {
			if was.Path != is.Path {
				continue
			}
			for _, d := range compareKnown(h.computation(was), other.computation(is)) {
				if !slices.Contains(all, d) { // the same is new for all models
					d.Name = fmt.Sprintf("%s (the team's %s)", d.Name, was.Path)
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// computesAs reports whether the generations of one of the run's models are those that the other run would compute.
func (h Header) computesAs(m inference.ModelInfo, other Header) bool {
	return slices.ContainsFunc(other.Model.All(), func(o inference.ModelInfo) bool {
		return len(compareKnown(h.computation(m), other.computation(o))) == 0
	})
}

// Difference is one thing that two headers say differently.
type Difference struct {
	Name   string `json:"name"`
	First  any    `json:"first"`
	Second any    `json:"second"`
}

// Differences lists all that two headers say differently, except their times.
func (h Header) Differences(other Header) []Difference {
	return compare(append(h.identity(), h.extent()...), append(other.identity(), other.extent()...))
}

// compareKnown is compare without the properties that the first header lacks: those of older programs say less.
func compareKnown(first, second []property) []Difference {
	return slices.DeleteFunc(compare(first, second), func(d Difference) bool { return d.First == "" })
}

// compare lists the unequal properties of two lists of the same names.
func compare(first, second []property) (differences []Difference) {
	for i, f := range first {
		if f.value != second[i].value {
			differences = append(differences, Difference{f.name, f.value, second[i].value})
		}
	}
	return differences
}

// sameExtent reports whether two headers of one identity ask for the same debates, so that no new header is needed.
func (h Header) sameExtent(other Header) bool {
	return h.Questions == other.Questions && h.Agents == other.Agents && h.Rounds == other.Rounds &&
		max(1, h.Repeats) == max(1, other.Repeats) && h.Stop.String() == other.Stop.String() &&
		h.Equivalence == other.Equivalence && h.Cluster == other.Cluster && h.Group == other.Group &&
		h.Source == other.Source && h.teamModels() == other.teamModels() &&
		slices.Equal(h.Conditions, other.Conditions) && slices.Equal(h.Contrasts, other.Contrasts) &&
		slices.Equal(h.Bounds, other.Bounds) &&
		slices.EqualFunc(h.Protocols, other.Protocols, protocol.Protocol.Equal)
}
