package serve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// served has the gate give its places away one by one, and returns the sessions in the order in which they got one.
func served(g *gate, tickets map[*ticket]string) (order []string) {
	for len(tickets) > 0 {
		for t, session := range tickets {
			select {
			case <-t.admitted:
				order = append(order, session)
				delete(tickets, t)
				g.leave(t)
			default:
			}
		}
	}
	return order
}

func admitted(t *testing.T, g *gate, tickets map[*ticket]string, session string, costs ...int) {
	t.Helper()
	list, err := g.admit(session, of(costs...))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		tickets[one] = session
	}
}

// of are generations of which no two are equal.
func of(costs ...int) (wants []want) {
	for _, cost := range costs {
		wants = append(wants, want{cost: cost})
	}
	return wants
}

// TestEqualAreAdmittedTogether: they share one place, which is free when the last of them leaves, and take no other's
// turn.
func TestEqualAreAdmittedTogether(t *testing.T) {
	g := newGate(2, 100, 20)
	list := func(session string, keys ...string) (all []*ticket) {
		t.Helper()
		for _, key := range keys {
			tickets, err := g.admit(session, []want{{10, key}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tickets...)
		}
		return all
	}
	is := func(tickets []*ticket, want string) {
		t.Helper()
		got := ""
		for _, one := range tickets {
			select {
			case <-one.admitted:
				got += "+"
			default:
				got += "-"
			}
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	a, b := list("a", "x", "y", "z", "z"), list("b", "x", "w", "z")
	is(a, "++--")
	is(b, "+--")
	g.leave(a[0])
	is(b, "+--") // b's x is still inside
	g.leave(b[0])
	is(a, "++++")
	is(b, "+-+")
	g.leave(a[3])
	g.leave(b[2])
	is(b, "+-+")
	g.leave(a[2])
	is(b, "+++")
	g.leave(a[1])
	g.leave(b[1])
	if running, waiting := g.counts(); running+waiting+len(g.inside)+len(g.queued) != 0 {
		t.Errorf("%d run, %d wait; %v, %v", running, waiting, g.inside, g.queued)
	}
}

// TestTurns: a session that asks for little is not behind all of one that asked for much before it. With a quantum of
// 20, a has two of 10 in its turn, b one of 20, and c saves up for its one of 50.
func TestTurns(t *testing.T) {
	g := newGate(1, 100, 20)
	tickets := make(map[*ticket]string)
	admitted(t, g, tickets, "held", 1)
	admitted(t, g, tickets, "a", 10, 10, 10, 10, 10, 10, 10, 10)
	admitted(t, g, tickets, "b", 20, 20)
	admitted(t, g, tickets, "c", 50)
	got := strings.Join(served(g, tickets), " ")
	if want := "held a a b a a b a a c a a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if running, waiting := g.counts(); running != 0 || waiting != 0 || len(g.lines) != 0 || len(g.turns) != 0 {
		t.Errorf("%d run, %d wait; %v", running, waiting, g.lines)
	}
}

// TestShares: while two sessions have something that waits, the tokens that they got differ by no more than deficit
// round robin allows: a quantum and the dearest generation, for each.
func TestShares(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		const quantum, dearest = 50, 80
		g := newGate(1, 1000, quantum)
		tickets := make(map[*ticket]string)
		admitted(t, g, tickets, "held", 1)
		cost := map[string]map[*ticket]int{"a": {}, "b": {}}
		for _, session := range []string{"a", "b"} {
			for range 40 {
				n := 1 + random.IntN(dearest)
				list, err := g.admit(session, of(n))
				if err != nil {
					t.Fatal(err)
				}
				tickets[list[0]], cost[session][list[0]] = session, n
			}
		}
		got := map[string]int{}
		left := map[string]int{"a": 40, "b": 40}
		for left["a"] > 0 && left["b"] > 0 {
			for one, session := range tickets {
				select {
				case <-one.admitted:
					delete(tickets, one)
					got[session] += cost[session][one]
					left[session]--
					g.leave(one)
				default:
				}
			}
			if d := got["a"] - got["b"]; left["a"] > 0 && left["b"] > 0 && max(d, -d) > 2*(quantum+dearest) {
				t.Fatalf("one session has %d tokens, the other %d", got["a"], got["b"])
			}
		}
	}
}

// TestGateLeaves: who gives up frees its place or its place in the line, and whoever exceeds the line is refused.
func TestGateLeaves(t *testing.T) {
	g := newGate(1, 2, 10)
	first, err := g.admit("a", of(5, 5, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.admit("b", of(5)); failureOf(err).status != 429 || failureOf(err).after == 0 {
		t.Errorf("%v, want failureOf(err).status == 429 && failureOf(err).after != 0", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.wait(ctx, first[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	g.leave(first[1])
	second, err := g.admit("b", of(5))
	if err != nil {
		t.Fatal(err)
	}
	g.leave(first[0])
	if err := g.wait(t.Context(), first[2]); err != nil {
		t.Error(err)
	}
	g.leave(first[2])
	if err := g.wait(t.Context(), second[0]); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(g.counts()); got != "1 0" {
		t.Errorf(`%v, want "1 0"`, got)
	}
}
