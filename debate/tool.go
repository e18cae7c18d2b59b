package debate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/unknown"
)

// toolNote tells an agent of its tool, at the end of the system message.
const toolNote = "You have a calculator. Wherever you compute, write << and the expression and =, and it writes the " +
	"value and >>, as in <<12*3.5=42>>. It knows numbers and + - * / ^ ( ), no words or units. Go on with the value."

// CheckTool refuses a name that no tool has; none is no tool.
func CheckTool(name string) error {
	if name == "" || slices.Contains(inference.Tools, name) {
		return nil
	}
	return fmt.Errorf("tool: %w", unknown.Name("tool", name, inference.Tools))
}

// ToolOf returns the tool that an agent may call by the settings of its debate, "" if none.
func ToolOf(s Settings, agent int) string {
	if form, ok := FormNamed(s.Form); ok && form.Seating.First != nil {
		agent -= form.Seating.First(s)
	}
	all := Typed[Common](s).Tool
	if team := s.Team(); agent >= 0 && agent < len(team) {
		return cmp.Or(team[agent].Tool, all)
	}
	return all
}

// tool returns the tool that the reply of a turn may call: there is none for what a grammar shapes, for scores, and for
// a prompt that goes on with a reply.
func (a Asker) tool(t Turn) string {
	if t.Grammar != "" || len(a.Continuations) > 0 || inference.GoesOn(t.Messages) {
		return ""
	}
	return cmp.Or(a.Member(t.Agent).Tool, a.Tool)
}

// withTool returns messages that tell of a tool. Those that go on from earlier ones do already.
func withTool(messages []inference.Message) []inference.Message {
	if len(messages) == 0 || messages[0].Role != "system" {
		return slices.Concat(Conversation(toolNote, ""), messages)
	}
	if strings.HasSuffix(messages[0].Content, toolNote) {
		return messages
	}
	return slices.Concat(Conversation(messages[0].Content+"\n\n"+toolNote, ""), messages[1:])
}
