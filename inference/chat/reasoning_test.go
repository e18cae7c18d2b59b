package chat

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestFamilies: the family of a template, from the files of the goldens.
func TestFamilies(t *testing.T) {
	for name, want := range map[string]string{
		"Qwen-Qwen3-0.6B": "think", "Qwen3.5-4B": "think", "Qwen-QwQ-32B": "think", "google-gemma-4-31B-it": "gemma",
		"mistralai-Ministral-3-14B-Reasoning-2512": "mistral", "openai-gpt-oss-120b": "harmony",
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "think", "deepseek-ai-DeepSeek-V3.1": "think",
		"deepseek-ai-DeepSeek-V3.2": "think", "HuggingFaceTB-SmolLM3-3B": "think",
		"Qwen-Qwen2.5-7B-Instruct": "", "mistralai-Mistral-Nemo-Instruct-2407": "", "ours-gemma-3": "",
		"ours-llama-3.1": "", "microsoft-Phi-3.5-mini-instruct": "",
	} {
		t.Run(name, func(t *testing.T) {
			text := datatest.Read(t, filepath.Join(templateDir, name+".jinja"))
			got := ""
			if m := MarksOf(string(text)); m != nil {
				got = m.Family
			}
			if got != want {
				t.Errorf("%s: family %q, want %q", name, got, want)
			}
		})
	}
}

// TestUsualLengths: docs/models.md says of each family how long its models reason.
func TestUsualLengths(t *testing.T) {
	text := datatest.Read(t, filepath.Join("..", "..", "docs", "models.md"))
	for _, m := range families {
		said := ""
		for line := range strings.Lines(string(text)) {
			if cells := strings.Split(line, " | "); len(cells) == 5 && strings.Contains(cells[0], "`"+m.Family+"`") {
				said = cells[3]
			}
		}
		if want := humanize.Comma(int64(m.usual)); said != want {
			t.Errorf("%s: docs/models.md says %q tokens, the table %s", m.Family, said, want)
		}
	}
}

// TestOpened: whether the prompts of the goldens end within reasoning.
func TestOpened(t *testing.T) {
	think := MarksOf("</think>")
	for prompt, want := range map[string]bool{
		"<|im_start|>assistant\n<think>\n": true, "<｜Assistant｜><think>": true, "<|im_start|>assistant\n": false,
		"<|im_start|>assistant\n<think>\n\n</think>\n\n": false, "<｜Assistant｜></think>": false,
		"<think> not here": false,
	} {
		t.Run(prompt, func(t *testing.T) {
			if got := think.Opened(prompt); got != want {
				t.Errorf("%q: %v, want %v", prompt, got, want)
			}
		})
	}
	if gemma := MarksOf("<|channel><channel|>"); gemma.Opened("<|turn>model\n<|channel>thought\n<channel|>") {
		t.Error("an empty thought is open, want it closed")
	}
}

// TestSplit: a reply is divided into reasoning and answer by its family's marks.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		family string
		opened bool
		text   string
		want   Reply
	}{
		{"think", false, "<think>\nTwo and\ntwo.\n</think>\n\nFour.", Reply{"Four.", "Two and\ntwo.", true, false}},
		{"think", true, "Two and two.\n</think>\n\nFour.\n", Reply{"Four.\n", "Two and two.", true, false}},
		{"think", false, "Two and two.</think>Four.", Reply{"Four.", "Two and two.", true, false}},
		{"think", true, "Two and tw", Reply{"", "Two and tw", true, true}},
		{"think", false, "<think>Two and two.</thin", Reply{"", "Two and two.</thin", true, true}},
		{"think", false, "<think>\n\n</think>\n\nFour.", Reply{"Four.", "", true, false}},
		{"think", false, " Four. ", Reply{" Four. ", "", false, false}},
		{"think", false, "One. <think>Two.</think> Three. <think>Four.",
			Reply{"One. Three. ", "Two.\n\nFour.", true, true}},
		{"", false, "\n<think>a</think>b", Reply{"b", "a", true, false}},
		{"", false, "[THINK]a[/THINK]b", Reply{"b", "a", true, false}},
		{"", false, "<thought>\na\n</thought>\n\nb", Reply{"b", "a", true, false}},
		{"thought", true, "a\n</thought>b", Reply{"b", "a", true, false}},
		{"", false, "b <think>a</think>", Reply{"b <think>a</think>", "", false, false}},
		{"", false, "<thin", Reply{"<thin", "", false, false}},
		{"", false, "", Reply{}},
		{"mistral", false, "[THINK]a[b][/THINK]c", Reply{"c", "a[b]", true, false}},
		{"gemma", false, "<|channel>thought\na\nb<channel|>c", Reply{"c", "a\nb", true, false}},
		{"gemma", false, "<|channel>thought\n<channel|>c", Reply{"c", "", true, false}},
		{"gemma", false, "<|channel>thou", Reply{"", "", true, true}},
		{"harmony", false, "<|channel|>analysis<|message|>a <think><|end|><|start|>assistant<|channel|>final" +
			"<|message|>b", Reply{"b", "a <think>", true, false}},
		{"harmony", false, "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b" +
			"<|end|><|start|>assistant<|channel|>final<|message|>c<|return|>", Reply{"c", "a\n\nb", true, false}},
		{"harmony", false, "<|channel|>analysis<|message|>a", Reply{"", "a", true, true}},
		{"harmony", false, "<|channel|>final<|message|>b", Reply{"b", "", true, false}},
		{"harmony", false, "b", Reply{"b", "", false, false}},
	} {
		t.Run(fmt.Sprintf("%.60s %v", c.family, c.opened), func(t *testing.T) {
			var m *Marks
			for _, f := range families {
				if f.Family == c.family {
					m = f
				}
			}
			if diff := cmp.Diff(c.want, Split(m, c.opened, c.text)); diff != "" {
				t.Errorf("%s: reasoning and answer of %q (-want +got):\n%s", c.family, c.text, diff)
			}
		})
	}
}

// TestSplitRecorded: the tags by which prompts ask for reasoning are marks of replies in logs, in whatever letters.
func TestSplitRecorded(t *testing.T) {
	for _, tag := range []string{"think", "Think", "THINK", "thinking", "Thinking", "reasoning", "Reasoning", "thought",
		"thoughts", "THOUGHT", "analysis", "scratchpad"} {
		for text, want := range map[string]Reply{
			"<%s>a</%s>b":     {"b", "a", true, false},
			"\n<%s>a </%s> b": {"b", "a", true, false},
			"<%s>a":           {"", "a", true, true},
			"b <%s>a</%s>":    {"b <" + tag + ">a</" + tag + ">", "", false, false},
			// behind other text
			"b <%s>a a a</%s>c":  {"b\n\nc", "a a a", true, false},
			"b <%s>and</%s> c":   {"b <" + tag + ">and</" + tag + "> c", "", false, false},
			"b <%s>a a a</%s>\n": {"b <" + tag + ">a a a</" + tag + ">\n", "", false, false},
		} {
			text = strings.ReplaceAll(text, "%s", tag)
			if got := SplitRecorded(text); got != want {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		}
	}
}

// TestSplitRandomReplies: however a reply is cut into pieces, and whatever it says, its reasoning is not in its answer,
// and nothing else is lost.
func TestSplitRandomReplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(families).Draw(t, "family")
		var text, answer, reasoning string
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			part := rapid.StringOfN(rapid.SampledFrom([]rune("ab <|>/[]\n字")), 0, 12, -1).Draw(t, "text")
			if strings.Contains(part, m.begin[0]) || strings.Contains(part, m.end[0]) {
				t.Skip("a mark")
			}
			kind := rapid.IntRange(0, 1).Draw(t, "kind")
			switch {
			case kind == 0 && m.answer != "":
				text += "<|channel|>final<|message|>A" + part + "Z<|end|>"
				answer += "A" + part + "Z"
			case kind == 0:
				text, answer = text+"A"+part+"Z", answer+"A"+part+"Z"
			case m.answer != "":
				text += "<|channel|>analysis<|message|>R" + part + "S<|end|>"
				reasoning += "\n\nR" + part + "S"
			default:
				text += m.begin[0] + strings.Repeat("thought"+m.head, min(1, len(m.head))) + "R" + part + "S" + m.end[0]
				reasoning += "\n\nR" + part + "S"
			}
		}
		s := NewSplitter(m, false)
		var pieces [2]string
		add := func(a, r string) { pieces[0], pieces[1] = pieces[0]+a, pieces[1]+r }
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			add(s.Push(rest[:n]))
			rest = rest[n:]
		}
		add(s.End())
		got := s.Reply()
		want := Reply{Answer: answer, Reasoning: strings.TrimPrefix(reasoning, "\n\n"), Reasons: got.Reasons}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: reasoning and answer of %q, by pieces as in one (-want +got):\n%s", m.Family, text, diff)
		}
		if pieces != [2]string{got.Answer, got.Reasoning} {
			t.Fatalf("the pieces of %q add up to answer and reasoning %q, want %q and %q, as in one", text,
				pieces, got.Answer, got.Reasoning)
		}
		if diff := cmp.Diff(got, Split(m, false, text)); diff != "" {
			t.Fatalf("%q is divided in one piece as in several (-several +one):\n%s", text, diff)
		}
	})
}

// TestFormsOfFamilies: what ten families write is told apart as a reply of a model whose template is known, as one of a
// model that is not, as of a server, and in a log. The forms are those of their cards and of vLLM's parsers.
func TestFormsOfFamilies(t *testing.T) {
	const why, answer = "Two and two. It is 5? No.", "The answer is 4."
	for _, f := range []struct{ name, begin, end, after string }{
		{"Granite 3.2", "Here is my thought process:\n", "\nHere is my response:\n", ""},
		{"Granite 3.2, quantized", "Here's my thought process: ", "\n\nHere's my response: ", ""},
		{"Granite 3.3", "<think>", "</think>\n<response>", "</response>"},
		{"Hunyuan A13B", "<think>\n", "\n</think>\n<answer>\n", "\n</answer>"},
		{"Command A Reasoning", "<|START_THINKING|>", "<|END_THINKING|>", ""},
		{"EXAONE Deep", "<thought>\n", "\n</thought>\n\n", ""},
		{"EXAONE 4", "<think>\n", "\n</think>\n\n", ""},
		{"Nemotron", "<think>\n", "\n</think>\n\n", ""},
		{"Magistral 2507", "[THINK]", "[/THINK]", ""},
		{"Magistral 2506", "<think>\n", "\n</think>\n", ""},
		{"Seed-OSS", "<seed:think>", "</seed:think>", ""},
		{"Hunyuan 3", "<think:opensource>", "</think:opensource>", ""},
		{"GLM 4.5", "\n<think>", "</think>\n", ""},
		{"MiniMax M2", "<think>\n", "\n</think>\n\n", ""},
		{"MiniMax M3", "<mm:think>", "</mm:think>", ""},
		{"Ernie 4.5", "<think>\n", "\n</think>\n\n<response>\n", "\n</response>\n"},
		{"Kimi-VL", "◁think▷", "◁/think▷", ""},
		{"Kimi K2", "<think>", "</think>", ""},
		{"Apriel", "Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n", "\n[END FINAL RESPONSE]"},
		{"OpenThinker", "<|begin_of_thought|>\n\n", "\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n",
			"\n\n<|end_of_solution|>"},
		{"Gemma 4", "<|channel>thought\n", "<channel|>", ""},
		{"gpt-oss", "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>", ""},
	} {
		text := f.begin + why + f.end + answer + f.after
		m := MarksOf(strings.ReplaceAll(f.begin+f.end, "Here's", "Here is")) // of the template
		if m == nil {
			t.Errorf("the template of %s has no known marks, want those of its family", f.name)
			continue
		}
		of := map[string]Reply{"known": Split(m, false, text), "unknown": Split(nil, false, text),
			"logged": SplitRecorded(text)}
		if text := why + f.end + answer; !m.words && m.answer == "" && m.head == "" { // the prompt has the beginning
			if got, as := Split(nil, false, text), endedBy(m.end[0]); got.Reasoning != why || as.around != "" {
				t.Errorf("%s, opened by a prompt that is not known: %+v, as %s", f.name, got, as.Family)
			}
		}
		if m.around != "" { // tags that the reply of another model may have been asked for
			if got := of["unknown"]; got != of["logged"] || got.Reasoning != why ||
				!strings.HasPrefix(got.Answer, m.around) {
				t.Errorf("%s, of a template that is not known, is divided as %+v, want as in a log, with %q before "+
					"the answer", f.name, got, m.around)
			}
			of = map[string]Reply{"known": of["known"]}
			const named = "I put it in <answer> and <response>. "
			got := Split(m, false, f.begin+named+why+f.end+answer+f.after)
			if strings.TrimSpace(got.Answer) != answer || got.Reasoning != named+why {
				t.Errorf("%s, with tags that the reasoning names: %+v, want the answer %q", f.name, got, answer)
			}
		}
		for what, got := range of {
			if strings.TrimSpace(got.Answer) != answer || got.Reasoning != why || got.Cut || !got.Reasons {
				t.Errorf("%s, %s: answer and reasoning are %q and %q, want %q and %q, not cut", f.name, what,
					got.Answer, got.Reasoning, answer, why)
			}
		}
	}
	for _, text := range []string{"I agree.\n\nHere is my response:\n\nB", "Here is my response: B",
		"Here is my thought process:\n1. It is B.\n\nThe answer is B.",
		"Here is my response: Here is my thought process: B"} {
		for _, got := range []Reply{Split(nil, false, text), SplitRecorded(text)} {
			if got.Answer != text || got.Reasons {
				t.Errorf("%q of any model: %+v, want it as it is", text, got)
			}
		}
	}
}
