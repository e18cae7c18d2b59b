package discussion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
)

const oneMore = "Question: Q?\nParticipants so far:"

// TestExperts: one call each, which sees those made so far; a name that no reply gives is left out after five.
func TestExperts(t *testing.T) {
	p := &panel{others: map[string][]string{oneMore: {
		`{"role": "Poet", "description": "knows words"}`,
		`I would say {'role': 'Clerk', 'Description': "keeps the poet's files"}`,
		"a judge", `{"role": "Judge"}`, "{}", `{"role": "", "description": "x"}`, "no",
	}}}
	got := discuss(t, discussion{Agents: 3, Turns: 1, Personas: personaExpert}, p)
	if diff := cmp.Diff([]string{"Poet", "Clerk", "Participant 3"}, got.Roles); diff != "" {
		t.Errorf("experts have these roles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"knows words", "keeps the poet's files", ""}, got.Personas); diff != "" {
		t.Errorf("experts have these personas (-want +got):\n%s", diff)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "Participant 3") || kinds(got)[debate.KindPersona] != 7 ||
		len(got.Rounds[0]) != 7 || len(got.Rounds) != 2 {
		t.Errorf("3 experts need 7 tries in 2 rounds and a note for Participant 3: got %d tries, %d turns in %d "+
			"rounds, notes %q", kinds(got)[debate.KindPersona], len(got.Rounds[0]), len(got.Rounds), got.Notes)
	}
	if asked := newestOf(p.asked[2].Messages); !strings.Contains(asked,
		"so far:\nPoet: knows words\nClerk: keeps the poet's files\nOne more:") {
		t.Errorf("%q, want a text with %q",
			asked, "so far:\nPoet: knows words\nClerk: keeps the poet's files\nOne more:")
	}
	if p.asked[2].Sampling.Seed == p.asked[3].Sampling.Seed {
		t.Error("the second try draws what the first has drawn")
	}
	if asked := debatetest.Say(p.asked[7].Messages); !strings.Contains(asked, "Your role: Poet (knows words)") {
		t.Errorf(`%q, want a text with "Your role: Poet (knows words)"`, asked)
	}
}

// TestPersonaMixes: kinds by turns, given ones kept, drawn ones the same with the same seed.
func TestPersonaMixes(t *testing.T) {
	p := &panel{others: map[string][]string{oneMore: {`{"role": "Poet", "description": "knows words"}`}}}
	team := []debate.Agent{{}, {Name: "Ada", Persona: "counts"}}
	d := discussion{Agents: 5, Turns: 1, Personas: "none, expert,ipip", Asking: debate.Asking{Team: team}}
	got := discuss(t, d, p)
	if diff := cmp.Diff([]string{"Participant 1", "Ada", "Participant 3", "Participant 4", "Poet"},
		got.Roles); diff != "" || team[0].Name != "" {
		t.Errorf("members keep their names and personas, others are numbered, and the team given stays unnamed "+
			"(%q): (-want +got):\n%s", team[0].Name, diff)
	}
	if kinds(got)[debate.KindPersona] != 1 {
		t.Errorf("only an agent without a persona is given one: asked for %d, want 1", kinds(got)[debate.KindPersona])
	}
	third := debatetest.Say(p.asked[5].Messages) // after one persona and two messages with their solutions
	if !strings.Contains(third, "Participant 3 (") || !strings.Contains(third, "experience in the field; ") {
		t.Errorf("the persona made for Participant 3 stands behind its name, with its experience: got %q", third)
	}
	again := &panel{others: map[string][]string{oneMore: {`{"role": "Poet", "description": "knows words"}`}}}
	discuss(t, d, again)
	if debatetest.Say(again.asked[5].Messages) != third {
		t.Error("personas drawn again differ, want the same")
	}
}

// TestPersonaKeysInBothCases: a reply with two keys that differ in case is always read alike.
func TestPersonaKeysInBothCases(t *testing.T) {
	for range 20 {
		role, _, err := ReadPersona(`{"Role": "Judge", "role": "Poet", "ROLE": "Clerk", "description": "d"}`)
		if role != "Poet" || err != nil {
			t.Fatalf("keys of a persona are read in both cases: got %q, %v, want Poet", role, err)
		}
	}
}
