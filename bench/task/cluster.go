package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// longestCluster is the longest text that names a cluster; longer ones, such as passages, are named by their hash.
const longestCluster = 64

// ClusterBy puts questions into clusters: those with the same text or number in a field of the file, such as context in
// SQuAD, subject in MMLU or category in MMLU-Pro. Every row must have the field. Of generated puzzles there are none.
func (t Task) ClusterBy(field string) (Task, error) {
	t.Cluster, t.Questions = field, slices.Clone(t.Questions)
	for i, q := range t.Questions {
		text := strings.TrimSpace(textOf(q.Row[field]))
		switch {
		case q.Row == nil:
			return Task{}, fmt.Errorf("task %s: its questions come from no file and have no field %q to cluster them "+
				"by", t.Name, field)
		case text == "":
			return Task{}, fmt.Errorf("task %s: question %s has no text or number in the field %q; its fields are "+
				"%.300s", t.Name, q.ID, field, strings.Join(slices.Sorted(maps.Keys(q.Row)), ", "))
		case len(text) > longestCluster:
			sum := sha256.Sum256([]byte(text))
			text = hex.EncodeToString(sum[:8])
		}
		t.Questions[i].Cluster = text
	}
	return t, nil
}
