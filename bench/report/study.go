package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/inference"
)

// study is a run and what its experiment says of it. A run without an experiment has only Published, from the options,
// and Similarity and Scores, if there are any. Everything in a section is a function of its study.
type study struct {
	rundir.Run
	Task       experiment.Task
	Points     []experiment.Point
	Published  []Published // published accuracies that are comparable with this run's
	For        []string    // other models for which accuracies on this task are published
	From       []string    // tables or figures that the numbers in Published are from
	Similarity *offline.Similarity
	Scores     *offline.Scores
	Label      string          // of the run, in a report across several
	Fits       []roles.Printed // regressions that its experiment has as published, in a report across several
	Part       string          // what the browser of debates calls it; "" is the task
}

// point is the point of a condition in its experiment. A condition that the experiment does not list, such as a
// control, gets a point with its name and, if the header has it, its protocol.
func (s study) point(condition string) experiment.Point {
	for _, p := range s.Points {
		if p.Condition == condition {
			return p
		}
	}
	p := experiment.Point{Condition: condition, Series: condition}
	for _, held := range s.Header.Protocols {
		if held.Name == condition {
			p.Protocol = held
		}
	}
	return p
}

// settings are the names of the swept settings, in the order of the experiment.
func (s study) settings() (names []string) {
	for _, p := range s.Points {
		for _, at := range p.At {
			if !slices.Contains(names, at.Setting) {
				names = append(names, at.Setting)
			}
		}
	}
	return names
}

// valueAt is the value of a swept setting at a point, "" if it is not swept there.
func valueAt(p experiment.Point, setting string) string {
	for _, at := range p.At {
		if at.Setting == setting {
			return at.Value
		}
	}
	return ""
}

// values are the values of a swept setting in the order of the experiment; numbers reports whether all are numbers.
func (s study) values(setting string) (values []string, numbers bool) {
	numbers = true
	for _, p := range s.Points {
		value := valueAt(p, setting)
		if value == "" || slices.Contains(values, value) {
			continue
		}
		values = append(values, value)
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			numbers = false
		}
	}
	return values, numbers
}

// comparable reports whether a published number can be compared with that of the run: the model, or each of the team
// that replied under the condition, has the same name, and the questions come from the benchmark's file.
func (s study) comparable(n experiment.Number) bool {
	if s.Task.File == "" || s.Header.Replaces != "" {
		return false
	}
	i := slices.IndexFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Condition == n.Condition })
	if i < 0 || len(s.Comparison.Rows[i].Models) == 0 {
		return sameModel(n.Model, s.Header.Model.Name)
	}
	replied := s.Comparison.Rows[i].Models
	return !slices.ContainsFunc(s.Header.Model.All(), func(m inference.ModelInfo) bool {
		return slices.Contains(replied, m.Hash) && !sameModel(n.Model, m.Name)
	})
}

// sameModel compares names without directory, file extension and quantization, ignoring case and punctuation.
func sameModel(published, ours string) bool {
	return bareName(published) != "" && bareName(published) == bareName(ours)
}

var (
	punctuation  = regexp.MustCompile(`[^a-z0-9.]+`)
	quantization = regexp.MustCompile(`[-.](gguf|i?q[0-9](-([klms01]|x+[sl]|nl))*|(b?f|fp)(16|32)|mxfp4)$`)
)

func bareName(model string) string {
	if i := strings.LastIndexAny(model, `/\`); i >= 0 {
		model = model[i+1:]
	}
	name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(model)), ".gguf")
	name = strings.Trim(punctuation.ReplaceAllString(name, "-"), "-")
	for {
		shorter := quantization.ReplaceAllString(name, "")
		if shorter == name {
			return name
		}
		name = shorter
	}
}

// candidateShare is the share of votes that makes candidates for a condition built on the pool; without such a
// condition, it is that of source 0.
func (s study) candidateShare(pool string) float64 {
	for _, p := range s.Points {
		if p.From.After == pool && p.From.Candidates > 0 {
			return p.From.Candidates
		}
	}
	return 0.3
}
