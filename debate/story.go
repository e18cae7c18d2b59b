package debate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
)

// Story writes a whole debate for people to read: round by round, what each agent was sent, what it said, and which
// answer was read from that; then the decision. Messages that an agent was sent before are left out.
func (t Transcript) Story(w io.Writer) error {
	s := &story{t: t, told: make(map[int][]inference.Message)}
	for r, round := range t.Rounds {
		if len(round) == 0 {
			continue
		}
		s.writeHeading(r, round)
		for _, turn := range round {
			s.turn("", turn, false)
		}
	}
	for k, turns := range t.Voting {
		if len(turns) == 0 {
			continue
		}
		switch {
		case turns[0].Kind == KindJudgement:
			s.line("", "── %s", t.Role(turns[0].Agent))
		case len(t.Records) > 0: // a discussion, which may vote more than once
			s.line("", "── vote in round %d", turns[0].Round)
		default:
			s.line("", "── vote, attempt %d", k+1)
		}
		for _, turn := range turns {
			s.turn("", turn, true)
		}
	}
	if len(t.Judged) > 0 {
		s.line("", "── facts")
		for _, turn := range t.Judged {
			s.turn("", turn, true)
		}
	}
	s.records()
	s.writeElected()
	s.decision(t.Decision)
	s.afterwards()
	_, err := io.WriteString(w, s.text.String())
	return err
}

type story struct {
	t    Transcript
	told map[int][]inference.Message // the history that has been written already, by agent
	text strings.Builder
}

// line writes a formatted line. Further lines of a text are indented below it.
func (s *story) line(indent, format string, values ...any) {
	text := strings.ReplaceAll(strings.TrimRight(fmt.Sprintf(format, values...), "\n "), "\n", "\n"+indent+"    ")
	s.text.WriteString(indent + text + "\n")
}

// writeHeading writes the line above a round.
func (s *story) writeHeading(r int, round []Turn) {
	phase := ""
	if r < len(s.t.Phases) {
		phase = ": " + string(s.t.Phases[r])
	}
	s.line("", "── round %d%s", round[0].Round, phase)
}

// turn writes a turn with the calls before it and its probes. An aside, such as a summary or a ballot, is part of no
// agent's history.
func (s *story) turn(indent string, t Turn, aside bool) {
	name := s.t.Role(t.Agent)
	if t.Kind != "" && !aside {
		name += ", " + string(t.Kind)
	}
	for _, before := range t.Before {
		s.turn(indent+"  ", before, true)
	}
	if len(t.Heard) > 0 {
		s.line(indent, "%s hears %v", name, t.Heard)
	}
	if text := t.Relisted(); text != "" {
		s.line(indent, "%s sees %s", name, text)
	}
	for _, m := range s.news(t, aside) {
		s.line(indent, "%s <- %s: %s", name, m.Role, m.Content)
	}
	if t.Grammar != "" {
		s.line(indent, "%s has to follow a grammar of %d rules", name, strings.Count(t.Grammar, "::="))
	}
	switch {
	case t.Error != "":
		s.line(indent, "%s is silent: %s", name, t.Error)
	default:
		if t.Reply.Reasoning != "" {
			s.line(indent, "%s reasons: %s", name, t.Reply.Reasoning)
		}
		s.line(indent, "%s -> %s", name, t.Reply.Text)
		// No rule looks at the answers of these kinds.
		if !slices.Contains([]Kind{KindPersona, KindStance, KindMessage, KindConfidence}, t.Kind) {
			s.line(indent, "%s means %s%s", name, t.Answer.String(), sure(t))
		}
		if t.Held != nil {
			s.line(indent, "%s believed %s, believes %s", name, s.t.Beliefs.Told(t.Held.Before),
				s.t.Beliefs.Told(t.Held.After))
		}
	}
	for _, c := range t.After {
		s.writeClosing(indent+"  ", name, c)
	}
	for _, p := range t.Probes {
		s.line(indent+"  ", "hearing %v instead: %s", p.Heard, p.Answer.Text)
	}
}

// writeClosing writes a closing turn: what the reply went on with, or why it could not.
func (s *story) writeClosing(indent, name string, t Turn) {
	if t.Error != "" {
		s.line(indent, "%s is not asked for its answer alone: %s", name, t.Error)
		return
	}
	asked := t.Messages
	if last := len(asked) - 1; last >= 0 {
		s.line(indent, "%s <- %s: %s", name, asked[last].Role, strings.TrimSpace(asked[last].Content))
	}
	s.line(indent, "%s -> %s", name, t.Reply.Text)
}

// news returns the messages of a turn that have not been written before.
func (s *story) news(t Turn, aside bool) []inference.Message {
	told := s.told[t.Agent]
	if t.Error == "" && t.Messages != nil && !aside {
		s.told[t.Agent] = WithReply(t.Messages, t)
	}
	if len(t.Messages) > len(told) && slices.Equal(t.Messages[:len(told)], told) {
		return t.Messages[len(told):]
	}
	return t.Messages
}

// sure gives the verdict of an agent on its answer, and says how confident an agent is, as far as that is known.
func sure(t Turn) (text string) {
	if t.Verdict != "" {
		text = ", verdict " + string(t.Verdict)
	}
	if t.Confidence != nil {
		text += fmt.Sprintf(", confidence %.2f", *t.Confidence)
	}
	if t.Weight != nil {
		text += fmt.Sprintf(", weight %.2f", *t.Weight)
	}
	for _, b := range t.Beliefs {
		text += fmt.Sprintf(", %s %.2f", b.Answer, b.Probability)
	}
	return text
}

// writeElected writes the text that was elected, if no answer can be read from it.
func (s *story) writeElected() {
	s.line("", "── decision")
	if text, agent, ok := s.t.Elected(); ok && !s.t.Decision.Answer.Parsed {
		s.line("", "elected is the text of %s: %s", s.t.Role(agent), text)
	}
}

// decision writes how the debate was decided.
func (s *story) decision(d Decision) {
	for _, v := range d.Votes {
		weight := ""
		if v.Weight != 0 {
			weight = fmt.Sprintf(", weight %.4g", v.Weight)
		}
		s.line("", "%s: %d, agents %v%s", v.Answer, len(v.Agents), v.Agents, weight)
	}
	for _, p := range d.Players {
		s.line("", "%s", p.describe())
	}
	for _, b := range d.Ballots {
		s.line("", "ballot of %s: %s", s.t.Role(b.Agent), b.describe())
	}
	if d.Tally != nil {
		s.line("", "%s: scores %.4g, winner %d", d.Tally.Rule, d.Tally.Scores, d.Tally.Winner)
	}
	if d.Withheld != "" {
		s.line("", "withheld: %s", d.Withheld)
	}
	if d.Side != "" || d.Reason != "" {
		s.line("", "side %s, reason: %s", cmp.Or(d.Side, "none"), cmp.Or(d.Reason, "none"))
	}
	tie := ""
	if d.Tie {
		tie = ", a tie"
	}
	s.line("", "%s (%s%s)", d.Answer.String(), d.Rule, tie)
}

// records writes a discussion's messages as its rules see them.
func (s *story) records() {
	if len(s.t.Records) > 0 {
		s.line("", "── records")
	}
	for i, r := range s.t.Records {
		s.line("", "%d. turn %d: %s %s", i+1, r.Turn, s.t.Role(r.Agent), r.describe())
	}
}

// afterwards writes the challenge of a discussion, the budget of sampling, and the notes.
func (s *story) afterwards() {
	if len(s.t.Challenges) > 0 {
		s.line("", "── challenge")
	}
	for _, c := range s.t.Challenges {
		said := "neither agrees nor disagrees"
		if c.Agrees != nil {
			said = stance(*c.Agrees)
		}
		s.line("", "%s %s: %s", s.t.Role(c.Agent), said, c.Answer.String())
	}
	if b := s.t.Budget; b != nil {
		s.line("", "budget: the debate before had %d calls and %d tokens; of %d answers asked for, %d count, with "+
			"%d tokens", b.Calls, b.Tokens, b.Asked, len(s.t.Last()), b.Used)
	}
	for _, note := range s.t.Notes {
		s.line("", "note: %s", note)
	}
}

func stance(agrees bool) string {
	if agrees {
		return "agrees"
	}
	return "disagrees"
}

// describe puts a record into words.
func (r Record) describe() string {
	text := "drafts"
	if r.Agreement != nil {
		text = stance(*r.Agreement)
	}
	if r.To != nil {
		text += fmt.Sprintf(", heard by %v", r.To)
	}
	return text + ", solution " + cmp.Or(r.Solution, "none")
}

// describe puts the vote on a player into words.
func (v PlayerVote) describe() string {
	var parts []string
	for _, r := range v.Roles {
		parts = append(parts, fmt.Sprintf("%s %d, agents %v", r.Answer, len(r.Agents), r.Agents))
	}
	text := v.Player + ": " + cmp.Or(strings.Join(parts, "; "), "no vote")
	if v.Tie {
		text += fmt.Sprintf("; a tie, to %s by %s", v.Winner, cmp.Or(v.By, "the agents' order"))
	}
	return text
}

// describe puts a ballot into words.
func (b Ballot) describe() string {
	switch {
	case b.Invalid != "":
		return "none, " + b.Invalid
	case b.Weights != nil:
		return fmt.Sprintf("probabilities %.2f", b.Weights)
	case b.Points != nil:
		return fmt.Sprintf("points %v", b.Points)
	}
	return fmt.Sprintf("ranks %v", b.Ranking)
}
