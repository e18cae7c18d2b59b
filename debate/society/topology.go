package society

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/internal/unknown"
)

// Topology is who hears whom after a round. The zero value is full: everybody hears all others.
type Topology struct {
	Name  string
	Peers int     // of TopologyRandom: how many others each agent hears; 0 means half the number of agents
	Graph [][]int // of TopologyGraph: Graph[i] are the agents that agent i hears
}

// Names of topologies.
const (
	topologyFull = "full" // all others
	topologyRing = "ring" // the two neighbours
	TopologyStar = "star" // agent 0 hears all others, and they hear agent 0 alone (centralised, in Debate or Vote)
	// TopologyRandom is a number of others, or half of all agents (exchangeC of MADC's code), drawn again for each
	// receiver and round.
	TopologyRandom = "random"
	TopologyGraph  = "graph" // as Topology.Graph lists
	// TopologyNeighbours is the ring of exchangeB in MADC's code: the agent before, then the one after. Of two
	// agents, each hears the other twice. (In that code a single agent hears itself twice; here it hears nobody.)
	TopologyNeighbours = "neighbours"
	// TopologyIsolated is nobody: each agent checks its own answer for as many rounds (The Cost of Consensus).
	TopologyIsolated = "isolated"
)

// plainTopologies are the names that stand without a number.
var plainTopologies = []string{
	topologyFull, topologyRing, TopologyNeighbours, TopologyStar, TopologyRandom, TopologyGraph,
	TopologyIsolated,
}

// ParseTopology reads "random:K" or one of the names; "" is full.
func ParseTopology(text string) (Topology, error) {
	name, peers, counted := strings.Cut(text, ":")
	t := Topology{Name: name}
	switch {
	case text == "":
		t.Name = topologyFull
	case name == TopologyRandom && counted:
		k, err := strconv.Atoi(peers)
		if err != nil || k < 1 {
			return Topology{}, fmt.Errorf("topology %q: %q must be a whole number of others, at least 1", text, peers)
		}
		t.Peers = k
	case counted || !slices.Contains(plainTopologies, name):
		return Topology{}, unknown.Name("topology", text, plainTopologies, "and random:K")
	}
	return t, nil
}

// String returns the form that ParseTopology reads.
func (t Topology) String() string {
	switch t.Name {
	case "":
		return topologyFull
	case TopologyRandom:
		if t.Peers > 0 {
			return fmt.Sprintf("%s:%d", t.Name, t.Peers)
		}
	}
	return t.Name
}

// MostHeard returns how many others an agent hears at most.
func (t Topology) MostHeard(agents int) (others int) {
	switch {
	case t.Name == topologyRing || t.Name == TopologyNeighbours:
		return min(2, agents-1)
	case t.Name == TopologyIsolated:
		return 0
	case t.Name == TopologyRandom:
		return t.drawnCount(agents)
	case t.Name != TopologyGraph:
		return agents - 1
	}
	for _, heard := range t.Graph {
		others = max(others, len(heard))
	}
	return others
}

// drawnCount returns how many others are drawn for each agent.
func (t Topology) drawnCount(agents int) int {
	if t.Peers > 0 {
		return t.Peers
	}
	return agents / 2
}

// check refuses a topology that does not fit the number of agents.
func (t Topology) check(agents int) error {
	switch t.Name {
	case "", topologyFull, topologyRing, TopologyNeighbours, TopologyStar, TopologyIsolated:
	case TopologyRandom:
		if t.Peers < 0 || t.Peers > 0 && t.Peers >= agents {
			return fmt.Errorf("topology %s: each of %d agents has %d others to hear", t, agents, agents-1)
		}
	case TopologyGraph:
		if len(t.Graph) != agents {
			return fmt.Errorf("topology graph: it lists whom %d agents hear, but there are %d agents", len(t.Graph),
				agents)
		}
		for i, peers := range t.Graph {
			for _, j := range peers {
				if j < 0 || j >= agents || j == i {
					return fmt.Errorf("topology graph: agent %d hears %d: must be another agent from 0 to %d", i, j,
						agents-1)
				}
			}
		}
	default:
		return fmt.Errorf("no topology %q", t.Name)
	}
	return nil
}

// hears returns for each agent whether the receiver hears it. draw returns the random stream of a receiver. The
// receiver everybody hears all.
func (t Topology) hears(receiver, agents int, draw func(receiver int) *rand.Rand) []bool {
	heard := make([]bool, agents)
	for i := range heard {
		switch {
		case receiver == listing.Everybody:
			heard[i] = true
		case i == receiver || t.Name == TopologyIsolated:
		case t.Name == topologyRing || t.Name == TopologyNeighbours:
			heard[i] = (i+1)%agents == receiver || (receiver+1)%agents == i
		case t.Name == TopologyStar:
			heard[i] = i == 0 || receiver == 0
		case t.Name == TopologyGraph:
			heard[i] = slices.Contains(t.Graph[receiver], i)
		case t.Name != TopologyRandom:
			heard[i] = true
		}
	}
	if t.Name == TopologyRandom && receiver != listing.Everybody {
		for _, k := range draw(receiver).Perm(agents - 1)[:t.drawnCount(agents)] {
			if k >= receiver {
				k++ // skip the receiver
			}
			heard[k] = true
		}
	}
	return heard
}

// list returns the agents heard in the order in which they are listed: that of heard, except for TopologyNeighbours.
func (t Topology) list(receiver, agents int, heard []int) (listed []int) {
	if t.Name != TopologyNeighbours || receiver == listing.Everybody {
		return heard
	}
	for _, neighbour := range []int{(receiver + agents - 1) % agents, (receiver + 1) % agents} {
		if slices.Contains(heard, neighbour) {
			listed = append(listed, neighbour)
		}
	}
	return listed
}

// Whether an agent is told who said what.
const (
	labelsNone     = "none"     // texts only
	labelsNames    = "names"    // under the names of their speakers
	labelsShuffled = "shuffled" // under these names, dealt anew for each receiver and round
)

var labels = []string{labelsNone, labelsNames, labelsShuffled}

// labels reports whether texts are shown under names.
func (e Exchange) labels() bool { return e.Labels == labelsNames || e.Labels == labelsShuffled }

// labelTexts puts the names of the agents heard before their texts. Shuffled names are the same names in a random
// order: who follows a name, and not a text, then follows a stranger.
func (s Society) labelTexts(texts []string, heard []int, receiver, round int, c debate.Case) []string {
	e := s.before(round)
	if !e.labels() {
		return texts
	}
	places := make([]int, len(heard))
	for k := range places {
		places[k] = k
	}
	if e.Labels == labelsShuffled {
		places = rand.New(rand.NewPCG(s.Seeds.Hash("labels", c.ID, receiver, round), 0)).Perm(len(heard))
	}
	named := make([]string, len(texts))
	for k, text := range texts {
		named[k] = s.Prompts.Label(s.nameOf(heard[places[k]]), text)
	}
	return named
}

// nameOf returns what the others call an agent.
func (s Society) nameOf(agent int) string {
	return debate.Transcript{Roles: s.Names(s.Agents)}.Role(agent)
}
