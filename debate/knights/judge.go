package knights

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// highestRating is the best rating of an agent's arguments; the lowest is 1, and 0 where a reason may be missing.
const highestRating = 4

// rate has the judge rate the arguments of every agent that was heard, one request each. The judge does not learn the
// solution.
func (b *table) rate(ctx context.Context) error {
	judge, system := b.judge(b.p.Judge)
	var turns []debate.Turn
	for _, agent := range b.speakers() {
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

// judge is the judge's number and its system message.
func (b *table) judge(system string) (int, string) {
	judge := b.d.Agents + 1
	if persona := b.d.Member(judge).Persona; persona != "" {
		system += "\n\n" + persona
	}
	return judge, system
}

// examine has the judge, who is shown the solution and all agents' proposals for the player, rate the reasons of every
// stance, one request each. Each debate on a player has a phase, unless no stance could be read.
func (b *table) examine(ctx context.Context, solution string) error {
	judge, system := b.judge(b.p.Examiner)
	var all []debate.Turn
	var phases []debate.Phase
	var ends []int // of the phases' turns in all
	for _, d := range b.debates {
		for _, stances := range d.passes {
			before := len(all)
			for i, s := range stances {
				if s == nil {
					continue
				}
				text := b.p.With(b.p.Examine, "game", b.game, "solution", solution, "proposals",
					b.proposed[d.player], "agent", b.names[i],
					"player", b.players[d.player], "role", b.showRole(s.Role), "agree", b.listNames(s.Agree),
					"agree_reason", b.reason(s.AgreeReason), "disagree", b.listNames(s.Disagree),
					"disagree_reason", b.reason(s.DisagreeReason), "form", b.p.FormOf(reasonsForm, false))
				all = append(all, debate.Turn{Agent: judge, Round: len(b.t.Rounds) + len(phases), Sample: i,
					Heard: []int{i}, Kind: debate.KindReasons, Messages: debate.Conversation(system, text),
					Grammar: reasonsGrammar})
			}
			if len(all) > before {
				phases, ends = append(phases, debate.PhaseReasons(b.players[d.player])), append(ends, len(all))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := b.try(ctx, all); err != nil {
		return fmt.Errorf("%s: %w", debate.PhaseSoundness, err)
	}
	for i := range all {
		all[i].Answer = answer.Unparsed
		if r, ok := ReadReasons(all[i].Reply.Text); ok {
			all[i].Answer = answer.Of(fmt.Sprintf("agree: %d, disagree: %d", r.Agree, r.Disagree))
		}
	}
	from := 0
	for i, phase := range phases {
		b.enter(phase, all[from:ends[i]:ends[i]])
		from = ends[i]
	}
	return ctx.Err()
}

// reason returns an explanation for a prompt, which has a word of its own for none.
func (b *table) reason(text string) string { return cmp.Or(text, b.p.None) }

// Reasons are ratings of why an agent agreed and why it disagreed with others, from 0, no reason, to 4.
type Reasons struct{ Agree, Disagree int }

var (
	reasonsGrammar = `root ::= ` + literal(`{"agree": `) + ` [0-4] ` + literal(`, "disagree": `) + ` [0-4] ` +
		literal(`, "reason": `) + ` text "}"` + "\n" + textRule
	reasonsForm  = `{"agree": 0 to 4, "disagree": 0 to 4, "reason": "why"}`
	ratedReasons = regexp.MustCompile(`(?i)\b(agree|disagree)(?:ment)?["' ]*[:=] *["']?([0-9]+)\b`)
)

// ReadReasons reads the ratings of a judge: the fields of an object, or the numbers after the words agree and disagree,
// the last of each. ok is false unless both are from 0 to 4.
func ReadReasons(reply string) (r Reasons, ok bool) {
	ratings := map[string]float64{"agree": -1, "disagree": -1}
	o, found := readObject(reply, func(o map[string]any) bool { return has(o, "agree") && has(o, "disagree") })
	for name := range ratings {
		switch value := o[name].(type) {
		case float64:
			ratings[name] = value
		case string:
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				ratings[name] = float64(n)
			}
		}
	}
	if !found {
		for _, m := range ratedReasons.FindAllStringSubmatch(boundReply(reply), -1) {
			if n, err := strconv.Atoi(m[2]); err == nil {
				ratings[strings.ToLower(m[1])] = float64(n)
			}
		}
	}
	for _, rating := range ratings {
		if rating < 0 || rating > highestRating || rating != math.Trunc(rating) {
			return r, false
		}
	}
	return Reasons{int(ratings["agree"]), int(ratings["disagree"])}, true
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
	if m := rated.FindStringSubmatch(boundReply(reply)); m != nil {
		rating, _ = strconv.Atoi(m[1])
	}
	return rating, rating >= 1 && rating <= highestRating
}
