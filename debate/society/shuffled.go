package society

import (
	"context"
	"errors"
	"strings"

	"parley/debate"
	"parley/debate/answer"
)

// Shuffled arguments are a control: agents hear the answers of the others, each behind reasoning about another
// question. What a debate gains over that is owed to arguments, not to the answers that come with them.

// shuffled reports whether agents hear shuffled arguments.
func (s Society) shuffled() bool { return s.Rounds > 1 && s.Showing.Name == ShowShuffled }

// borrow has all agents answer the donor's question, as they do in a debate on it: with its name in the seeds. Where
// nobody can be asked that (it is longer than the context, say), nobody has reasoning to lend.
func (s Society) borrow(ctx context.Context, speaker debate.Speaker, donor debate.Case) ([]debate.Turn, error) {
	s.Rounds, s.Exchange, s.Until, s.Decide, s.Probes, s.Observe = 1, Exchange{}, "", "", 0, nil
	t, err := s.Run(ctx, speaker, donor)
	turns := t.Last()
	switch {
	case errors.Is(err, debate.ErrSilence):
		turns = debate.NextRound(nil, s.Agents)
		for i := range turns {
			turns[i].Error = err.Error()
		}
	case err != nil:
		return nil, err
	}
	for i := range turns {
		turns[i].Kind = debate.KindDonor
	}
	return turns, nil
}

// shown is what is seen of the texts of those heard.
func (s Society) shown(round int, heard []int, latest []debate.Turn, c debate.Case) []string {
	e := s.before(round)
	if e.Showing.Name != ShowShuffled {
		return e.Showing.texts(heard, latest, s.Prompts, e.released())
	}
	texts := make([]string, len(heard))
	for k, i := range heard {
		texts[k] = lent(s.borrowed[i], latest[i], *c.Donor, c.Extract)
	}
	return texts
}

// lent is a donor's text without the sentences in which its answer stands, and behind it what an agent's own answer
// stands in. Where another answer would be read from that than the agent's own, it is without all sentences of the
// donor from which one could be read.
func lent(donor, own debate.Turn, about debate.Case, extract answer.Extractor) (text string) {
	for _, strict := range []bool{false, true} {
		reasoning := keeping(donor.Reply.Text, func(one string) bool {
			return !states(one, donor.Answer, about.Extract) && !(strict && extract(one).Parsed)
		})
		text = strings.TrimSpace(reasoning + " " + statement(own, extract))
		if extract(text) == own.Answer {
			break
		}
	}
	return text
}

// statement is the last sentence in which an agent's answer stands, or the answer alone.
func statement(t debate.Turn, extract answer.Extractor) (last string) {
	for _, one := range sentence.FindAllString(t.Reply.Text, -1) {
		if states(one, t.Answer, extract) {
			last = one
		}
	}
	if last == "" {
		return t.Answer.Text
	}
	return strings.TrimSpace(last)
}

// states reports whether an answer stands in a sentence, in the form in which it is read or in another.
func states(sentence string, a answer.Answer, extract answer.Extractor) bool {
	return a.Parsed && (strings.Contains(sentence, a.Text) || extract(sentence).Equal(a))
}

// keeping is a text without the sentences that are not to be kept.
func keeping(text string, keep func(one string) bool) string {
	var kept strings.Builder
	for _, one := range sentence.FindAllString(text, -1) {
		if keep(one) {
			kept.WriteString(one)
		}
	}
	return strings.TrimSpace(kept.String())
}
