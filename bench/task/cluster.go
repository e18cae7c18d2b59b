package task

import (
	"cmp"
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

// EqualQuestions stands for the field of clusters in tasks that have none and ask some questions several times.
const EqualQuestions = "equal questions"

// Whole puts questions that ask the same, as where a file repeats rows, into one cluster: what comes of one says what
// comes of the other. Clusters by a field that share a question become one, named like the first; without a field, a
// question that is asked several times is a cluster, named like its first row. different is how many questions differ.
func (t Task) Whole() (whole Task, different int) {
	joined := make(map[string]string) // by a cluster that is part of another one: that one
	var cluster func(name string) string
	cluster = func(name string) string {
		if of, part := joined[name]; part {
			joined[name] = cluster(of)
			return joined[name]
		}
		return name
	}
	first := make(map[string]string) // by what is asked: the cluster in which it was asked first
	for _, q := range t.Questions {
		name, asks := cmp.Or(q.Cluster, q.ID), cmp.Or(q.asks(), q.ID) // logs may lack the text
		if of, again := first[asks]; !again {
			first[asks] = name
		} else if of, name = cluster(of), cluster(name); of != name {
			joined[name] = of
		}
	}
	if len(joined) == 0 {
		return t, len(first)
	}
	t.Cluster, t.Questions = cmp.Or(t.Cluster, EqualQuestions), slices.Clone(t.Questions)
	for i, q := range t.Questions {
		t.Questions[i].Cluster = cluster(cmp.Or(q.Cluster, q.ID))
	}
	return t, len(first)
}

// asks is what tells questions apart, which are neither blanks nor the order of options.
func (q Question) asks() string {
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	parts := []string{plain(cmp.Or(q.Stem, q.Text))}
	for _, option := range q.Options {
		parts = append(parts, plain(option))
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
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
