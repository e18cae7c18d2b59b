package society

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/debatetest"
)

// caseOf is a question with so many options.
func caseOf(id string, options int, right ...string) debate.Case {
	text := "Which one?"
	for i := range options {
		text += " " + answer.OptionName(i) + " " + strings.Repeat("x", i+1)
	}
	return debate.Case{ID: id, Question: text, Extract: answer.Raw, Truth: answer.Of(right[0]),
		Right:  func(a answer.Answer) bool { return slices.Contains(right, a.Text) },
		Relist: reader.RelistBy("choice", answer.Question{Text: text})}
}

// TestAssignedSides: opposite sides are the right answer and a wrong option, by lot; drawn ones are different options
// as long as there are any. They depend on run and question alone: a consultant has the first debater's.
func TestAssignedSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, options := rapid.IntRange(1, 7).Draw(t, "agents"), rapid.IntRange(2, 6).Draw(t, "options")
		right := answer.OptionName(rapid.IntRange(0, options-1).Draw(t, "right"))
		c := caseOf(rapid.String().Draw(t, "id"), options, right)
		s := Society{Agents: agents, Assigned: assignedOpposite}
		s.Seeds.Run = rapid.Uint64().Draw(t, "run")
		sides := s.sides(c)
		for i, side := range sides {
			opposite := i == 1 && c.IsRight(answer.Of(side)) == c.IsRight(answer.Of(sides[0]))
			if opposite || side != sides[i%2] || !strings.Contains(c.Question, side) {
				t.Fatalf("sides %q with right answer %s: they are not in turn", sides, right)
			}
		}
		alone := s
		if alone.Agents = 1; alone.sides(c)[0] != sides[0] {
			t.Fatalf("a consultant has %s, want that of the first of %d debaters, %s", alone.sides(c)[0], agents,
				sides[0])
		}
		s.Assigned = assignedDrawn
		drawn := s.sides(c)
		if n := len(slices.Compact(slices.Sorted(slices.Values(drawn)))); n != min(agents, options) {
			t.Fatalf("%d agents with %d options have %d different sides, want %d: %q", agents, options, n, min(agents,
				options), drawn)
		}
	})
}

// TestAssignedLot: over many questions a consultant has the right side in half of them, each wrong option is as
// frequent as another, and drawn sides are right as often as a guess. Each is within four standard deviations.
func TestAssignedLot(t *testing.T) {
	const n = 4000
	counts := make(map[string]int)
	for i := range n {
		c := caseOf(strings.Repeat("q", i%40)+string(rune('a'+i/40)), 5, "(B)")
		s := Society{Agents: 1, Assigned: assignedOpposite}
		counts[s.sides(c)[0]]++
		s.Assigned = assignedDrawn
		counts["drawn "+s.sides(c)[0]]++
	}
	for side, share := range map[string]float64{"(A)": 0.125, "(B)": 0.5, "(C)": 0.125, "(D)": 0.125, "(E)": 0.125,
		"drawn (A)": 0.2, "drawn (B)": 0.2, "drawn (E)": 0.2} {
		off := float64(counts[side])/n - share
		if off*off > 16*share*(1-share)/n {
			t.Errorf("%s in %d of %d questions, want %g of them", side, counts[side], n, share)
		}
	}
}

// TestAssignedWithoutWrong: a question all of whose options are right has no wrong side.
func TestAssignedWithoutWrong(t *testing.T) {
	s := Society{Agents: 2, Assigned: assignedOpposite}
	if got := s.sides(caseOf("q", 2, "(A)", "(B)")); !slices.Equal(got, []string{"(A)", "(A)"}) {
		t.Errorf("sides %q, want the right one for both", got)
	}
}

// TestAssignedRefused: what sides do not go with, and what they need, is said before anybody is asked.
func TestAssignedRefused(t *testing.T) {
	full := caseOf("q", 3, "(A)")
	open, unknown := full, full
	open.Relist, unknown.Truth = nil, answer.Unparsed
	for name, test := range map[string]struct {
		change func(*Society)
		held   debate.Case
		want   string
	}{
		"a vote":          {func(s *Society) { s.Decide = "" }, full, "arbiter alone"},
		"an aggregator":   {func(s *Society) { s.Decide = writerAggregator }, full, "arbiter alone"},
		"a common layout": {func(s *Society) { s.Layout, s.Rounds = LayoutAnonymous, 2 }, full, "layout history"},
		"agreement":       {func(s *Society) { s.Until, s.Rounds = UntilAgreement, 2 }, full, "all rounds"},
		"other letters":   {func(s *Society) { s.Options = optionsShuffled }, full, "options"},
		"no such value":   {func(s *Society) { s.Assigned = "right" }, full, "there are opposite, drawn"},
		"no options":      {func(*Society) {}, open, "nor can sides be assigned"},
		"no right answer": {func(*Society) {}, unknown, "Case.Truth"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Society{Agents: 2, Rounds: 1, Assigned: assignedOpposite, Decide: writerArbiter,
				Prompts: debatetest.Load(t, "plain")}
			test.change(&s)
			_, err := s.Run(t.Context(), nil, test.held)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error about %q", err, test.want)
			}
		})
	}
}

// TestRolesToExchange: personas are roles that agents can exchange, and so are methods; names are none, nor is what a
// member has beyond the number of agents.
func TestRolesToExchange(t *testing.T) {
	persona, method := debate.Agent{Persona: "a judge"}, debate.Agent{Method: "backwards"}
	for name, test := range map[string]struct {
		team []debate.Agent
		want bool
	}{
		"no team": {nil, false}, "names alone": {[]debate.Agent{{Name: "Ann"}, {}}, false},
		"a persona": {[]debate.Agent{{}, persona}, true}, "a method": {[]debate.Agent{method, {}}, true},
		"a member too many": {[]debate.Agent{{}, {}, persona}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Society{Asking: debate.Asking{Team: test.team}, Agents: 2}).hasRoles(); got != test.want {
				t.Errorf("%s of two agents: there are roles to exchange: got %t, want %t", name, got, test.want)
			}
		})
	}
}
