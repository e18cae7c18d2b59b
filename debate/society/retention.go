package society

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/vote"
)

// retain returns the call of the selector with which a round begins that shows retained texts, nil if there is none.
// The selector is one more agent. It has the number after the last one, no history and no vote; it is shown all latest
// replies, by numbers, and the answer that most of them give, and names those that differ most from each other and from
// that answer (diversity-aware retention, Nguyen et al. 2026, arXiv 2603.20640). Nobody chooses among fewer than two.
func (s Society) retain(ctx context.Context, ask debate.Asker, last []debate.Turn, round int,
	c debate.Case) (*debate.Turn, error) {
	if round == 0 || s.before(round).Visibility.Name != ShowRetained {
		return nil, nil
	}
	all := s.hear(last, listing.Everybody, round, c)
	if len(all.heard) < 2 {
		return nil, nil
	}
	asked := []debate.Turn{{Agent: s.Agents, Round: round, Kind: debate.KindSelection, Heard: all.heard,
		Messages: debate.Conversation(s.Member(s.Agents).Persona,
			s.Prompts.Retain(all.texts, vote.Majority(last).Answer.Text))}}
	ask.MaxTokens, ask.Extract = selectionTokens, answer.Raw
	err := ask.Ask(ctx, asked)
	return &asked[0], err
}

// selectionTokens bounds the reply of the selector, which is a list of numbers.
const selectionTokens = 128

var (
	lists   = regexp.MustCompile(`\[[^\[\]]*\]`)
	numbers = regexp.MustCompile(`\d+`)
)

// chosenBy returns the agents that a selector's reply retains: those whose numbers, from 1, are in its last list in
// brackets. A reply without such a list, or with other numbers alone, retains all, as in the source's program.
func chosenBy(reply string, shown []int) []int {
	if chosen := ReadSelection(reply, shown); len(chosen) > 0 {
		return chosen
	}
	return shown
}

// ReadSelection returns the agents that a selector names of those that it is shown; nil if its reply names none.
func ReadSelection(reply string, shown []int) (chosen []int) {
	all := lists.FindAllString(reply, -1)
	if len(all) == 0 {
		return nil
	}
	for _, text := range numbers.FindAllString(all[len(all)-1], -1) {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(shown) {
			chosen = append(chosen, shown[n-1])
		}
	}
	return chosen
}

// retained returns those whom an agent hears of the others: of those that it could hear the ones that the selector of
// the round in progress retains, or all, if it retains none of them.
func (s Society) retained(heard []int) []int {
	if s.presiding == nil || s.presiding.Kind != debate.KindSelection {
		return heard
	}
	chosen := chosenBy(s.presiding.Reply.Text, s.presiding.Heard)
	kept := slices.DeleteFunc(slices.Clone(heard), func(i int) bool { return !slices.Contains(chosen, i) })
	if len(kept) == 0 {
		return heard
	}
	return kept
}

// outvoted tells agents what most of them answered, where they hear retained texts alone; "" where nobody answered.
func (s Society) outvoted(latest []debate.Turn, round int) string {
	if s.before(round).Visibility.Name != ShowRetained {
		return ""
	}
	most := vote.Majority(latest).Answer
	if !most.Parsed {
		return ""
	}
	return "\n\n" + s.Prompts.MostAnswer(most.Text)
}
