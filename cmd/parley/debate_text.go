package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
)

// shower prints rounds as they finish, and marks changed answers. The rounds take the place of what a stream, which may
// be nil, has shown of them.
func (d *debateCommand) shower(out io.Writer, p protocol.Protocol, s *stream) func([]debate.Turn) {
	if d.json {
		return func(round []debate.Turn) {
			for _, t := range round {
				json.NewEncoder(out).Encode(t)
			}
		}
	}
	role := debate.Transcript{Roles: p.Roles()}.Role
	before := map[int]answer.Answer{} // the last answer of each agent
	return func(round []debate.Turn) {
		s.clear()
		blocks, agents := make([]block, len(round)), make(map[int]bool)
		for i, t := range round {
			blocks[i] = block{span{role(t.Agent) + said(t, before), lookOf(t, before)}, spoken(t, d.asking.reasoning)}
			before[t.Agent], agents[t.Agent] = t.Answer, true
		}
		fmt.Fprintf(out, "── round %d\n", round[0].Round)
		cell := cellWidth(len(round), widthOf(out))
		if cell == 0 || len(round) == 1 || len(agents) < len(round) { // who speaks twice has no column
			for _, b := range blocks {
				styled{b.head, {text: ":" + indent(b.text) + "\n"}}.print(out)
			}
		} else {
			for _, line := range beside(blocks, cell, 0) {
				append(line, span{text: "\n"}).print(out)
			}
		}
		fmt.Fprintln(out)
	}
}

// lookOf is that of a turn in which the agent may have changed its answer.
func lookOf(t debate.Turn, before map[int]answer.Answer) look {
	if earlier, ok := before[t.Agent]; ok && earlier != t.Answer {
		return changed
	}
	return normal
}

// said is what an agent answers, what it answered before if that was something else, and whom it heard.
func said(t debate.Turn, before map[int]answer.Answer) string {
	text := " says " + show(t.Answer)
	if lookOf(t, before) == changed {
		text += " (changed from " + show(before[t.Agent]) + ")"
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

// spoken is the text of a turn, or why there is none.
func spoken(t debate.Turn, reasoning string) string {
	if t.Error != "" {
		return "failed: " + t.Error
	}
	text := reasoned(t.Reply, reasoning)
	if t.Reply.Stop == inference.StopLength {
		text += fmt.Sprintf("\n[cut off after %s, the limit: raise --max-tokens]",
			wording.Count(t.Reply.Tokens, "token"))
	}
	return text
}

// indent puts a text on indented lines of its own.
func indent(text string) string { return "\n    " + strings.ReplaceAll(text, "\n", "\n    ") }

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
	tie, verdict := "", styled{}
	if t.Decision.Tie {
		tie = ", a tie"
	}
	if truth.Parsed && t.Decision.Answer.Parsed { // an unreadable decision is neither right nor wrong
		verdict = styled{{text: ", "}, {"wrong", wrong}}
		if t.Decision.Answer.Equal(truth) {
			verdict = styled{{text: ", "}, {"right", right}}
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
	decision := fmt.Sprintf("decision: %s (%s%s)", show(t.Decision.Answer), t.Decision.Rule, tie)
	return slices.Concat(styled{{text: decision}}, verdict, styled{{text: "\n"}}).print(out)
}
