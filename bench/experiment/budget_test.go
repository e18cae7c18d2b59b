package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// TestBudgets: a condition that fills budgets is held at each that takes two or more of its agents or rounds, with as
// many as come nearest; one with a budget of its own at that one alone, but for the reference.
func TestBudgets(t *testing.T) {
	const file = `name: x
tasks: [{name: p, generated: 3}]
controls: false
reference: one
budgets: [%s]
conditions:
  - {name: one, protocol: society, set: {agents: 1, rounds: 1}, budget: 1}
  - {name: vote, protocol: society, meaning: "of {agents}", set: {rounds: 1}, fill: agents}
  - {name: look, protocol: self-reflect, fill: rounds}
  - {name: mad, protocol: society, set: {rounds: 3}, fill: agents}
  - {name: wide, protocol: society, set: {agents: 9, rounds: 3}, budget: 27}
`
	for budgets, want := range map[string]string{
		"1":    "one:1x1/1",
		"1, 3": "one:1x1/1 vote-3:3x1/3 look-3:1x3/3",
		"1, 3, 9, 27": "one:1x1/1 vote-3:3x1/3 vote-9:9x1/9 vote-27:27x1/27 look-3:1x3/3 look-9:1x9/9 " +
			"look-27:1x27/27 mad-9:3x3/9 mad-27:9x3/27 wide:9x3/27",
		"5":  "one:1x1/1 vote-5:5x1/5 look-5:1x5/5 mad-5:2x3/5",
		"10": "one:1x1/1 vote-10:10x1/10 look-10:1x10/10 mad-10:3x3/10",
		"4":  "one:1x1/1 vote-4:4x1/4 look-4:1x4/4",
	} {
		e, err := Parse([]byte(strings.Replace(file, "%s", budgets, 1)))
		if err != nil {
			t.Fatalf("budgets %s are taken: got %v, want no error", budgets, err)
		}
		if got := sizes(t, e); got != want {
			t.Errorf("budgets %s give\n%s, want\n%s", budgets, got, want)
		}
	}
}

// TestTeamsTakeTurns: where sizes follow from budgets, agents have the members of a team in turn, whether the team is
// of the file, of a sweep or of the command line; conditions of one agent have the model of the run, and so has who
// presides. What is recorded means the same. Without budgets, a team is as it is written.
func TestTeamsTakeTurns(t *testing.T) {
	cast := func(e Experiment) (list []string) {
		for _, p := range pointsOf(t, e) {
			var team strings.Builder
			for _, m := range p.Protocol.Team() {
				team.WriteString(cmp.Or(m.Model, "-"))
			}
			list = append(list, p.Condition+":"+team.String())
		}
		return list
	}
	const mixed = "[{}, {model: b}]"
	for file, want := range map[string]string{
		whole("generated: 3", "name: c, fill: agents, set: {rounds: 1, team: "+mixed+"}",
			"budgets: [2, 3, 5]"): "base: c-2:-b c-3:-b- c-5:-b-b-",
		whole("generated: 3", "name: c, fill: agents, set: {rounds: 1, team: [{}, {model: b}, {model: d}]}",
			"budgets: [2, 4]"): "base: c-2:-b c-4:-bd-",
		whole("generated: 3", "name: c, fill: agents, set: {rounds: 1}, sweep: {team: ["+mixed+", [{}]]}",
			"budgets: [3]"): "base: c-3/team=plain+b:-b- c-3/team=plain:---",
		whole("generated: 3", "name: c, set: {agents: 4, team: "+mixed+"}", ""): "base: c:-b",
	} {
		e, err := Parse([]byte(file))
		if err != nil {
			t.Fatalf("this file is read: got %v, want no error\n%s", err, file)
		}
		if got := strings.Join(cast(e), " "); got != want {
			t.Errorf("%s\ncasts %s, want %s", file, got, want)
		}
	}
	changed, err := loaded(t, "referee").With(Changes{Set: []string{"team=" + mixed}})
	if err != nil {
		t.Fatal(err)
	}
	got := cast(changed)
	for _, want := range []string{"single:", "vote-3:-b-", "reflect-9:", "debate-9:-b-", "sure-9:-b-b-b-b-",
		"council-9:-b-b", "consult-3:", "critic-3:-b", "judged-9:-b"} {
		if !slices.Contains(got, want) {
			t.Errorf("referee casts %q, want %s in it", got, want)
		}
	}
	const left = "Left out, since it cannot have this team - settled-27: until settled tests"
	last := changed.Notes[len(changed.Notes)-1]
	if !strings.HasPrefix(last, left) || slices.Contains(got, "settled-27:") {
		t.Errorf("the last note is %q, want %q; cast are %q", last, left, got)
	}
	larger, err := loaded(t, "referee").With(Changes{Set: []string{"team=[{}, {}, {}, {model: b}]"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vote-3:---", "vote-9:---b---b-", "council-9:---b", "judged-9:--"} {
		if got := cast(larger); !slices.Contains(got, want) {
			t.Errorf("with a team of four, more than some conditions have, referee casts %q, want %s in it", got, want)
		}
	}
	text, err := changed.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Parse(text); err != nil || !slices.Equal(cast(read), got) {
		t.Errorf("a team is read back from its file as %v: got %v\n%s", got, err, text)
	}
}

func sizes(t *testing.T, e Experiment) string {
	t.Helper()
	points := pointsOf(t, e)
	var list []string
	for _, p := range points {
		list = append(list, fmt.Sprintf("%s:%dx%d/%d", p.Condition, max(1, p.Protocol.Agents()),
			max(1, p.Protocol.Rounds()), p.Budget))
	}
	return strings.Join(list, " ")
}

// TestOtherBudgets: what a command line asks for takes the place of what the file has, and what names a condition that
// is not held any more goes with it.
func TestOtherBudgets(t *testing.T) {
	e := loaded(t, "referee")
	other, err := e.With(Changes{Budgets: []int{1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "single:1x1/1 vote-5:5x1/5 reflect-5:1x5/5 chain-5:1x1/5 debate-5:2x3/5"
	if got := sizes(t, other); got != want {
		t.Errorf("budgets 1, 5 give %s, want %s", got, want)
	}
	last := other.Notes[len(other.Notes)-1]
	wantNote := "5 contrasts left out, whose conditions have other budgets: " + strings.Join(e.Contrasts, "; ") + "."
	if len(other.Contrasts) > 0 || last != wantNote {
		t.Errorf("contrasts %q are left, and the last note is %q, want %q", other.Contrasts, last, wantNote)
	}
	some, err := e.With(Changes{Budgets: []int{1, 9}})
	if note := some.Notes[len(some.Notes)-1]; err != nil || strings.Contains(note, "vote-9 - single") ||
		!strings.HasPrefix(note, "1 contrast left out") || !strings.Contains(note, ": debate-27 - vote-27.") {
		t.Errorf("budgets 1 and 9 leave out the contrast debate-27 - vote-27 alone, and say so: got %q, %v",
			note, err)
	}
	again, err := other.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Parse(again); err != nil || sizes(t, read) != sizes(t, other) {
		t.Errorf("an experiment of other budgets is read back from its file as the same: got %v\n%s", err, again)
	}
	plain := loaded(t, "madc-table1")
	for want, refused := range map[string]struct {
		of      Experiment
		changes Changes
	}{
		"no condition of the experiment madc-table1": {plain, Changes{Budgets: []int{3}}},
		"budget 0":                     {e, Changes{Budgets: []int{0}}},
		"two conditions have the name": {e, Changes{Budgets: []int{3, 3}}},
		"fills its budgets with it":    {e, Changes{Set: []string{"agents=5"}}},
		"vote-9 - single":              {other, Changes{Contrasts: []string{"vote-9 - single"}}},
	} {
		if _, err := refused.of.With(refused.changes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("budgets that cannot be are refused with %q: got %v", want, err)
		}
	}
}

// TestIdleBudgets: what contradicts itself is refused.
func TestIdleBudgets(t *testing.T) {
	const three = "generated: 3"
	for text, want := range map[string]string{
		whole(three, "name: c, fill: agents", ""):                                      "fill needs the budgets",
		whole(three, "name: c, fill: agents, budget: 3", "budgets: [3]"):               "held at one",
		whole(three, "name: c, fill: prompts", "budgets: [3]"):                         "must be one of agents",
		whole(three, "name: c, fill: agents, set: {agents: 3}", "budgets: [3]"):        "set and sweep",
		whole(three, "name: c, fill: agents, sweep: {agents: [3, 4]}", "budgets: [3]"): "set and sweep",
		whole(three, "name: c", "budgets: [0]"):                                        "budget 0",
		whole(three, "name: c, budget: -1", "budgets: [3]"):                            "budget -1",
		whole(three, "name: c, fill: agents", "budgets: 3x3"):                          "budgets",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want one with %q", text, err, want)
		}
	}
}

// TestChains: a condition that fills its budget with reasoning may take that many times what an answer may, and goes on
// where it can be made to; where it does not fit, or nobody reasons, it is left out with a sentence that says why, and
// what names it goes with it.
func TestChains(t *testing.T) {
	const file = `name: x
tasks: [{name: q, family: own, rows: [{question: What is the capital of France?, answer: Paris}]}]
controls: false
reference: one
budgets: [1, 3, 9]
contrasts: ["chain-9 - vote-9", "vote-9 - one"]
max-tokens: 500
conditions:
  - {name: one, protocol: single, budget: 1}
  - {name: vote, protocol: self-consistency, fill: agents}
  - {name: chain, protocol: single, fill: reasoning}
  - {name: two, protocol: self-consistency, set: {agents: 2}, fill: reasoning}
`
	thinks := inference.ModelInfo{Name: "m", Reasons: 1000, Waits: true, Context: 40_000, Room: 40_000}
	tight, stubborn := thinks, thinks
	tight.Room, stubborn.Waits = 10_000, false
	plain := inference.ModelInfo{Name: "m", Context: 40_000}
	elsewhere := inference.ModelInfo{Name: "m", Remote: &inference.Remote{}}
	team := inference.ModelInfo{Name: "m", Reasons: 9, Team: []inference.ModelInfo{{Name: "plain"}}}
	const half, none = "sampling: {reasoning-tokens: 500}", "sampling: {reasoning-tokens: 0}"
	for name, c := range map[string]struct {
		model          inference.ModelInfo
		more           string
		chains, reason string
	}{
		"thinks":           {thinks, "", "chain-3 3000x2 chain-9 9000x8 two-3 2000x1 two-9 5000x4", ""},
		"knows no waits":   {stubborn, "", "chain-3 3000x0 chain-9 9000x0 two-3 2000x0 two-9 5000x0", ""},
		"short of room":    {tight, "", "chain-3 3000x2 two-3 2000x1 two-9 5000x4", "chain-9. Reasoning of 9000 tok"},
		"at a length":      {tight, half, "chain-3 1500x2 chain-9 4500x8 two-3 1000x1 two-9 2500x4", ""},
		"does not":         {plain, "", "", "chain-3, chain-9, two-3 and two-9. m does not reason"},
		"is not to":        {thinks, none, "", "Nobody is to reason"},
		"elsewhere":        {elsewhere, "", "", "Only the servers know"},
		"elsewhere, bound": {elsewhere, half, "chain-3 1500x0 chain-9 4500x0 two-3 1000x0 two-9 2500x0", ""},
		"in a team":        {team, "", "", "plain does not reason"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Parse([]byte(file + c.more))
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := e.Questions(Data{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := e.Prepare(tasks[0], c.model)
			if err != nil {
				t.Fatal(err)
			}
			if got := chainsOf(run); got != c.chains {
				t.Errorf("chains\n%s, want\n%s", got, c.chains)
			}
			said := strings.Join(run.Notes, "\n")
			if (c.reason == "") != (said == "") || !strings.Contains(said, c.reason) {
				t.Errorf("notes %q, want %q", said, c.reason)
			}
			if want := 1 + strings.Count(c.chains, "chain-9"); len(run.Contrasts) != want {
				t.Errorf("contrasts %q, want %d", run.Contrasts, want)
			}
			e.Reference = "chain-9"
			if _, err := e.Prepare(tasks[0], c.model); (err == nil) != strings.Contains(c.chains, "chain-9") {
				t.Errorf("a reference of budget 9 is prepared just where chain-9 is held (%s): got %v", c.chains, err)
			}
		})
	}
}

// chainsOf lists the conditions whose agents have a bound of their own, with it and how often they go on.
func chainsOf(run TaskRun) string {
	var list []string
	for _, c := range run.Conditions {
		team := c.Protocol.Team()
		for _, m := range team {
			tokens, _ := m.ReasoningTokens.Tokens()
			waits := 0
			if m.ReasoningWaits != nil {
				waits = *m.ReasoningWaits
			}
			list = with(list, fmt.Sprintf("%s %dx%d", c.Name, tokens, waits))
		}
		if len(team) > 0 && len(team) != c.Protocol.Agents() {
			list = append(list, fmt.Sprintf("%d of %d agents", len(team), c.Protocol.Agents()))
		}
	}
	return strings.Join(list, " ")
}

// TestDrawsTheReferenceAgain: one draw more where nothing is repeated, after the reference, of the same debate; where
// its name is taken that is said, and what builds on another condition is not drawn again.
func TestDrawsTheReferenceAgain(t *testing.T) {
	const file = `name: x
tasks: [{name: q, generated: 2}]
controls: false
again: true
conditions:
  - {name: one, protocol: single}
  - {name: vote, protocol: self-consistency}
`
	for name, c := range map[string]struct{ more, conditions, refuses string }{
		"once":        {"", "one one-again vote", ""},
		"repeated":    {"repeats: 2", "one vote", ""},
		"another one": {"reference: vote", "one vote vote-again", ""},
		"a taken name": {"  - {name: one-again, protocol: single}", "",
			"the reference drawn again is called one-again, as a condition is"},
		"building on one": {"  - {name: rest, protocol: self-consistency, after: one, candidates: 0.3}\n" +
			"reference: rest", "one vote rest", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Parse([]byte(file + c.more))
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := e.Questions(Data{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := e.Prepare(tasks[0], inference.ModelInfo{Name: "m", Embedded: true})
			if c.refuses != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuses) {
					t.Errorf("a second draw of this reference is refused with %q: got %v", c.refuses, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(trial.Names(run.Conditions), " "); got != c.conditions {
				t.Errorf("the conditions are %s, want %s", got, c.conditions)
			}
		})
	}
}
