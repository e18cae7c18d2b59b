package report

import (
	"slices"
	"strconv"

	"parley/bench/experiment"
	"parley/bench/offline"
	"parley/bench/rundir"
)

// study is a run and what its experiment says of it. A run by itself has only Published, from the options, and
// Similarity, if it was measured. Everything in a section is a function of its study.
type study struct {
	rundir.Run
	Task       experiment.Task
	Points     []experiment.Point
	Published  []Published // for the model of the run
	For        []string    // models that numbers on this task are published for
	From       []string    // where those in Published stand
	Similarity *offline.Similarity
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
