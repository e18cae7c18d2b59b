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
			settings = enter(settings, i, len(runs), r.settingsOf(condition, condition))
		}
	}
	return unequal(settings)
}

// UnlikePair lists the settings in which a condition of one run and another one of the same or another run differ. They
// have the name of the pair.
func UnlikePair(name string, a Run, first string, b Run, second string) []Setting {
	return unequal(enter(enter(nil, 0, 2, a.settingsOf(first, name)), 1, 2, b.settingsOf(second, name)))
}

// enter enters the settings of run i of n.
func enter(settings []Setting, i, n int, list []Property) []Setting {
	for _, p := range list {
		at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == p.Name })
		if at < 0 {
			at, settings = len(settings), append(settings, Setting{p.Name, make([]string, n)})
		}
		settings[at].Values[i] = p.Value.(string)
	}
	return settings
}

// unequal keeps the settings that are not the same in all runs.
func unequal(settings []Setting) []Setting {
	return slices.DeleteFunc(settings, func(s Setting) bool { return len(slices.Compact(slices.Clone(s.Values))) == 1 })
}

// settingsOf lists what a condition is set to, if it is a protocol or a bound: as a header has it. They get the name
// of the condition or of a pair that it belongs to.
func (r Run) settingsOf(condition, as string) (list []Property) {
	add := func(name, value string) { list = append(list, Property{Name: as + ": " + name, Value: value}) }
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
