package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
)

// longestLabel is the longest text that names a cluster or a group; longer ones, such as passages, are named by their
// hash.
const longestLabel = 64

// ClusterBy puts questions into clusters: those with the same text or number in a field of the file, such as context in
// SQuAD, subject in MMLU or category in MMLU-Pro. Every row must have the field. Of generated puzzles there are none.
func (t Task) ClusterBy(field string) (Task, error) {
	labels, err := t.labels(field, "cluster")
	t.Cluster, t.Questions = field, slices.Clone(t.Questions)
	for i, label := range labels {
		t.Questions[i].Cluster = label
	}
	return t, err
}

// GroupBy puts questions into groups, of each of which the results are told apart, in the same way as ClusterBy. It
// replaces the groups that the family gives, as SQuAD 2.0 does.
func (t Task) GroupBy(field string) (Task, error) {
	labels, err := t.labels(field, "group")
	t.Group, t.Questions = field, slices.Clone(t.Questions)
	for i, label := range labels {
		t.Questions[i].Group = label
	}
	return t, err
}

// labels has what each question has in a field of the file. to says what for.
func (t Task) labels(field, to string) ([]string, error) {
	labels := make([]string, len(t.Questions))
	for i, q := range t.Questions {
		text := strings.TrimSpace(rowfile.Text(q.Row[field]))
		if truth, ok := q.Row[field].(bool); ok {
			text = strconv.FormatBool(truth)
		}
		switch {
		case q.Row == nil:
			return nil, fmt.Errorf("task %s: its questions come from no file and have no field %q to %s them by",
				t.Name, field, to)
		case text == "":
			return nil, fmt.Errorf("task %s: question %s has no text or number in the field %q; its fields are "+
				"%.300s", t.Name, q.ID, field, strings.Join(slices.Sorted(maps.Keys(q.Row)), ", "))
		case len(text) > longestLabel:
			sum := sha256.Sum256([]byte(text))
			text = hex.EncodeToString(sum[:8])
		}
		labels[i] = text
	}
	return labels, nil
}
