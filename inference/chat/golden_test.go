package chat

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/chat/chattest"
)

const templateDir = "testdata/templates"

// TestTemplatesAsTransformers compares every byte that templates of the public families render with what transformers
// renders, for conversations of all shapes that debates have. What a template refuses, it must refuse here too.
func TestTemplatesAsTransformers(t *testing.T) {
	all := chattest.Read(t, templateDir)
	if len(all) < 25 {
		t.Errorf("goldens of %d templates, want at least 25", len(all))
	}
	for name, g := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := NewTemplate(sourceOf(t, g.Golden), g.BOS, g.EOS, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range g.Cases {
				var messages []Message
				for _, m := range c.Conversation {
					messages = append(messages, Message(m))
				}
				r := rendering{generation: c.Generation, continued: c.Continued}
				if c.Thinking != nil {
					r.variables = dict("enable_thinking", *c.Thinking)
				}
				segments, err := template.render(t.Context(), turnsOf(messages), r)
				name := fmt.Sprintf("%s, generation %v, continued %v, thinking %v", c.Messages, c.Generation,
					c.Continued, c.Thinking != nil && *c.Thinking)
				switch {
				case c.Error != "" && err == nil:
					t.Errorf("%s: it was rendered, want the error of transformers, %q", name, c.Error)
				case c.Error != "":
					if c.Type == "TemplateError" && !strings.Contains(err.Error(), c.Error) {
						t.Errorf("%s: got the error %v, want that of transformers, %q", name, err, c.Error)
					}
				case err != nil:
					t.Errorf("%s: got the error %v, want the text that transformers renders", name, err)
				default:
					if diff := cmp.Diff(c.Text, textOf(segments)); diff != "" {
						t.Errorf("%s: the text is that of transformers (-transformers +ours):\n%s", name, diff)
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

// sourceOf is the template's text. It skips the test where there is none.
func sourceOf(t *testing.T, g chattest.Golden) string {
	t.Helper()
	text := g.Source(templateDir, os.Getenv("PARLEY_TEMPLATES"))
	if text == "" {
		t.Skipf("the licence of %s does not clearly allow a copy here; set PARLEY_TEMPLATES to a directory with the "+
			"file %[1]s.jinja of SHA-256 %s, such as llama.cpp's models/templates", g.Template, g.SHA256)
	}
	return text
}

// TestPythonInTemplates has what the reference says of expressions that are seldom alike in other implementations of
// Jinja.
func TestPythonInTemplates(t *testing.T) {
	for source, want := range map[string]string{
		`{{ ('a' if true else 'b') + ('c' if false else 'd' if true else 'e') }}`:            "ad",
		`{{ [1 if false else 2, (3 if (true if true else false) else 4)] | join(',') }}`:     "2,3",
		`{{ {'a': 'x' if none else 'y'}['a'] }}{{ 'if else' if 'if' else "(" }}`:             "yif else",
		`{{ ('a' if true else raise_exception('b')) }}{{ ['a' if false] | length }}`:         "a1",
		`{% macro m(a='x' if true else 'y') %}{{ a }}{% endmacro %}{{ m() }}`:                "x",
		`{% macro m(a) %}{{ a }}{% endmacro %}{{ m(a=1 if 2 else 3) }}`:                      "1",
		`{% generation %}{% set a = 1 %}b{% endgeneration %}`:                                "b",
		`{{ 'a,b,,c'.split(',', 1) | join('|') }}`:                                           "a|b,,c",
		`{{ 'a,b,,c'.rsplit(',', maxsplit=1) | join('|') }}`:                                 "a,b,|c",
		`{{ ' a \t b c '.split() | join('|') }}`:                                             "a|b|c",
		`{{ ' a b c '.split(none, 1) | join('|') }}`:                                         "a|b c ",
		`{{ ' a b c '.rsplit(none, 1) | join('|') }}`:                                        " a b|c",
		`{{ ''.split() | length }}{{ ''.split(',') | length }}`:                              "01",
		`[{{ '\n a\t'.strip() }}][{{ 'xyaxy'.lstrip('yx') }}]`:                               "[a][axy]",
		`{{ 'xyaxy'.rstrip('yx') }}{{ 'aaa'.replace('a', 'b', 2) }}`:                         "xyabba",
		`{{ ('a' + 'b').upper() }}{{ (nothing | default('c-', true)).strip('-').upper() }}`:  "ABC",
		`{% set d = {0: 'a', 512: 'b'} %}{{ d[512] }}{% set t = 'Ü-' %}{{ t[1] }}{{ t[0] }}`: "b-Ü",
		`{% set a = 'b' if none %}{{ a or 'c' }}{% set a = 'd' if true %}{{ a }}`:            "cd",
		`{{ 'aaa'.replace('a', 'b') }}{{ '{}-{}'.format('a', 1) }}`:                          "bbba-1",
		`{{ ['a'][-1] }}{{ 'b'[-1] }}{{ ['c', 'd'][-2] }}{{ ['e'][-2] }}`:                    "abc",
		`{{ strftime_now('%d %b %Y %H:%M %%') }}`:                                            "26 Jul 2024 00:00 %",
	} {
		t.Run(source, func(t *testing.T) {
			template, err := NewTemplate(source, "", "", nil)
			if err != nil {
				t.Errorf("the template %s is refused: %v, want no error", source, err)
				return
			}
			segments, err := template.Render(t.Context(), chat)
			if got := textOf(segments); err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", source, got, err, want)
			}
		})
	}
	for source, want := range map[string]string{
		`{{ strftime_now('%Q') }}`:          "%Q is not known",
		`{{ 'a'.split('') }}`:               "empty separator",
		`{{ '{a}'.format(1) }}`:             "without a name",
		`{{ 'a'.split(',', 1, 2) }}`:        "at most 2 are known",
		`{{ 'a'.replace('b') }}`:            "the argument new must be a text",
		`{% filter upper %}{% endfilter %}`: "the statement \"filter\" is not known",
	} {
		t.Run(source, func(t *testing.T) {
			template, err := NewTemplate(source, "", "", nil)
			if err == nil {
				_, err = template.Render(t.Context(), chat)
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", source, err, want)
			}
		})
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
		t.Errorf("a message that is continued ends without its end sign: %v (-want +got):\n%s", err, diff)
	}
	silent, err := NewTemplate("{{ messages[0].content }}", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := silent.Render(t.Context(), begun); err == nil || !strings.Contains(err.Error(), "end with a message") {
		t.Errorf(`%v, want an error with "end with a message"`, err)
	}
}
