package trial

import (
	"cmp"
	"fmt"
)

// Shard is a part of a run that one machine computes: some of the questions, under all conditions, with all repeats.
type Shard struct {
	Index     int `json:"index"`     // its number, from 1
	Of        int `json:"of"`        // how many shards there are
	Questions int `json:"questions"` // how many questions the whole run has
	// questions of the next shard that are asked here too, so that two machines can be compared
	Canaries []string `json:"canaries,omitempty"`
	Host     string   `json:"host,omitempty"` // the machine
	// A task that has fewer questions than the run has shards is divided among as many of the Shards as it has
	// questions, beginning behind the first First.
	First  int `json:"first,omitempty"`
	Shards int `json:"shards,omitempty"` // 0: Of

	Command string `json:"command,omitempty"` // the command of the whole run, with its directory
}

// MostShards is the largest number of shards of a run.
const MostShards = 100_000

// String is i/n, and "the whole run" for nil.
func (s *Shard) String() string {
	if s == nil {
		return "the whole run"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Slot is the shard of the whole run, as String has it, that computes part i, from 1.
func (s *Shard) Slot(i int) string {
	n := cmp.Or(s.Shards, s.Of)
	return (&Shard{Index: (s.First+i-1)%n + 1, Of: n}).String()
}

// PartsOf finds the part of each of several tasks with so many questions that shard i of n computes, nil where it has
// none. Tasks with fewer questions than n begin where the one before them has ended, so that they are not all in the
// first shards.
func PartsOf(i, n int, questions []int) (parts []*Shard) {
	first := 0
	for _, q := range questions {
		switch part := (i-1-first+n)%n + 1; {
		case q >= n:
			parts = append(parts, &Shard{Index: i, Of: n})
			continue
		case part <= q:
			parts = append(parts, &Shard{Index: part, Of: q, First: first, Shards: n})
		default:
			parts = append(parts, nil)
		}
		first = (first + q) % n
	}
	return parts
}

// Validate refuses a shard that there cannot be.
func (s *Shard) Validate() error {
	switch {
	case s == nil:
		return nil
	case s.Of < 1 || s.Of > MostShards:
		return fmt.Errorf("shard %s: a run has from 1 to %d shards", s, MostShards)
	case s.Index < 1 || s.Index > s.Of:
		return fmt.Errorf("shard %s: shards are numbered from 1 to %d", s, s.Of)
	case s.First < 0 || s.Shards < 0 || s.Shards > MostShards:
		return fmt.Errorf("shard %s: no part of a task begins behind shard %d of %d", s, s.First, s.Shards)
	}
	return nil
}

// Cut divides questions among n shards, n at most their number. Shard i, from 0, has the questions
// [cuts[i], cuts[i+1]), at least one. Neighbours stay together, since they share more prompt tokens than others:
// those of one context, and a question with the next one, whose replies it hears where arguments are shuffled. Each cut
// is where the weights before it come closest to the shards' equal parts of the sum.
func Cut(weights []int, n int) (cuts []int) {
	total, before, at := 0, 0, 0
	for _, w := range weights {
		total += w
	}
	cuts = append(cuts, 0)
	for i := 1; i < n; i++ {
		least, most := cuts[i-1]+1, len(weights)-(n-i)
		for at < most && (at < least || (2*before+weights[at])*n <= 2*total*i) {
			before += weights[at]
			at++
		}
		cuts = append(cuts, at)
	}
	return append(cuts, len(weights))
}

// perCanary is the number of questions for each of which a run has one canary question.
const perCanary = 50

// HasCanary reports whether shard i of n, from 0, also asks the first question of the next one, cyclically. One
// question in perCanary is asked twice, at least one, and at most one in each shard; these shards are spread evenly.
func HasCanary(i, n, questions int) bool {
	if n < 2 {
		return false
	}
	canaries := min(n, (questions+perCanary-1)/perCanary)
	return i*canaries%n < canaries
}
