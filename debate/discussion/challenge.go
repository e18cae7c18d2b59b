package discussion

import (
	"context"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Challenges of the decision (source 4): what panelists are shown as the final answer, or together with it.
const (
	ChallengeNone       = "none"
	ChallengePlain      = "plain"
	ChallengeWrong      = "wrong"      // Case.Wrong instead of the answer
	ChallengeIrrelevant = "irrelevant" // a sentence that has nothing to do with the question
	ChallengeHistory    = "history"    // the answer with the discussion
	ChallengeFacts      = "facts"      // the answer with Case.Facts
)

// ChallengeNames returns the names of the challenges.
func ChallengeNames() []string {
	return []string{ChallengeNone, ChallengePlain, ChallengeWrong, ChallengeIrrelevant, ChallengeHistory,
		ChallengeFacts}
}

// challenge asks all panelists whether they stand by the answer, and those that do not for another answer.
func (x *discussing) challenge(ctx context.Context) error {
	shown, panelists := x.challenged(), x.panelists()
	if !shown.Parsed && shown.Text == "" {
		x.Transcript.Notes = append(x.Transcript.Notes, "there is no answer to challenge")
		return nil
	}
	text := x.Prompts.ChallengeOf(x.c.Question, x.facts(x.Challenge == ChallengeFacts),
		x.history(x.Challenge == ChallengeHistory), shown.Text)
	turns := make([]debate.Turn, len(panelists))
	for i, agent := range panelists {
		turns[i] = debate.Turn{Agent: agent, Messages: debate.Conversation(x.Prompts.ChallengedFor(x.role(agent)),
			text)}
	}
	turns, err := x.ask(ctx, debate.KindChallenge, turns)
	if err != nil {
		return err
	}
	var again []debate.Turn
	for _, t := range turns {
		said, text := debate.Challenged{Agent: t.Agent}, strings.ToLower(t.Reply.Text)
		agrees := !strings.Contains(text, "disagree")
		switch {
		case !agrees:
			said.Agrees = &agrees
			again = append(again, debate.Turn{Agent: t.Agent,
				Messages: debate.WithMessage(debate.WithReply(t.Messages, t), x.Prompts.Challenge.Again)})
		case strings.Contains(text, "agree"):
			said.Agrees, said.Answer = &agrees, shown
		}
		x.Transcript.Challenges = append(x.Transcript.Challenges, said)
	}
	if len(again) > 0 {
		if again, err = x.ask(ctx, debate.KindChallenge, again); err != nil {
			return err
		}
	}
	for i := range x.Transcript.Challenges {
		for _, t := range again {
			if t.Agent == x.Transcript.Challenges[i].Agent {
				x.Transcript.Challenges[i].Answer = t.Answer
			}
		}
	}
	x.End()
	return nil
}

// challenged returns what is shown as the final answer. It is unparsed if no answer can be read from its text.
func (x *discussing) challenged() answer.Answer {
	switch x.Challenge {
	case ChallengeWrong:
		return answer.Answer{Text: x.c.Wrong, Parsed: x.c.Extract(x.c.Wrong).Parsed}
	case ChallengeIrrelevant:
		return answer.Answer{Text: x.Prompts.Challenge.Irrelevant}
	}
	return x.Transcript.Decision.Answer
}
