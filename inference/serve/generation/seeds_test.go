package generation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/session"
)

// TestSeeds: what a session asks for again and again gets a fixed row of seeds, which a new session begins anew; a seed
// that is given is the first choice's; and the seeds of all that are drawn for one content differ.
func TestSeeds(t *testing.T) {
	g := Spec{Model: &served.Model{}, Prompt: []int32{1, 2, 3},
		Request: inference.Request{Sampling: inference.Sampling{Temperature: 0.5}}}
	of := session.NewCounts(0, 1)
	asked := func(g Spec, name string, seed *int64, n int) (seeds []uint64) {
		t.Helper()
		all, err := g.Seeded(seed, n, of, session.Name{Name: name})
		if err != nil || len(all) != n {
			t.Fatalf("%d choices, %v, want %d", len(all), err, n)
		}
		for _, one := range all {
			seeds = append(seeds, one.Request.Sampling.Seed)
		}
		return seeds
	}
	row := func(name string) (seeds []uint64) {
		for _, n := range []int{1, 1, 3, 1, 3} {
			seeds = append(seeds, asked(g, name, nil, n)...)
		}
		return seeds
	}
	first := row("a")
	if diff := cmp.Diff(first, row("b")); diff != "" {
		t.Errorf("a new session draws otherwise (-first +new):\n%s", diff)
	}
	given := int64(7)
	if diff := cmp.Diff([]uint64{7, 7375390256376248623, 315468334403655837}, asked(g, "a", &given, 3)); diff != "" {
		t.Errorf("the seeds of three choices after 7 (-want +got):\n%s", diff)
	}
	different := make(map[uint64]bool)
	for _, seed := range append(first, asked(g, "a", &given, 3)...) {
		different[seed] = true
	}
	if len(different) != len(first)+3 {
		t.Errorf("%d choices have %d different seeds, want one each", len(first)+3, len(different))
	}
	g.Request.Sampling.Temperature = 0
	if diff := cmp.Diff([]uint64{0, 0}, asked(g, "a", &given, 2)); diff != "" {
		t.Errorf("greedy choices need no seed (-want +got):\n%s", diff)
	}
}

// TestChoicesAreNamedFromOneHash: the names of all choices of a request are those that each has alone, and none of them
// costs what the prompt has: clients ask for thousands, and again when they are refused.
func TestChoicesAreNamedFromOneHash(t *testing.T) {
	g := Spec{Model: &served.Model{}, Prompt: make([]int32, 10_000),
		Request: inference.Request{Sampling: inference.Sampling{Temperature: 1}}}
	seed := int64(7)
	all, err := g.Seeded(&seed, 128, nil, session.Name{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		alone := Spec{Model: g.Model, Prompt: g.Prompt, Request: all[i].Request}
		if got, want := all[i].ID(), alone.ID(); got != want {
			t.Fatalf("choice %d is called %s, alone %s", i, got, want)
		}
	}
	alone := testing.AllocsPerRun(10, func() { g.ID() })
	if each := testing.AllocsPerRun(10, func() { all[5].ID() }); each > 3 || alone < 4 {
		t.Errorf("a name takes %.0f allocations, and %.0f where the prompt is hashed; want at most 3, and more", each,
			alone)
	}
}
