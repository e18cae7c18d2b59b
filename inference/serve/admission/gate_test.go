package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func admit(t *testing.T, g *Gate, key int, names ...string) []*Ticket {
	t.Helper()
	tickets, err := g.Admit(key, names)
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
	a := admit(t, g, 0, "x", "y", "z", "z", "x", "w")
	other := admit(t, g, 1, "q", "x", "q")
	is(a, "++--+-")
	is(other, "+-+") // who has none gets a place
	if other[0].Shared() || !other[2].Shared() || a[0].Shared() || !a[4].Shared() {
		t.Error("the wrong tickets share a place, want the second of two equals alone to")
	}
	g.Leave(a[0]) // its equal is still inside
	g.Leave(other[0])
	is(a, "++--+-")
	is(other, "+-+")
	g.Leave(other[2])
	is(other, "+++")
	is(a, "++--+-")
	g.Leave(a[1])
	is(a, "++--+-") // one of the three was beyond the places
	g.Leave(a[4])
	is(a, "+++++-")
	if a[2].Shared() || !a[3].Shared() {
		t.Error("the wrong tickets share a place, want the fourth to and the third not")
	}
	for _, one := range []*Ticket{a[2], a[3], a[5], other[1]} {
		g.Leave(one)
	}
	if len(g.lines)+g.inside != 0 {
		t.Errorf("who has left is counted no more: got %+v", g)
	}
}

// TestTurns: a free place goes to the key that has the fewest, and there to who came first.
func TestTurns(t *testing.T) {
	g := New(5, 100)
	order := make(map[*Ticket]int)
	var all []*Ticket
	for key, count := range []int{9, 3, 4} {
		for _, ticket := range admit(t, g, key, make([]string, count)...) {
			order[ticket] = key
			all = append(all, ticket)
		}
	}
	if got, want := marks(all), "+++++----"+"+--"+"+---"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	var got []int
	leave := func(i int) {
		before := marks(all)
		g.Leave(all[i])
		for j := range all {
			if in(all[j]) && before[j] == '-' {
				got = append(got, order[all[j]])
			}
		}
	}
	for i := range 5 { // of seven inside, two leave without being replaced
		leave(i)
	}
	leave(9)
	leave(12)
	if want := []int{1, 0, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("places go to the keys %v, want %v", got, want)
	}
}

// TestNobodyWaitsForAnother: whatever one key has asked for, the first generation of any other is inside at once, and
// the room to wait that is left for others never runs out.
func TestNobodyWaitsForAnother(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := New(1+random.IntN(8), 100)
		for range 300 { // a flood of key 0
			_, _ = g.Admit(0, make([]string, 1+random.IntN(128)))
		}
		if _, waiting := g.Counts(0); waiting == 0 || waiting > 100 {
			t.Errorf("%d of the flood wait, want 1 to 100", waiting)
		}
		for key := 1; key < 6; key++ {
			own := admit(t, g, key, make([]string, 40)...)
			if !in(own[0]) {
				t.Error("another key's request waits, want it admitted")
			}
		}
	}
}

// TestGateLeaves: who gives up frees its place or its place in the line, and whoever exceeds the line is refused.
func TestGateLeaves(t *testing.T) {
	g := New(1, 2)
	first := admit(t, g, 0, "", "", "")
	if _, err := g.Admit(0, []string{""}); !errors.Is(err, ErrFull) {
		t.Errorf("%v, want %v", err, ErrFull)
	}
	if _, err := g.Admit(1, make([]string, 4)); !errors.Is(err, ErrFull) { // one of four would be inside
		t.Errorf("%v, want %v", err, ErrFull)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Wait(ctx, first[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	g.Leave(first[1])
	second := admit(t, g, 0, "")
	for i, next := range []*Ticket{first[2], second[0]} {
		g.Leave([]*Ticket{first[0], first[2]}[i])
		if err := g.Wait(t.Context(), next); err != nil {
			t.Error(err)
		}
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
			key := random.IntN(3)
			room := g.Room(key, len(names))
			more, err := g.Admit(key, names)
			if room != err {
				t.Fatalf("room for %d more is said to be %v, want what admitting them gives, %v", len(names), room, err)
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
		places, waiting, inside, perLine := map[*place]bool{}, 0, 0, map[*line]int{}
		for _, one := range all {
			if one.place == nil {
				waiting++
				if one.line.inside == 0 || g.inside < g.places {
					t.Fatal("a ticket waits although there is room, want it admitted")
				}
			} else if !places[one.place] {
				places[one.place] = true
				perLine[one.line]++
			}
		}
		for key, l := range g.lines {
			if l.inside != perLine[l] || len(l.queue) > 20 || l.inside+len(l.queue) == 0 || l.key != key {
				t.Fatalf("the line of key %v is %+v with %d places taken, want as many inside, at most 20 waiting, "+
					"and no empty line", key, l, perLine[l])
			}
			waiting -= len(l.queue)
			inside += l.inside
		}
		if waiting != 0 || inside != len(places) || g.inside != len(places) {
			t.Fatalf("%d and %d places are counted, there are %d; %d more wait than in lines", inside, g.inside,
				len(places), waiting)
		}
	}
	if refused < 100 || refused > 19_000 {
		t.Errorf("%d of 20,000 were refused, want 100 to 19,000", refused)
	}
}
