package chat

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goldens are what transformers renders with one template; tools/differential/templates.py writes them.
type goldens struct {
	Template, SHA256, BOS, EOS string
	Cases                      []struct {
		Messages              string // the name of the conversation
		Generation, Continued bool
		Thinking              *bool
		Text, Error, Type     string
	}
}

const templateDir = "testdata/templates"

// TestTemplatesAsTransformers compares every byte that templates of the public families render with what transformers
// renders, for conversations of all shapes that debates have. What a template refuses, it must refuse here too.
func TestTemplatesAsTransformers(t *testing.T) {
	var conversations struct{ Conversations map[string][]Message }
	readGolden(t, filepath.Join(templateDir, "conversations.json"), &conversations)
	files, err := filepath.Glob(filepath.Join(templateDir, "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if filepath.Base(file) == "conversations.json" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			var g goldens
			readGolden(t, file, &g)
			template, err := NewTemplate(g.source(t), g.BOS, g.EOS, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range g.Cases {
				segments, err := template.render(t.Context(), conversations.Conversations[c.Messages],
					rendering{generation: c.Generation, continued: c.Continued, thinking: c.Thinking})
				name := fmt.Sprintf("%s, generation %v, continued %v, thinking %v", c.Messages, c.Generation,
					c.Continued, c.Thinking != nil && *c.Thinking)
				switch {
				case c.Error != "" && err == nil:
					t.Errorf("%s: rendered, but transformers says %q", name, c.Error)
				case c.Error != "":
					if c.Type == "TemplateError" && !strings.Contains(err.Error(), c.Error) {
						t.Errorf("%s: %v, but transformers says %q", name, err, c.Error)
					}
				case err != nil:
					t.Errorf("%s: %v", name, err)
				default:
					if diff := cmp.Diff(c.Text, textOf(segments)); diff != "" {
						t.Errorf("%s: (-transformers +ours)\n%s", name, diff)
					}
				}
			}
		})
	}
}

func textOf(segments []Segment) (text string) {
	for _, s := range segments {
		text += s.Text
	}
	return text
}

func readGolden(t *testing.T, file string, to any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// source is the template's text: from testdata where its licence allows a copy, from the carrier, or from
// $PARLEY_TEMPLATES, such as models/templates of a checkout of llama.cpp.
func (g goldens) source(t *testing.T) string {
	t.Helper()
	known := []string{carried()[strings.TrimPrefix(g.Template, "carrier-")]}
	for _, dir := range []string{templateDir, os.Getenv("PARLEY_TEMPLATES")} {
		content, _ := os.ReadFile(filepath.Join(dir, g.Template+".jinja"))
		known = append(known, string(content))
	}
	for _, text := range known {
		if fmt.Sprintf("%x", sha256.Sum256([]byte(text))) == g.SHA256 {
			return text
		}
	}
	t.Skipf("the licence of %s does not clearly allow a copy here; set PARLEY_TEMPLATES to a directory with the file "+
		"%[1]s.jinja of SHA-256 %s, such as llama.cpp's models/templates", g.Template, g.SHA256)
	return ""
}

// carried are the first templates of each name in the carrier's own test data, which is in Go's module cache.
var carried = sync.OnceValue(func() map[string]string {
	dir, _ := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ollama/ollama").Output()
	lines, _ := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "template", "testdata", "templates.jsonl"))
	found := make(map[string]string)
	for line := range strings.Lines(string(lines)) {
		var one map[string]string
		if json.Unmarshal([]byte(line), &one) == nil {
			for name, text := range one {
				if found[name] == "" {
					found[name] = text
				}
			}
		}
	}
	return found
})

// TestPythonInTemplates has what the reference says of expressions that gonja lacks or computes otherwise.
func TestPythonInTemplates(t *testing.T) {
	for source, want := range map[string]string{
		`{{ ('a' if true else 'b') + ('c' if false else 'd' if true else 'e') }}`:        "ad",
		`{{ [1 if false else 2, (3 if (true if true else false) else 4)] | join(',') }}`: "2,3",
		`{{ {'a': 'x' if none else 'y'}['a'] }}{{ 'if else' if 'if' else "(" }}`:         "yif else",
		`{{ ('a' if true else raise_exception('b')) }}{{ ['a' if false] | length }}`:     "a1",
		`{% macro m(a='x' if true else 'y') %}{{ a }}{% endmacro %}{{ m() }}`:            "x",
		`{% macro m(a) %}{{ a }}{% endmacro %}{{ m(a=1 if 2 else 3) }}`:                  "1",
		`{% generation %}{% set a = 1 %}b{% endgeneration %}`:                            "b",
		`{{ 'a,b,,c'.split(',', 1) | join('|') }}`:                                       "a|b,,c",
		`{{ 'a,b,,c'.rsplit(',', maxsplit=1) | join('|') }}`:                             "a,b,|c",
		`{{ ' a \t b c '.split() | join('|') }}`:                                         "a|b|c",
		`{{ ' a b c '.split(none, 1) | join('|') }}`:                                     "a|b c ",
		`{{ ' a b c '.rsplit(none, 1) | join('|') }}`:                                    " a b|c",
		`{{ ''.split() | length }}{{ ''.split(',') | length }}`:                          "01",
		`[{{ '\n a\t'.strip() }}][{{ 'xyaxy'.lstrip('yx') }}]`:                           "[a][axy]",
		`{{ 'xyaxy'.rstrip('yx') }}{{ 'aaa'.replace('a', 'b', 2) }}`:                     "xyabba",
		`{{ 'aaa'.replace('a', 'b') }}{{ '{}-{}'.format('a', 1) }}`:                      "bbba-1",
		`{{ ['a'][-1] }}{{ 'b'[-1] }}{{ ['c', 'd'][-2] }}{{ ['e'][-2] }}`:                "abc",
		`{{ strftime_now('%d %b %Y %H:%M %%') }}`:                                        "26 Jul 2024 00:00 %",
	} {
		template, err := NewTemplate(source, "", "", nil)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		segments, err := template.Render(t.Context(), chat)
		if got := textOf(segments); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", source, got, err, want)
		}
	}
	for source, want := range map[string]string{
		`{{ strftime_now('%Q') }}`:          "%Q is not known",
		`{{ parley_choice(1, 2, 3) }}`:      "Parley's own",
		`{{ 'a'.split('') }}`:               "empty separator",
		`{{ '{a}'.format(1) }}`:             "without a name",
		`{{ 'a'.split(',', 1, 2) }}`:        "at most 2 arguments",
		`{{ 'a'.replace('b') }}`:            "replace takes",
		`{% filter upper %}{% endfilter %}`: "'filter' not found",
	} {
		template, err := NewTemplate(source, "", "", nil)
		if err == nil {
			_, err = template.Render(t.Context(), chat)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// TestContinued: a conversation that ends with the assistant's message is continued there.
func TestContinued(t *testing.T) {
	template, err := NewTemplate("{% for m in messages %}<{{ m.role }}>{{ m.content }}<e>{% endfor %}"+
		"{% if add_generation_prompt %}<assistant>{% endif %}", "", "", []string{"<e>"})
	if err != nil {
		t.Fatal(err)
	}
	begun := []Message{{Role: "user", Content: "Go"}, {Role: "assistant", Content: "It is <e> "}}
	segments, err := template.Render(t.Context(), begun)
	want := []Segment{{Text: "<user>Go<e><assistant>It is "}, {"<e>", true}, {Text: " "}}
	if diff := cmp.Diff(want, segments); err != nil || diff != "" {
		t.Error(err, diff)
	}
	silent, err := NewTemplate("{{ messages[0].content }}", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := silent.Render(t.Context(), begun); err == nil || !strings.Contains(err.Error(), "end with a message") {
		t.Error(err)
	}
}
