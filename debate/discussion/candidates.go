package discussion

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

// What voters see besides the question and the solutions. These are the source's variants of a vote.
const (
	shownAnonymous  = "anonymous"              // nothing else
	shownPublic     = "public"                 // whose solution each is
	shownFacts      = "facts"                  // Case.Facts
	shownHistory    = "history"                // the whole discussion
	shownConfidence = "confidence"             // a confidence of 100 % in each solution
	shownPrompted   = "confidence-prompted"    // the confidence that each agent states
	shownLikely     = "confidence-probability" // the mean probability of the tokens of each final answer
)

// shownNames returns the names of the variants.
func shownNames() []string {
	return []string{shownAnonymous, shownPublic, shownFacts, shownHistory, shownConfidence, shownPrompted, shownLikely}
}

// candidate is a solution that is voted on.
type candidate struct {
	prompts.Candidate
	agent  int
	answer answer.Answer
}

// candidates returns the panelists' final answers, each of which a call derives from the solution that the panelist
// stands behind; without a text it is none. Equal ones remain several candidates. Consensus voting takes the solutions
// as they are, each one once; in the code's reading, that of a neutral agent, too.
func (x *discussing) candidates(ctx context.Context) (all []candidate, err error) {
	agents := x.panelists()
	if x.Decide == consensusVoting && x.Neutral && x.Reading == debate.ReadingCode {
		agents = append([]int{0}, agents...)
	}
	for _, agent := range agents {
		solution := debate.HeldBy(x.Transcript.Records, agent)
		all = append(all, candidate{agent: agent, Candidate: prompts.Candidate{Solution: solution}})
	}
	if x.Decide == consensusVoting {
		all = distinct(all)
	} else {
		var turns []debate.Turn
		for _, c := range all {
			messages := debate.Conversation(x.Prompts.Final.With("{role}", x.role(c.agent), "{question}", x.c.Question,
				"{solution}", c.Solution))
			turns = append(turns, debate.Turn{Agent: c.agent, Messages: messages})
		}
		if turns, err = x.ask(ctx, debate.KindFinal, turns); err != nil {
			return nil, err
		}
		for i, t := range turns {
			all[i].Solution = t.Reply.Text
			if x.Shown == shownLikely {
				likely, err := t.Likelihood()
				if err != nil {
					return nil, err
				}
				all[i].Confidence = strconv.Itoa(int(100 * likely))
			}
		}
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return !debate.Visible(c.Solution) })
	for i, c := range all {
		all[i].answer = x.read(c.Solution)
		switch x.Shown {
		case shownPublic:
			all[i].Speaker = x.Transcript.Role(c.agent)
		case shownConfidence:
			all[i].Confidence = "100"
		}
	}
	if x.Shown == shownPrompted {
		err = x.confidences(ctx, all)
	}
	return all, err
}

// distinct leaves out the solutions that consensus voting takes to be equal to earlier ones.
func distinct(all []candidate) (kept []candidate) {
	solutions := make([]string, len(all))
	for i, c := range all {
		solutions[i] = c.Solution
	}
	for _, i := range debate.Distinct(solutions) {
		kept = append(kept, all[i])
	}
	return kept
}

// confidences asks each panelist how confident it is of its answer. A panelist that gives no number has 0.
func (x *discussing) confidences(ctx context.Context, all []candidate) error {
	ask := x.Asker
	ask.Extract = readNothing
	err := ask.AskUntilRead(ctx, len(all), vote.Attempts, func(i, _ int) debate.Turn {
		c := all[i]
		all[i].Confidence = "0"
		messages := debate.Conversation(x.Prompts.Confidence.With("{role}", x.role(c.agent), "{question}", x.c.Question,
			"{solution}", c.Solution))
		return debate.Turn{Agent: c.agent, Round: len(x.Transcript.Rounds), Sample: x.TimesAsked(c.agent),
			Kind: debate.KindConfidence, Messages: messages}
	}, func(turns []debate.Turn) { x.Current = append(x.Current, turns...) }, func(i int, t debate.Turn) error {
		n, err := strconv.Atoi(strings.TrimSpace(t.Reply.Text))
		if err != nil || n < 0 || n > 100 {
			return errors.New("no number from 0 to 100")
		}
		all[i].Confidence = strconv.Itoa(n)
		return nil
	})
	if err != nil {
		x.BreakOff()
	}
	return err
}

// countOf counts the candidates' answers.
func countOf(candidates []candidate) debate.Decision {
	turns := make([]debate.Turn, len(candidates))
	for i, c := range candidates {
		turns[i] = debate.Turn{Agent: c.agent, Answer: c.answer}
	}
	return vote.Majority(turns)
}
