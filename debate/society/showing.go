package society

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
)

// Showing is how much of the others' texts an agent gets to see. The zero value shows them whole.
type Showing struct {
	Name    string
	Percent int // of ShowLater: share of the steps, from the first, that is left out
}

// Names of showings. Those with an exchange are of source 0's code; in its reading a text is what stands behind each
// "Step ", and nothing where that is missing. In the paper's reading what stands before the first step belongs to it,
// and one step is always left.
const (
	ShowWhole = "whole"
	// without the first so many percent of the steps: exchangeO with 20, O1 to O3 with 40, 60, 80
	ShowLater       = "later"
	ShowEarlier     = "earlier"     // without the last step: exchangeO4
	ShowSupported   = "supported"   // without texts whose answer nobody else among them gives: exchangeI7
	ShowInterleaved = "interleaved" // everybody's first step, then everybody's second, and so on: exchangeG
	ShowSummary     = "summary"     // a summary, which the receiver itself is asked for first: exchangeA
	// grouped by answer, with counts, in the order in which the answers come up (ReConcile)
	ShowGrouped   = "grouped"
	ShowReasoning = "reasoning" // without the sentences in which the answer stands
	ShowAnswers   = "answers"   // nothing but the answer
	ShowShuffled  = "shuffled"  // the answer, behind reasoning about another question: Case.Donor
)

// plainShowings are those that need no number.
var plainShowings = []string{ShowWhole, ShowEarlier, ShowSupported, ShowInterleaved, ShowSummary, ShowGrouped,
	ShowReasoning, ShowAnswers, ShowShuffled}

// ShowingNames lists them, "later:20" for all that leave out a percentage.
func ShowingNames() []string { return append(slices.Clone(plainShowings), ShowLater+":20") }

// ParseShowing reads "later:PERCENT" or one of the other names. The empty text is whole.
func ParseShowing(text string) (Showing, error) {
	name, percent, counted := strings.Cut(text, ":")
	switch {
	case text == "":
		return Showing{Name: ShowWhole}, nil
	case name == ShowLater && counted:
		n, err := strconv.Atoi(percent)
		if err != nil || n < 1 || n > 99 {
			return Showing{}, fmt.Errorf("showing %q: %s is no percentage from 1 to 99", text, percent)
		}
		return Showing{Name: name, Percent: n}, nil
	case !counted && slices.Contains(plainShowings, name):
		return Showing{Name: name}, nil
	}
	return Showing{}, fmt.Errorf("no showing %q; there are later:PERCENT, %s", text, strings.Join(plainShowings, ", "))
}

// String is what ParseShowing reads.
func (s Showing) String() string {
	switch s.Name {
	case "":
		return ShowWhole
	case ShowLater:
		return fmt.Sprintf("%s:%d", s.Name, s.Percent)
	}
	return s.Name
}

// keeps are those of the agents heard whose texts are shown.
func (s Showing) keeps(heard []int, answers []answer.Answer) []int {
	if s.Name != ShowSupported {
		return heard
	}
	return slices.DeleteFunc(slices.Clone(heard), func(i int) bool { return frequency(i, heard, answers) == 1 })
}

// texts are what is shown of those heard, one for each, or for each group or step.
func (s Showing) texts(heard []int, latest []debate.Turn, set prompts.Set, released bool) []string {
	switch s.Name {
	case ShowInterleaved:
		return interleaved(heard, latest, released)
	case ShowGrouped:
		return grouped(heard, latest, set)
	}
	texts := make([]string, len(heard))
	for k, i := range heard {
		switch text := latest[i].Reply.Text; {
		case s.Name == ShowAnswers:
			texts[k] = set.Shown(latest[i].Answer.Text)
		case released && (s.Name == ShowLater || s.Name == ShowEarlier):
			texts[k] = strings.Join(s.left(releasedSteps(text)), "\n\n")
		default:
			texts[k] = s.of(text, latest[i].Answer)
		}
	}
	return texts
}

// interleaved has one text for every step that anybody has.
func interleaved(heard []int, latest []debate.Turn, released bool) (texts []string) {
	cut, between := trimmedSteps, "\n"
	if released {
		cut, between = releasedSteps, "\n\n"
	}
	for k := 0; ; k++ {
		var together []string
		for _, i := range heard {
			if steps := cut(latest[i].Reply.Text); k < len(steps) {
				together = append(together, steps[k])
			}
		}
		if together == nil {
			return texts
		}
		texts = append(texts, strings.Join(together, between))
	}
}

// left are the steps that are shown in the code's reading. The share of those left out is rounded down as Python's
// floats have it.
func (s Showing) left(steps []string) []string {
	if s.Name == ShowLater {
		return steps[int(float64(len(steps))*(float64(s.Percent)/100)):]
	}
	return steps[:max(0, len(steps)-1)]
}

// grouped has one text for every answer.
func grouped(heard []int, latest []debate.Turn, set prompts.Set) (texts []string) {
	var answers []string
	of := make(map[string][]string)
	for _, i := range heard {
		a := latest[i].Answer.Text
		if of[a] == nil {
			answers = append(answers, a)
		}
		of[a] = append(of[a], latest[i].Reply.Text)
	}
	for _, a := range answers {
		texts = append(texts, set.Group(a, of[a]))
	}
	return texts
}

// of is what is shown of a text with its answer. At least one step is left.
func (s Showing) of(text string, a answer.Answer) string {
	steps := stepsOf(text)
	switch {
	case s.Name == ShowReasoning && a.Parsed:
		return keeping(text, func(one string) bool { return !strings.Contains(one, a.Text) })
	case s.Name == ShowLater:
		return strings.TrimSpace(strings.Join(steps[min(len(steps)-1, len(steps)*s.Percent/100):], ""))
	case s.Name == ShowEarlier && len(steps) > 1:
		return strings.TrimSpace(strings.Join(steps[:len(steps)-1], ""))
	}
	return text
}

var sentence = regexp.MustCompile(`(?s).+?(?:[.!?](?:[` + answer.SpaceClass + `]+|$)|\n+|$)`)

var step = regexp.MustCompile(`Step [0-9]+`)

// stepsOf cuts a text before each "Step 2", "Step 3" and so on; what stands before the first belongs to it.
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

// trimmedSteps are the same without blanks around each.
func trimmedSteps(text string) (steps []string) {
	for _, one := range stepsOf(text) {
		steps = append(steps, strings.TrimSpace(one))
	}
	return steps
}

// releasedSteps cuts a text as source 0's code does: at each "Step ", whatever follows it. What stands before the first
// is dropped.
func releasedSteps(text string) (steps []string) {
	for i, part := range strings.Split(text, "Step ") {
		if i > 0 {
			steps = append(steps, "Step "+strings.TrimFunc(part, stripped))
		}
	}
	return steps
}

// stripped reports what Python's strip takes off.
func stripped(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }
