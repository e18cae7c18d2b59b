package society

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Which side each agent has to argue for, whatever it holds itself, before a judge who is told that nobody chose. What
// is drawn depends on run and question alone, so that a consultant has the side of the first of two debaters.
const (
	// assignedOpposite is the right answer and a wrong option, drawn from all that are wrong, in turn; a lot says who
	// begins. So a single agent, a consultant, has the right one in half of the debates (Michael et al. 2023, arXiv
	// 2311.08702; Khan et al. 2024, whose questions have one wrong option; Kenton et al. 2024).
	assignedOpposite = "opposite"
	// assignedDrawn is an option of the question for each, drawn without regard to what is right. Nobody has the same
	// as another before all are taken.
	assignedDrawn = "drawn"
)

// sides returns the answer that each agent has to argue for, or nil if they are free. Where no option is wrong, all
// have the right one.
func (s Society) sides(c debate.Case) (sides []string) {
	if s.Assigned == "" {
		return nil
	}
	random := s.Seeds.Sides(c.ID)
	order, _, _ := c.Relist(random)
	options := make([]string, len(order))
	for i, k := range random.Perm(len(order)) {
		options[i] = answer.OptionName(k)
	}
	if s.Assigned == assignedOpposite {
		wrong := slices.DeleteFunc(options, func(o string) bool { return c.IsRight(answer.Of(o)) })
		options = append([]string{c.Truth.Text}, wrong[:min(1, len(wrong))]...)
		if random.IntN(2) == 1 {
			slices.Reverse(options)
		}
	}
	for i := range s.Agents {
		sides = append(sides, options[i%len(options)])
	}
	return sides
}

// sidesOf says who argues for what.
func (s Society) sidesOf(sides []string) string {
	var all []string
	for agent, side := range sides {
		all = append(all, fmt.Sprintf("%s argues for %s", s.nameOf(agent), side))
	}
	return strings.Join(all, ", ")
}

// argue returns what gives an agent its side, at the end of each of its messages.
func (s Society) argue(agent int) string {
	if s.given == nil {
		return ""
	}
	return "\n\n" + s.Prompts.Argue(s.given[agent])
}
