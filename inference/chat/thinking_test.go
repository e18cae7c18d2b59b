package chat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// likePublic have the switches of templates whose licences allow no copy, or that are in no public program: GLM-4.5,
// Nemotron Nano 2 and Super 1.5, Phi-4-reasoning and EXAONE Deep, EXAONE 4, Granite 3.2 and 3.3, Seed-OSS, MiniMax-M3,
// Hunyuan 3, and Mistral's of 2026.
var likePublic = map[string]string{
	"like GLM-4.5": `{% for m in messages %}<|{{ m.role }}|>
{{ m.content }}{{ '/nothink' if m.role == 'user' and enable_thinking is defined and not enable_thinking else '' }}` +
		`{% endfor %}{% if add_generation_prompt %}<|assistant|>{{ '\n<think></think>' if enable_thinking is defined ` +
		`and not enable_thinking else '' }}{% endif %}`,
	"like Nemotron Nano 2": `{% set ns = namespace(enable_thinking=true) %}{% for m in messages %}` +
		`{% if '/think' in m.content %}{% set ns.enable_thinking = true %}{% elif '/no_think' in m.content %}` +
		`{% set ns.enable_thinking = false %}{% endif %}{% endfor %}{% for m in messages %}<S>{{ m.role }}
{{ m.content.replace('/think', '').replace('/no_think', '').strip() }}
{% endfor %}{% if add_generation_prompt %}<S>Assistant
{% if ns.enable_thinking %}{{ '<think>\n' }}{% else %}{{ '<think></think>' }}{% endif %}{% endif %}`,
	"like Phi-4-reasoning": `{% for m in messages %}<|im_start|>{{ m.role }}<|im_sep|>{% if m.role == 'system' %}` +
		`Write your thoughts as <think> {Thought section} </think> {Solution section}. {% endif %}{{ m.content }}` +
		`<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant<|im_sep|>{% endif %}`,
	"like R1 as published": `{% for m in messages %}<{{ m.role }}>{{ m.content.split('</think>')[-1] }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<｜Assistant｜><think>\n' }}{% endif %}`,
	"like Qwen3-2507 Thinking": `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content.split('</think>')[-1] }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n<think>\n' }}{% endif %}`,
	"like EXAONE 4": `{% for m in messages %}[|{{ m.role }}|]
{{ m.content }}[|endofturn|]
{% endfor %}{% if add_generation_prompt %}[|assistant|]
{% if enable_thinking is defined and enable_thinking is true %}{{ '<think>\n' }}{% else %}{{ '<think>\n\n</think>\n\n' }}` +
		`{% endif %}{% endif %}`,
	"like Granite 3.2": `{% for m in messages %}<r>{{ m.role }}</r>{{ m.content }}{% endfor %}{% if thinking %}` +
		`Write your thoughts between <think></think>.{% endif %}{% if add_generation_prompt %}<r>assistant</r>{% endif %}`,
	"like Seed-OSS": `{% if thinking_budget == 0 %}[system]Your budget is 0.{% endif %}{% for m in messages %}` +
		`[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]` +
		`{% if thinking_budget == 0 %}` +
		`<seed:think>
<seed:cot_budget_reflect>The budget is 0.</seed:cot_budget_reflect>
</seed:think>{% endif %}{% endif %}`,
	"like MiniMax-M3": `{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}` +
		`{% if add_generation_prompt %}[ai]{% if thinking_mode == "disabled" %}</mm:think>` +
		`{% elif thinking_mode == "enabled" %}<mm:think>` +
		`{% endif %}{% endif %}`,
	"like Granite 3.3": `{% if messages[0].role != 'system' %}[system]Be kind.{% if thinking %} Write your thoughts ` +
		`between <think></think>.{% endif %}{% endif %}` +
		`{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}` +
		`{% if add_generation_prompt %}[assistant]{% endif %}`,
	"like Hunyuan 3": `{% set begin = '<think{}>'.format(':opensource') %}` +
		`{% set end = '</think{}>'.format(':opensource') %}` +
		`{% set effort = reasoning_effort if reasoning_effort is defined else 'no_think' %}{% if effort not in ['high', ` +
		`'low', 'no_think'] %}{{ raise_exception('effort') }}{% endif %}{% for m in messages %}[{{ m.role }}]` +
		`{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{{ begin }}{{ end if effort == 'no_think' }}` +
		`{% endif %}`,
	"like Mistral of 2026": `{% set effort = reasoning_effort if reasoning_effort is defined else 'high' %}` +
		`{% if effort not in ['none', 'high'] %}{{ raise_exception('effort') }}{% endif %}[M]{{ effort }}[/M]` +
		`{% for m in messages %}{% if m.thoughts %}[THINK]{{ m.thoughts }}[/THINK]{% endif %}[I]{{ m.content }}[/I]{% endfor %}`,
}

// TestThinking: how the templates of many families are switched on and off, and what the reply then begins behind.
func TestThinking(t *testing.T) {
	const none, block, open = "", "<think>\n\n</think>\n\n", "<think>\n"
	const variable, effort = "enable_thinking", "reasoning_effort"
	const steps = "Here are my reasoning steps:"
	const final = "[BEGIN FINAL RESPONSE]\n\n"
	checked := 0
	for name, want := range map[string]struct {
		by, on, off string // the switch, and what the two prompts end with
		reasons     bool   // where nobody says anything
	}{
		"Qwen-Qwen3-0.6B":                          {variable, "<|im_start|>assistant\n", block, true},
		"Qwen3.5-4B":                               {variable, open, block, true},
		"Qwen-QwQ-32B":                             {variable, open, open + "</think>", false},
		"HuggingFaceTB-SmolLM3-3B":                 {variable, "assistant\n", "<think>\n\n</think>\n", true},
		"deepseek-ai-DeepSeek-V3.1":                {variable, "<think>", "<think></think>", false},
		"deepseek-ai-DeepSeek-V3.2":                {variable, "<think>", "<think></think>", false},
		"google-gemma-4-31B-it":                    {variable, "model\n", "<|channel>thought\n<channel|>", false},
		"openai-gpt-oss-120b":                      {effort, "assistant", "<|channel|>final<|message|>", true},
		"llama-cpp-rwkv-world":                     {variable, "Assistant:", "<think>\n</think>", true},
		"like GLM-4.5":                             {variable, "<|assistant|>", "\n<think></think>", true},
		"like Nemotron Nano 2":                     {"/no_think", open, "<think></think>", true},
		"like Phi-4-reasoning":                     {none, "<|im_sep|>", "<|im_sep|>" + block, true},
		"like R1 as published":                     {none, open, open + "\n</think>\n\n", true},
		"like Qwen3-2507 Thinking":                 {none, open, open + "\n</think>\n\n", true},
		"like EXAONE 4":                            {variable, open, block, false},
		"like Granite 3.2":                         {"thinking", "<r>assistant</r>", "<r>assistant</r>", false},
		"like Mistral of 2026":                     {effort, "[/I]", "[/I]", true},
		"NVIDIA-Nemotron-Nano-v2":                  {"/no_think", "<think>\n", "<think></think>", true},
		"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16":      {variable, open, "<think></think>", true},
		"deepseek-ai-DeepSeek-R1-Distill-Llama-8B": {none, open, open + "\n</think>\n\n", true},
		"deepseek-ai-DeepSeek-V4":                  {variable, "<think>", "</think>", false},
		"GLM-4.6":                                  {variable, "<|assistant|>", "\n<think></think>", true},
		"GLM-4.7-Flash":                            {variable, "<think>", "</think>", true},
		"MiniMax-M2":                               {none, open, open + "\n</think>\n\n", true},
		"MiniMax-M3":                               {"thinking_mode", "]~b]ai\n", "]~b]ai\n</mm:think>", true},
		"ByteDance-Seed-OSS":                       {"thinking_budget", "assistant\n", "</seed:think>", true},
		"ibm-granite-granite-3.3-2B-Instruct":      {"thinking", "<|end_of_role|>", "<|end_of_role|>", false},
		"Kimi-K2-Thinking":                         {none, "<|im_middle|>", "<|im_middle|>" + block, true},
		"tencent-Hy3":                              {effort, "<think:opensource>", "</think:opensource>", false},
		"LFM2.5-8B-A1B":                            {none, "assistant\n", "assistant\n" + block, true},
		"openbmb-MiniCPM5-1B":                      {variable, "assistant\n", block, true},
		"Apriel-1.6-15b-Thinker-fixed":             {none, steps + "\n", steps + "\n\n" + final, true},
		"unsloth-Apriel-1.5":                       {none, "<|assistant|>\n", final, true},
		"like Seed-OSS":                            {"thinking_budget", "[assistant]", "</seed:think>", true},
		"like MiniMax-M3":                          {"thinking_mode", "[ai]", "[ai]</mm:think>", true},
		"like Granite 3.3":                         {"thinking", "[assistant]", "[assistant]", false},
		"like Hunyuan 3":                           {effort, "<think:opensource>", "</think:opensource>", false},
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": {variable, open, open + "</think>", false},
		"mistralai-Ministral-3-14B-Reasoning-2512": {none, "[/INST]", "[/INST][THINK][/THINK]", true},
	} {
		t.Run(name, func(t *testing.T) {
			source := likePublic[name]
			for _, dir := range []string{templateDir, os.Getenv("PARLEY_TEMPLATES")} {
				if text, err := os.ReadFile(filepath.Join(dir, name+".jinja")); source == "" && err == nil {
					source = string(text)
				}
			}
			if source == "" {
				t.Skipf("the licence of %s does not clearly allow a copy here; set PARLEY_TEMPLATES", name)
			}
			template, err := Open(source, "<s>", "</s>", nil)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			if got := template.Reasons() > 0; got != want.reasons {
				t.Errorf("reasons as it is: %t, want %t", got, want.reasons)
			}
			for on, end := range map[bool]string{true: want.on, false: want.off} {
				switched, by, err := template.Thinking(on)
				if err != nil || by != want.by {
					t.Fatalf("switched by %q, %v, want %q", by, err, want.by)
				}
				prompt := switched.tried()
				if !strings.HasSuffix(prompt, end) || want.by == "/no_think" && strings.Contains(prompt, "no_think") {
					t.Errorf("on %t: %q, want %q at its end", on, prompt, end)
				}
				reply := Split(switched.marks, switched.marks.Opened(prompt), "It is June.")
				open := strings.HasSuffix(strings.TrimSpace(end), switched.marks.begin[0])
				if reply.Cut != open || !open && reply.Answer != "It is June." {
					t.Errorf("on %t: a reply is read as %+v, want it cut: %v, else whole", on, reply, open)
				}
				begun, err := switched.Render(t.Context(), []Message{probeUser, {"assistant", "It"}, {RoleText, " is"}})
				if text := whole(begun); err != nil || !on && !strings.HasSuffix(text, want.off+"It is") {
					t.Errorf("on %t: a reply that goes on is %q (%v), want it to end with %q if off", on, text, err,
						want.off+"It is")
				}
			}
		})
	}
	if checked < 22 {
		t.Errorf("%d templates were looked at, want at least 22", checked)
	}
	for name, source := range map[string]string{"none": "{% for m in messages %}{{ m.content }}{% endfor %}"} {
		template, err := Open(source, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := template.Thinking(false); !errors.Is(err, ErrThinking) || template.Reasons() != 0 {
			t.Errorf("%s cannot be told not to think: got %v, want %v", name, err, ErrThinking)
		}
	}
}
