package debate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// shower prints rounds as they finish, and marks changed answers. The rounds take the place of what a stream, which may
// be nil, has shown of them.
func (d *Options) shower(out io.Writer, p protocol.Protocol, s *stream) func([]debate.Turn) {
	if d.json {
		return func(round []debate.Turn) {
			for _, t := range round {
				json.NewEncoder(out).Encode(t)
			}
		}
	}
	role := debate.Transcript{Roles: p.Roles()}.Role
	before := transcript.Answers{}
	return func(round []debate.Turn) {
		s.clear()
		blocks, agents := make([]terminal.Block, len(round)), make(map[int]bool)
		for i, t := range round {
			blocks[i] = terminal.Block{Head: headOf(before, role(t.Agent), t), Text: textOf(t, d.asking.Reasoning)}
			agents[t.Agent] = true
		}
		fmt.Fprintf(out, "── round %d\n", round[0].Round)
		cell := terminal.CellWidth(len(round), terminal.Width(out))
		if cell == 0 || len(round) == 1 || len(agents) < len(round) { // who speaks twice has no column
			for _, b := range blocks {
				said := terminal.Fitted(out, transcript.Indent(b.Text)) // below its head
				terminal.Styled{b.Head, {Text: ":" + said + "\n"}}.Print(out)
			}
		} else {
			for _, line := range terminal.SideBySide(blocks, cell, 0) {
				append(line, terminal.Span{Text: "\n"}).Print(out)
			}
		}
		fmt.Fprintln(out)
	}
}

// headOf says who speaks and what for, what it answers, what it answered before if that was something else, whom it
// heard, and in which order it saw the options.
func headOf(h transcript.Answers, role string, t debate.Turn) terminal.Span {
	head := terminal.Span{Text: role + transcript.Kind(t)}
	if text := transcript.Meant(t); text != "" {
		head.Text += " says " + text
	}
	if was, changes := h.Take(t); changes {
		head.Text, head.Look = head.Text+" (changed from "+transcript.Answer(was)+")", terminal.Changed
	}
	if len(t.Heard) > 0 {
		head.Text += fmt.Sprintf(" after hearing %v", t.Heard)
	}
	if text := t.Relisted(); text != "" {
		head.Text += ", seeing " + text
	}
	return head
}

// textOf returns the text of a turn, or why there is none.
func textOf(t debate.Turn, reasoning string) string {
	if t.Error != "" {
		return "failed: " + t.Error
	}
	return strings.Join(append([]string{transcript.Reply(t.Reply, reasoning)}, transcript.Endings(t.Reply)...), "\n")
}
