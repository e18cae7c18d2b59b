package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference"
)

// Ending is what an answer alone looks like, for closing turns. There are none if it is empty.
type Ending struct {
	Options []string // if there are any, one of them
	Grammar string   // otherwise: in GBNF, what follows closingPhrase
}

// EndingOf returns how an answer of a kind ends a reply; options are the texts of the question's, or none.
func EndingOf(kind answer.Kind, options []string) (end Ending) {
	switch {
	case kind == answer.KindYesNo:
		end.Options = []string{"yes", "no"}
	case kind == answer.KindName && len(options) > 0:
		end.Options = options
	case kind == answer.KindChoice && len(options) > 0 && len(options) <= 26:
		for i := range options {
			end.Options = append(end.Options, fmt.Sprintf("(%c)", 'A'+i))
		}
	case kind == answer.KindChoice:
		end.Grammar = grammar.Between(" (", grammar.Letter(), ")").String()
	case kind == answer.KindNumber:
		end.Grammar = grammar.Between(" ", grammar.Decimal(), "").String()
	default:
		end.Grammar = grammar.Between(" ", grammar.Line(closingChars), "").String()
	}
	return end
}

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
func (a Asker) closeWith(ctx context.Context, turns []*Turn, ask func(Turn) (closing Turn, r inference.Request)) error {
	if len(turns) == 0 {
		return nil
	}
	requests := make([]inference.Request, len(turns))
	for i, t := range turns {
		closing, r := ask(*t)
		t.After, requests[i] = []Turn{closing}, r
	}
	replies, err := a.speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	if len(replies) != len(requests) {
		return fmt.Errorf("round %d: %d replies to %d closing turns", turns[0].Round, len(replies), len(requests))
	}
	for i, t := range turns {
		closing := &t.After[0]
		closing.enterReply(replies[i], func(string) answer.Answer {
			return closing.closingAnswer(a.extractFor(closing.Agent))
		})
		t.conclude(closing.Answer)
	}
	return nil
}

// closingAnswer reads the reply of a closing turn, which is short of its first words where a reply went on: with
// options that are scored, and with a grammar.
func (t Turn) closingAnswer(extract answer.Extractor) answer.Answer {
	reply := t.Reply
	if t.Grammar != "" || reply.Stop == inference.StopScored {
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
// states no answer. Scored options stand for answers that are in no text, and stay.
func (t Turn) Reread(extract answer.Extractor) Turn {
	if t.Reply.Stop == inference.StopScored {
		return t
	}
	t.Answer = ReadReply(t.Reply, extract)
	if len(t.After) > 0 && !t.After[0].Silent() && t.lacksAnswer() {
		t.After = slices.Clone(t.After)
		t.After[0].Answer = t.After[0].closingAnswer(extract)
		t.conclude(t.After[0].Answer)
	}
	return t
}

// goingOn has a reply go on.
func (a Asker) goingOn(t Turn) (Turn, inference.Request) {
	phrase := closingPhrase
	if said := t.Reply.Whole(); said != "" && !strings.HasSuffix(said, "\n") {
		phrase = "\n\n" + phrase
	}
	messages := append(t.Messages[:len(t.Messages):len(t.Messages)],
		inference.Message{Role: "assistant", Content: t.Reply.Whole()},
		inference.Message{Role: inference.RoleText, Content: phrase})
	closing := Turn{Agent: t.Agent, Round: t.Round, Sample: t.Sample, Kind: KindClosing, Messages: messages,
		Grammar: a.ending.Grammar}
	r := a.closingRequest(closing)
	for _, option := range a.ending.Options {
		r.Continuations = append(r.Continuations, " "+option)
	}
	return closing, r
}

// askingAgain asks by a message.
func (a Asker) askingAgain(t Turn) (Turn, inference.Request) {
	closing := Turn{Agent: t.Agent, Round: t.Round, Sample: t.Sample, Kind: KindClosing,
		Messages: WithMessage(WithReply(t.Messages, t), closingRequest)}
	r := a.closingRequest(closing)
	if t.Reply.Raw != "" {
		r.Sampling.ReasoningTokens = inference.BudgetOf(0)
	}
	return closing, r
}

// closingRequest returns the request of a closing turn. It is greedy and has no seed, so that equal ones are one.
func (a Asker) closingRequest(t Turn) inference.Request {
	r := a.request(t)
	r.Name += " closing"
	r.Sampling = inference.Sampling{ReasoningTokens: r.Sampling.ReasoningTokens} // or the prompt would be another one
	r.MaxTokens, r.Stop, r.EndLoops = closingTokens, nil, false
	return r
}
