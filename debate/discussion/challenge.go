package discussion

import (
	"context"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Challenges of the decision (MALLM): what panelists are shown as the final answer, or together with it.
const (
	challengeNone       = "none"
	challengePlain      = "plain"
	challengeWrong      = "wrong"      // Case.Wrong instead of the answer or, without one, what a model says is wrong
	challengeIrrelevant = "irrelevant" // a sentence that has nothing to do with the question
	challengeHistory    = "history"    // the answer with the discussion
	ChallengeFacts      = "facts"      // the answer with Case.Facts
)

// challengeNames returns the names of the challenges.
func challengeNames() []string {
	return []string{challengeNone, challengePlain, challengeWrong, challengeIrrelevant, challengeHistory,
		ChallengeFacts}
}

// challenge asks all panelists whether they stand by the answer, and those that do not for another answer.
func (x *discussing) challenge(ctx context.Context) error {
	panelists := x.panelists()
	shown, err := x.challengeFinal(ctx)
	if err != nil {
		x.BreakOff()
		return err
	}
	if !shown.Parsed && shown.Text == "" {
		x.Transcript.Notes = append(x.Transcript.Notes, "there is no answer to challenge")
		if len(x.Current) > 0 {
			x.End()
		}
		return nil
	}
	text := x.Prompts.ChallengeOf(x.c.Question, x.facts(x.Challenge == ChallengeFacts),
		x.history(x.Challenge == challengeHistory), shown.Text)
	turns := make([]debate.Turn, len(panelists))
	for i, agent := range panelists {
		turns[i] = debate.Turn{Agent: agent, Messages: debate.Conversation(x.Prompts.ChallengedFor(x.role(agent)),
			text)}
	}
	if turns, err = x.ask(ctx, debate.KindChallenge, turns); err != nil {
		return err
	}
	var again []debate.Turn
	for _, t := range turns {
		said, text := debate.Challenged{Agent: t.Agent, Shown: x.instead(shown)}, strings.ToLower(t.Reply.Text)
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

// challengeFinal returns what is shown as the final answer. It is unparsed if no answer can be read from its text.
func (x *discussing) challengeFinal(ctx context.Context) (answer.Answer, error) {
	switch x.Challenge {
	case challengeWrong:
		wrong, err := x.wrong(ctx)
		return answer.Answer{Text: wrong, Parsed: x.c.Extract(wrong).Parsed}, err
	case challengeIrrelevant:
		return answer.Answer{Text: x.Prompts.Challenge.Irrelevant}, nil
	}
	return x.Transcript.Decision.Answer, nil
}

// hasChallenger reports whether the team has a member after the agents, whose model is asked for wrong answers: the
// source's paper takes them from another model than the panelists'.
func (d discussion) hasChallenger() bool {
	return d.Challenge == challengeWrong && len(d.Team) > d.Agents
}

// challenger returns who is asked for a wrong answer: the challenger or, as in the source's program, the model of the
// first panelist.
func (x *discussing) challenger() int {
	if len(x.Team) > x.agents() {
		return x.agents()
	}
	return x.panelists()[0]
}

// wrong returns the wrong answer of the case. Without one, a model is asked for a wrong answer; whether it is wrong,
// nobody checks.
func (x *discussing) wrong(ctx context.Context) (string, error) {
	if x.c.Wrong != "" {
		return x.c.Wrong, nil
	}
	turns, err := x.ask(ctx, debate.KindChallenge, []debate.Turn{{Agent: x.challenger(),
		Messages: debate.Conversation(x.Prompts.Challenge.Wrong.With("{question}", x.c.Question))}})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(turns[0].Reply.Text), nil
}

// instead is the answer that was shown, as the answer rule reads it, if it was not the decision.
func (x *discussing) instead(shown answer.Answer) *answer.Answer {
	if x.Challenge != challengeWrong && x.Challenge != challengeIrrelevant {
		return nil
	}
	if read := x.c.Extract(shown.Text); shown.Parsed {
		shown = read
	}
	return &shown
}
