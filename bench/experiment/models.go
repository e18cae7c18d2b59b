package experiment

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// Teams of an experiment name their models as files, or by a role that is listed under models: strong, medium, weak.
// The experiment is then the same whoever plays the roles.

// modelsWith returns the models of roles with those of a command line.
func (e Experiment) modelsWith(given map[string]string) (map[string]string, error) {
	models := maps.Clone(e.Models)
	for _, role := range slices.Sorted(maps.Keys(given)) {
		if _, known := models[role]; !known {
			return nil, fmt.Errorf("experiment %s has no role %q in its teams; %s", e.Name, role, e.rolesThere())
		}
		models[role] = given[role]
		if path, err := filepath.Abs(given[role]); err == nil && isFile(path) {
			models[role] = path // an absolute path, so that no file beside the experiment is taken in its place
		}
	}
	return models, nil
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rolesThere says which roles can be given a model, for errors.
func (e Experiment) rolesThere() string {
	if len(e.Models) == 0 {
		return "its teams name their models themselves, or have none"
	}
	return "there are " + strings.Join(slices.Sorted(maps.Keys(e.Models)), ", ")
}

// Unfilled lists the roles that have no model, sorted. Such an experiment can be read, but not run.
func (e Experiment) Unfilled() (roles []string) {
	for _, role := range slices.Sorted(maps.Keys(e.Models)) {
		if e.Models[role] == "" {
			roles = append(roles, role)
		}
	}
	return roles
}

// cast returns the model that a team means by a name: that of the role, if it is one, "" for a role without a model.
func (e Experiment) cast(name string) string {
	if model, role := e.Models[name]; role {
		return model
	}
	return name
}

// beside returns a model of a team as files in other directories name it. Roles stay as they are.
func (e Experiment) beside(dir, name string) string {
	if _, role := e.Models[name]; role {
		return name
	}
	return protocol.Beside(dir, name)
}

// checkRoles refuses roles that no team has: a role with a typing error would leave its team to another model
// unnoticed.
func (e Experiment) checkRoles() error {
	used := make(map[string]bool)
	for _, c := range e.Conditions {
		c.renameModels(func(name string) string { used[name] = true; return name })
	}
	for _, role := range slices.Sorted(maps.Keys(e.Models)) {
		if !used[role] {
			return e.at("models", fmt.Errorf("models: no team has a member with the model %s", role))
		}
	}
	return nil
}

// cast gives members that have a role its model; those whose role has none keep it.
func (w where) cast(team []debate.Member) []debate.Member {
	team = slices.Clone(team)
	for i, m := range team {
		if model := w.models[m.Model]; model != "" {
			m.Model = model
		}
		if m.Model != "" {
			m.Model = protocol.Beside(w.dir, m.Model)
		}
		team[i] = m
	}
	return team
}

// renameModels returns the condition with other names for the models of its teams; a member whose model gets the name
// "" has that of the run.
func (c Condition) renameModels(name func(string) string) Condition {
	c.Set, c.Sweep = c.Set.renameModels(name), c.Sweep.renameModels(name)
	if c.Small != nil {
		c.Small = &SmallCondition{c.Small.Set.renameModels(name), c.Small.Sweep.renameModels(name)}
	}
	return c
}

// renameModels does so in the teams of a list of settings.
func (p Pairs) renameModels(name func(string) string) Pairs {
	out := slices.Clone(p)
	for i, pair := range out {
		if pair.Name == teamSetting {
			out[i].Value = renameModels(pair.Value, name)
		}
	}
	return out
}

// renameModels does so in a team, or a list of teams, as YAML is read.
func renameModels(value any, name func(string) string) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = renameModels(item, name)
		}
		return list
	case map[string]any:
		member := maps.Clone(v)
		if model, ok := member["model"].(string); ok {
			if member["model"] = name(model); member["model"] == "" {
				delete(member, "model")
			}
		}
		return member
	}
	return value
}
