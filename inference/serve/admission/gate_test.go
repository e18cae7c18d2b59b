package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/serve/session"
)

// of names a session of a key.
func of(key int, name string) session.Name { return session.Name{Key: key, Name: name} }

func admit(t *testing.T, g *Gate, name session.Name, names ...string) []*Ticket {
	t.Helper()
	tickets, err := g.Admit(name, names)
	if err != nil {
		t.Fatal(err)
	}
	return tickets
}

// in reports whether a ticket has a place.
func in(t *Ticket) bool {
	select {
	case <-t.admitted:
		return true
	default:
		return false
	}
}

// marks has + for each ticket that has a place, and - for the others.
func marks(tickets []*Ticket) (s string) {
	for _, t := range tickets {
		if in(t) {
			s += "+"
		} else {
			s += "-"
		}
	}
	return s
}

// TestEqualAreAdmittedTogether: they share one place, which is free when the last of them leaves. Those of another key
// are not equal to any of it.
func TestEqualAreAdmittedTogether(t *testing.T) {
	g := New(2, 100)
	is := func(tickets []*Ticket, want string) {
		t.Helper()
		if got := marks(tickets); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	a, b := admit(t, g, of(0, "a"), "x", "y", "z", "z"), admit(t, g, of(0, "b"), "x", "w", "z")
	other := admit(t, g, of(1, "b"), "q", "x", "q")
	is(a, "++--")
	is(b, "++-") // x is inside, and who has none gets a place
	is(other, "+-+")
	if other[0].Shared() || !other[2].Shared() || a[0].Shared() || !b[0].Shared() {
		t.Error("the wrong tickets share a place")
	}
	g.Leave(a[0]) // b's x is still inside
	is(b, "++-")
	g.Leave(b[1]) // z is the only one that b has left
	is(b, "+++")
	is(a, "++++")
	g.Leave(other[0])
	is(other, "+-+")
	g.Leave(other[2])
	is(other, "+++")
	for _, one := range []*Ticket{a[1], a[2], a[3], b[0], b[2], other[1]} {
		g.Leave(one)
	}
	if n := len(g.keys) + len(g.lines) + len(g.equals) + len(g.queued) + g.inside; n != 0 || !g.Idle() {
		t.Errorf("%+v", g)
	}
}

// TestTurns: a free place goes to the key that has the fewest, there to the session that has the fewest, and then to
// who came first.
func TestTurns(t *testing.T) {
	g := New(4, 100)
	turns := []struct {
		name  session.Name
		count int
	}{{of(0, "a"), 9}, {of(0, "b"), 3}, {of(1, "a"), 4}}
	order := make(map[*Ticket]string)
	var all []*Ticket
	for _, turn := range turns {
		for _, ticket := range admit(t, g, turn.name, make([]string, turn.count)...) {
			order[ticket] = fmt.Sprint(turn.name.Key, turn.name.Name)
			all = append(all, ticket)
		}
	}
	if got, want := marks(all), "++++-----"+"+--"+"+---"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	var got []string
	leave := func(i int) {
		before := marks(all)
		g.Leave(all[i])
		for j := range all {
			if in(all[j]) && before[j] == '-' {
				got = append(got, order[all[j]])
			}
		}
	}
	for i := range 4 { // of six inside, two leave without being replaced, and the last leaves its session with none
		leave(i)
	}
	leave(9)
	leave(12)
	if want := "1a 0a 0b 1a"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestNobodyWaitsForAnother: whatever one client has asked for, by however many names, the first generation of any
// other session is inside at once, and the room to wait that is left for others never runs out.
func TestNobodyWaitsForAnother(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := New(1+random.IntN(8), 100)
		for range 300 { // a flood of key 0: much of one session, or many sessions
			name := of(0, fmt.Sprint(random.IntN(random.IntN(700)+1)))
			_, _ = g.Admit(name, make([]string, 1+random.IntN(128)))
		}
		if _, waiting := g.Counts(0); waiting == 0 || waiting > 200 {
			t.Errorf("%d of the flood wait", waiting)
		}
		for i := range 5 {
			own := admit(t, g, of(1, fmt.Sprint(i)), "")
			if !in(own[0]) {
				t.Error("another key's request waits")
			}
		}
	}
	g := New(4, 100)
	for range 40 {
		_, _ = g.Admit(of(0, "greedy"), make([]string, 128))
		_, _ = g.Admit(of(0, "greedy"), make([]string, 3))
	}
	own := admit(t, g, of(0, "other"), make([]string, 40)...)
	if !in(own[0]) {
		t.Error("the request of another session waits")
	}
}

// TestGateLeaves: who gives up frees its place or its place in the line, and whoever exceeds the line is refused.
func TestGateLeaves(t *testing.T) {
	g := New(1, 2)
	first := admit(t, g, of(0, "a"), "", "", "")
	if _, err := g.Admit(of(0, "a"), []string{""}); !errors.Is(err, ErrFull) {
		t.Errorf("%v, want %v", err, ErrFull)
	}
	// one of three would be inside, and half of the room is left for the others
	if _, err := g.Admit(of(0, "b"), make([]string, 3)); !errors.Is(err, ErrFull) {
		t.Errorf("%v, want %v", err, ErrFull)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Wait(ctx, first[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	g.Leave(first[1])
	second := admit(t, g, of(0, "b"), "")
	g.Leave(first[0])
	if err := g.Wait(t.Context(), first[2]); err != nil {
		t.Error(err)
	}
	g.Leave(first[2])
	if err := g.Wait(t.Context(), second[0]); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(g.Counts(0)); got != "1 0" {
		t.Errorf(`%v, want "1 0"`, got)
	}
}

// TestBooks: after any calls what the gate has counted is what there is.
func TestBooks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	g := New(3, 20)
	var all []*Ticket
	refused := 0
	for range 20_000 {
		if random.IntN(2) == 0 || len(all) == 0 {
			names := make([]string, 1+random.IntN(4))
			for i := range names {
				names[i] = []string{"", "x", "y"}[random.IntN(3)]
			}
			name := of(random.IntN(3), fmt.Sprint(random.IntN(3)))
			room := g.Room(name, len(names))
			more, err := g.Admit(name, names)
			if room != err {
				t.Fatalf("there is room for %d more: %v; they are admitted: %v", len(names), room, err)
			}
			if err != nil {
				refused++
			} else {
				all = append(all, more...)
			}
		} else {
			i := random.IntN(len(all))
			g.Leave(all[i])
			all = slices.Delete(all, i, i+1)
		}
		places, waiting, perLine := map[*place]bool{}, 0, map[*line]int{}
		for _, one := range all {
			if one.place == nil {
				waiting++
				if one.line.inside == 0 || g.inside < g.places {
					t.Fatal("a ticket waits although there is room")
				}
			} else if !places[one.place] {
				places[one.place] = true
				perLine[one.place.line]++
			}
		}
		counted := count{}
		for _, k := range g.keys {
			counted.inside += k.inside
			counted.waiting += k.waiting
		}
		if want := (count{len(places), waiting}); counted != want || g.inside != len(places) {
			t.Fatalf("%+v and %d are counted, there are %+v", counted, g.inside, want)
		}
		for l, n := range perLine {
			if l.inside != n || g.lines[l.session] != l {
				t.Fatalf("%+v has %d places", l, n)
			}
		}
	}
	if refused < 100 || refused > 19_000 {
		t.Errorf("%d of 20,000 were refused, which shows nothing", refused)
	}
}
