package chat

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/chat/chattest"
)

// turns writes every message with its role, and refuses what a condition says.
func turns(refused string) string {
	return "{% for m in messages %}" + refused + "<{{ m.role }}>{{ m.content }}{% endfor %}" +
		"{% if add_generation_prompt %}<assistant>{% endif %}"
}

var (
	inParts = "{% for m in messages %}<{{ m.role }}>{% if m.content is not string %}{% for p in m.content %}" +
		"{{ p.text }}{% endfor %}{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
	withoutSystem = turns("{% if m.role == 'system' %}{{ raise_exception('no system here') }}{% endif %}")
	silentSystem  = "{% for m in messages %}{% if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endif %}" +
		"{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
	alternating = turns("{% if loop.index0 > 0 and loop.previtem.role == m.role %}" +
		"{{ raise_exception('roles must alternate') }}{% endif %}")
)

// TestOpen tries templates that want conversations otherwise than most: what is asked is in the prompt all the same.
func TestOpen(t *testing.T) {
	again := []Message{{Role: "system", Content: "S1"}, {Role: "user", Content: "U1"}, {Role: "user", Content: "U2"},
		{Role: "assistant", Content: "A1"}, {Role: "user", Content: "U3"}}
	for name, c := range map[string]struct{ source, adapted, want string }{
		"texts": {turns(""), "", "<system>S1<user>U1<user>U2<assistant>A1<user>U3<assistant>"},
		"parts": {inParts, "", "<system>S1<user>U1<user>U2<assistant>A1<user>U3<assistant>"},
		"refuses system": {withoutSystem, "no system message",
			"<user>S1\n\nU1<user>U2<assistant>A1<user>U3<assistant>"},
		"drops system": {silentSystem, "no system message", "<user>S1\n\nU1<user>U2<assistant>A1<user>U3<assistant>"},
		"alternates":   {alternating, "no two messages", "<system>S1<user>U1\n\nU2<assistant>A1<user>U3<assistant>"},
	} {
		t.Run(name, func(t *testing.T) {
			template, err := Open(c.source, "", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			segments, err := template.Render(t.Context(), again)
			if got := textOf(segments); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
			if got := template.Adapted(); !strings.Contains(got, c.adapted) || (c.adapted == "") != (got == "") {
				t.Errorf("adapted: %q, want %q", got, c.adapted)
			}
			begun := append(again[:4:4], Message{Role: "assistant", Content: "The answer is"})[2:]
			segments, err = template.Render(t.Context(), begun)
			if got := textOf(segments); err != nil || !strings.HasSuffix(got, "The answer is") {
				t.Errorf("to be continued: %q, %v; want %q at its end and no error", got, err, "The answer is")
			}
		})
	}
}

// TestOpenRefuses: nobody is asked an empty question.
func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"no messages at all": {"<user>{% if add_generation_prompt %}<assistant>{% endif %}",
			"leaves out the text of message 1"},
		"changed":       {"{% for m in messages %}{{ m.content | upper }}{% endfor %}", "or changes it"},
		"refuses users": {"{{ raise_exception('no users') }}", "no users"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(c.source, "", "", nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Open("", "", "", nil); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("%v, want %v", err, ErrNoTemplate)
	}
	var none *Template
	if _, err := none.Render(t.Context(), chat); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("%v, want %v", err, ErrNoTemplate)
	}
}

// TestLateFailure: what a template loses or refuses only in some conversations is noticed when it does, and it renders
// the others.
func TestLateFailure(t *testing.T) {
	five := []Message{{Role: "user", Content: "U1"}, {Role: "assistant", Content: "A1"}, {Role: "user", Content: "U2"},
		{Role: "assistant", Content: "A2"}, {Role: "user", Content: "U3"}}
	for name, c := range map[string]struct{ source, want string }{
		"loses the fifth": {"{% for m in messages %}{% if loop.index0 < 4 %}{{ m.content }}{% endif %}{% endfor %}",
			"message 5 (user)"},
		"the first alone": {"{{ messages[0].content }}", "leaves out the text of message 2"},
		"refuses": {turns("{% if loop.index0 > 1 %}{{ raise_exception('no') }}{% endif %}"),
			"raise_exception: no"},
		"has no filter": {turns("{% if loop.index0 > 1 %}{{ 1 | nosuch }}{% endif %}"), `the filter "nosuch"`},
		"ends nowhere": {turns("{% if loop.index0 > 1 %}{% for i in range(99999) %}{% for k in range(99999) %}" +
			"{% endfor %}{% endfor %}{% endif %}"), "more than a chat template may do"},
		"ends nothing": {"{% if messages | length < 3 %}" + turns("") + "{% endif %}", "leaves out the text"},
	} {
		t.Run(name, func(t *testing.T) {
			template, err := Open(c.source, "", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, one := template.Render(t.Context(), five[:1])
			_, err = template.Render(t.Context(), five)
			if one != nil || !errors.Is(err, ErrTemplate) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("one message: %v, want no error; five: %v, want %q", one, err, c.want)
			}
		})
	}
}

// TestOpenPublic opens the templates of public families, and the named ones. Few of them need a conversation changed.
func TestOpenPublic(t *testing.T) {
	for name, g := range chattest.Read(t, templateDir) {
		t.Run(name, func(t *testing.T) {
			template, err := Open(sourceOf(t, g.Golden), g.BOS, g.EOS, nil)
			if err != nil {
				t.Fatal(err)
			}
			if adapted := template.Adapted(); adapted != "" {
				t.Log(adapted)
			}
		})
	}
	for _, name := range TemplateNames() {
		source, _ := Named(name)
		template, err := Open(source, "<B>", "<E>", nil)
		if err != nil {
			t.Errorf("the template named %s is refused: %v, want no error", name, err)
			continue
		}
		segments, err := template.Render(t.Context(), chat)
		for _, m := range chat {
			if err != nil || !strings.Contains(textOf(segments), m.Content) {
				t.Errorf("%s: the message stands in the prompt: got %q, %v, want %q in it", name, textOf(segments),
					err, m.Content)
			}
		}
	}
}
