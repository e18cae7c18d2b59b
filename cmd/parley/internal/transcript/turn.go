// Package transcript writes turns and decisions of debates for people.
package transcript

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	loop "github.com/parley-debate/parley/inference/ending"
)

// asksAnswer reports whether a reply of this kind ought to have an answer, so that it is worth saying if it has none.
// A message of a discussion may have one; its solution is asked for in a call of its own.
func asksAnswer(k debate.Kind) bool {
	switch k {
	case debate.KindJudgement, debate.KindGiven, debate.KindConfederate:
		return true
	}
	return k.AnswersQuestion() && k != debate.KindMessage
}

// Answers are the last answers of agents, by which a change is seen.
type Answers map[int]answer.Answer

// Take enters the answer of a turn, and returns what its agent answered before if that was something else.
func (h Answers) Take(t debate.Turn) (was answer.Answer, changed bool) {
	if !asksAnswer(t.Kind) && !(t.Kind == debate.KindMessage && t.Answer.Parsed) {
		return was, false
	}
	was, spoke := h[t.Agent]
	h[t.Agent] = t.Answer
	return was, spoke && !was.Same(t.Answer)
}

// Meant says what was read from a turn, "" if nobody looks for an answer in it, or if the reply is its own answer, so
// that it is not printed twice.
func Meant(t debate.Turn) string {
	a := t.Answer
	text := strings.TrimSpace(a.Text)
	switch {
	case t.Error != "", !a.Parsed && !asksAnswer(t.Kind), t.Kind == debate.KindBallot,
		a.Parsed && text == strings.TrimSpace(t.Reply.Text) && text != Brief(text):
		return ""
	case a.Parsed:
		return Brief(text) + readBy[a.How]
	case a.How == answer.NoOption && text != "":
		return Brief(text) + ", which is none of the options"
	}
	return cmp.Or(unread[a.How], Answer(a))
}

// readBy and unread say how an answer was read, and why there is none, as far as a rule tells.
var (
	readBy = map[answer.How]string{
		answer.Fallback:  " (not stated, but nothing else can be meant)",
		answer.ByClosing: " (when asked again for the answer alone)",
	}
	unread = map[answer.How]string{
		answer.NoOption: "none of the options",
		answer.Cut:      "nothing: it is cut off before it states an answer",
		answer.Looped:   "nothing: it repeats itself and states no answer",
		answer.Nothing:  "nothing: it states no answer",
	}
)

// Answer is an answer on a line.
func Answer(a answer.Answer) string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return Brief(a.Text)
}

// Held says what an agent believed behind a message, with a bar, and how probable that was to it before; "" if nobody
// measured it.
func Held(b *debate.Beliefs, t debate.Turn) string {
	if b == nil || t.Held == nil || len(t.Held.After) != len(b.Answers) || len(b.Answers) == 0 {
		return ""
	}
	after := t.Held.After
	top := slices.Index(after, slices.Max(after))
	p := math.Exp(after[top])
	full := int(math.Round(10 * min(1, p)))
	text := fmt.Sprintf("believes %s %s%s %.2f", Brief(b.Answers[top]), strings.Repeat("█", full),
		strings.Repeat("░", 10-full), p)
	if before := t.Held.Before; len(before) == len(after) {
		text += fmt.Sprintf(", before %.2f", math.Exp(before[top]))
	}
	return text
}

// mostAnswer is how many columns an answer takes within a line.
const mostAnswer = 60

// Brief is a text on one line, without its middle where it is long.
func Brief(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if width := ansi.StringWidth(line); width > mostAnswer {
		line = ansi.Truncate(line, mostAnswer/2-1, "") + " … " + ansi.TruncateLeft(line, width-mostAnswer/2+2, "")
	}
	return line
}

// Kind is what a turn was asked for, in brackets; "" for a plain reply.
func Kind(t debate.Turn) string {
	if t.Kind == debate.KindReply {
		return ""
	}
	return " (" + string(t.Kind) + ")"
}

// Endings say of a reply how it ended, if it did not end by itself, and what helps.
func Endings(r inference.Reply) (lines []string) {
	invented := inventsProblem(r.Text)
	switch from, loops := loopFrom(r); {
	case loops:
		lines = append(lines, fmt.Sprintf("[repeats itself since token %s; %s]", wording.Comma(from), againstLoops))
	case r.Stop == inference.StopLength && invented:
		lines = append(lines, fmt.Sprintf("[cut off after %s, within %s", wording.Count(r.Tokens, "token"), ownProblem))
	case r.Stop == inference.StopLength:
		lines = append(lines, fmt.Sprintf("[cut off after %s, the limit: raise --max-tokens]",
			wording.Count(r.Tokens, "token")))
	case invented:
		lines = append(lines, "[goes on with "+ownProblem)
	}
	return lines
}

// loopFrom is the first token of a reply that only repeats what came before, from 1. Of a reply that was not ended for
// that it follows from the share of the text before, so that it is about right.
func loopFrom(r inference.Reply) (token int, loops bool) {
	if r.Stop == inference.StopLooped {
		return r.LoopFrom + 1, true
	}
	at, _, loops := loop.Repeats(r.Text)
	return at*r.Tokens/max(1, len(r.Text)) + 1, loops
}

const (
	againstLoops = "try --repeat-penalty, a lower --temperature or another prompt"
	ownProblem   = "a problem that it made up: the prompt needs a stop text]"
)

// problem is the heading of another problem, as prompts with examples have it: "### Instruction:" or "Question 2:".
var problem = regexp.MustCompile(`(?mi)^[ \t]*(#{1,6} ?(instruction|question|problem|exercise|puzzle|task|input)\b|` +
	`\**(question|problem|exercise|puzzle|q)( ?[0-9]+)?\**:)`)

// inventsProblem reports whether a reply goes on with a problem of its own, behind what it says of the question.
func inventsProblem(text string) bool {
	text = strings.TrimSpace(text)
	at := problem.FindAllStringIndex(text, 2)
	return len(at) > 0 && (at[0][0] > 0 || len(at) > 1)
}

// Reply is the text of a reply for a reader who sees the reasoning, or not, with what there is to say about it.
func Reply(r inference.Reply, mode string) string {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Raw == "":
	case mode != debate.HideReasoning && r.Reasoning != "":
		head := "reasoning, " + wording.Count(r.ReasoningTokens, "token")
		if r.ReasoningTokens == 0 {
			head = "reasoning"
		}
		text = strings.TrimSpace("[" + head + "]\n" + r.Reasoning + "\n[answer]\n" + text)
	case r.ReasoningTokens > 0:
		text += fmt.Sprintf("\n[after %s of reasoning: --reasoning show]", wording.Count(r.ReasoningTokens, "token"))
	case r.Reasoning != "": // of a server that does not count it
		text += "\n[after reasoning: --reasoning show]"
	}
	if r.ReasoningCut {
		text += "\n[it ends within its reasoning, without an answer]"
	}
	return strings.TrimSpace(text)
}

// RuleNames lists the rules that decide a recorded debate again.
func RuleNames() (names []string) {
	for _, r := range vote.Rules() {
		names = append(names, r.Name)
	}
	return names
}
