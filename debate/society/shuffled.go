package society

import (
	"context"
	"errors"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Shuffled arguments are a control: agents hear the answers of the others, each after reasoning about another question.
// What a debate gains over this control is due to arguments, and not to the answers that come with them. Noise is
// another: agents hear what the others replied to another question. What a debate gains over that is due to what is
// said on this question, and not to being asked again.

// borrows reports whether what agents hear is reasoning about another question.
func (s Visibility) borrows() bool { return s.Name == ShowShuffled || s.Name == ShowNoise }

// borrow has all agents answer the donor's question as they do in a debate on it, with its name in the seeds. If that
// question cannot be asked, for instance because it is longer than the context, nobody has reasoning to lend.
func (s Society) borrow(ctx context.Context, speaker debate.Speaker, donor debate.Case) ([]debate.Turn, error) {
	s.Rounds, s.Exchange, s.Until, s.Decide, s.Probes, s.Observe, s.Closing = 1, Exchange{}, "", "", 0, nil, false
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

// showHeard returns what is shown of the texts of the agents heard.
func (s Society) showHeard(round int, heard []int, latest []debate.Turn, c debate.Case) []string {
	e := s.before(round)
	var texts []string
	switch e.Visibility.Name {
	case ShowShuffled:
		for _, i := range heard {
			texts = append(texts, lendArgument(s.borrowed[i], latest[i], *c.Donor, c.Extract))
		}
	case ShowNoise:
		for _, i := range heard {
			texts = append(texts, s.Prompts.Show(s.borrowed[i].Told()))
		}
	default:
		texts = e.Visibility.texts(heard, latest, s.Prompts, e.followsReleased())
	}
	return texts
}

// lendArgument returns the donor's text without the sentences that state its answer, followed by the agent's statement
// of its own answer. If another answer than the agent's own would be read from that, all sentences of the donor from
// which any answer could be read are left out.
func lendArgument(donor, own debate.Turn, about debate.Case, extract answer.Extractor) (text string) {
	for _, strict := range []bool{false, true} {
		reasoning := keepSentences(donor.Told(), func(one string) bool {
			return !states(one, donor.Answer, about.Extract) && !(strict && extract(one).Parsed)
		})
		text = strings.TrimSpace(reasoning + " " + statement(own, extract))
		if extract(text) == own.Answer {
			break
		}
	}
	return text
}

// statement returns the last sentence that states an agent's answer, or else the answer alone.
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

// states reports whether a sentence states an answer, in its canonical form or in another that the rule reads.
func states(sentence string, a answer.Answer, extract answer.Extractor) bool {
	return a.Parsed && (strings.Contains(sentence, a.Text) || extract(sentence).Equal(a))
}

// keepSentences returns the sentences of a text that keep accepts.
func keepSentences(text string, keep func(one string) bool) string {
	var kept strings.Builder
	for _, one := range sentence.FindAllString(text, -1) {
		if keep(one) {
			kept.WriteString(one)
		}
	}
	return strings.TrimSpace(kept.String())
}
