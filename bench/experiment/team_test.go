package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/protocol"
)

const teams = head + `conditions:
  - {name: mad, protocol: society, set: {team: [{model: a.gguf, temperature: 0.5}, {name: Bo, model: far.gguf}, {}]}}
  - name: swept
    protocol: society
    sweep:
      team:
        - [{model: a.gguf}, {model: models/b.gguf}]
        - [{model: models/b.gguf, name: "Dr. B!"}, {}]
  - {name: file, protocol: ours.yaml}
small: {tasks: [{name: q, generated: 1}]}
`

// teamsIn is that experiment in a directory, beside the files that it names.
func teamsIn(t *testing.T) (dir string, e Experiment) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"teams.yaml": teams, "a.gguf": "", "models/b.gguf": "",
		"ours.yaml": "{form: society, team: [{model: models/b.gguf}]}"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, loaded(t, filepath.Join(dir, "teams.yaml"))
}

func modelsOf(t *testing.T, e Experiment) (names []string) {
	t.Helper()
	if err := e.EachModel(func(name string) error { names = append(names, name); return nil }); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestTeams: models are looked for beside the file that names them, and sweeps over teams are named by their members.
func TestTeams(t *testing.T) {
	dir, e := teamsIn(t)
	a, b := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "models/b.gguf")
	want := []string{a, "far.gguf", a, b, b, b}
	if got := modelsOf(t, e); !slices.Equal(got, want) {
		t.Errorf("the members of the teams have the models %v: got %v", want, got)
	}
	points := pointsOf(t, e)
	if got := strings.Join(conditionNames(points), " "); got != "mad swept/team=a+b swept/team=Dr.-B-+plain file" {
		t.Errorf("swept teams are named in their conditions, \"mad swept/team=a+b swept/team=Dr.-B-+plain "+
			"file\": got %s", got)
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where none of the files is
	again := parsed(t, string(text))
	if got := modelsOf(t, again); !slices.Equal(got, want) {
		t.Errorf("the members of the teams that are read back have the models %v: got %v of\n%s", want, got, text)
	}
	small, err := again.Miniature(true)
	if err != nil || !slices.Equal(modelsOf(t, small), want) {
		t.Errorf("the small version has the models %v: got %v, %v", want, modelsOf(t, small), err)
	}
	if _, err := protocol.LoadProtocol(filepath.Join(dir, "ours.yaml")); err != nil {
		t.Error(err)
	}
}

// TestTeamErrors: what is wrong with a model is an error with the line that names it.
func TestTeamErrors(t *testing.T) {
	wrong := errors.New("it is no model")
	_, e := teamsIn(t)
	for name, line := range map[string]string{"a.gguf": "set: {team", "b.gguf": "sweep:", "far.gguf": "set: {team"} {
		t.Run(name, func(t *testing.T) {
			err := e.EachModel(func(model string) error {
				if filepath.Base(model) == name {
					return wrong
				}
				return nil
			})
			if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "> ") || !strings.Contains(err.Error(), line) {
				t.Errorf("%s: want %v with the line of the file, %q: got %v", name, wrong, line, err)
			}
		})
	}
	same := head + "conditions:\n  - {name: c, protocol: society, " +
		"sweep: {team: [[{persona: One.}], [{persona: Two.}]]}}\n"
	if _, err := Parse([]byte(same)); err == nil ||
		!strings.Contains(err.Error(), "name c/team=plain; give the members of its teams names") {
		t.Errorf("two conditions of one name are refused, with \"name c/team=plain; give the members of its "+
			"teams names\": got %v", err)
	}
}
