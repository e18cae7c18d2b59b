package knights

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// highestRating is the best rating of an agent's arguments; the lowest is 1.
const highestRating = 4

// rate has the judge rate the arguments of every agent that was heard, one request each. The judge does not learn the
// solution.
func (b *table) rate(ctx context.Context) error {
	judge := b.d.Agents + 1
	system := b.p.Judge
	if persona := b.d.Member(judge).Persona; persona != "" {
		system += "\n\n" + persona
	}
	var turns []debate.Turn
	for _, agent := range b.speaking() {
		said := b.saidBy([]int{agent})
		text := b.p.With(b.p.Rate, "game", b.game, "agent", b.names[agent], "replies", said, "form",
			b.p.FormOf(ratingForm, false))
		turns = append(turns, debate.Turn{Agent: judge, Round: len(b.t.Rounds), Sample: len(turns), Heard: []int{agent},
			Kind: debate.KindSoundness, Messages: debate.Conversation(system, text), Grammar: ratingGrammar})
	}
	if len(turns) == 0 {
		return nil
	}
	if err := b.try(ctx, turns); err != nil {
		return fmt.Errorf("%s: %w", debate.PhaseSoundness, err)
	}
	for i := range turns {
		turns[i].Answer = answer.Unparsed
		if rating, ok := ReadRating(turns[i].Reply.Text); ok {
			turns[i].Answer = answer.Of(strconv.Itoa(rating))
		}
	}
	b.enter(debate.PhaseSoundness, turns)
	return ctx.Err()
}

var (
	ratingGrammar = `root ::= ` + literal(`{"rating": `) + ` [1-4] ` + literal(`, "reason": `) + ` text "}"` + "\n" +
		textRule
	ratingForm = `{"rating": 1 to 4, "reason": "why"}`
	rated      = regexp.MustCompile(`(?i)\brating["' ]*[:=]? *["']?([0-9]+)\b`)
)

// ReadRating reads the rating of a judge, 1 to 4: the field of an object, or the number after the word rating.
func ReadRating(reply string) (rating int, ok bool) {
	if o, found := readObject(reply, func(o map[string]any) bool { return has(o, "rating") }); found {
		switch value := field(o, "rating").(type) {
		case float64:
			rating = int(value)
			return rating, float64(rating) == value && rating >= 1 && rating <= highestRating
		case string:
			reply = "rating: " + value
		}
	}
	if m := rated.FindStringSubmatch(bounded(reply)); m != nil {
		rating, _ = strconv.Atoi(m[1])
	}
	return rating, rating >= 1 && rating <= highestRating
}
