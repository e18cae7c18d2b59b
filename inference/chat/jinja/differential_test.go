package jinja

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// expected is a line of what tools/differential/jinja.py writes.
type expected struct{ Source, Text, Error string }

var conversation = []any{
	NewDict(Pair{"role", "system"}, Pair{"content", " Be brief.\n"}),
	NewDict(Pair{"role", "user"}, Pair{"content", "2+2? \"q\" é"}),
	NewDict(Pair{"role", "assistant"}, Pair{"content", "4"}),
}

// compareAll renders each line and compares it with jinja2's. What jinja2 renders may be refused here, but never
// rendered otherwise; it returns how many were equal, and how many refused.
func compareAll(t *testing.T, lines []byte) (same, refused int) {
	t.Helper()
	functions := map[string]Function{"raise_exception": func(texts ...string) (string, error) {
		return "", errors.New(strings.Join(texts, " "))
	}}
	scan := bufio.NewScanner(bytes.NewReader(lines))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var want expected
		if err := json.Unmarshal(scan.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		template, err := Parse(want.Source, functions)
		var got string
		if err == nil {
			got, err = template.Render(t.Context(), map[string]any{"messages": conversation}, 3, 100)
		}
		switch {
		case err == nil && want.Error != "":
			t.Errorf("%s: %q, but jinja2 has an error (%s)", want.Source, got, want.Error)
		case err == nil && got != want.Text:
			t.Errorf("%s: %q, but jinja2 has %q", want.Source, got, want.Text)
		case err == nil || want.Error != "":
			same++
		default:
			if refused++; !testing.Verbose() {
				continue // it would stand before what fails
			}
			t.Logf("refused: %s: %v; jinja2 has %q", want.Source, err, want.Text)
		}
	}
	return same, refused
}

// TestAsJinja2 compares templates with what jinja2 renders in transformers' environment.
func TestAsJinja2(t *testing.T) {
	lines := datatest.Read(t, "testdata/expressions.jsonl")
	same, refused := compareAll(t, lines)
	t.Logf("%d templates give the same, %d are refused", same, refused)
	if refused*30 > same {
		t.Errorf("%d of %d templates are refused, want at most a thirtieth of those that are not", refused,
			same+refused)
	}
}

// TestAsJinja2Random does the same with random templates, where jinja2 can be had; in a soak with many.
func TestAsJinja2Random(t *testing.T) {
	if exec.Command("python3", "-c", "import jinja2").Run() != nil {
		t.Skip("python3 has no jinja2: pip install jinja2==3.1.6")
	}
	same, more := 0, soak.More(t, 1)
	for round := 0; more(round); round++ {
		seed := uint32(round + 2)
		if soak.On() {
			seed = rand.Uint32()
		}
		script := exec.Command("python3", "-W", "ignore", "../../../tools/differential/jinja.py", fmt.Sprint(seed),
			"1000")
		lines, err := script.Output()
		if err != nil {
			t.Fatalf("jinja.py failed with seed %d: %v, want no error", seed, err)
		}
		equal, refused := compareAll(t, lines)
		if t.Failed() {
			t.Fatalf("a template of seed %d is rendered otherwise by Jinja2, want the same", seed)
		}
		if same += equal; refused > equal/4 {
			t.Errorf("seed %d: %d of %d templates are refused, want at most %d", seed, refused, equal+refused, equal/4)
		}
	}
	t.Logf("%d random templates give the same", same)
}
