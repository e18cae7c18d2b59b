package transcript

import (
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
)

// Indent puts a text on indented lines of its own.
func Indent(text string) string { return "\n    " + strings.ReplaceAll(text, "\n", "\n    ") }

// measure prints how the debate went: what applies to its form and is not trivial.
func measure(out io.Writer, t debate.Transcript) {
	var shares []string
	argued := false
	for _, share := range t.Disagreement() {
		argued = argued || share > 0
		shares = append(shares, strings.Replace(fmt.Sprintf("%.2f", share), "-1.00", "-", 1))
	}
	if argued {
		fmt.Fprintf(out, "disagreement by round: %s\n", strings.Join(shares, " "))
	}
	if titfortat.Held(t) {
		fmt.Fprintf(out, "the answer is that of: %s\n", titfortat.Chosen(t))
	}
	if f, judged := t.Facts(); judged {
		fmt.Fprintf(out, "facts by the judge: %d yes, %d no, %d uncertain, %d unread\n", f.Yes, f.No,
			f.Uncertain, f.Unread)
	}
	var swayed []int
	for _, turn := range t.Last() {
		if turn.Swayed() {
			swayed = append(swayed, turn.Agent)
		}
	}
	if swayed != nil {
		fmt.Fprintf(out, "swayed by the order of the texts: agents %v\n", swayed)
	}
}

// decisionText returns the answer of a decision within a line. It prints a longer text above that line, and does the
// same with the text that was elected if no answer can be read from it.
func decisionText(out io.Writer, t debate.Transcript) string {
	a := t.Decision.Answer
	if text := strings.TrimSpace(a.Text); a.Parsed && text != Brief(text) {
		fmt.Fprintf(out, "decided text:%s\n", Indent(text))
		return "the text above"
	} else if a.Parsed {
		return text
	}
	if text, agent, ok := t.Elected(); ok {
		fmt.Fprintf(out, "elected is the text of %s:%s\n", t.Role(agent), Indent(strings.TrimSpace(text)))
		return "the text above, in which no answer can be read"
	}
	return Answer(a)
}

// Conclude prints the vote, the decision, and whether it is right; a nil isRight does not know.
func Conclude(out io.Writer, t debate.Transcript, isRight func(answer.Answer) bool) error {
	var b strings.Builder
	for _, v := range t.Decision.Votes {
		fmt.Fprintf(&b, "%d of %d for %s: agents %v\n", len(v.Agents), len(t.Voters()), Brief(v.Answer), v.Agents)
	}
	for _, ballot := range t.Decision.Ballots {
		if ballot.Invalid != "" {
			fmt.Fprintf(&b, "no ballot of agent %d: %s\n", ballot.Agent, ballot.Invalid)
		}
	}
	if t.Decision.Tally != nil {
		fmt.Fprintf(&b, "%s scores %.3g\n", t.Decision.Tally.Rule, t.Decision.Tally.Scores)
	}
	if t.Decision.Reason != "" {
		fmt.Fprintf(&b, "reason: %s\n", t.Decision.Reason)
	}
	measure(&b, t)
	tie := ""
	if t.Decision.Tie {
		tie = ", a tie"
	}
	fmt.Fprintf(&b, "decision: %s (%s%s)", decisionText(&b, t), t.Decision.Rule, tie)
	var verdict terminal.Span
	if isRight != nil && t.Decision.Answer.Parsed { // an unreadable decision is neither right nor wrong
		verdict = terminal.Span{Text: "wrong", Look: terminal.Wrong}
		if isRight(t.Decision.Answer) {
			verdict = terminal.Span{Text: "right", Look: terminal.Right}
		}
		b.WriteString(", " + verdict.Text)
	}
	text := strings.TrimSuffix(terminal.Fitted(out, b.String()), verdict.Text) // a word is never broken
	return terminal.Styled{{Text: text}, verdict, {Text: "\n"}}.Print(out)
}
