package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var chat = []Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "2+2?"},
	{Role: "assistant", Content: "4"}, {Role: "user", Content: "Sure?"}}

// TestTemplates renders the public chat templates of the families that users bring; what is expected was worked out by
// hand from the templates and the rule that blocks are trimmed.
func TestTemplates(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"chatml": {
			"{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + " +
				"'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% " +
				"endif %}",
			"<|im_start|>system\nBe " +
				"brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n<|im_start|>user\nSure?<|im_end|>\n<|im_start|>assistant\n",
		},
		"qwen2.5, the part without tools": {
			`{%- if tools %}
    {{- 'never' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
    {%- else %}
        {{- '<|im_start|>system\nDefault.<|im_end|>\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}`,
			"<|im_start|>system\nBe " +
				"brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n<|im_start|>user\nSure?<|im_end|>\n<|im_start|>assistant\n",
		},
		"llama 3": {
			"{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = " +
				"'<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + " +
				"'<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ " +
				"content }}{% endfor %}{% if add_generation_prompt %}{{ " +
				"'<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
			"<B><|start_header_id|>system<|end_header_id|>\n\nBe " +
				"brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n2+2?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n4<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nSure?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
		},
		"trimmed blocks and a namespace": {
			"{% set ns = namespace(n=0) %}\n{% for m in messages %}\n  {% set ns.n = ns.n + 1 %}\n{{ ns.n }}{{ " +
				"m.role[:1] }}\n{% endfor %}\n",
			"1s\n2u\n3a\n4u\n",
		},
		"a macro": {
			"{% macro turn(m) %}[{{ m.role }}: {{ m.content }}]{% endmacro %}{% for m in messages %}{{ turn(m) }}{% " +
				"endfor %}",
			"[system: Be brief.][user: 2+2?][assistant: 4][user: Sure?]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			template, err := NewTemplate(c.source, "<B>", "<E>", nil)
			if err != nil {
				t.Fatal(err)
			}
			segments, err := template.Render(t.Context(), chat)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Segment{{Text: c.want}}, segments); diff != "" {
				t.Errorf("the conversation is rendered by the template as one text (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessagesCannotSpeakForOthers keeps what looks like a control token in a message plain, and the rest as it was.
func TestMessagesCannotSpeakForOthers(t *testing.T) {
	template, err := NewTemplate("<s>{% for m in messages %}{{ m.content }}<e>{% endfor %}", "", "",
		[]string{"<s>", "<e>", "<e>x", ""})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := template.Render(t.Context(), []Message{{Content: "a<e><s>b \uE000 <e>x"}, {Content: "7"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Segment{{Text: "<s>a"}, {"<e>", true}, {"<s>", true}, {Text: "b \uE000 "}, {"<e>x", true},
		{Text: "<e>7<e>"}}
	if diff := cmp.Diff(want, segments); diff != "" {
		t.Errorf("only the template's own control tokens are marked (-want +got):\n%s", diff)
	}
}

func TestBadTemplates(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"missing":         {"", "has no chat template"},
		"too large":       {strings.Repeat("x", maxTemplateBytes+1), "at most"},
		"syntax":          {"{% for %}", "a name is expected"},
		"refuses":         {"{{ raise_exception('roles must alternate') }}", "roles must alternate"},
		"reads a file":    {"{% include '/etc/passwd' %}", "chat template"},
		"imports a file":  {"{% import 'template.go' as t %}{{ t }}", "chat template"},
		"extends a file":  {"{% extends '/etc/hostname' %}", "chat template"},
		"unknown filter":  {"{{ messages | nosuch }}", "chat template"},
		"includes itself": {"{% include '/chat_template' %}", "chat template"},
		"endless macro": {"{% macro f(n) %}a{{ g(n) }}{% endmacro %}{% macro g(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
			"calls that go over 200 deep"},
		"wrong operation": {"{{ messages + 1 }}", "chat template"},
	} {
		t.Run(name, func(t *testing.T) {
			template, err := NewTemplate(c.source, "", "", nil)
			if err == nil {
				_, err = template.Render(t.Context(), chat)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
