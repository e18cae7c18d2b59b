package society

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

func seeded(receiver int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(receiver+1))) }

// TestPartsHaveTopologies: every topology is among the values that parley protocols --parts lists.
func TestPartsHaveTopologies(t *testing.T) {
	for _, name := range plainTopologies {
		if !slices.ContainsFunc(parts(), func(p debate.Part) bool {
			value, _, _ := strings.Cut(p.Value, ":")
			return p.Setting == "topology" && value == name
		}) {
			t.Errorf("the parts have no topology %s, want it listed", name)
		}
	}
}

// TestTopologies lists whom each of five agents hears.
func TestTopologies(t *testing.T) {
	for name, test := range map[string]struct {
		topology Topology
		want     [][]int
	}{
		"full":       {Topology{}, [][]int{{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}}},
		"ring":       {Topology{Name: topologyRing}, [][]int{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}}},
		"neighbours": {Topology{Name: TopologyNeighbours}, [][]int{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}}},
		"star":       {Topology{Name: TopologyStar}, [][]int{{1, 2, 3, 4}, {0}, {0}, {0}, {0}}},
		"graph": {Topology{Name: TopologyGraph, Graph: [][]int{{4}, {}, {0, 1}, {2}, {3}}},
			[][]int{{4}, nil, {0, 1}, {2}, {3}}},
		"two others": {Topology{Name: TopologyRandom, Peers: 2}, nil},
		"all as drawn": {Topology{Name: TopologyRandom, Peers: 4},
			[][]int{{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.topology.check(5); err != nil {
				t.Errorf("%s: 5 agents are refused: %v, want no error", name, err)
			}
			var got [][]int
			for receiver := range 5 {
				var peers []int
				for i, heard := range test.topology.hears(receiver, 5, seeded) {
					if heard {
						peers = append(peers, i)
					}
				}
				got = append(got, peers)
				if test.want == nil && (len(peers) != 2 || cmp.Equal(peers, []int{receiver, receiver})) {
					t.Errorf("%s: agent %d hears %v, want 2 different others", name, receiver, peers)
				}
			}
			if test.want != nil && !cmp.Equal(test.want, got) {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		})
	}
}

// TestParseTopology: a topology is read and written alike, and one that does not fit is refused.
func TestParseTopology(t *testing.T) {
	for _, text := range []string{"full", "ring", "neighbours", "star", "random:3", "random", "graph"} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseTopology(text); err != nil || got.String() != text {
				t.Errorf("topology %s is read and written alike: got %v, %v", text, got, err)
			}
		})
	}
	for _, text := range []string{"square", "random:0", "random:x", "ring:2"} {
		t.Run(text, func(t *testing.T) {
			if _, err := ParseTopology(text); err == nil {
				t.Errorf("the topology %q was read, want an error", text)
			}
		})
	}
	for _, bad := range []Topology{{Name: "square"}, {Name: TopologyRandom, Peers: 3},
		{Name: TopologyGraph, Graph: [][]int{{1}}}, {Name: TopologyGraph, Graph: [][]int{{1}, {1}, {0}}}} {
		t.Run(fmt.Sprint(bad.Name, bad.Graph), func(t *testing.T) {
			if err := bad.check(3); err == nil {
				t.Errorf("%+v goes with three agents, want an error", bad)
			}
		})
	}
}

// TestSocietyOnARing: agents hear their neighbours, ordered by what those say; in the paper's reading by what all say.
func TestSocietyOnARing(t *testing.T) {
	lines := map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)", {2, 0}: "(A)", {3, 0}: "(B)", {4, 0}: "(B)"}
	for reading, want := range map[string][]int{debate.ReadingCode: {1, 4}, debate.ReadingPaper: {4, 1}} {
		t.Run(reading, func(t *testing.T) {
			s := Society{Agents: 5, Rounds: 2, Exchange: Exchange{Order: Order{Name: "most-frequent-last",
				Reading: reading}, Topology: Topology{Name: topologyRing}}, Prompts: debatetest.Load(t, "tiny")}
			transcript, err := s.Run(t.Context(), &debatetest.Actors{Lines: lines}, debatetest.Puzzle)
			if err != nil {
				t.Fatal(err)
			}
			if got := transcript.Rounds[1][0].Heard; !cmp.Equal(got, want) || transcript.Topology != topologyRing {
				t.Errorf("%s: agent 0 hears %v on a %s, want %v", reading, got, transcript.Topology, want)
			}
		})
	}
	s := Society{Agents: 3, Rounds: 2, Layout: LayoutShared, Exchange: Exchange{Topology: Topology{Name: TopologyStar}},
		Prompts: debatetest.Load(t, "tiny")}
	if _, err := s.Run(t.Context(), &debatetest.Actors{}, debatetest.Puzzle); err == nil ||
		!strings.Contains(err.Error(), "topology star") {
		t.Errorf(`%v, want an error with "topology star"`, err)
	}
}

// TestDraws: as many others as half of all agents, each of them as often as the others at every place; shuffled orders
// too.
func TestDraws(t *testing.T) {
	const tries = 2000
	for _, action := range []string{"exchangeC", "exchangeE", "exchangeN", "exchangeO"} {
		program, err := parseProgram([]string{action}, debate.ReadingCode)
		if err != nil {
			t.Fatal(err)
		}
		for agents := 2; agents <= 6; agents++ {
			s := Society{Agents: agents, Rounds: 2, Program: program, Prompts: debatetest.Load(t, "tiny")}
			latest := saidBy(strings.Repeat("A", agents), answer.Choice)
			listed := agents - 1
			if program[0].Topology.Name == TopologyRandom {
				listed = agents / 2
			}
			counts := make([][]int, listed) // by place and agent
			for place := range counts {
				counts[place] = make([]int, agents)
			}
			for seed := range tries {
				s.Seeds = debate.Seeds{Run: uint64(seed)}
				heard := s.hear(latest, 1, 1, debate.Case{ID: "q"}).heard
				if len(heard) != listed {
					t.Fatalf("%s of %d agents hears %v, want %v of them", action, agents, heard, listed)
				}
				for place, i := range heard {
					counts[place][i]++
				}
			}
			expected := float64(tries) / float64(agents-1)
			for place, of := range counts {
				for i, n := range of {
					if off := math.Abs(float64(n) - expected); i == 1 && n > 0 ||
						i != 1 && off > 5*math.Sqrt(expected) {
						t.Errorf("%s of %d agents: agent %d is at place %d in %d of %d tries, expected %.0f", action,
							agents, i, place, n, tries, expected)
					}
				}
			}
		}
	}
}

// TestMostHeard: no agent hears more others than MostHeard says, and one hears so many. More probes than that would be
// recorded and not held.
func TestMostHeard(t *testing.T) {
	for agents := 1; agents <= 6; agents++ {
		for _, text := range []string{"full", "ring", "neighbours", "star", "random:1", "random"} {
			topology, err := ParseTopology(text)
			if err != nil {
				t.Fatal(err)
			}
			if topology.check(agents) != nil {
				continue
			}
			most := 0
			for receiver := range agents {
				heard := topology.hears(receiver, agents, seeded)
				most = max(most, len(slices.DeleteFunc(heard, func(is bool) bool { return !is })))
			}
			if got := topology.MostHeard(agents); got != most {
				t.Errorf("%s of %d agents: %d are heard at most, want %d", text, agents, got, most)
			}
		}
	}
}
