package rundir_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// crew is an engine of three models. The hashes of the other two are what requests call them.
type crew struct{ inference.Engine }

func (crew) Model() inference.ModelInfo {
	info := described{}.Model()
	for _, name := range []string{"b.gguf", "c.gguf"} {
		other := described{}.Model()
		other.Name, other.Path, other.Hash = name, name, name
		info.Team = append(info.Team, other)
	}
	return info
}

// teamRun is a comparison of debates between b.gguf, c.gguf and the model of all others, in a directory.
func teamRun(t *testing.T) string {
	t.Helper()
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:3]
	var base society.Society
	for _, c := range conditions {
		if c.Name == trial.Reference {
			base = c.Debate.(society.Society)
		}
	}
	members := []debate.Member{{Model: "b.gguf"}, {Model: "c.gguf"}}
	base.Team = debate.Settings{}.With("team", members).TeamAgents(base.Sampling, 3)
	conditions, err := trial.Conditions(base)
	if err != nil {
		t.Fatal(err)
	}
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool { // puzzles have no options to be scored
		return strings.HasPrefix(c.Name, "likelihood")
	})
	path := filepath.Join(t.TempDir(), "run")
	if err := benchtest.RecordIn(t, path, bench.Options{Run: spec.Run{Team: members},
		Task: questions, Conditions: conditions, Engine: crew{benchtest.Crowd(questions)}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTeamRows: each condition has the models that replied in it. Who answers alone is none of the team.
func TestTeamRows(t *testing.T) {
	run := benchtest.ReadRun(t, teamRun(t))
	table := run.Comparison.Table(false).String()
	for _, row := range run.Comparison.Rows {
		want := "b.gguf b.gguf, c.gguf c.gguf" // a script's replies that name no model do not say which it is
		if row.Condition == "single" || strings.HasPrefix(row.Condition, "self-consistency") {
			want = ""
		}
		if got := run.Comparison.ModelNames(row); got != want {
			t.Errorf("%s: %q, want %q", row.Condition, got, want)
		}
	}
	if !strings.Contains(table, "MODELS") || !strings.Contains(table, "b.gguf b.gguf, c.gguf c.gguf") {
		t.Errorf("a run of a team has a column for the models of each condition: got\n%s", table)
	}
	text := run.Header.Headline()
	if n := strings.Count(text, "\nteam "); n != 2 {
		t.Errorf("the headline of a run of two teams has %d lines of teams, want 2:\n%s", n, text)
	}
}

// TestTeamFork: a run takes from another what its own models would compute alike, generation by generation.
func TestTeamFork(t *testing.T) {
	from := teamRun(t)
	run := benchtest.ReadRun(t, from)
	made := map[string]int{}
	count := func(_ rundir.Header, g rundir.Generation) { made[g.Reply.Model]++ }
	if _, err := rundir.EachGeneration(from, count); err != nil {
		t.Fatal(err)
	}
	if made[""] == 0 || made["b.gguf"] == 0 || made["c.gguf"] == 0 {
		t.Fatalf("a fork takes the generations of each of 3 models along: got %v", made)
	}
	for name, c := range map[string]struct {
		change func(*rundir.Header)
		usable int
	}{
		"the same":        {func(*rundir.Header) {}, made[""] + made["b.gguf"] + made["c.gguf"]},
		"without a team":  {func(h *rundir.Header) { h.Model.Team = nil }, made[""]},
		"without one":     {func(h *rundir.Header) { h.Model.Team = h.Model.Team[:1] }, made[""] + made["b.gguf"]},
		"another file":    {func(h *rundir.Header) { h.Model.Team[1].Hash = "new" }, made[""] + made["b.gguf"]},
		"another cache":   {func(h *rundir.Header) { h.Model.Team[0].KV = "q8_0" }, made[""] + made["c.gguf"]},
		"only one of all": {func(h *rundir.Header) { h.Model = h.Model.Team[0] }, made["b.gguf"]},
		"none of them":    {func(h *rundir.Header) { h.Model.Hash, h.Model.Team = "new", nil }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := rundir.ForkDirectory(from, filepath.Join(t.TempDir(), "fork"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			h := run.Header
			h.Model.Team = append([]inference.ModelInfo(nil), h.Model.Team...)
			c.change(&h)
			if err := d.Begin(h); err != nil {
				t.Fatal(err)
			}
			if _, usable, _ := d.Forked(); usable != c.usable {
				t.Errorf("of %v the fork can use %d generations: got %d", made, c.usable, usable)
			}
		})
	}
}

// TestTeamGoesOn: another file under the name of one of the team makes another run, and so does another team of the
// standard conditions; further models make a wider run.
func TestTeamGoesOn(t *testing.T) {
	run := benchtest.ReadRun(t, teamRun(t))
	is := func(change func(*rundir.Header)) string {
		h := run.Header
		h.Model.Team = append([]inference.ModelInfo(nil), h.Model.Team...)
		change(&h)
		var names []string
		for _, d := range run.Header.Differs(h) {
			names = append(names, d.Name)
		}
		return strings.Join(names, ", ")
	}
	for want, change := range map[string]func(*rundir.Header){
		"": func(h *rundir.Header) {
			more := h.Model
			more.Path = "d.gguf"
			h.Model.Team = append(h.Model.Team, more)
		},
		"the model's SHA-256 (the team's c.gguf)": func(h *rundir.Header) { h.Model.Team[1].Hash = "new" },
		"device (the team's c.gguf)":              func(h *rundir.Header) { h.Model.Team[1].Device = "Vulkan0" },
		"device": func(h *rundir.Header) { // of all models: said once
			h.Model.Device, h.Model.Team[0].Device, h.Model.Team[1].Device = "Vulkan0", "Vulkan0", "Vulkan0"
		},
		"team": func(h *rundir.Header) { h.Team = nil },
	} {
		t.Run(want, func(t *testing.T) {
			if got := is(change); got != want {
				t.Errorf("what a changed team differs in is %q: got %q", want, got)
			}
		})
	}
}

// TestSize: the head of a run says how large its debates are only as far as that is known.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		agents, rounds int
		want           string
	}{{3, 2, "debates  3 agents, 2 rounds, code reading"}, {1, 1, "debates  1 agent, 1 round, code reading"},
		{0, 3, "debates  3 rounds, code reading"}, {0, 0, "debates  code reading"}} {
		t.Run(c.want, func(t *testing.T) {
			h := rundir.Header{Run: spec.Run{Agents: c.agents, Rounds: c.rounds, Reading: "code"}}
			if text := h.Headline(); !strings.Contains(text, "\n"+c.want) {
				t.Errorf("%d agents, %d rounds: %s; want %q in it", c.agents, c.rounds, text, "\n"+c.want)
			}
		})
	}
	var settings debate.Settings
	h := rundir.Header{Run: spec.Run{Agents: 5, Rounds: 2, Protocols: spec.Protocols{
		{Settings: settings.With("rounds", 5)}, {Settings: settings.With("agents", 3)}}}}
	if text := h.Headline(); !strings.Contains(text, "\ndebates  3 to 5 agents, 2 to 5 rounds") {
		t.Errorf("conditions of several sizes: %s, want \"\ndebates  3 to 5 agents, 2 to 5 rounds\" in it", text)
	}
}
