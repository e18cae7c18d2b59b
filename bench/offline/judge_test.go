package offline

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// knowing is a judge that compares the answer given with the reference answer, and is wrong about answers "(B)".
func knowing(asked *int) inference.Engine {
	return inference.NewScript(func(r inference.Request) string {
		*asked++
		_, rest, _ := strings.Cut(r.Messages[0].Content, "Reference answer:\n")
		reference, rest, _ := strings.Cut(rest, "\n\nAnswer given:\n")
		given, _, _ := strings.Cut(rest, "\n\n")
		if (reference == given) != (given == "(B)") {
			return "yes"
		}
		return "no"
	})
}

// TestJudge: each different answer to a question is judged once, and the counts are those of the recorded scores with
// the errors that the judge makes.
func TestJudge(t *testing.T) {
	_, run := benchtest.Finished(t)
	asked := 0
	j, err := Judge(t.Context(), run, Judging{}, knowing(&asked))
	if err != nil {
		t.Fatal(err)
	}
	var want stat.Judged
	different := make(map[string]bool)
	yes := make(map[string]int)
	for _, o := range run.Outcomes {
		decision := o.Transcript.Decision.Answer
		if o.Condition == "oracle" || !decision.Parsed {
			continue
		}
		says := o.IsRight(decision) != (decision.Text == "(B)")
		if says {
			yes[o.Condition]++
		}
		if id := o.Question + decision.Text; !different[id] {
			different[id] = true
			want.Add(o.IsRight(decision), says)
		}
	}
	if j.Agreement != want || j.Answers != len(different) || asked != len(different) || want.Same() == want.N() {
		t.Errorf("%+v of %d answers, asked %d times; want %+v of %d", j.Agreement, j.Answers, asked, want,
			len(different))
	}
	for _, c := range j.Conditions {
		if c.Condition == "oracle" || c.Yes != yes[c.Condition] || c.Labelled != c.Debates-c.Undecided ||
			math.Abs(c.Accuracy-stat.Share(c.Yes, c.Debates)) > 1e-12 {
			t.Errorf("the judge counts %d decisions of a condition as right: got %+v", yes[c.Condition], c)
		}
	}
}

// TestJudgeByLabels: labels of some answers correct the judge's errors, wherever the same answer was given.
func TestJudgeByLabels(t *testing.T) {
	_, run := benchtest.Finished(t)
	label := func(d DecisionRow) string {
		if d.Condition != "mad" {
			return ""
		}
		return map[bool]string{true: "Right", false: "wrong"}[d.Decision == d.Target]
	}
	labels, err := ReadLabels(run, datatest.File(t, "labels.csv", exportedWith(t, run, label)))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	j, err := Judge(t.Context(), run, Judging{Labels: labels}, knowing(&asked))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Judge(t.Context(), run, Judging{}, knowing(&asked))
	if err != nil {
		t.Fatal(err)
	}
	if j.Agreement.N() == 0 || j.Agreement.N() >= whole.Agreement.N() || j.Labels.Path == "" {
		t.Errorf("some, not all, of %d answers are labelled, by a file: got %d, path %q",
			whole.Agreement.N(), j.Agreement.N(), j.Labels.Path)
	}
	out := j.Document().String()
	for _, text := range []string{"Compared with the labels of labels.csv, it is right about", "JUDGED RIGHT"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), text) {
			t.Errorf("the text has %q: got\n%s", text, out)
		}
	}
}

// TestJudgeBlind: the judge is not shown the target, and what it does not say is no.
func TestJudgeBlind(t *testing.T) {
	_, run := benchtest.Finished(t)
	j, err := Judge(t.Context(), run, Judging{Blind: true}, inference.NewScript(func(r inference.Request) string {
		text := r.Messages[0].Content
		if strings.Contains(text, "Reference") || !strings.Contains(text, "Question:\n") {
			t.Errorf("a blind judge is shown the question and no reference: got %q", text)
		}
		return "perhaps"
	}))
	if err != nil || j.Unread != j.Answers || j.Agreement.RightYes+j.Agreement.WrongYes > 0 {
		t.Fatalf("a judge that cannot be read says nothing of any answer: got %+v, %v", j, err)
	}
	for _, c := range j.Conditions {
		if c.Corrected != nil {
			t.Errorf("%s is corrected by a judge that says nothing, want no correction", c.Condition)
		}
	}
	if text := j.Table().Caption; !strings.Contains(text, "cannot be corrected: the judge is no better than chance") {
		t.Errorf("a blind judge's caption says \"cannot be corrected: the judge is no better than chance\": "+
			"got\n%s", text)
	}
}

// TestLabelsRefuse: labels of other debates or decisions, and those that say neither right nor wrong, are errors.
func TestLabelsRefuse(t *testing.T) {
	_, run := benchtest.Finished(t)
	whole := exportedWith(t, run, func(DecisionRow) string { return "1" })
	first, rest, _ := strings.Cut(whole, "\n")
	row, _, _ := strings.Cut(rest, "\n")
	decided := run.Outcomes[0].Transcript.Decision.Answer.Text
	for want, text := range map[string]string{
		"the file is empty":              "",
		"and labels are in one":          first + ",more\n" + row + ",1\n",
		"are not of debates of this run": first + "\n" + strings.Replace(row, "/1,", "/99,", 1) + "\n",
		`the label "maybe" is none of`:   first + "\n" + strings.TrimSuffix(row, "1") + "maybe\n",
		"this run decided":               first + "\n" + strings.ReplaceAll(row, ","+decided+",", ",(Z),") + "\n",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := ReadLabels(run, datatest.File(t, "labels.csv", text))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("labels that cannot be used are refused with %q: got %v", want, err)
			}
		})
	}
	n := 0
	both := exportedWith(t, run, func(DecisionRow) string { n++; return fmt.Sprint(n % 2) })
	labels, err := ReadLabels(run, datatest.File(t, "labels.csv", both))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(t.Context(), run, Judging{Labels: labels}, knowing(new(int))); err == nil ||
		!strings.Contains(err.Error(), "is labelled as right and as wrong") {
		t.Errorf("labels that contradict each other are refused, as \"is labelled as right and as wrong\": got %v",
			err)
	}
}
