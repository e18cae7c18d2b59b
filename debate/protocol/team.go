package protocol

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/debate"
)

// checkTeam refuses members that nobody would be, and settings of members that the form does not read.
func checkTeam(s debate.Settings, form debate.Form) error {
	agents, seats := form.AgentsOf(s), form.SeatsOf(s)
	team := s.Team()
	if len(team) > seats {
		return debate.Blame("team", fmt.Errorf("a team of %d members for a debate of %d: some would never speak",
			len(team), seats))
	}
	for i, m := range team {
		for _, own := range []struct {
			field string
			given bool
		}{
			{"name", m.Name != ""}, {"persona", m.Persona != ""}, {"method", m.Method != ""}, {"memory", m.Memory != 0},
			{"tool", m.Tool != ""},
		} {
			// those that preside come after the agents
			reads := slices.Contains(form.Seating.Everybody, own.field) ||
				i < agents && slices.Contains(form.Seating.Debaters, own.field)
			if own.given && !reads {
				return debate.Blame(fmt.Sprintf("team[%d].%s", i, own.field),
					fmt.Errorf("team, member %d: form %s gives it no %s", i, s.Form, own.field))
			}
		}
		if m.Memory < 0 {
			return debate.Blame(fmt.Sprintf("team[%d].memory", i),
				fmt.Errorf("team, member %d: memory %d: it cannot be negative", i, m.Memory))
		}
	}
	return nil
}

// Seat returns the agent that a member of the team is.
func Seat(s debate.Settings, member int) int {
	if form, err := findForm(s.Form); err == nil && form.Seating.First != nil {
		return member + form.Seating.First(s)
	}
	return member
}

// EachModel visits the models of the team, as it names them. An error is returned with the line of the member.
func (p Protocol) EachModel(visit func(name string) error) error {
	for i, m := range p.Team() {
		if m.Model == "" {
			continue
		}
		if err := visit(m.Model); err != nil {
			return debate.Locate(p.text, debate.Blame(fmt.Sprintf("team[%d].model", i),
				fmt.Errorf("team, member %d: %w", i, err)))
		}
	}
	return nil
}

// lookBeside replaces the names of models that are files in dir by their paths.
func (p *Protocol) lookBeside(dir string) {
	team := slices.Clone(p.Team()) // all users of a protocol in the program share its team
	for i := range team {
		if m := &team[i]; m.Model != "" {
			m.Model = Beside(dir, m.Model)
		}
	}
	p.Settings = p.With("team", team)
}

// Beside returns the path of a file that another file in dir names: next to that, if it exists there, else as it is
// named.
func Beside(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) {
		return name
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return name
	}
	return path
}

// NoPeople refuses teams in which a member is a person. Only single debates have them.
func (p Protocol) NoPeople() error {
	for i, m := range p.Team() {
		if m.Human {
			return debate.Locate(p.text, debate.Blame(fmt.Sprintf("team[%d].human", i),
				fmt.Errorf("team, member %d is a person: %w", i, errPerson)))
		}
	}
	return nil
}

// errPerson is the error of a team that only a single debate can have.
var errPerson = errors.New("a run asks models only; parley debate holds debates with people")
