package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// Repeats says how often a server gave the same replies to the same requests, seeds included.
type Repeats struct {
	Alone  Share `json:"alone"`  // one request after the other, with nothing beside them
	Loaded Share `json:"loaded"` // all at once, among as many others

	// First are the replies of the first round, to compare those of a restarted server with.
	First []string `json:"-"`
}

// Share says how many of some replies were equal to those of another time.
type Share struct {
	Equal int `json:"equal"`
	Of    int `json:"of"`
	Same  int `json:"same"` // characters before the first difference, in the reply that differs first; of unequal ones
}

// String describes the share in words.
func (s Share) String() string {
	if s.Equal == s.Of {
		return fmt.Sprintf("%d of %d replies came again to the byte", s.Equal, s.Of)
	}
	return fmt.Sprintf("%d of %d replies came again to the byte; others differed after %d characters or later", s.Equal,
		s.Of, s.Same)
}

// compare counts a reply as equal to what it was, or where the two differ. The first reply that differs sets Same, and
// later ones can only lower it.
func (s *Share) compare(was, is string) {
	if s.Of++; was == is {
		s.Equal++
		return
	}
	a, b := []rune(was), []rune(is)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if s.Equal+1 == s.Of || n < s.Same {
		s.Same = n
	}
}

// rounds is how often each request of a measurement is repeated.
const rounds = 2

// measurementRequests returns what a measurement asks: some questions, each with two seeds, at temperature 1.
func measurementRequests() (list []inference.Request) {
	for i, text := range []string{"Name five animals that live in the sea, and say one thing about each.",
		"On a shelf there are three books. The red one is left of the blue one, the green one is the rightmost. " +
			"Which is the leftmost? Explain your answer.", "Write a short story about a lighthouse.",
		"What is 17 times 23? Explain your answer step by step."} {
		for seed := range uint64(2) {
			list = append(list, inference.Request{Messages: []inference.Message{{Role: "user", Content: text}},
				MaxTokens: 64, Sampling: inference.Sampling{Temperature: 1, Seed: 1000*seed + uint64(i) + 1}})
		}
	}
	return list
}

// Repeats measures whether the servers repeat themselves. It sends some 60 short requests, none of which is recorded.
// The first round is what all others are compared with. The rounds alone come before those under load, so that nothing
// but the server's own cache stands between the first round and them.
func (e *Engine) Repeats(ctx context.Context) (r Repeats, err error) {
	requests := measurementRequests()
	for round := range 1 + rounds {
		for i, request := range requests {
			text, err := e.once(ctx, request)
			if err != nil {
				return r, err
			}
			if round == 0 {
				r.First = append(r.First, text)
			} else {
				r.Alone.compare(r.First[i], text)
			}
		}
	}
	for round := range rounds {
		texts, err := e.together(ctx, requests, uint64(round))
		if err != nil {
			return r, err
		}
		for i, text := range texts {
			r.Loaded.compare(r.First[i], text)
		}
	}
	return r, nil
}

// together asks all requests at once, and beside each another one with a seed of its own, so that the server's batches
// are others than before. When all have ended it returns an error of any of them.
func (e *Engine) together(ctx context.Context, requests []inference.Request, round uint64) ([]string, error) {
	texts := make([]string, len(requests))
	errs := make(chan error, 2*len(requests))
	var all sync.WaitGroup
	for i, request := range requests {
		beside := request
		beside.Messages = []inference.Message{{Role: "user", Content: strings.Repeat("Tell me more. ", i+1)}}
		beside.Sampling.Seed += 1e6 * (round + 1) // other neighbours in each round
		told := func(err error) { errs <- err }
		all.Go(bug.Guarded(func() (err error) {
			texts[i], err = e.once(ctx, request)
			return err
		}, told))
		all.Go(bug.Guarded(func() error {
			_, err := e.once(ctx, beside)
			return err
		}, told))
	}
	all.Wait()
	for range cap(errs) {
		if err := <-errs; err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// once asks one request, whether it was asked before or not: neither jobs nor records know of it. It takes a place at
// a server as jobs do.
func (e *Engine) once(ctx context.Context, r inference.Request) (string, error) {
	q, err := e.questionOf(ctx, r)
	if err != nil {
		return "", err
	}
	replies, err := e.answer(&choices{question: q, jobs: make([]*job, 1)})
	if err != nil {
		return "", err
	}
	return replies[0].Whole(), ctx.Err()
}

// saved has the replies of a server, to compare those after a restart with.
type saved struct {
	Model   string   `json:"model"` // its hash
	Replies []string `json:"replies"`
}

// Save returns a measurement's replies in the form that Against reads.
func (e *Engine) Save(r Repeats) ([]byte, error) {
	return json.MarshalIndent(saved{e.info.Hash, r.First}, "", " ")
}

// Against compares replies with those that were saved, before a restart of the server or at another time. Both lists
// are in the order of measurementRequests. A file of another version of that list is refused by its length alone.
func (e *Engine) Against(before []byte, r Repeats) (s Share, err error) {
	var was saved
	switch err := json.Unmarshal(before, &was); {
	case err != nil:
		return s, fmt.Errorf("these are no saved replies: %w", err)
	case was.Model != e.info.Hash:
		return s, fmt.Errorf("these replies are of another model, or it was asked in another way")
	case len(was.Replies) != len(r.First):
		return s, fmt.Errorf("there are %d saved replies, where %d are compared", len(was.Replies), len(r.First))
	}
	for i, text := range r.First {
		s.compare(was.Replies[i], text)
	}
	return s, nil
}
