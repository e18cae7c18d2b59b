package rundir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/inference"
)

// computation lists what determines a generation besides the request, for one of the run's models: inference.Identity
// in words. Two runs may share generations only if all of it is equal.
func (h Header) computation(m inference.ModelInfo) []spec.Property {
	device := m.Device
	if m.GPULayers != 0 {
		device = fmt.Sprintf("%s, --gpu-layers %d", m.Device, m.GPULayers)
	}
	file, said, fingerprint := m.Hash, "", ""
	if r := m.Remote; r != nil {
		file, said, fingerprint = r.FileHash, m.Hash, r.Fingerprint
	}
	return []spec.Property{
		{Name: "the model's SHA-256", Class: spec.Identity, Value: file},
		{Name: "the SHA-256 of what servers say of the model", Class: spec.Identity, Value: said},
		{Name: "the servers' fingerprint", Class: spec.Identity, Value: fingerprint},
		{Name: "the template's SHA-256", Class: spec.Identity, Value: m.Template},
		{Name: "mode", Class: spec.Identity, Value: m.Mode}, {Name: "build", Class: spec.Identity, Value: h.Build},
		{Name: "kernels", Class: spec.Identity, Value: m.Kernels}, {Name: "KV cache", Class: spec.Identity,
			Value: m.KV},
		{Name: "device", Class: spec.Identity, Value: device},
	}
}

// properties lists what a header says of itself: which model computes it and how, what the run is, and where and of
// what it was made.
func (h Header) properties() []spec.Property {
	return slices.Concat(h.computation(h.Model), []spec.Property{
		{Name: "model", Class: spec.Neither, Value: h.Model.Name},
		{Name: "models of teams", Class: spec.Extent, Value: h.teamModels()},
		{Name: "parley", Class: spec.Neither, Value: h.Parley},
		{Name: "tests", Class: spec.Neither, Value: h.Tested},
	}, h.Properties(), []spec.Property{
		{Name: "threads", Class: spec.Neither, Value: h.Threads},
		{Name: "KV cells", Class: spec.Neither, Value: h.Cells},
		{Name: "shard", Class: spec.Identity, Value: h.Shard.String()},
		{Name: "logs", Class: spec.Identity, Value: h.Imported.String()},
	})
}

// of returns the properties of a header that are of one class.
func (h Header) of(class spec.Class) []spec.Property {
	return slices.DeleteFunc(h.properties(), func(p spec.Property) bool { return p.Class != class })
}

// teamModels returns the other models of the run as a text.
func (h Header) teamModels() string {
	var list []string
	for _, m := range h.Model.Team {
		list = append(list, fmt.Sprintf("%s %.12s", m.Name, m.Hash))
	}
	return strings.Join(list, ", ")
}

// differs lists what makes this another run, not a wider or narrower one. A model of a team that is another one now, or
// computed otherwise, does; other teams make a wider run.
func (h Header) differs(other Header) []Difference {
	all := compareKnown(h.of(spec.Identity), other.of(spec.Identity))
	for _, was := range h.Model.Team {
		for _, is := range other.Model.Team {
			if was.Path != is.Path {
				continue
			}
			for _, d := range compareKnown(h.computation(was), other.computation(is)) {
				if !slices.Contains(all, d) { // it is new for all models
					d.Name = fmt.Sprintf("%s (the team's %s)", d.Name, was.Path)
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// Decides lists what makes a run another one than was recorded, conditions that mean something else included.
func (h Header) Decides(other Header) []Difference {
	return append(h.differs(other), h.meanings(other)...)
}

// meanings lists what the conditions of both headers mean otherwise in the other one, setting by setting.
func (h Header) meanings(other Header) (differences []Difference) {
	for _, was := range h.Protocols {
		for _, is := range other.Protocols {
			if was.Name != is.Name {
				continue
			}
			for _, d := range was.Settings.Differences(is.Settings) {
				differences = append(differences, Difference{was.Name + ": " + d.Name, d.First, d.Second})
			}
			if was.Answer != is.Answer {
				differences = append(differences, Difference{was.Name + ": answer", was.Answer, is.Answer})
			}
		}
	}
	for _, name := range h.Conditions {
		was, is := slices.Contains(h.Bounds, name), slices.Contains(other.Bounds, name)
		if was != is && slices.Contains(other.Conditions, name) {
			differences = append(differences, Difference{name + ": right if any agent is", was, is})
		}
	}
	// Conditions that come or go may bring files or take them along. Older runs did not record files.
	if lacks(other.PromptFiles, h.PromptFiles) && !lacks(other.Conditions, h.Conditions) ||
		h.PromptFiles != nil && lacks(h.PromptFiles, other.PromptFiles) && !lacks(h.Conditions, other.Conditions) {
		differences = append(differences, Difference{"SHA-256 of the prompts",
			strings.Join(h.PromptFiles, ", "), strings.Join(other.PromptFiles, ", ")})
	}
	return differences
}

// lacks reports whether a list lacks any of the others.
func lacks(list, others []string) bool {
	return slices.ContainsFunc(others, func(one string) bool { return !slices.Contains(list, one) })
}

// leavesOut lists what a run of this header would no longer have as one of the other header, which differs in nothing
// else: conditions, questions, repeats, or what comes behind an early end.
func (h Header) leavesOut(other Header) (differences []Difference) {
	less := map[string]bool{
		"conditions": lacks(append(slices.Clone(other.Conditions), h.Again), h.Conditions), // a second draw may go
		"questions":  other.Questions < h.Questions,
		"repeats":    max(1, other.Repeats) < max(1, h.Repeats),
		"stop":       other.Stop != nil && (h.Stop == nil || *h.Stop != *other.Stop),
	}
	for _, d := range compare(h.of(spec.Extent), other.of(spec.Extent)) {
		if less[d.Name] {
			differences = append(differences, d)
		}
	}
	return differences
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

// Differences lists all that two headers say differently and that has a name, as their times have not: first what makes
// them different runs, at last how conditions of one name are set differently.
func (h Header) Differences(other Header) (differences []Difference) {
	for _, class := range []spec.Class{spec.Identity, spec.Extent, spec.Neither} {
		differences = append(differences, compare(h.of(class), other.of(class))...)
	}
	return append(differences, h.settings(other)...)
}

// settings lists how conditions of one name are set differently.
func (h Header) settings(other Header) (differences []Difference) {
	for _, s := range spec.Unlike(h.Run, other.Run) {
		differences = append(differences, Difference{s.Name, s.Values[0], s.Values[1]})
	}
	return differences
}

// compareKnown is compare without the properties that the first header lacks: those of older programs say less.
func compareKnown(first, second []spec.Property) []Difference {
	return slices.DeleteFunc(compare(first, second), func(d Difference) bool { return d.First == "" })
}

// compare lists the unequal properties of two lists of the same names that people can read.
func compare(first, second []spec.Property) (differences []Difference) {
	for i, f := range first {
		if _, long := f.Value.(spec.Unlisted); !long && f.Value != second[i].Value {
			differences = append(differences, Difference{f.Name, f.Value, second[i].Value})
		}
	}
	return differences
}

// sameExtent reports whether two headers of one identity ask for the same debates, so that no new header is needed.
func (h Header) sameExtent(other Header) bool {
	return slices.Equal(h.of(spec.Extent), other.of(spec.Extent))
}
