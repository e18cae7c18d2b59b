package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// thinking is how a template is made to have its model reason, or not. The zero value leaves it to the template.
type thinking struct {
	variables map[string]any
	word      string // that the system message ends with
	skips     bool   // the reply begins behind reasoning that is empty
}

// thinkingSwitch is a way to switch reasoning on and off.
type thinkingSwitch struct {
	name, family string // for people; and of the only family that has it, or ""
	on, off      thinking
}

// switches are those that templates know, in the order in which they are tried.
var switches = []thinkingSwitch{
	// Qwen3, Qwen3.5, GLM-4.5, Gemma 4, SmolLM3, EXAONE 4, DeepSeek V3.1 as llama.cpp has it
	{"enable_thinking", "", variable("enable_thinking", true), variable("enable_thinking", false)},
	{"thinking", "", variable("thinking", true), variable("thinking", false)}, // DeepSeek V3.1, Granite 3.2
	{"thinking_mode", "minimax", variable("thinking_mode", "enabled"), variable("thinking_mode", "disabled")},
	{"thinking_budget", "seed", thinking{}, variable("thinking_budget", 0)},
	{"reasoning_effort", "hunyuan", variable("reasoning_effort", "high"), variable("reasoning_effort", "no_think")},
	{"/no_think", "", thinking{word: "/think"}, thinking{word: "/no_think"}},         // Nemotron Nano 2
	{"reasoning_effort", "harmony", thinking{}, variable("reasoning_effort", "low")}, // gpt-oss: the least that it has
	{"reasoning_effort", "", thinking{}, variable("reasoning_effort", "none")},       // Mistral's of 2026
}

func variable(name string, value any) thinking {
	return thinking{variables: map[string]any{name: value}}
}

// ErrThinking is the error of a template of which nobody knows how its model reasons.
var ErrThinking = errors.New("the chat template of the model spells no marks of reasoning that are known")

// Thinking returns the template with reasoning switched on or off, and the name of the template's own switch, "" if it
// has none. One that leaves it to its model whether it reasons is left so where it may. Off where there is none, and
// for models that reason whatever it says, has the reply begin behind reasoning that is empty.
func (t *Template) Thinking(on bool) (switched *Template, by string, err error) {
	if t == nil || t.marks == nil {
		return nil, "", ErrThinking
	}
	to := *t
	if s := t.ownSwitch(); s != nil {
		switch to.thinking, by = s.off, s.name; {
		case on && t.leaves(s):
			to.thinking = thinking{}
		case on:
			to.thinking = s.on
		}
	}
	if end := to.ending(); !on {
		open := t.marks.Opened(end)
		to.thinking.skips = open || t.marks.answer != "" || by == "" && !strings.Contains(end, t.marks.end[0])
	}
	return &to, by, nil
}

// Reasons returns how many tokens of reasoning the model's answers usually have, 0 where the template, unless it is
// told otherwise, has it answer without, or no marks of reasoning are known.
func (t *Template) Reasons() (tokens int) {
	if t == nil || t.marks == nil || t.marks.answer == "" && strings.Contains(t.ending(), t.marks.end[0]) {
		return 0
	}
	if s := t.ownSwitch(); s != nil && !t.asWith(s.on) && !t.leaves(s) {
		return 0
	}
	return t.marks.usual
}

// leaves reports whether the template, unless it is told otherwise, leaves it to its model whether it reasons.
func (t *Template) leaves(s *thinkingSwitch) bool { return !t.asWith(s.on) && !t.asWith(s.off) }

// asWith reports whether the template does unasked what a setting has it do.
func (t *Template) asWith(setting thinking) bool {
	if setting.word != "" {
		return t.ending() == t.with(setting).ending()
	}
	return slices.Equal(t.tries(), t.with(setting).tries())
}

// ownSwitch returns the switch that the template has, nil if it has none.
func (t *Template) ownSwitch() *thinkingSwitch {
	for i, s := range switches {
		if s.family != "" && s.family != t.marks.Family {
			continue
		}
		off := t.with(s.off).tries()
		for k, on := range t.with(s.on).tries() {
			if on != off[k] && on != "" && off[k] != "" {
				return &switches[i]
			}
		}
	}
	return nil
}

func (t *Template) with(setting thinking) *Template {
	switched := *t
	switched.thinking = setting
	return &switched
}

// tries returns two small conversations as the template renders them: some switches change only one that has no system
// message, as Granite's.
func (t *Template) tries() []string { return []string{t.tried(), t.triedOn(probeUser)} }

// tried returns a small conversation as the template renders it, "" if it refuses that.
func (t *Template) tried() string { return t.triedOn(probeSystem, probeUser) }

// triedOn is tried for a conversation that ends with probeUser. What a word changes shows behind that.
func (t *Template) triedOn(turns ...Message) string {
	segments, err := t.Render(context.Background(), turns)
	text := whole(segments)
	switch at := strings.LastIndex(text, probeUser.Content); {
	case err != nil || at < 0:
		return ""
	case t.thinking.word != "":
		return text[at:]
	}
	return text
}

// ending is what the template writes behind a question.
func (t *Template) ending() string {
	text := t.tried()
	return text[max(0, strings.LastIndex(text, probeUser.Content)):]
}

// makeRoom has a conversation begin with a system message if that is to have a word.
func (s thinking) makeRoom(turns []turn) []turn {
	if s.word == "" || len(turns) > 0 && turns[0].Role == "system" {
		return turns
	}
	return slices.Insert(slices.Clone(turns), 0, turn{Message: Message{Role: "system"}})
}

// say has the content of the first message end with the word, which templates take out again.
func (s thinking) say(i int, content string) string {
	if i > 0 || s.word == "" {
		return content
	}
	return content + "\n" + s.word
}

// skip has a prompt end behind reasoning that is empty, if the reply is to begin there.
func (t *Template) skip(prompt []Segment, r rendering) {
	last := len(prompt) - 1
	if t.thinking.skips && r.generation && !r.continued && last >= 0 && !prompt[last].Plain {
		prompt[last].Text += t.marks.skipped(t.marks.Opened(prompt[last].Text))
	}
}
