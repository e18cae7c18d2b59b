package prompts

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

func TestLoadKnights(t *testing.T) {
	k, err := LoadKnights("knights")
	if err != nil {
		t.Fatal(err)
	}
	if got := k.With("{player} and {role}", "player", "{role}", "role", "spy"); got != "{role} and spy" {
		t.Errorf("what a value contains is filled: %q, want \"{role} and spy\"", got)
	}
	if got := k.FormOf("{}", false); got != "Reply with JSON only, in this form: {}" ||
		!strings.HasPrefix(k.FormOf("{}", true), got+" The confidence") {
		t.Errorf("the form: %q, %q; want \"Reply with JSON only, in this form: {}\" and %q at its beginning",
			got, k.FormOf("{}", true), got+" The confidence")
	}
	if got := k.List(nil) + "|" + k.List([]string{"a", "b"}); got != "none|a\nb" {
		t.Errorf("lists: %q, want %q", got, "none|a\nb")
	}
}

func TestKnightsFiles(t *testing.T) {
	whole, err := knightsFiles.ReadFile("knights/knights.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	for name, test := range map[string]struct{ old, new, want string }{
		"as it is": {"name: knights", "name: mine", ""},
		"no name":  {"name: knights", "name: ''", "name and origin must be given"},
		"no form": {"tie between {roles}. Decide which of these roles {player} has. {form}", "tie.",
			"settle must contain {form} once"},
		"no agent":      {"You are {agent}.", "You are an agent.", "system must contain {agent} once"},
		"an odd key":    {"name: knights", "name: knights\nodd: key", "odd"},
		"own not given": {`own: " (YOU)"`, `own: ""`, "own, unread, none and supervisor"},
	} {
		datatest.Write(t, path, strings.Replace(string(whole), test.old, test.new, 1))
		if _, err := LoadKnights(path); (err == nil) != (test.want == "") ||
			err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf(`%s: a file of prompts: %v, want an error with %q ("" is none)`, name, err, test.want)
		}
	}
	for _, name := range []string{"knaves", "missing.yaml"} {
		t.Run(name, func(t *testing.T) {
			if _, err := LoadKnights(name); err == nil {
				t.Errorf("the prompts %q were loaded, want an error", name)
			}
		})
	}
}
