package report

import (
	"slices"
	"strconv"

	"parley/bench/experiment"
	"parley/bench/offline"
	"parley/bench/rundir"
)

// study is a run with what its experiment says of it, which is nothing if it is by itself.
type study struct {
	rundir.Run
	Task       experiment.Task
	Points     []experiment.Point
	Published  []Published // for the model of the run
	For        []string    // models that numbers on this task are published for
	From       []string    // where those in Published stand
	Similarity *offline.Similarity
}

// point is the place of a condition in its experiment. Of one that was not swept it has the protocol, of others at
// least the name.
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

// settings are those that are swept, in the order of the experiment.
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

// values of a swept setting in the order of the experiment; numbers says whether all are.
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
