package discussion

import (
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// ablate has one agent improve its own solution instead of a discussion. With Ablate set to the number of messages of a
// discussion (len(Transcript.Records)), it makes the same number of calls without anybody else.
func (x *discussing) ablate(ctx context.Context) error {
	solution := ""
	for range x.Ablate {
		x.turn++
		turn, err := x.ask(ctx, debate.KindMessage, []debate.Turn{{Agent: 0, Messages: x.alone(solution)}})
		if err != nil {
			return err
		}
		improved := []debate.Record{{Turn: x.turn, Message: turn[0].Reply.Text}}
		if err := x.solve(ctx, improved); err != nil {
			return err
		}
		solution = newest(x.Transcript.Records)
		x.End()
	}
	x.Transcript.Decision = debate.Decision{Answer: x.read(solution), Votes: []debate.Count{},
		Rule: debate.OtherRule("the last solution of a single agent")}
	return nil
}

// alone asks for a solution, then for a better one. The first request does not speak of other participants, as that of
// the source's baseline does not, unless the prompts have no words of their own for it.
func (x *discussing) alone(solution string) []inference.Message {
	switch {
	case solution == "" && x.Prompts.Alone.User != "":
		return x.steps(debate.Conversation(x.Prompts.Alone.With("{question}", x.c.Question)))
	case solution == "":
		return x.message(view{}, nil)
	}
	return x.steps(debate.Conversation(x.Prompts.Improve.With("{question}", x.c.Question, "{solution}", solution)))
}
