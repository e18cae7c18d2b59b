package discussion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Kinds of personas.
const (
	PersonaNone   = "none"
	personaExpert = "expert" // described by the model for the question, one after the other
	personaIPIP   = "ipip"   // drawn: Big Five traits of the International Personality Item Pool, experience, gender
)

// personaKinds returns the kinds of personas.
func personaKinds() []string { return []string{PersonaNone, personaExpert, personaIPIP} }

// personaAttempts is how often a persona is asked for. The source's program tries for ever if a key is missing.
const personaAttempts = 5

// kind returns the kind of persona of a panelist, counted from 0.
func (d discussion) kind(panelist int) string {
	kinds := strings.Split(d.Personas, ",")
	return strings.TrimSpace(kinds[panelist%len(kinds)])
}

// seats returns all who speak: the neutral agent if there is one, members of the team, and plain agents; then the
// challenger, if the team has one.
func (d discussion) seats() (seats []debate.Agent) {
	if d.Neutral {
		seats = append(seats, debate.Agent{Name: d.Prompts.Personas.Neutral, Persona: d.Prompts.Personas.Duty})
	}
	for k := range d.Agents {
		seat := d.Member(k)
		if seat.Name == "" {
			seat.Name = d.Prompts.PlainName(k + 1)
		}
		seats = append(seats, seat)
	}
	if d.hasChallenger() {
		challenger := d.Member(d.Agents)
		challenger.Name = debate.RoleChallenger
		seats = append(seats, challenger)
	}
	return seats
}

// cast gives a persona to each panelist that has none.
func (x *discussing) cast(ctx context.Context) error {
	for k, agent := range x.panelists() {
		if x.Team[agent].Persona != "" {
			continue
		}
		switch x.kind(k) {
		case personaExpert:
			if err := x.expert(ctx, agent); err != nil {
				x.BreakOff()
				return err
			}
		case personaIPIP:
			x.Team[agent].Persona = x.drawPersona(k)
		}
	}
	if len(x.Current) > 0 {
		x.End()
	}
	x.Transcript.Personas = x.personas()
	return nil
}

// personas has the descriptions of the panelists by agent. It is nil if there are none.
func (x *discussing) personas() []string {
	personas := make([]string, x.agents())
	for _, agent := range x.panelists() {
		personas[agent] = x.Team[agent].Persona
	}
	if strings.Join(personas, "") == "" {
		return nil
	}
	return personas
}

// expert has the model describe a persona that differs from the earlier ones. If no reply can be read, the agent gets
// none and a note says so.
func (x *discussing) expert(ctx context.Context, agent int) error {
	var roles, descriptions []string
	for _, other := range x.panelists() {
		if m := x.Team[other]; other < agent && m.Persona != "" {
			roles, descriptions = append(roles, m.Name), append(descriptions, m.Persona)
		}
	}
	messages := debate.Conversation(x.Prompts.ExpertFor(x.c.Question, roles, descriptions))
	ask := x.Asker
	ask.Extract = readNothing
	cast := false
	err := ask.AskUntilRead(ctx, 1, personaAttempts, func(int, int) debate.Turn {
		return debate.Turn{Agent: agent, Round: len(x.Transcript.Rounds), Sample: x.TimesAsked(agent),
			Kind: debate.KindPersona, Messages: messages}
	}, func(turns []debate.Turn) { x.Current = append(x.Current, turns...) }, func(_ int, t debate.Turn) error {
		role, description, err := ReadPersona(t.Reply.Text)
		if err == nil {
			cast = true
			x.enter(agent, role, description)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", x.Transcript.Role(agent), err)
	}
	if !cast {
		x.Transcript.Notes = append(x.Transcript.Notes,
			fmt.Sprintf("no persona could be read in %d replies: %s stays without one",
				personaAttempts, x.Transcript.Role(agent)))
	}
	return nil
}

// enter gives an agent its persona. An agent that has a name of its own keeps it.
func (x *discussing) enter(agent int, role, description string) {
	m := &x.Team[agent]
	if plain := x.Prompts.PlainName(agent - x.panelists()[0] + 1); m.Name != plain {
		role, description = m.Name, role+": "+description
	}
	m.Name, m.Persona, x.Transcript.Roles[agent] = role, description, role
}

// ReadPersona reads a persona from a reply. Keys are taken in sorted order, so that a reply with two that differ in
// case is always read alike.
func ReadPersona(reply string) (role, description string, err error) {
	pairs, ok := answer.Dictionary(reply)
	if !ok {
		return "", "", errors.New("no dictionary")
	}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		switch text := strings.TrimSpace(pairs[name]); strings.ToLower(name) {
		case "role":
			role = text
		case "description":
			description = text
		}
	}
	if role == "" || description == "" {
		return "", "", errors.New("role or description is missing")
	}
	return role, description, nil
}

// drawPersona returns a persona drawn for a panelist. It depends on seed, case and panelist, and not on how the
// discussion is held.
func (x *discussing) drawPersona(panelist int) string {
	p := x.Prompts.Personas
	draw := rand.New(rand.NewPCG(x.Seeds.Hash("persona", x.c.ID, panelist), 0))
	traits := make([]string, len(p.Traits))
	for i, trait := range p.Traits {
		traits[i] = trait.Low
		if draw.IntN(2) == 1 {
			traits[i] = trait.High
		}
	}
	return x.Prompts.Describe(p.Genders[draw.IntN(len(p.Genders))], p.Work[draw.IntN(len(p.Work))], traits)
}

// role returns the words in which an agent is told who it is.
func (x *discussing) role(agent int) string {
	m := x.Team[agent]
	if m.Persona == "" {
		return m.Name
	}
	return m.Name + " (" + m.Persona + ")"
}
