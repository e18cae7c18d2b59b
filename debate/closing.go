package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

const (
	closingPhrase = "The answer is"
	// closingRequest asks for the same where the engine cannot go on with a reply.
	closingRequest = "Complete this sentence, and write nothing else: The answer is"
	closingTokens  = 24  // of what follows, at most
	closingChars   = 100 // of a text that follows, at most
)

// close asks for the answer alone those whose reply states none: the reply goes on with closingPhrase, and the most
// probable of the options follows, or else a few tokens of an answer's form, drawn greedily. So nearly all of the
// prompt is computed already. What is read from it becomes the turn's answer. The reply stays as it is, and so does
// what others are shown of it.
//
// Models prefer letters and places, whatever stands there. So options are listed once more behind the reply, in orders
// that have each of them at each place, and the one with the highest mean log-probability over the orders is taken
// (cyclic permutation, Zheng et al., arXiv 2309.03882, where probabilities are averaged): what a letter has at all
// times is then in the sum of each option. Each order is a turn of After, whose answer is the option that it alone
// would have said.
//
// Where an engine can do neither, since it is a server that is asked in messages, the agents are asked by one more
// message, and their short reply is read by the answer rule. One that reasons is to answer without, or it would reason
// again up to the limit; where the server cannot be told so, it is not asked.
func (a Asker) close(ctx context.Context, turns []Turn, asked []int) error {
	if !a.Closing || len(a.Continuations) > 0 || len(a.ending.Options)+len(a.ending.Grammar) == 0 {
		return nil
	}
	var open []*Turn
	for _, i := range asked {
		if turns[i].lacksAnswer() {
			open = append(open, &turns[i])
		}
	}
	if err := a.closeWith(ctx, open, a.goingOn); err != nil {
		return err
	}
	var refused []*Turn
	for _, t := range open {
		if errors.Is(t.After[0].Reply.Err, inference.ErrCannot) {
			t.After = nil
			refused = append(refused, t)
		}
	}
	if err := a.closeWith(ctx, refused, a.askingAgain); err != nil {
		return err
	}
	for _, t := range refused {
		if errors.Is(t.After[0].Reply.Err, inference.ErrCannot) {
			t.After = nil
		}
	}
	return nil
}

// lacksAnswer reports whether a turn should have stated an answer to the question, and none can be read from it. What a
// reply says without stating it stays. Rules that do not tell how they read leave no turn open, and neither do grammars
// and people.
func (t Turn) lacksAnswer() bool {
	switch t.Answer.How {
	case "", answer.Explicit, answer.ByClosing, answer.Fallback:
		return false
	}
	asked := t.Kind == KindReply || t.Kind == KindSolution || t.Kind == KindFinal || t.Kind == KindJudgement
	return asked && !t.Silent() && t.Grammar == "" && t.Reply.Key != humanKey
}

// closeWith asks all turns at once, and enters what they say.
func (a Asker) closeWith(ctx context.Context, turns []*Turn,
	ask func(Turn) (closings []Turn, requests []inference.Request)) error {
	if len(turns) == 0 {
		return nil
	}
	var requests []inference.Request
	for _, t := range turns {
		closings, more := ask(*t)
		t.After, requests = closings, append(requests, more...)
	}
	replies, err := a.speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	if len(replies) != len(requests) {
		return fmt.Errorf("round %d: %d replies to %d closing turns", turns[0].Round, len(replies), len(requests))
	}
	for _, t := range turns {
		if err := a.enterClosings(t, replies[:len(t.After)]); err != nil {
			return err
		}
		replies = replies[len(t.After):]
	}
	return nil
}

// enterClosings enters the replies to the closing turns of a turn, and what follows from them. If one failed, nothing
// does.
func (a Asker) enterClosings(t *Turn, replies []inference.Reply) error {
	for i := range t.After {
		closing, reply := &t.After[i], replies[i]
		if reply.Err == nil && reply.Stop == inference.StopScored && len(reply.LogProbs) != len(a.ending.Options) {
			return fmt.Errorf("round %d: %d scores of %d options", t.Round, len(reply.LogProbs), len(a.ending.Options))
		}
		closing.enterReply(reply, func(string) answer.Answer {
			if reply.Stop == inference.StopScored {
				closing.Reply = reply
				return a.bestOf(*closing)
			}
			return closing.closingAnswer(a.extractFor(closing.Agent))
		})
	}
	switch {
	case slices.ContainsFunc(t.After, Turn.Silent):
	case t.After[0].Reply.Stop == inference.StopScored:
		t.conclude(a.bestOf(t.After...))
	default:
		t.conclude(t.After[0].Answer)
	}
	return nil
}

// bestOf is the option with the highest mean log-probability over closing turns, each of which lists the options in an
// order of its own, as the question's rule reads it. Of equal ones it is the first.
func (a Asker) bestOf(closings ...Turn) answer.Answer {
	sums := make([]float64, len(a.ending.Options))
	for _, c := range closings {
		for place, score := range c.Reply.LogProbs {
			if c.Options != nil {
				place = c.Options[place]
			}
			sums[place] += score
		}
	}
	best := 0
	for i := range sums {
		if sums[i] > sums[best] {
			best = i
		}
	}
	return a.Extract(closingPhrase + " " + a.ending.Options[best] + ".")
}

// closingAnswer reads the reply of a closing turn, which is short of its first words where a reply went on under a
// grammar.
func (t Turn) closingAnswer(extract answer.Extractor) answer.Answer {
	reply := t.Reply
	if t.Grammar != "" {
		reply.Text = closingPhrase + " " + strings.TrimSpace(reply.Text)
		if reply.Stop != inference.StopLength {
			reply.Text += "."
		}
	}
	return ReadReply(reply, extract)
}

// conclude enters what was read from a closing turn.
func (t *Turn) conclude(found answer.Answer) {
	if found.Parsed && found.How != answer.NoOption {
		t.Answer = answer.Answer{Text: found.Text, Parsed: true, How: answer.ByClosing}
	}
}

// Reread returns the turn as another rule reads it. The closing turn counts where that rule, too, finds that the reply
// states no answer. The options that a turn itself has scored stand for answers that are in no text, and stay.
func (t Turn) Reread(extract answer.Extractor) Turn {
	if t.Reply.Stop == inference.StopScored {
		return t
	}
	was := t.Answer
	t.Answer = ReadReply(t.Reply, extract)
	switch {
	case len(t.After) == 0 || slices.ContainsFunc(t.After, Turn.Silent) || !t.lacksAnswer():
	case t.After[0].Reply.Stop == inference.StopScored:
		t.conclude(extract(closingPhrase + " " + t.seenAs(was.Text) + "."))
	default:
		t.After = slices.Clone(t.After)
		t.After[0].Answer = t.After[0].closingAnswer(extract)
		t.conclude(t.After[0].Answer)
	}
	return t
}

// seenAs returns what an agent that saw the options in an order of its own calls the one of a letter.
func (t Turn) seenAs(letter string) string {
	for place, option := range t.Options {
		if letter == answer.OptionName(option) {
			return answer.OptionName(place)
		}
	}
	return letter
}

// goingOn has a reply go on, once for each order of the options.
func (a Asker) goingOn(t Turn) (closings []Turn, requests []inference.Request) {
	messages := append(t.Messages[:len(t.Messages):len(t.Messages)],
		inference.Message{Role: "assistant", Content: t.Reply.Whole()})
	gap := gapBehind(t.Reply.Whole())
	for _, order := range a.ending.ordersFrom(t.Options) {
		list, labels := a.ending.list(order)
		closing := Turn{Agent: t.Agent, Round: t.Round, Sample: t.Sample, Kind: KindClosing, Options: order,
			Messages: append(messages[:len(messages):len(messages)],
				inference.Message{Role: inference.RoleText, Content: gap + list + closingPhrase}),
			Grammar: a.ending.Grammar}
		r := a.aside(closing, "closing")
		for _, label := range labels {
			r.Continuations = append(r.Continuations, " "+label)
		}
		closings, requests = append(closings, closing), append(requests, r)
	}
	return closings, requests
}

// gapBehind is what parts a reply from what it goes on with.
func gapBehind(said string) string {
	if said == "" || strings.HasSuffix(said, "\n") {
		return ""
	}
	return "\n\n"
}

// askingAgain asks by a message.
func (a Asker) askingAgain(t Turn) ([]Turn, []inference.Request) {
	closing := Turn{Agent: t.Agent, Round: t.Round, Sample: t.Sample, Kind: KindClosing,
		Messages: WithMessage(WithReply(t.Messages, t), closingRequest)}
	r := a.aside(closing, "closing")
	if t.Reply.Raw != "" {
		r.Sampling.ReasoningTokens = inference.BudgetOf(0)
	}
	return []Turn{closing}, []inference.Request{r}
}

// aside returns a request behind a turn that is no part of the debate, such as a closing turn; what names it in
// records. It is greedy and has no seed, so that equal ones are one.
func (a Asker) aside(t Turn, what string) inference.Request {
	r := a.request(t)
	r.Name += " " + what
	r.Sampling = inference.Sampling{ReasoningTokens: r.Sampling.ReasoningTokens} // or the prompt would be another one
	r.MaxTokens, r.Stop, r.EndLoops, r.Tool = closingTokens, nil, false, ""
	return r
}
