package society

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/internal/unknown"
)

// Visibility is how much of the others' texts an agent sees. The zero value shows them whole.
type Visibility struct {
	Name    string
	Percent int // of ShowLater: the share of the steps, from the first, that is left out
}

// Names of visibilities. Those with the name of an exchange are from MADC's code. In the code's reading the steps of a
// text are what follows each "Step ", and a text without one has none. In the paper's reading the text before the first
// step belongs to it, and at least one step is always shown.
const (
	ShowWhole       = "whole"
	ShowLater       = "later"       // without the first steps: exchangeO with 20 % of them, O1 to O3 with 40, 60, 80 %
	showEarlier     = "earlier"     // without the last step: exchangeO4
	ShowSupported   = "supported"   // without texts whose answer no other of them gives: exchangeI7
	ShowInterleaved = "interleaved" // everybody's first step, then everybody's second, and so on: exchangeG
	ShowSummary     = "summary"     // a summary, for which Society.Summarizer is asked: exchangeA
	ShowGrouped     = "grouped"     // grouped by answer, with counts, in the order in which answers come up (ReConcile)
	showReasoning   = "reasoning"   // without the sentences that contain the answer
	ShowAnswers     = "answers"     // nothing but the answer
	ShowShuffled    = "shuffled"    // the answer, after reasoning about another question: Case.Donor
	ShowNoise       = "noise"       // the agent's whole reply to that other question, with its answer to that
	ShowVacuous     = "vacuous"     // the answer, after an argument that says nothing: a text of the prompts
	ShowRetained    = "retained"    // the whole texts of those whom one more agent selects: see retain
)

// plainVisibilities are the names that stand without a number.
var plainVisibilities = []string{ShowWhole, showEarlier, ShowSupported, ShowInterleaved, ShowSummary, ShowGrouped,
	showReasoning, ShowAnswers, ShowShuffled, ShowNoise, ShowVacuous, ShowRetained}

// parseVisibility reads "later:PERCENT" or one of the other names; "" is whole.
func parseVisibility(text string) (Visibility, error) {
	name, percent, counted := strings.Cut(text, ":")
	switch {
	case text == "":
		return Visibility{Name: ShowWhole}, nil
	case name == ShowLater && counted:
		n, err := strconv.Atoi(percent)
		if err != nil || n < 1 || n > 99 {
			return Visibility{}, fmt.Errorf("visibility %q: %q must be a percentage from 1 to 99", text, percent)
		}
		return Visibility{Name: name, Percent: n}, nil
	case !counted && slices.Contains(plainVisibilities, name):
		return Visibility{Name: name}, nil
	}
	return Visibility{}, unknown.Name("visibility", text, plainVisibilities, "and later:PERCENT")
}

// String returns the form that parseVisibility reads.
func (s Visibility) String() string {
	switch s.Name {
	case "":
		return ShowWhole
	case ShowLater:
		return fmt.Sprintf("%s:%d", s.Name, s.Percent)
	}
	return s.Name
}

// keeps returns the agents heard whose texts are shown.
func (s Visibility) keeps(heard []int, answers []answer.Answer) []int {
	if s.Name != ShowSupported {
		return heard
	}
	return slices.DeleteFunc(slices.Clone(heard), func(i int) bool { return listing.Frequency(i, heard, answers) == 1 })
}

// labelAnswers returns answers in which all unparsed ones are the same answer: in MADC's exchangeI7 they support
// each other.
func labelAnswers(answers []answer.Answer) []answer.Answer {
	labels := slices.Clone(answers)
	for i, a := range labels {
		if !a.Parsed {
			labels[i] = answer.Of("(None)")
		}
	}
	return labels
}

// texts returns what is shown of the agents heard: one text for each agent, group or step.
func (s Visibility) texts(heard []int, latest []debate.Turn, set prompts.Set, released bool) []string {
	switch s.Name {
	case ShowInterleaved:
		return interleaveSteps(heard, latest, released)
	case ShowGrouped:
		return groupByAnswer(heard, latest, set)
	}
	texts := make([]string, len(heard))
	for k, i := range heard {
		switch text := latest[i].Told(); {
		case s.Name == ShowAnswers:
			texts[k] = set.Show(latest[i].Answer.Text)
		case s.Name == ShowVacuous:
			texts[k] = set.SayNothing(i, latest[i].Answer.Text)
		case released && (s.Name == ShowLater || s.Name == showEarlier):
			texts[k] = strings.Join(s.left(releasedSteps(text)), "\n\n")
		default:
			texts[k] = s.of(text, latest[i].Answer)
		}
	}
	return texts
}

// interleaveSteps returns one text for every place of a step: the k-th steps of all agents that have so many.
func interleaveSteps(heard []int, latest []debate.Turn, released bool) []string {
	cut, between := trimmedSteps, "\n"
	if released {
		cut, between = releasedSteps, "\n\n"
	}
	var together [][]string
	for _, i := range heard {
		for k, step := range cut(latest[i].Told()) {
			if k == len(together) {
				together = append(together, nil)
			}
			together[k] = append(together[k], step)
		}
	}
	texts := make([]string, len(together))
	for k, steps := range together {
		texts[k] = strings.Join(steps, between)
	}
	return texts
}

// left returns the steps that are shown in the code's reading. The number of those left out is rounded down as Python
// does it with floats.
func (s Visibility) left(steps []string) []string {
	if s.Name == ShowLater {
		return steps[int(float64(len(steps))*(float64(s.Percent)/100)):]
	}
	return steps[:max(0, len(steps)-1)]
}

// groupByAnswer returns one text for every answer.
func groupByAnswer(heard []int, latest []debate.Turn, set prompts.Set) (texts []string) {
	var answers []string
	of := make(map[string][]string)
	for _, i := range heard {
		a := latest[i].Answer.Text
		if of[a] == nil {
			answers = append(answers, a)
		}
		of[a] = append(of[a], latest[i].Told())
	}
	for _, a := range answers {
		texts = append(texts, set.Group(a, of[a]))
	}
	return texts
}

// of returns what is shown of one text with its answer. At least one step is left.
func (s Visibility) of(text string, a answer.Answer) string {
	steps := stepsOf(text)
	switch {
	case s.Name == showReasoning && a.Parsed:
		return keepSentences(text, func(one string) bool { return !strings.Contains(one, a.Text) })
	case s.Name == ShowLater:
		return strings.TrimSpace(strings.Join(steps[min(len(steps)-1, len(steps)*s.Percent/100):], ""))
	case s.Name == showEarlier && len(steps) > 1:
		return strings.TrimSpace(strings.Join(steps[:len(steps)-1], ""))
	}
	return text
}

var sentence = regexp.MustCompile(`(?s).+?(?:[.!?](?:[` + answer.SpaceClass + `]+|$)|\n+|$)`)

var step = regexp.MustCompile(`Step [0-9]+`)

// stepsOf cuts a text before each numbered step, such as "Step 2", except the first: what precedes that belongs to it.
func stepsOf(text string) (steps []string) {
	from, first := 0, true
	for _, at := range step.FindAllStringIndex(text, -1) {
		if !answer.Alone(text, at[0], at[1]) {
			continue
		}
		if !first {
			steps, from = append(steps, text[from:at[0]]), at[0]
		}
		first = false
	}
	return append(steps, text[from:])
}

// trimmedSteps returns the same steps without white space around each.
func trimmedSteps(text string) (steps []string) {
	for _, one := range stepsOf(text) {
		steps = append(steps, strings.TrimSpace(one))
	}
	return steps
}

// releasedSteps cuts a text as MADC's code does: at each "Step ", whatever follows it. What precedes the first is
// dropped.
func releasedSteps(text string) (steps []string) {
	for i, part := range strings.Split(text, "Step ") {
		if i > 0 {
			steps = append(steps, "Step "+strings.TrimFunc(part, isStripped))
		}
	}
	return steps
}

// isStripped reports whether Python's strip removes a character.
func isStripped(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }
