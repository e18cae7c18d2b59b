package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"parley/debate"
	"parley/debate/knights"
)

// Teams of one model: what a member of a team can be in the place of the model that everybody else is.

// checkTeam refuses what a member says of itself and its form does not obey.
func checkTeam(s debate.Settings) error {
	if seats := seats(s); len(s.Team) > seats {
		return debate.Blame("team", fmt.Errorf("a team of %d in a debate in which %d speak: nobody would be the others",
			len(s.Team), seats))
	}
	for i, m := range s.Team {
		for _, own := range []struct {
			field string
			given bool
			forms map[string]bool // that obey it
		}{
			{"name", m.Name != "", map[string]bool{"society": true, "lesson": true, "knights": true,
				"discussion": true}},
			{"persona", m.Persona != "", map[string]bool{"society": true, "knights": true, "discussion": true}},
			{"method", m.Method != "", map[string]bool{"society": true}},
			{"memory", m.Memory != 0, map[string]bool{"society": true, "knights": i < cmp.Or(s.Agents, 3)}},
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

// seats is how many members of a team speak: the agents; the moderator and the judge, or a supervisor who is asked,
// behind them.
func seats(s debate.Settings) int {
	switch {
	case s.Form == "tit-for-tat":
		return cmp.Or(s.Agents, 2) + 2
	case s.Form == "knights" && (s.Reading == debate.ReadingPaper || s.Order == knights.OrderChosen):
		return cmp.Or(s.Agents, 3) + 1
	case s.Ablate > 0:
		return 1
	}
	return cmp.Or(s.Agents, 3)
}

// Seat is the agent that a member of the team is: a neutral agent, who is no member, comes first.
func Seat(s debate.Settings, member int) int {
	if s.Neutral {
		return member + 1
	}
	return member
}

// OneModel refuses teams in which somebody is another model or a person. Only a debate by itself has them; in a run one
// model speaks for all.
func (p Protocol) OneModel() error {
	for i, m := range p.Team {
		field, what := "model", fmt.Sprintf("is the model %s", m.Model)
		switch {
		case m.Human:
			field, what = "human", "is a person"
		case m.Model == "":
			continue
		}
		return debate.Located(p.text, debate.Blame(fmt.Sprintf("team[%d].%s", i, field),
			fmt.Errorf("team, member %d %s: %w", i, what, ErrOneModel)))
	}
	return nil
}

// ErrOneModel is the error of a team that only a debate by itself can have.
var ErrOneModel = errors.New("in a run one model speaks for all agents; parley debate holds debates of several " +
	"models, and with people")
