package trial

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// ReferenceOf is the condition that a condition is compared with. Usually this is the reference of the run. If that is
// a point of a sweep, it is the point of the same sweep that has the condition's values of the settings that both
// sweep: teams of one size, debates of as many rounds. Without such a point the condition is compared with nothing,
// which is itself. Points of the reference's own sweep are compared with the reference. A team that is called NAME-of-N
// counts as a point of N agents.
func ReferenceOf(condition, reference string, all []string) string {
	series, wanted := pointOf(reference)
	own, values := pointOf(condition)
	if own == series {
		return reference
	}
	shared := false
	for setting := range wanted {
		if value, swept := values[setting]; swept {
			wanted[setting], shared = value, true
		}
	}
	if !shared {
		return reference
	}
	i := slices.IndexFunc(all, func(name string) bool {
		other, at := pointOf(name)
		return other == series && maps.Equal(at, wanted)
	})
	if i < 0 {
		return condition
	}
	return all[i]
}

// teamOf is how the name of a team ends that is as large as it says, such as mixed-of-3.
var teamOf = regexp.MustCompile(`-of-([0-9]+)$`)

// pointOf splits the name of a swept condition, such as mad/agents=3/rounds=2, into its series and values, and that of
// a team, such as mixed-of-3, into its name and number of agents. Names of other conditions have no values.
func pointOf(condition string) (series string, values map[string]string) {
	series, rest, swept := strings.Cut(condition, "/")
	if size := teamOf.FindStringSubmatch(condition); !swept && size != nil {
		return strings.TrimSuffix(condition, size[0]), map[string]string{"agents": size[1]}
	}
	if !swept {
		return condition, nil
	}
	values = make(map[string]string)
	setting := ""
	for _, part := range strings.Split(rest, "/") {
		if name, value, named := strings.Cut(part, "="); named {
			setting, values[name] = name, value
		} else { // the value has a slash, as a path has
			values[setting] += "/" + part
		}
	}
	return series, values
}

// Names lists the names of conditions.
func Names(conditions []Condition) (names []string) {
	for _, c := range conditions {
		names = append(names, c.Name)
	}
	return names
}
