package society

import (
	"math/rand/v2"

	"github.com/parley-debate/parley/debate"
)

// Whether an agent is told who said what.
const (
	LabelsNone     = "none"     // texts only
	LabelsNames    = "names"    // under the names of their speakers
	LabelsShuffled = "shuffled" // under these names, dealt anew for each receiver and round
)

var labels = []string{LabelsNone, LabelsNames, LabelsShuffled}

// labels reports whether texts are shown under names.
func (e Exchange) labels() bool { return e.Labels == LabelsNames || e.Labels == LabelsShuffled }

// labelled puts the names of the agents heard before their texts. Shuffled names are the same names in a random order:
// who follows a name, and not a text, then follows a stranger.
func (s Society) labelled(texts []string, heard []int, receiver, round int, c debate.Case) []string {
	e := s.before(round)
	if !e.labels() {
		return texts
	}
	places := make([]int, len(heard))
	for k := range places {
		places[k] = k
	}
	if e.Labels == LabelsShuffled {
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
