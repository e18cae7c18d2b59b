package debate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Topology is who hears whom after a round. The zero value is full: everybody hears all others.
type Topology struct {
	Name  string
	Peers int     // of TopologyRandom: how many each hears; 0 is half of them
	Graph [][]int // of TopologyGraph: whom agent i hears
}

// Names of topologies.
const (
	TopologyFull   = "full"   // all others
	TopologyRing   = "ring"   // the two neighbours, as in exchangeB of source 0's code
	TopologyStar   = "star"   // agent 0 hears all, all others hear agent 0 alone (centralised, in Debate or Vote)
	TopologyRandom = "random" // so many others, or half of them (exchangeC of source 0's code), drawn anew for each receiver and round
	TopologyGraph  = "graph"  // as a list says
)

// ParseTopology reads "full", "ring", "star", "random", "random:K" or "graph". The empty text is full.
func ParseTopology(text string) (Topology, error) {
	name, peers, counted := strings.Cut(text, ":")
	t := Topology{Name: name}
	switch {
	case text == "":
		t.Name = TopologyFull
	case name == TopologyRandom && counted:
		k, err := strconv.Atoi(peers)
		if err != nil || k < 1 {
			return Topology{}, fmt.Errorf("topology %q: %s is no number of others, of which there is at least one", text, peers)
		}
		t.Peers = k
	case counted || !slices.Contains([]string{TopologyFull, TopologyRing, TopologyStar, TopologyRandom, TopologyGraph}, name):
		return Topology{}, fmt.Errorf("no topology %q; there are full, ring, star, random, random:K and graph", text)
	}
	return t, nil
}

// String is what ParseTopology reads.
func (t Topology) String() string {
	switch t.Name {
	case "":
		return TopologyFull
	case TopologyRandom:
		if t.Peers > 0 {
			return fmt.Sprintf("%s:%d", t.Name, t.Peers)
		}
	}
	return t.Name
}

// check refuses what does not go with so many agents.
func (t Topology) check(agents int) error {
	switch t.Name {
	case "", TopologyFull, TopologyRing, TopologyStar:
	case TopologyRandom:
		if t.Peers < 0 || t.Peers >= agents || agents < 2 {
			return fmt.Errorf("topology %s: each of %d agents has %d others to hear", t, agents, agents-1)
		}
	case TopologyGraph:
		if len(t.Graph) != agents {
			return fmt.Errorf("topology graph: whom %d agents hear, there are %d", len(t.Graph), agents)
		}
		for i, peers := range t.Graph {
			for _, j := range peers {
				if j < 0 || j >= agents || j == i {
					return fmt.Errorf("topology graph: agent %d hears %d: must be another one of 0 to %d", i, j, agents-1)
				}
			}
		}
	default:
		return fmt.Errorf("no topology %q", t.Name)
	}
	return nil
}

// hears says for each agent whether the receiver hears it. draw gives the receiver's random stream; everybody, as a receiver,
// hears all.
func (t Topology) hears(receiver, agents int, draw func(receiver int) *rand.Rand) []bool {
	heard := make([]bool, agents)
	for i := range heard {
		switch {
		case receiver == everybody:
			heard[i] = true
		case i == receiver:
		case t.Name == TopologyRing:
			heard[i] = (i+1)%agents == receiver || (receiver+1)%agents == i
		case t.Name == TopologyStar:
			heard[i] = i == 0 || receiver == 0
		case t.Name == TopologyGraph:
			heard[i] = slices.Contains(t.Graph[receiver], i)
		case t.Name != TopologyRandom:
			heard[i] = true
		}
	}
	if t.Name == TopologyRandom && receiver != everybody {
		peers := t.Peers
		if peers == 0 {
			peers = max(1, (agents-1)/2)
		}
		for _, k := range draw(receiver).Perm(agents - 1)[:peers] {
			if k >= receiver {
				k++ // the others, without the receiver
			}
			heard[k] = true
		}
	}
	return heard
}
