package benchtest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
)

// Crowd returns an engine whose agents answer rightly by chance, and always after they heard the right answer. What
// else they say names no option.
func Crowd(t task.Task) *inference.Script {
	return crowd(t, func(_ task.Question, seed uint64) string {
		return []string{"The answer is (Z)", "I do not know"}[seed%2]
	})
}

// Errant is a Crowd whose wrong answers can be read.
func Errant(t task.Task) *inference.Script {
	return crowd(t, func(q task.Question, _ uint64) string {
		other := slices.IndexFunc(t.Questions, func(o task.Question) bool { return o.Target != q.Target })
		return "The answer is " + t.Questions[other].Target
	})
}

// crowd is an engine whose agents say something else where they are not right.
func crowd(t task.Task, wrongly func(q task.Question, seed uint64) string) *inference.Script {
	return inference.NewScript(func(r inference.Request) string {
		for _, q := range t.Questions {
			if !strings.Contains(r.Messages[0].Content, q.Text) {
				continue
			}
			last := r.Messages[len(r.Messages)-1].Content
			if r.Sampling.Seed%3 == 0 || (len(r.Messages) > 1 && strings.Contains(last, "is "+q.Target)) {
				return "The answer is " + q.Target
			}
			return wrongly(q, r.Sampling.Seed)
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
