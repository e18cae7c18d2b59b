package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/debate/society"
)

// checkTeam refuses members that nobody would be, and settings of members that the form does not read.
func checkTeam(s debate.Settings) error {
	if seats := seats(s); len(s.Team) > seats {
		return debate.Blame("team", fmt.Errorf("a team of %d members for a debate of %d: some would never speak",
			len(s.Team), seats))
	}
	agents := cmp.Or(s.Agents, 3) // the summarizer, the supervisor and the challenger come after them
	for i, m := range s.Team {
		for _, own := range []struct {
			field string
			given bool
			forms map[string]bool // that read it
		}{
			{"name", m.Name != "", map[string]bool{"society": true, "lesson": true, "knights": true,
				"discussion": i < agents}},
			{"persona", m.Persona != "", map[string]bool{"society": true, "knights": true, "discussion": i < agents}},
			{"method", m.Method != "", map[string]bool{"society": i < agents}},
			{"memory", m.Memory != 0, map[string]bool{"society": i < agents, "knights": i < agents}},
		} {
			if own.given && !own.forms[s.Form] {
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

// seats returns how many members of a team speak: the agents, then the moderator and the judge, a summarizer, a
// supervisor and a judge of arguments or facts if they are asked, or a challenger.
func seats(s debate.Settings) int {
	if society.JudgesFacts(s) {
		s.Judge = ""
		return seats(s) + 1
	}
	switch {
	case s.Form == "tit-for-tat":
		return cmp.Or(s.Agents, 2) + 2
	case s.Form == "society" && s.Summarizer == society.SummarizerAgent:
		return cmp.Or(s.Agents, 3) + 1
	// also without a supervisor, whose place is kept
	case s.Form == "knights" && s.Judge != "" && s.Judge != knights.JudgeNone:
		return cmp.Or(s.Agents, 3) + 2
	case s.Form == "knights" && (s.Reading == debate.ReadingPaper || s.Order == knights.OrderChosen):
		return cmp.Or(s.Agents, 3) + 1
	case s.Ablate > 0:
		return 1
	case s.Form == "discussion" && s.Challenge == discussion.ChallengeWrong:
		return cmp.Or(s.Agents, 3) + 1
	}
	return cmp.Or(s.Agents, 3)
}

// Seat returns the agent that a member of the team is. A neutral agent, which is no member, comes first.
func Seat(s debate.Settings, member int) int {
	if s.Neutral {
		return member + 1
	}
	return member
}

// EachModel visits the models of the team, as it names them. An error is returned with the line of the member.
func (p Protocol) EachModel(visit func(name string) error) error {
	for i, m := range p.Team {
		if m.Model == "" {
			continue
		}
		if err := visit(m.Model); err != nil {
			return debate.Located(p.text, debate.Blame(fmt.Sprintf("team[%d].model", i),
				fmt.Errorf("team, member %d: %w", i, err)))
		}
	}
	return nil
}

// LookBeside replaces the names of models that are files in dir by their paths.
func (p *Protocol) LookBeside(dir string) {
	p.Team = slices.Clone(p.Team) // all users of a protocol in the program share its team
	for i := range p.Team {
		if m := &p.Team[i]; m.Model != "" {
			m.Model = Beside(dir, m.Model)
		}
	}
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
	for i, m := range p.Team {
		if m.Human {
			return debate.Located(p.text, debate.Blame(fmt.Sprintf("team[%d].human", i),
				fmt.Errorf("team, member %d is a person: %w", i, ErrPerson)))
		}
	}
	return nil
}

// ErrPerson is the error of a team that only a single debate can have.
var ErrPerson = errors.New("a run asks models only; parley debate holds debates with people")
