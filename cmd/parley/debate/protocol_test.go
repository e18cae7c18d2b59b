package debate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/internal/soak"
)

// TestEveryProtocol runs each that is listed to its end on the embedded model, with short replies. Engines of one
// thread side by side take less of the machine than one of all its cores, whose threads mostly wait for each other with
// so small a model.
func TestEveryProtocol(t *testing.T) {
	parleytest.WarmCache(t)
	for _, p := range protocol.Protocols() {
		flags, question := "--max-tokens 8 --truth (A)", "Is a tomato a fruit? (A) yes (B) no"
		switch p.Form {
		case "knights":
			question = "Player name: Ann\nPlayer statement: Bob is a knave.\n---\nPlayer name: Bob\nPlayer " +
				"statement: Ann is a spy."
			flags = "--max-tokens 8 --agents 2"
		case "centre": // needs both right and wrong solutions
			flags, question = "--truth (C) --set samples=30", parleytest.Slippery
		case "discussion": // later rounds ask what the third one has asked, with longer prompts
			if debate.Value[int](p.Settings, "ablate") == 0 && !soak.On() {
				flags += " --rounds 3"
			}
		}
		switch p.Answer {
		case "number", "last-word":
			flags = "--max-tokens 8 --truth 42"
		case "square":
			flags = "--max-tokens 8 --truth e5"
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			line := slices.Concat([]string{"debate", "--protocol", p.Name}, strings.Fields(flags), []string{question})
			if parleytest.Must(t, line) == "" {
				t.Errorf("%q printed nothing, want the debate", line)
			}
		})
	}
}
