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
			t.Fatalf("%v %v, want err == nil && c.Cluster == field", c.Cluster, err)
		}
		for _, q := range c.Questions {
			list = append(list, q.Cluster)
		}
		return list
	}
	if got := clusters("context"); got[0] != got[2] || got[1] != "Short." || len(got[0]) != 16 {
		t.Errorf(`%q, want got[0] == got[2] && got[1] == "Short." && len(got[0]) == 16`, got)
	}
	if got := fmt.Sprint(clusters("title"), clusters("n")); got != "[a a b] [3 3 3]" {
		t.Errorf(`%v, want "[a a b] [3 3 3]"`, got)
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
		t.Run(want, func(t *testing.T) {
			if _, err := of.task.ClusterBy(of.field); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// TestGroupBy: groups come from any field, also of truth values, and leave clusters alone. Questions of SQuAD 2.0 have
// groups of themselves, whether or not the file says is_impossible.
func TestGroupBy(t *testing.T) {
	read, err := Rows("x", "squad2", []byte(`[
		{"context": "c", "question": "q", "answers": ["one"], "is_impossible": false},
		{"context": "c", "question": "r", "answers": [], "is_impossible": true},
		{"context": "d", "question": "s", "answers": {"text": []}, "is_impossible": true}]`))
	if err != nil {
		t.Fatal(err)
	}
	groups := func(t Task) (list []string) {
		for _, q := range t.Questions {
			list = append(list, q.Group)
		}
		return list
	}
	if got := fmt.Sprint(groups(read)); got != "[answerable unanswerable unanswerable]" || read.Group != "" {
		t.Errorf(`%v %v, want got == "[answerable unanswerable unanswerable]" && read.Group == ""`, got, read.Group)
	}
	for field, want := range map[string]string{"is_impossible": "[false true true]", "context": "[c c d]"} {
		t.Run(field, func(t *testing.T) {
			by, err := read.GroupBy(field)
			if got := fmt.Sprint(groups(by)); err != nil || got != want || by.Group != field ||
				by.Questions[0].Cluster != "" {
				t.Errorf(`%v %v, want err == nil && got == want && by.Group == field && by.Questions[0].Cluster == ""`,
					got, err)
			}
		})
	}
	if got := fmt.Sprint(groups(read)); got != "[answerable unanswerable unanswerable]" {
		t.Error("the task itself was changed:", got)
	}
	if _, err := read.GroupBy("title"); err == nil || !strings.Contains(err.Error(), `in the field "title"`) {
		t.Errorf("%v, want an error with \"in the field \\\"title\\\"\"", err)
	}
}
