package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
)

// shower prints rounds as they finish, and marks changed answers.
func (d *debateCommand) shower(out io.Writer, p protocol.Protocol) func([]debate.Turn) {
	if d.json {
		return func(round []debate.Turn) {
			for _, t := range round {
				json.NewEncoder(out).Encode(t)
			}
		}
	}
	names := p.Roles()
	before := map[int]answer.Answer{} // the last answer of each agent
	return func(round []debate.Turn) {
		fmt.Fprintf(out, "── round %d\n", round[0].Round)
		for _, t := range round {
			name := debate.Transcript{Roles: names}.Role(t.Agent)
			fmt.Fprintf(out, "%s%s:%s\n", name, said(t, before), indent(t))
			before[t.Agent] = t.Answer
		}
		fmt.Fprintln(out)
	}
}

// said is what an agent answers, what it answered before if that was something else, and whom it heard.
func said(t debate.Turn, before map[int]answer.Answer) string {
	text := " says " + show(t.Answer)
	if earlier, ok := before[t.Agent]; ok && earlier != t.Answer {
		text += " (changed from " + show(earlier) + ")"
	}
	if len(t.Heard) > 0 {
		text += fmt.Sprintf(" after hearing %v", t.Heard)
	}
	return text
}

func show(a answer.Answer) string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return strings.TrimSpace(a.Text)
}

// indent is the text of a turn, or why there is none, on indented lines of its own.
func indent(t debate.Turn) string {
	if t.Error != "" {
		return "\n    failed: " + t.Error
	}
	text := strings.TrimSpace(t.Reply.Text)
	if t.Reply.Stop == inference.StopLength {
		text += fmt.Sprintf("\n[cut off after %s, the limit: raise --max-tokens]",
			wording.Count(t.Reply.Tokens, "token"))
	}
	return "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
}

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
	if t.Settings != nil && t.Settings.Form == "tit-for-tat" {
		fmt.Fprintf(out, "the answer is that of: %s\n", titfortat.Chosen(t))
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

// conclude prints the vote, the decision, and whether it is right. A truth that is not parsed is unknown.
func conclude(out io.Writer, t debate.Transcript, truth answer.Answer) error {
	voters := len(t.Voters())
	for _, v := range t.Decision.Votes {
		fmt.Fprintf(out, "%d of %d for %s: agents %v\n", len(v.Agents), voters, strings.TrimSpace(v.Answer), v.Agents)
	}
	tie, verdict := "", ""
	if t.Decision.Tie {
		tie = ", a tie"
	}
	if truth.Parsed && t.Decision.Answer.Parsed { // an unreadable decision is neither right nor wrong
		verdict = ", wrong"
		if t.Decision.Answer.Equal(truth) {
			verdict = ", right"
		}
	}
	for _, b := range t.Decision.Ballots {
		if b.Invalid != "" {
			fmt.Fprintf(out, "no ballot of agent %d: %s\n", b.Agent, b.Invalid)
		}
	}
	if t.Decision.Tally != nil {
		fmt.Fprintf(out, "%s scores %.3g\n", t.Decision.Tally.Rule, t.Decision.Tally.Scores)
	}
	if t.Decision.Reason != "" {
		fmt.Fprintf(out, "reason: %s\n", t.Decision.Reason)
	}
	measure(out, t)
	_, err := fmt.Fprintf(out, "decision: %s (%s%s)%s\n", show(t.Decision.Answer), t.Decision.Rule, tie, verdict)
	return err
}
