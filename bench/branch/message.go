// Package branch holds recorded debates again from the beginning of each sentence of a message, and tells how much each
// sentence changed what was decided: distributions of decisions with the sentence and without it. Every other debate
// program would pay for whole prompts; here a branch costs its suffix.
//
// Lifecycle: Choice.Find picks messages of a run (rundir.Run). Draw holds the debates of each on an engine that knows
// the run's replies, and returns a Result, whose Save writes it into the run directory and whose Document and Page show
// it.
//
// What holds: what comes before a message is as recorded in all of its branches, to the bit, and so is one that is kept
// whole. A branch is a function of the run, the message, the seed and its number, so that a journal of branches
// resumes.
//
// The measures are those of Thought Anchors (Bogdan et al., arXiv 2506.19143) and Thought Branches (Macar et al., arXiv
// 2510.27484), with decisions of a debate in the place of a reply's answers.
package branch

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Message is what an agent said in a debate of a run.
type Message struct {
	trial.Outcome
	Turn debate.Turn
}

// Choice says which messages are taken: those of one question, and, where they are not nil or "", of a condition, a
// round and an agent.
type Choice struct {
	Case         string // a question with all its repeats, or a single debate as listed
	Condition    string
	Round, Agent *int
}

// Find returns the messages of a run that a choice names, in their order. Those that nobody drew as a text, such as
// scores of options, and those whose form a grammar shapes are none.
func (c Choice) Find(run rundir.Run) (found []Message, err error) {
	shaped, debates := 0, 0
	for _, o := range run.Outcomes {
		if !o.IsOf(c.Case) || c.Condition != "" && o.Condition != c.Condition || o.Failed() {
			continue
		}
		debates++
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if c.Round != nil && turn.Round != *c.Round || c.Agent != nil && turn.Agent != *c.Agent ||
					turn.Silent() || turn.Reply.Stop == inference.StopScored || !debate.Visible(turn.Reply.Text) {
					continue
				}
				if turn.Grammar != "" {
					shaped++
					continue
				}
				found = append(found, Message{run.Whole(o), turn})
			}
		}
	}
	switch {
	case debates == 0:
		return nil, fmt.Errorf("the run has %d debates, and none that was held to its end on question %q%s; parley "+
			"show lists them", len(run.Outcomes), c.Case, c.under())
	case len(found) == 0 && shaped > 0:
		return nil, fmt.Errorf("a grammar shapes all %d replies that were chosen, so that none can go on from within: "+
			"choose others, or hold the run with replies that are free", shaped)
	case len(found) == 0:
		return nil, fmt.Errorf("nothing was said by the agents and in the rounds that were chosen, in %d debates",
			debates)
	}
	return found, nil
}

func (c Choice) under() string {
	if c.Condition == "" {
		return ""
	}
	return fmt.Sprintf(" under condition %q", c.Condition)
}

// name says which message it is.
func (m Message) name() string {
	return fmt.Sprintf("%s, %s, %s in round %d", m.Case(), m.Condition, m.Transcript.Role(m.Turn.Agent), m.Turn.Round)
}

// is reports whether a request asks for the message.
func (m Message) is(r inference.Request) bool {
	return r.Agent == m.Turn.Agent && r.Round == m.Turn.Round && r.Sample == m.Turn.Sample &&
		len(r.Continuations) == 0 && slices.Equal(r.Messages, m.Turn.Messages)
}

// reasoning is what the model wrote before the text of the message, with its marks; "" for nothing.
func (m Message) reasoning() (string, error) {
	whole, text := m.Turn.Reply.Whole(), m.Turn.Reply.Text
	before, found := strings.CutSuffix(strings.TrimRightFunc(whole, unicode.IsSpace),
		strings.TrimRightFunc(text, unicode.IsSpace))
	if !found {
		return "", errors.New("the reply does not end in its answer")
	}
	return before, nil
}

// shortest is how many bytes a sentence has at least, without white space around it.
const shortest = 10

// sentenceEnd matches the end of a sentence before white space, and the end of a paragraph.
var sentenceEnd = regexp.MustCompile(`[.?!]+["')*]*(?:[ \n]|$)|\n\r?\n`)

// Sentences cuts a text into sentences, each with the white space before it: together they are the text. It cuts where
// the program of Thought Anchors does, behind points, question and exclamation marks before white space and at blank
// lines, and joins what is shorter than ten bytes with what follows. White space at the end is part of the last one.
func Sentences(text string) (all []string) {
	from := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		to := from + len(strings.TrimRightFunc(text[from:max(from, end[1])], unicode.IsSpace))
		if len(strings.TrimSpace(text[from:to])) < shortest {
			continue
		}
		all, from = append(all, text[from:to]), to
	}
	switch rest := text[from:]; {
	case len(strings.TrimSpace(rest)) >= shortest || len(all) == 0 && rest != "":
		all = append(all, rest)
	case rest != "":
		all[len(all)-1] += rest
	}
	return all
}
