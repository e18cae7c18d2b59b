package show

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	loop "github.com/parley-debate/parley/inference/ending"
)

// cellsOf are what agents say, by round and agent. Who speaks several times in a round has all of that in one cell.
func cellsOf(t debate.Transcript, agents int) (all [][]string) {
	before := transcript.Answers{}
	for _, round := range t.Rounds {
		row := make([]string, agents)
		for _, turn := range round {
			if row[turn.Agent] != "" {
				row[turn.Agent] += "\n\n"
			}
			row[turn.Agent] += cellOf(before, turn, t.Beliefs)
		}
		all = append(all, row)
	}
	return all
}

// cellOf returns one turn: what it was asked for, its answer, whether that changed, whom the agent heard, and in which
// order it saw the options, and what it believed; then, below a line, the end of the text.
func cellOf(h transcript.Answers, t debate.Turn, b *debate.Beliefs) string {
	if t.Error != "" {
		return "silent: " + t.Error
	}
	var head []string
	if t.Kind != debate.KindReply {
		head = append(head, strings.TrimSpace(transcript.Kind(t)))
	}
	answer := transcript.Meant(t)
	if was, changes := h.Take(t); changes {
		answer = strings.TrimSpace("» " + answer + " (was " + transcript.Answer(was) + ")")
	}
	if answer != "" {
		head = append(head, answer)
	}
	if len(t.Heard) > 0 {
		head = append(head, fmt.Sprintf("hears %v", t.Heard))
	}
	if text := t.Relisted(); text != "" {
		head = append(head, "sees "+text)
	}
	if text := transcript.Held(b, t); text != "" {
		head = append(head, text)
	}
	return strings.Join(slices.Concat([]string{strings.Join(head, " "), "────────", endOf(textOnce(t))},
		transcript.Endings(t.Reply)), "\n")
}

// textOnce is the text of a reply. Of one without an answer that repeats itself, it is what comes before that.
func textOnce(t debate.Turn) string {
	text := t.Reply.Text
	if _, end, repeats := loop.Repeats(text); repeats && !t.Answer.Parsed {
		return text[:end] + " …"
	}
	return text
}

// endOf is as much of the end of a text as keeps the table readable. It begins with a whole word.
func endOf(s string) string {
	s = strings.TrimSpace(s)
	r := []rune(s)
	if len(r) > mostSaid {
		r = r[len(r)-mostSaid:]
		if space := slices.IndexFunc(r, unicode.IsSpace); space >= 0 && space < longWord {
			r = r[space:]
		}
	}
	lines := strings.Split(strings.TrimSpace(string(r)), "\n")
	if kept := strings.Join(lines[max(0, len(lines)-mostLines):], "\n"); len(kept) < len(s) {
		return "… " + strings.TrimSpace(kept)
	}
	return s
}
