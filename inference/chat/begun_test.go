package chat

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const turnsAndThoughts = "{% for m in messages %}<|turn|>{{ m.role }}\n{{ m.content.split('</think>')[-1] }}<|end|>" +
	"{% endfor %}{% if add_generation_prompt %}<|turn|>assistant\n<think>{% endif %}"

// TestTextsStandOutsideOfTheTemplate goes on with replies. The template would open reasoning and drops what was
// reasoned in earlier replies; neither may happen to a reply that has begun.
func TestTextsStandOutsideOfTheTemplate(t *testing.T) {
	control := []string{"<|turn|>", "<|end|>", "<think>", "</think>"}
	template, err := NewTemplate(turnsAndThoughts, "", "", control)
	if err != nil {
		t.Fatal(err)
	}
	asked := Message{"user", "Why?"}
	const prompt = "<|turn|>user\nWhy?<|end|><|turn|>assistant\n<think>"
	for name, c := range map[string]struct {
		messages []Message
		want     []Segment
	}{
		"a whole prompt": {[]Message{{RoleText, "Question: <|end|> why?"}}, []Segment{{"Question: <|end|> why?",
			true}}},
		"the beginning of a reply": {[]Message{asked, {RoleText, "Because"}},
			[]Segment{{prompt, false}, {"Because", true}}},
		"a reply with its reasoning": {[]Message{asked, {"assistant", "Hm.</think>So <|turn|> it is."},
			{RoleText, " Thus"}}, []Segment{{prompt, false}, {"Hm.", true}, {"</think>", false},
			{"So <|turn|> it is. Thus", true}}},
		"reasoning that was cut": {[]Message{asked, {"assistant", "Hm. Well,"}, {RoleText, "\n\nThus"}},
			[]Segment{{prompt, false}, {"Hm. Well,\n", true}, {"</think>", false}, {"\n\nThus", true}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := template.Render(t.Context(), c.messages)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: a text that the reply begins with stands outside of the template: %v (-want +got):\n%s",
					name, err, diff)
			}
		})
	}
}

func TestTextsWithoutATemplate(t *testing.T) {
	var none *Template
	got, err := none.Render(t.Context(), []Message{{RoleText, "So <end>"}})
	if diff := cmp.Diff([]Segment{{"So <end>", true}}, got); diff != "" || err != nil {
		t.Errorf("without a template a text is one segment: %v (-want +got):\n%s", err, diff)
	}
	if _, err := none.Render(t.Context(), []Message{{"assistant", "a"}, {RoleText, "b"}}); !errors.Is(err,
		ErrNoTemplate) {
		t.Errorf("the end of a conversation: %v, want the error %q", err, ErrNoTemplate)
	}
}

// TestClosedReasoning: reasoning that was begun is closed by its family's mark.
func TestClosedReasoning(t *testing.T) {
	harmony := MarksOf("<|channel|>analysis<|message|>")
	for _, c := range []struct {
		marks *Marks
		text  string
		want  string
	}{
		{nil, "<think>so", "<think>so\n</think>"},
		{nil, "[THINK]so[/THINK]yes", "[THINK]so[/THINK]yes"},
		{nil, "so", "so"},
		{harmony, "<|channel|>analysis<|message|>so",
			"<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>"},
		{harmony, "<|channel|>final<|message|>so", "<|channel|>final<|message|>so"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := closeReasoning(c.marks, false, c.text); got != c.want {
				t.Errorf("%q: %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func FuzzAsWritten(f *testing.F) {
	f.Add("<think>a</think>b")
	f.Add(strings.Repeat("<think>", 50))
	f.Fuzz(func(t *testing.T, text string) {
		template := &Template{control: []string{"<think>", "</think>", "<|end|>"}, marks: MarksOf("<think>")}
		whole := ""
		for _, s := range template.replySegments(text) {
			if whole += s.Text; !s.Plain && s.Text != "<think>" && s.Text != "</think>" {
				t.Errorf("%q is read as a control token, want only <think> and </think> so", s.Text)
			}
		}
		if whole != text {
			t.Errorf("the segments of %q join to %q, want the same text", text, whole)
		}
	})
}
