package experiment

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

const cast = head + `models: {strong: "", weak: }
conditions:
  - {name: mixed, protocol: society, set: {team: [{model: strong}, {model: weak}, {model: far.gguf}]}}
  - {name: swept, protocol: society, sweep: {team: [[{model: strong}], [{model: weak, name: Wes}]]}}
small: {tasks: [{name: q, generated: 1}]}
`

// TestModels: teams have the models of their roles, which a command line gives; in the miniature a role without one is
// played by the model of the run.
func TestModels(t *testing.T) {
	t.Chdir(t.TempDir())
	datatest.Write(t, "s.gguf", "")
	there, err := filepath.Abs("s.gguf")
	if err != nil {
		t.Fatal(err)
	}
	e := parsed(t, cast)
	if got := e.Unfilled(); !slices.Equal(got, []string{"strong", "weak"}) {
		t.Errorf("the roles without a model are [strong weak]: got %v", got)
	}
	half, err := e.With(Changes{Models: map[string]string{"strong": "s.gguf"}})
	if err != nil || !slices.Equal(half.Unfilled(), []string{"weak"}) || len(e.Unfilled()) != 2 {
		t.Fatalf("strong is filled and weak is left, in the copy alone: got %v, %v, and %v of the original",
			half.Unfilled(), err, e.Unfilled())
	}
	full, err := half.With(Changes{Models: map[string]string{"weak": "tiny"}})
	if err != nil || full.Unfilled() != nil {
		t.Fatalf("no role is left: got %v, %v", full.Unfilled(), err)
	}
	want := []string{there, "tiny", "far.gguf", there, "tiny"}
	if got := modelsOf(t, full); !slices.Equal(got, want) {
		t.Errorf("the members of the team have the models %v: got %v", want, got)
	}
	text, err := full.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if got := modelsOf(t, parsed(t, string(text))); !slices.Equal(got, want) {
		t.Errorf("the members of the team that is read back have the models %v: got %v of\n%s", want, got, text)
	}
	small, err := half.Miniature(true)
	if err != nil || small.Unfilled() != nil {
		t.Fatalf("the small version needs no model: got %v, %v", small.Unfilled(), err)
	}
	if got, want := modelsOf(t, small), []string{there, "far.gguf", there}; !slices.Equal(got, want) {
		t.Errorf("the members of the miniature's team have the models %v: got %v", want, got)
	}
}

func TestModelErrors(t *testing.T) {
	e := parsed(t, cast)
	if _, err := e.With(Changes{Models: map[string]string{"best": "a.gguf"}}); err == nil ||
		!strings.Contains(err.Error(), `no role "best" in its teams; there are strong, weak`) {
		t.Errorf("a role that no team has is refused, with the roles that there are, strong and weak: got %v", err)
	}
	if _, err := Parse([]byte(strings.Replace(cast, "weak: }", "weak: , idle: a.gguf}", 1))); err == nil ||
		!strings.Contains(err.Error(), "no team has a member with the model idle") {
		t.Errorf("a model of a role that no member has is refused, as \"no team has a member with the model "+
			"idle\": got %v", err)
	}
	if _, err := Parse([]byte(strings.Replace(cast, "generated: 2", "generated: 2, ids: 3..1", 1))); err == nil ||
		!strings.Contains(err.Error(), "or a range, such as 1..100") {
		t.Errorf("a range of ids that ends before it begins is refused, \"or a range, such as 1..100\": got %v", err)
	}
}

// TestRangeOfIDs: a range is the list of its numbers.
func TestRangeOfIDs(t *testing.T) {
	e := parsed(t, "name: x\ntasks: [{name: p, generated: 9, ids: 2..4}]\nconditions: [{protocol: single}]\n")
	if !slices.Equal(e.Tasks[0].IDs, []int{2, 3, 4}) {
		t.Errorf("the ids 2..4 are [2 3 4]: got %v", e.Tasks[0].IDs)
	}
	if text, err := e.YAML(); err != nil || !slices.Equal(parsed(t, string(text)).Tasks[0].IDs, e.Tasks[0].IDs) {
		t.Errorf("a range of ids is written and read back as %v: got %s, %v", e.Tasks[0].IDs, text, err)
	}
}
