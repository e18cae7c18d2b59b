package discussion

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/debate/vote"
)

// What voters see besides question and solutions; these are the source's alterations of a vote.
const (
	ShownAnonymous  = "anonymous"
	ShownPublic     = "public"     // whose solution it is
	ShownFacts      = "facts"      // those of the case
	ShownHistory    = "history"    // the whole discussion
	ShownConfidence = "confidence" // 100 % of each solution
	ShownPrompted   = "confidence-prompted"
	ShownLikely     = "confidence-probability" // of the mean token of the final answer
)

// ShownNames lists them.
func ShownNames() []string {
	return []string{ShownAnonymous, ShownPublic, ShownFacts, ShownHistory, ShownConfidence, ShownPrompted, ShownLikely}
}

// candidate is a solution that is voted on.
type candidate struct {
	prompts.Candidate
	agent  int
	answer answer.Answer
}

// candidates are the panelists' final answers, which a call each takes from the solution that the panelist holds. Equal
// ones stay apart. Consensus voting takes the solutions as they are, each one once; in the code's reading that of a
// neutral agent too.
func (x *discussing) candidates(ctx context.Context) (all []candidate, err error) {
	agents := x.panelists()
	if x.Decide == ConsensusVoting && x.Neutral && x.Reading == debate.ReadingCode {
		agents = append([]int{0}, agents...)
	}
	for _, agent := range agents {
		solution := debate.HeldBy(x.Transcript.Records, agent)
		all = append(all, candidate{agent: agent, Candidate: prompts.Candidate{Solution: solution}})
	}
	if x.Decide == ConsensusVoting {
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
			if x.Shown == ShownLikely {
				all[i].Confidence = strconv.Itoa(int(100 * t.Likelihood()))
			}
		}
	}
	for i, c := range all {
		all[i].answer = x.c.Extract(c.Solution)
		switch x.Shown {
		case ShownPublic:
			all[i].Speaker = x.Transcript.Role(c.agent)
		case ShownConfidence:
			all[i].Confidence = "100"
		}
	}
	if x.Shown == ShownPrompted {
		err = x.confidences(ctx, all)
	}
	return all, err
}

// distinct leaves out solutions that were there before but for capitals, or but for what follows the first ")".
func distinct(all []candidate) (kept []candidate) {
	texts, beginnings := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		text := strings.ToLower(c.Solution)
		beginning, _, _ := strings.Cut(c.Solution, ")") // with its capitals, as in the source's code
		if !texts[text] && !beginnings[beginning] {
			kept, beginnings[beginning] = append(kept, c), true
		}
		texts[text] = true
	}
	return kept
}

// confidences asks each panelist how sure it is of its answer; who gives no number counts as 0.
func (x *discussing) confidences(ctx context.Context, all []candidate) error {
	ask := x.Asker
	ask.Extract = nothing
	err := ask.Insist(ctx, len(all), vote.Attempts, func(i, _ int) debate.Turn {
		c := all[i]
		all[i].Confidence = "0"
		messages := debate.Conversation(x.Prompts.Confidence.With("{role}", x.role(c.agent), "{question}", x.c.Question,
			"{solution}", c.Solution))
		return debate.Turn{Agent: c.agent, Round: len(x.Transcript.Rounds), Sample: x.Asked(c.agent),
			Kind:     debate.KindConfidence,
			Messages: messages}
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
