package debate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/parley-debate/parley/internal/bounds"
)

// ranges bound the numeric settings, whether a flag, a file or a caller gives them; a form may allow less. A setting
// that is not given is 0. Where 0 is out of range, it cannot be given.
var ranges = map[string]bounds.Range{
	"agents": bounds.From(1, MaxSize), "rounds": bounds.From(1, MaxSize), "abstain": bounds.From(0, 1),
	"decay": bounds.From(0, 1), "intensity": bounds.From(0, 10), "memory": bounds.From(0, MaxSize),
	"probes":     bounds.From(0, MaxSize),
	"sub-rounds": bounds.From(1, MaxSize), "vote-from": bounds.From(1, MaxSize), "ablate": bounds.From(0, MaxSize),
	"most": bounds.From(1, MaxSize), "samples": bounds.From(1, MaxSize), "holder": bounds.From(0, MaxSize-1),
	"depth": bounds.From(1, MaxSize), "level": bounds.From(0, 3),
}

// RangeOf returns the range of a numeric setting; number is false for other settings.
func RangeOf(setting string) (r bounds.Range, number bool) {
	r, number = ranges[setting]
	return r, number
}

// CheckNumbers refuses numeric settings that are out of range. Those named in written were written down by somebody and
// are checked even if they are 0.
func (s Settings) CheckNumbers(written ...string) error {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		name, field := SettingName(v.Type().Field(i)), reflect.Indirect(v.Field(i))
		r, number := ranges[name]
		if !number || !field.IsValid() || v.Field(i).IsZero() && !slices.Contains(written, name) {
			continue
		}
		value := 0.0
		if field.CanFloat() {
			value = field.Float()
		} else {
			value = float64(field.Int())
		}
		if err := bounds.Check(name, value, r); err != nil {
			return Blame(name, err)
		}
	}
	return s.checkSamplers()
}

// checkSamplers refuses members of the team whose memory or sampling parameters are out of range.
func (s Settings) checkSamplers() error {
	for i, a := range s.TeamAgents(Asking{}.Sampling, len(s.Team)) {
		err := bounds.Check("memory", a.Memory, ranges["memory"])
		if a.Sampling != nil && err == nil {
			err = a.Sampling.Validate()
		}
		if err != nil {
			return Blame("team", fmt.Errorf("team, member %d: %w", i, err))
		}
	}
	return nil
}

// WrittenIn returns the top-level keys of a YAML file.
func WrittenIn(text []byte) (names []string) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil
	}
	for _, doc := range file.Docs {
		if top, ok := doc.Body.(ast.MapNode); ok {
			for items := top.MapRange(); items.Next(); {
				names = append(names, items.Key().String())
			}
		}
	}
	return names
}
