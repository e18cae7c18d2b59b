package task

import (
	"fmt"
	"strings"
	"testing"
)

// TestClusterBy: questions with the same text in a field are one cluster, long texts by their hash.
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
			t.Fatalf("questions are clustered by %s: got %q, %v", field, c.Cluster, err)
		}
		for _, q := range c.Questions {
			list = append(list, q.Cluster)
		}
		return list
	}
	if got := clusters("context"); got[0] != got[2] || got[1] != "Short." || len(got[0]) != 16 {
		t.Errorf("equal contexts are one cluster, short ones named by their text, long ones by a hash of 16: got %q",
			got)
	}
	if got := fmt.Sprint(clusters("title"), clusters("n")); got != "[a a b] [3 3 3]" {
		t.Errorf("clusters by title and by n are \"[a a b] [3 3 3]\": got %v", got)
	}
	if read.Questions[0].Cluster != "" {
		t.Errorf("the task itself keeps its questions without clusters: got %q", read.Questions[0].Cluster)
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
				t.Errorf("a field that cannot cluster is refused with %q: got %v", want, err)
			}
		})
	}
}

// TestWhole: questions that ask the same are in one cluster, whatever their answers, blanks, and the order of options;
// clusters that share one are joined, over others too. Where all questions differ nothing changes.
func TestWhole(t *testing.T) {
	ask := func(text, cluster string, options ...string) Question {
		return Question{Text: text + fmt.Sprint(options), Stem: text, Options: options, Cluster: cluster}
	}
	for name, c := range map[string]struct {
		field     string
		questions []Question
		clusters  string
		different int
	}{
		"all differ":    {"", []Question{ask("a", ""), ask("b", ""), ask("b", "", "x", "y")}, "[  ]", 3},
		"rows":          {"", []Question{ask("a", ""), ask("b", ""), ask("a", ""), ask("a", "")}, "[1 2 1 1]", 2},
		"all are one":   {"", []Question{ask("a", ""), ask("a", "")}, "[1 1]", 1},
		"blanks":        {"", []Question{ask("a  b", ""), ask("a b\n", "")}, "[1 1]", 1},
		"options":       {"", []Question{ask("a", "", "x", "y"), ask("a", "", "y", "x")}, "[1 1]", 1},
		"other options": {"", []Question{ask("a", "", "x", "y"), ask("a", "", "y", "z")}, "[ ]", 2},
		"inside":        {"subject", []Question{ask("a", "p"), ask("a", "p"), ask("b", "q")}, "[p p q]", 2},
		"across":        {"subject", []Question{ask("a", "p"), ask("b", "q"), ask("a", "q")}, "[p p p]", 2},
		"in a chain": {"subject", []Question{ask("a", "p"), ask("b", "q"), ask("c", "r"), ask("d", "s"), ask("c", "q"),
			ask("a", "r")}, "[p p p s p p]", 4},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.questions {
				c.questions[i].ID = fmt.Sprint(i + 1)
			}
			whole, different := Task{Cluster: c.field, Questions: c.questions}.Whole()
			var clusters []string
			for _, q := range whole.Questions {
				clusters = append(clusters, q.Cluster)
			}
			field := c.field
			if field == "" && different < len(c.questions) {
				field = EqualQuestions
			}
			if got := fmt.Sprint(clusters); got != c.clusters || different != c.different || whole.Cluster != field {
				t.Errorf("%s by %q, %d differ; want %s by %q, %d", got, whole.Cluster, different, c.clusters, field,
					c.different)
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
		t.Errorf("a question that cannot be answered is in its own group, without a field: got %v, field %q", got,
			read.Group)
	}
	for field, want := range map[string]string{"is_impossible": "[false true true]", "context": "[c c d]"} {
		t.Run(field, func(t *testing.T) {
			by, err := read.GroupBy(field)
			if got := fmt.Sprint(groups(by)); err != nil || got != want || by.Group != field ||
				by.Questions[0].Cluster != "" {
				t.Errorf("groups by %s are %s, and no clusters: got %v, %v", field, want, got, err)
			}
		})
	}
	if got := fmt.Sprint(groups(read)); got != "[answerable unanswerable unanswerable]" {
		t.Errorf("the task itself has no groups but its own: got %v, want [answerable unanswerable unanswerable]",
			got)
	}
	if _, err := read.GroupBy("title"); err == nil || !strings.Contains(err.Error(), `in the field "title"`) {
		t.Errorf("a field that a question lacks is refused by its name, title: got %v", err)
	}
}
