package runner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// teamDirectory has three models, and an experiment with teams of them: the embedded one in two quantisations, and a
// synthetic one.
func teamDirectory(t *testing.T) (dir string) {
	t.Helper()
	parleytest.WarmCache(t)
	dir = t.TempDir()
	shape, err := models.ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	shape.Context = 8192
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		llamacpp.Quantize(t.Context(), parleytest.TinyFile, in("eight.gguf"), "q8_0", 1),
		llamacpp.Quantize(t.Context(), parleytest.TinyFile, in("four.gguf"), "q4_0", 1),
		models.WriteSynthetic(in("synthetic.gguf"), models.Synthetic{Shape: shape, Seed: 5}),
		os.WriteFile(in("teams.yaml"), []byte(teamExperiment), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	return dir
}

const teamExperiment = `
name: teams
max-tokens: 60
tasks: [{name: puzzles, generated: 2}]
controls: false
conditions:
  - name: quantised
    protocol: madc
    sweep: {team: [[{model: eight.gguf}, {model: four.gguf}], [{}, {model: synthetic.gguf, temperature: 0.5}]]}
  - {name: alone, protocol: single}
small: {tasks: [{name: few, generated: 1}]}
`

func compareTeam(dir, out string, more ...string) *exec.Cmd {
	team := fmt.Sprintf("team=[{model: %[1]s/eight.gguf}, {model: %[1]s/four.gguf, persona: You doubt.}, "+
		"{model: %[1]s/synthetic.gguf}]", dir)
	return exec.Command("parley", append([]string{"compare", "--generated", "3", "--conditions", "madc,single",
		"--seed", "3", "--max-tokens", "60", "--out", out, "--set", team}, more...)...)
}

// hashesOf are the hashes of the model files, by their names.
func hashesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	hashes := make(map[string]string)
	for name, path := range map[string]string{"tiny": parleytest.TinyFile,
		"eight": filepath.Join(dir, "eight.gguf"), "four": filepath.Join(dir, "four.gguf"),
		"synthetic": filepath.Join(dir, "synthetic.gguf")} {
		var err error
		if hashes[name], err = models.Hash(path); err != nil {
			t.Fatal(err)
		}
	}
	return hashes
}

// TestTeam takes a run of a team of three files through all commands: the hash at each generation is that of the file
// which its agent names, and every command knows which model that is.
func TestTeam(t *testing.T) {
	t.Parallel()
	dir := teamDirectory(t)
	out, hashes := filepath.Join(dir, "run"), hashesOf(t, dir)
	if text, err := compareTeam(dir, out).CombinedOutput(); err != nil {
		t.Fatalf("comparing with a team failed: %v, want no error:\n%s", err, text)
	}
	r := teamRun{dir, out, hashes, teamGenerations(t, out, hashes)}
	t.Run("known", r.isKnown)
	t.Run("replay", r.replays)
	t.Run("export", r.exports)
	t.Run("report", r.reports)
	t.Run("score", r.scores)
	t.Run("fork", r.forks)
	t.Run("dry run", r.dryRuns)
}

// teamRun is a finished run of compareTeam.
type teamRun struct {
	dir, out string
	hashes   map[string]string              // of the files, by name
	byModel  map[string][]rundir.Generation // by name
}

func (r teamRun) isKnown(t *testing.T) {
	before := readResult(t, r.out)
	if text, err := compareTeam(r.dir, r.out).CombinedOutput(); err != nil {
		t.Fatalf("the team's run, all of it known, failed: %v, want no error:\n%s", err, text)
	}
	s := sessionsIn(t, r.out)
	if first, again := s[0].Stats, s[1].Stats; again.Steps != 0 || again.Generations != 0 ||
		again.Restored != first.Generations+first.Joined || len(first.Models) != 4 ||
		first.Models[3].Generations != len(r.byModel["synthetic"]) || !bytes.Equal(before, readResult(t, r.out)) {
		t.Errorf("a run whose replies are all known took %+v after %+v, want nothing computed", again, first)
	}
}

func (r teamRun) replays(t *testing.T) {
	for name, generations := range r.byModel {
		code, stdout, stderr := parleytest.Ran("replay", r.out, generations[0].Reply.Key)
		if code != 0 || !strings.Contains(stdout, ": equal, ") {
			t.Errorf("%s: exit %d: %s%s, want 0 and \": equal, \" in it", name, code, stdout, stderr)
		}
	}
	four, other := r.byModel["four"][0].Reply.Key, filepath.Join(r.dir, "eight.gguf")
	code, _, stderr := parleytest.Ran("replay", r.out, four, "--model", other)
	if code != exit.CodeInput || !strings.Contains(stderr, "was made by") || !strings.Contains(stderr,
		r.hashes["four"]) {
		t.Errorf("exit %d: %s, want %v, \"was made by\" in it and %q in it",
			code, stderr, exit.CodeInput, r.hashes["four"])
	}
}

func (r teamRun) exports(t *testing.T) {
	code, _, stderr := parleytest.Ran("export", r.out, "--out", filepath.Join(r.dir, "table"))
	text, err := os.ReadFile(filepath.Join(r.dir, "table.replies.csv"))
	if code != 0 || err != nil {
		t.Fatalf("exit %d: %s, %v; want 0 and no error", code, stderr, err)
	}
	for name, hash := range r.hashes {
		if !bytes.Contains(text, []byte(","+hash+",")) {
			t.Errorf("no reply of %s is exported, want at least one", name)
		}
	}
}

func (r teamRun) reports(t *testing.T) {
	code, _, stderr := parleytest.Ran("report", r.out)
	text, err := os.ReadFile(filepath.Join(r.out, "report.md"))
	page, pageErr := os.ReadFile(filepath.Join(r.out, "report.html"))
	if err := errors.Join(err, pageErr); code != 0 || err != nil {
		t.Fatalf("exit %d: %s, %v; want 0 and no error", code, stderr, err)
	}
	for name, hash := range r.hashes {
		if !strings.Contains(string(text), name+" "+hash[:8]) || !strings.Contains(string(page), hash) {
			t.Errorf("the report does not name %s, want it with the hash %s", name, hash)
		}
	}
}

func (r teamRun) scores(t *testing.T) {
	if code, stdout, stderr := parleytest.Ran("score", r.out, "--answer", "choice"); code != 0 ||
		!strings.Contains(stdout, "0 of ") || !strings.Contains(stdout, "MODELS") {
		t.Errorf("exit %d: %s%s, want 0, \"0 of \" in it and \"MODELS\" in it", code, stdout, stderr)
	}
}

func (r teamRun) forks(t *testing.T) {
	fork := filepath.Join(r.dir, "fork")
	forked := compareTeam(r.dir, r.out, "--fork", fork)
	forked.Args = parleytest.Instead(forked.Args, "--set", "team=[{}, {model: "+filepath.Join(r.dir, "four.gguf")+
		", persona: You doubt.}]")
	text, err := forked.CombinedOutput()
	usable := len(r.byModel["four"]) + len(r.byModel["tiny"])
	if err != nil || !strings.Contains(string(text), fmt.Sprintf(" recorded generations, %d of them", usable)) {
		t.Errorf("forking a run of a team: %v, want no error and %d generations said to be usable:\n%s", err, usable,
			text)
	}
}

func (r teamRun) dryRuns(t *testing.T) {
	text, err := compareTeam(r.dir, "", "--dry-run", "--calibrate", "1h", "--json").Output()
	var f bench.Forecast
	if err := errors.Join(err, json.Unmarshal(text, &f)); err != nil {
		t.Fatalf("a forecast of a team failed: %v, want JSON:\n%s", err, text)
	}
	s := sessionsIn(t, r.out)[0].Stats
	if len(f.Stats.Models) != 4 || f.Stats.Generations != s.Generations || f.Stats.Joined != s.Joined || f.AtMost {
		t.Fatalf("the forecast is %+v of 4 models, and the run took %+v, want the same generations and joins", f.Stats,
			s)
	}
	for i, foreseen := range f.Stats.Models { // how many steps that takes depends on what comes in time to share one
		took := s.Models[i]
		if foreseen.Generations != took.Generations || foreseen.Decoded != took.Decoded ||
			foreseen.PromptAsked != took.PromptAsked || foreseen.Steps < 1 || foreseen.Steps > took.Decoded+took.Rows {
			t.Errorf("a model is foreseen to take %+v, and took %+v, want the same but for the steps", foreseen, took)
		}
	}
}

// teamGenerations are those of a directory by the names of their models. Each has the hash of the file that its agent
// has in the team; who answers alone is the run's own model.
func teamGenerations(t *testing.T, out string, hashes map[string]string) map[string][]rundir.Generation {
	t.Helper()
	byModel, agents := make(map[string][]rundir.Generation), []string{"eight", "four", "synthetic"}
	header, err := rundir.EachGeneration(out, func(_ rundir.Header, g rundir.Generation) {
		name := agents[g.Agent]
		if g.Reply.Model == hashes["tiny"] {
			name = "tiny"
		}
		if g.Reply.Model != hashes[name] {
			t.Errorf("%s was made by %s, want %s, %s", g.Name, g.Reply.Model, name, hashes[name])
		}
		byModel[name] = append(byModel[name], g)
	})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range header.Model.All() {
		named = append(named, m.Name)
		if m.Hash != hashes[m.Name] || m.Template == "" {
			t.Errorf("the header has the model %+v, want its hash and template", m)
		}
	}
	if !slices.Equal(named, []string{"tiny", "eight", "four", "synthetic"}) || len(byModel) != 4 {
		t.Errorf("the header names %v and %v made generations, want tiny, eight, four and synthetic in both", named,
			slices.Collect(maps.Keys(byModel)))
	}
	return byModel
}

func sessionsIn(t *testing.T, directory string) (sessions []rundir.Session) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "engine.json"))
	if err == nil {
		err = json.Unmarshal(text, &sessions)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sessions
}

// TestTeamExperiment: a sweep over teams, whose models stand beside the file, from another directory, and again from
// the copy that the directory keeps.
func TestTeamExperiment(t *testing.T) {
	t.Parallel()
	dir := teamDirectory(t)
	out := filepath.Join(dir, "out")
	for _, file := range []string{filepath.Join(dir, "teams.yaml"), filepath.Join(out, "experiment.yaml")} {
		code, stdout, stderr := parleytest.Ran("run", file, "--out", out)
		if code != 0 || !strings.Contains(stdout, "quantised/team=eight+four") ||
			!strings.Contains(stdout, "quantised/team=plain+synthetic") {
			t.Fatalf("an experiment of teams ended with status %d, want 0 and both teams named: %s%s", code, stdout,
				stderr)
		}
	}
	if code, _, stderr := parleytest.Ran("run", filepath.Join(dir, "teams.yaml"), "--small", "--out",
		out+"2"); code != 0 {
		t.Errorf("exit %d: %s, want 0", code, stderr)
	}
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	hashes := hashesOf(t, dir)
	if want := fmt.Sprintf("tiny %.8s, synthetic %.8s", hashes["tiny"], hashes["synthetic"]); err != nil ||
		!strings.Contains(string(report), want) {
		t.Errorf("the report names both models as %q: %v\n%s", want, err, report)
	}
	if err := os.Remove(filepath.Join(dir, "four.gguf")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := parleytest.Ran("run", filepath.Join(dir, "teams.yaml"), "--out",
		out+"3"); code != exit.CodeInput ||
		!strings.Contains(stderr, "four.gguf") || !strings.Contains(stderr, ">  9 |") {
		t.Errorf("exit %d: %s, want %v, \"four.gguf\" in it and \">  9 |\" in it", code, stderr, exit.CodeInput)
	}
}

// TestTeamDebate: parley debate has the same models, and its transcript says which of them spoke.
func TestTeamDebate(t *testing.T) {
	dir := teamDirectory(t)
	file := filepath.Join(dir, "transcript.json")
	code, _, stderr := parleytest.Ran("debate", "--protocol", "society", "--max-tokens", "30", "--transcript", file,
		"--set",
		"team=[{model: "+filepath.Join(dir, "four.gguf")+"}, {}]", "Is it? (A) yes (B) no")
	text, err := os.ReadFile(file)
	if code != 0 || err != nil {
		t.Fatalf("exit %d: %s, %v; want 0 and no error", code, stderr, err)
	}
	var transcript debate.Transcript
	if err := json.Unmarshal(text, &transcript); err != nil {
		t.Fatal(err)
	}
	hashes := hashesOf(t, dir)
	for i, want := range []string{hashes["four"], hashes["tiny"], hashes["tiny"]} {
		t.Run(fmt.Sprintf("%.60s", want), func(t *testing.T) {
			if got := transcript.Rounds[0][i].Reply.Model; got != want {
				t.Errorf("agent %d was %s, want %s", i, got, want)
			}
		})
	}
}

// TestTeamErrors: what is wrong with a team is refused before anything begins, and files apart from usage.
func TestTeamErrors(t *testing.T) {
	parleytest.WarmCache(t)
	out := filepath.Join(t.TempDir(), "run")
	type refusal struct {
		code int
		says string
	}
	refused := func(want refusal, more ...string) {
		t.Helper()
		code, _, stderr := parleytest.Ran(append([]string{"compare", "--generated", "1", "--out", out}, more...)...)
		if _, err := os.Stat(out); code != want.code || !strings.Contains(stderr, want.says) || err == nil {
			t.Errorf("%s: exit %d, want %d: %s, %v", more, code, want.code, stderr, err)
		}
	}
	for set, want := range map[string]refusal{
		"team=[{}, {model: nobody.gguf}]": {exit.CodeInput, `team, member 1: model "nobody.gguf": no such file`},
		"team=[{model: team_test.go}]":    {exit.CodeInput, "member 0: model \"team_test.go\": not a GGUF file"},
		"team=[{human: true}]":            {exit.CodeUsage, "member 0 is a person: a run asks models only"},
		"team=[{}, {}, {}, {}]":           {exit.CodeUsage, "a team of 4 members for a debate of 3"},
		"order=random":                    {exit.CodeUsage, "only the team can be set"},
	} {
		refused(want, "--set", set)
	}
	card := slices.ContainsFunc(llamacpp.Devices(), llamacpp.DeviceInfo.GPU)
	for place, want := range map[string]refusal{
		"tiny": {exit.CodeUsage, "must be MODEL=DEVICE or MODEL=DEVICE:LAYERS"},
		"=cpu": {exit.CodeUsage, "must be MODEL=DEVICE"},
		"other.gguf=cpu": {exit.CodeUsage,
			"no model of this name takes part; there are tiny, " + parleytest.TinyFile},
		"tiny=":                         {exit.CodeUsage, "the device is missing"},
		"tiny=cpu:3":                    {exit.CodeUsage, "the CPU computes the layers that no GPU does"},
		"tiny=Vulkan0:x":                {exit.CodeUsage, `"x" is not a number of layers`},
		"tiny=Vulkan0:0":                {exit.CodeUsage, "layers 0: must be from 1 to 10000"},
		"tiny=NoSuchGPU":                {exit.CodeInput, "layers on a GPU: this build finds none"},
		parleytest.TinyFile + "=gpu:20": {exit.CodeInput, "layers on a GPU: this build finds none"},
	} {
		if !card || want.code == exit.CodeUsage {
			refused(want, "--set", "team=[{}, {}, {model: "+parleytest.TinyFile+"}]", "--place", place)
		}
	}
	refused(refusal{exit.CodeUsage, "--place uses a GPU"}, "--place", "tiny=gpu", "--kernels", "parley")
}
