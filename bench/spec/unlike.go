package spec

import (
	"encoding/json"
	"slices"
	"strings"
)

// Setting is a setting of a condition with its value in each of several runs, "" where it is not given.
type Setting struct {
	Name   string // the condition and the setting, as in "mad: topology"
	Values []string
}

// Unlike lists the settings in which a condition that all of the runs have is not the same in all.
func Unlike(runs ...Run) (settings []Setting) {
	for i, r := range runs {
		for _, condition := range r.Conditions {
			if slices.ContainsFunc(runs, func(o Run) bool { return !slices.Contains(o.Conditions, condition) }) {
				continue
			}
			for _, p := range r.settingsOf(condition) {
				at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == p.Name })
				if at < 0 {
					at, settings = len(settings), append(settings, Setting{p.Name, make([]string, len(runs))})
				}
				settings[at].Values[i] = p.Value.(string)
			}
		}
	}
	return slices.DeleteFunc(settings, func(s Setting) bool { return len(slices.Compact(slices.Clone(s.Values))) == 1 })
}

// settingsOf lists what a condition is set to, if it is a protocol or a bound: as a header has it.
func (r Run) settingsOf(condition string) (list []Property) {
	add := func(name, value string) { list = append(list, Property{Name: condition + ": " + name, Value: value}) }
	for _, p := range r.Protocols {
		if p.Name != condition {
			continue
		}
		var values map[string]json.RawMessage
		text, _ := json.Marshal(p.Settings)
		_ = json.Unmarshal(text, &values)
		for _, name := range p.Given() {
			add(name, strings.Trim(string(values[name]), `"`))
		}
		if p.Answer != "" {
			add("answer", p.Answer)
		}
	}
	if slices.Contains(r.Bounds, condition) {
		add("right if", "any agent is")
	}
	return list
}
