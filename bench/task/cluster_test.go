package task

import (
	"fmt"
	"strings"
	"testing"
)

func TestClusterBy(t *testing.T) {
	passage := strings.Repeat("A long passage. ", 20)
	row := `{"context": %q, "question": "Who?", "title": %q, "n": 3, "answers": {"text": ["me"]}}`
	rows := "[" + strings.Join([]string{fmt.Sprintf(row, passage, "a"), fmt.Sprintf(row, "Short.", "a"),
		fmt.Sprintf(row, passage, "b")}, ",") + "]"
	read, err := Rows("x", "squad2", []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	clusters := func(field string) (list []string) {
		c, err := read.ClusterBy(field)
		if err != nil || c.Cluster != field {
			t.Fatal(c.Cluster, err)
		}
		for _, q := range c.Questions {
			list = append(list, q.Cluster)
		}
		return list
	}
	if got := clusters("context"); got[0] != got[2] || got[1] != "Short." || len(got[0]) != 16 {
		t.Errorf("%q", got)
	}
	if got := fmt.Sprint(clusters("title"), clusters("n")); got != "[a a b] [3 3 3]" {
		t.Error(got)
	}
	if read.Questions[0].Cluster != "" {
		t.Error("the task itself was changed")
	}
	puzzles, err := Generate(3, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, of := range map[string]struct {
		task  Task
		field string
	}{
		"come from no file": {puzzles, "subject"},
		`question x/1 has no text or number in the field "subject"`: {read, "subject"},
		"its fields are answers, context, n, question, title":       {read, "subject"},
		`in the field "answers"`:                                    {read, "answers"},
	} {
		if _, err := of.task.ClusterBy(of.field); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
