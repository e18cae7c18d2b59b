package debate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/parley-debate/parley/internal/bounds"
)

// CheckNumbers refuses numeric settings that are out of the range that their forms declare; a form may allow less.
// Those named in written were written down by somebody and are checked even if they are 0.
func (s Settings) CheckNumbers(written ...string) error {
	v := s.flat().Elem()
	for i := range v.NumField() {
		name, field := SettingName(v.Type().Field(i)), reflect.Indirect(v.Field(i))
		r, number := RangeOf(name)
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
	for i, a := range s.TeamAgents(Asking{}.Sampling, len(s.Team())) {
		err := bounds.Check("memory", a.Memory, bounds.From(0, MaxSize))
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
