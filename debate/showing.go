package debate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/debate/answer"
)

// Showing is how much of the others' texts an agent gets to see. The zero value shows them whole.
type Showing struct {
	Name    string
	Percent int // of ShowLater: share of the steps, from the first, that is left out
}

// Names of showings, all of source 0's code.
const (
	ShowWhole     = "whole"
	ShowLater     = "later"     // without the first so many percent of the steps: exchangeO with 20, O1 to O3 with 40, 60, 80
	ShowEarlier   = "earlier"   // without the last step: exchangeO4
	ShowSupported = "supported" // without texts whose answer nobody else among them gives: exchangeI7
)

// ParseShowing reads "whole", "later:PERCENT", "earlier" or "supported". The empty text is whole.
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
	case !counted && slices.Contains([]string{ShowWhole, ShowEarlier, ShowSupported}, name):
		return Showing{Name: name}, nil
	}
	return Showing{}, fmt.Errorf("no showing %q; there are whole, later:PERCENT, earlier and supported", text)
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

// of is what is shown of a text. At least one step is left.
func (s Showing) of(text string) string {
	steps := stepsOf(text)
	switch {
	case s.Name == ShowLater:
		return strings.TrimSpace(strings.Join(steps[min(len(steps)-1, len(steps)*s.Percent/100):], ""))
	case s.Name == ShowEarlier && len(steps) > 1:
		return strings.TrimSpace(strings.Join(steps[:len(steps)-1], ""))
	}
	return text
}

var step = regexp.MustCompile(`\bStep [0-9]+\b`)

// stepsOf cuts a text before each "Step 2", "Step 3" and so on; what stands before the first belongs to it.
func stepsOf(text string) (steps []string) {
	from := 0
	for i, at := range step.FindAllStringIndex(text, -1) {
		if i > 0 {
			steps, from = append(steps, text[from:at[0]]), at[0]
		}
	}
	return append(steps, text[from:])
}
