package benchtest

import (
	"context"
	"errors"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
)

// Crowd returns an engine whose agents answer rightly by chance, and always after they heard the right answer.
func Crowd(t task.Task) *inference.Script {
	return inference.NewScript(func(r inference.Request) string {
		for _, q := range t.Questions {
			if !strings.Contains(r.Messages[0].Content, q.Text) {
				continue
			}
			last := r.Messages[len(r.Messages)-1].Content
			if r.Sampling.Seed%3 == 0 || (len(r.Messages) > 1 && strings.Contains(last, "is "+q.Target)) {
				return "The answer is " + q.Target
			}
			return []string{"The answer is (Z)", "I do not know"}[r.Sampling.Seed%2]
		}
		return "what?"
	})
}

// Mute is an engine that fails all requests about one question.
type Mute struct {
	inference.Engine
	Question string
}

func (m *Mute) Join(order int) inference.Participant { return muted{m.Engine.Join(order), m} }

type muted struct {
	inference.Participant
	Mute *Mute
}

func (m muted) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := m.Participant.Generate(ctx, requests)
	for i, r := range requests {
		if strings.Contains(r.Messages[0].Content, m.Mute.Question) {
			replies[i] = inference.Reply{Err: errors.New("too long")}
		}
	}
	return replies, err
}
