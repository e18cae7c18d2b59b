package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// leaver says something different each time, and then breaks off, by an error of the call or by replies that fail.
type leaver struct {
	company
	calls   int // until it breaks off
	replies bool
	said    []string
}

var errLeft = errors.New("broken off")

func (l *leaver) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	l.calls--
	if l.calls < 0 && !l.replies {
		return nil, errLeft
	}
	replies, err := l.company.Generate(ctx, requests)
	for i := range replies {
		if l.calls < 0 {
			replies[i] = inference.Reply{Err: errLeft}
			continue
		}
		replies[i].Key = fmt.Sprint(l.calls, " ", i)
		if requests[i].Continuations == nil { // scores say nothing
			l.said = append(l.said, replies[i].Key)
		}
	}
	return replies, err
}

// TestNothingSaidIsLost breaks every protocol off at every call: its transcript has all that was said until then.
func TestNothingSaidIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, p := range Protocols() {
		for _, replies := range []bool{false, true} {
			for calls := range 40 {
				if !leaves(t, p, calls, replies) {
					break
				}
			}
		}
	}
}

// leaves holds a protocol for so many calls, and reports whether it was broken off.
func leaves(t *testing.T, p Protocol, calls int, replies bool) bool {
	t.Helper()
	d, err := p.Compose(debate.Asking{MaxTokens: 50})
	if err != nil {
		t.Fatal(err)
	}
	l := &leaver{company: company{form: p.Form, script: 1, asked: make(map[int]uint64)}, calls: calls, replies: replies}
	transcript, err := d.Run(t.Context(), l, aCase(p.Form))
	var has []string
	for turn := range transcript.Calls() {
		has = append(has, turn.Reply.Key)
	}
	for _, key := range l.said {
		if !slices.Contains(has, key) {
			t.Errorf("%s, broken off at call %d (replies fail: %v): reply %s is lost", p.Name, calls, replies, key)
		}
	}
	return err != nil
}
