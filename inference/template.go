package inference

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	control "github.com/nikolalohinski/gonja/v2/builtins/control_structures"
	gonja "github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
)

// Template is a model's own chat template (Jinja, from tokenizer.chat_template), with the settings that its authors
// render it with: blocks trimmed, as transformers' apply_chat_template does.
type Template struct {
	parsed   *exec.Template
	bos, eos string
	control  []string // texts that the tokenizer would read as control tokens
}

// maxTemplateBytes bounds what a model file may bring along. Templates in the wild have up to 20 KB.
const maxTemplateBytes = 256 << 10

// NewTemplate parses a template. bos and eos are the texts of the model's tokens of these names; control are the texts
// of all its control tokens.
func NewTemplate(source, bos, eos string, control []string) (*Template, error) {
	switch {
	case source == "":
		return nil, errors.New("the model brings no chat template (tokenizer.chat_template); use an instruction-tuned model")
	case len(source) > maxTemplateBytes:
		return nil, fmt.Errorf("chat template of %d bytes; at most %d are accepted", len(source), maxTemplateBytes)
	}
	config := gonja.New()
	config.TrimBlocks, config.LeftStripBlocks = true, true
	loader, err := loaders.NewMemoryLoader(map[string]string{templatePath: source})
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	parsed, err := exec.NewTemplate(templatePath, config, loader, &exec.Environment{
		Context:           exec.EmptyContext().Update(builtins.GlobalFunctions).Update(builtins.GlobalVariables).Update(helpers),
		Filters:           builtins.Filters,
		Tests:             builtins.Tests,
		ControlStructures: statements,
		Methods:           builtins.Methods,
	})
	if err != nil {
		return nil, fmt.Errorf("chat template of %d bytes does not parse: %w", len(source), err)
	}
	return &Template{parsed: parsed, bos: bos, eos: eos, control: control}, nil
}

const templatePath = "/chat_template"

// helpers are the functions that transformers gives to chat templates. There is no clock in a prompt: two runs of one
// experiment must ask the same.
var helpers = exec.NewContext(map[string]any{
	"raise_exception": func(message string) (string, error) { return "", errors.New(message) },
	"strftime_now":    func(format string) string { return "" },
})

// statements are those of Jinja that need nothing from outside: a template can include no file.
var statements = func() *exec.ControlStructureSet {
	set := map[string]parser.ControlStructureParser{"macro": boundedMacro}
	for _, name := range []string{"for", "if", "set", "with", "do", "break", "continue", "raw", "filter", "call"} {
		set[name], _ = builtins.ControlStructures.Get(name)
	}
	return exec.NewControlStructureSet(set)
}()

// macro is a macro that gives up when it calls itself too deep: Go cannot recover from an exhausted stack.
type macro struct{ *control.MacroControlStructure }

const maxMacroDepth = 64

func boundedMacro(p, args *parser.Parser) (nodes.ControlStructure, error) {
	parse, _ := builtins.ControlStructures.Get("macro")
	parsed, err := parse(p, args)
	if err != nil {
		return nil, err
	}
	return macro{parsed.(*control.MacroControlStructure)}, nil
}

// Execute implements exec.ControlStructure.
func (m macro) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	call, err := exec.MacroNodeToFunc(m.Macro, r)
	if err != nil {
		return err
	}
	depth := 0
	r.Environment.Context.Set(m.Name, exec.Macro(func(params *exec.VarArgs) *exec.Value {
		if depth++; depth > maxMacroDepth {
			return exec.AsValue(fmt.Errorf("macro %s calls itself more than %d times", m.Name, maxMacroDepth))
		}
		defer func() { depth-- }()
		return call(params)
	}))
	return nil
}

// Segment is a part of a rendered prompt. In plain segments nothing is read as a control token, whatever it looks like.
type Segment struct {
	Text  string
	Plain bool
}

// Render writes the conversation as the model was trained to read it, ending where its reply begins. A message that
// spells a control token ("<|im_end|>") is not taken for one: that text becomes a plain segment.
func (t *Template) Render(messages []Message) ([]Segment, error) {
	guard := newGuard(t.control, messages)
	list := make([]map[string]any, len(messages))
	for i, m := range messages {
		list[i] = map[string]any{"role": m.Role, "content": guard.hide(m.Content)}
	}
	text, err := t.parsed.ExecuteToString(exec.NewContext(map[string]any{
		"messages": list, "add_generation_prompt": true, "bos_token": t.bos, "eos_token": t.eos, "tools": nil,
	}))
	if err != nil {
		return nil, fmt.Errorf("chat template, %d messages: %w", len(messages), err)
	}
	return guard.segments(text), nil
}

// guard hides what looks like a control token in messages behind marks, and turns the marks into plain segments.
type guard struct {
	control []string // longest first
	mark    rune     // occurs in no message
	hidden  []string
}

func newGuard(control []string, messages []Message) *guard {
	g := &guard{mark: '\uE000'}
	for _, c := range control {
		if c != "" && slices.ContainsFunc(messages, func(m Message) bool { return strings.Contains(m.Content, c) }) {
			g.control = append(g.control, c)
		}
	}
	slices.SortFunc(g.control, func(a, b string) int { return len(b) - len(a) })
	for slices.ContainsFunc(messages, func(m Message) bool { return strings.ContainsRune(m.Content, g.mark) }) {
		g.mark++
	}
	return g
}

func (g *guard) hide(content string) string {
	for _, c := range g.control {
		parts := strings.Split(content, c)
		content = parts[0]
		for _, part := range parts[1:] {
			content += fmt.Sprintf("%c%d%c", g.mark, len(g.hidden), g.mark) + part
			g.hidden = append(g.hidden, c)
		}
	}
	return content
}

func (g *guard) segments(text string) (segments []Segment) {
	for i, part := range strings.Split(text, string(g.mark)) {
		if i%2 == 0 {
			segments = append(segments, Segment{Text: part})
			continue
		}
		var n int
		if _, err := fmt.Sscan(part, &n); err == nil && n < len(g.hidden) {
			segments = append(segments, Segment{Text: g.hidden[n], Plain: true})
		}
	}
	return slices.DeleteFunc(segments, func(s Segment) bool { return s.Text == "" })
}
