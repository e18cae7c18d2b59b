package offline

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// exportedWith is the exported table of a run's decisions, with a column COMET of scores.
func exportedWith(t *testing.T, run rundir.Run, score func(DecisionRow) string) string {
	t.Helper()
	var table bytes.Buffer
	decisions := slices.Collect(Decisions(run))
	if _, err := writeCSV(&table, slices.Values(decisions)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	for i, row := range rows {
		if i == 0 {
			row = append(row, "COMET")
		} else {
			row = append(row, score(decisions[i-1]))
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return out.String()
}

// TestScores: a column beside the exported decisions becomes a mean for each condition, over questions, with the t
// interval. The other columns may be left out, and rows may have any order.
func TestScores(t *testing.T) {
	_, run := benchtest.Finished(t)
	of := func(question string) float64 { // 0.1 to 1 for questions 1 to 10
		var n int
		if _, err := fmt.Sscanf(question[strings.LastIndex(question, "/")+1:], "%d", &n); err != nil {
			t.Fatal(err)
		}
		return float64(n) / 10
	}
	whole := exportedWith(t, run, func(d DecisionRow) string {
		if d.Condition == "mad" {
			return fmt.Sprint(of(d.Question))
		}
		return "-0.25"
	})
	bare := "condition,COMET,question\n"
	for _, o := range slices.Backward(run.Outcomes) {
		score := -0.25
		if o.Condition == "mad" {
			score = of(o.Question)
		}
		bare += fmt.Sprintf("%s,%g,%s\n", o.Condition, score, o.Question)
	}
	for _, text := range []string{whole, bare} {
		path := datatest.File(t, "scores.csv", text)
		s, err := ReadScores(run, path)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Measures) != 1 || s.Measures[0].Name != "COMET" || s.Version != ScoresVersion || s.File.Path != path ||
			len(s.File.Hash) != 64 {
			t.Fatalf("a file of numbers of COMET is read with its version %d, path %s and hash: got %+v",
				ScoresVersion, path, s)
		}
		for _, c := range s.Measures[0].Conditions {
			mean, width := -0.25, 0.0
			if c.Interval != nil {
				width = c.Interval.High - c.Interval.Low
			}
			if c.Condition == "mad" { // of 0.1 to 1, whose deviation is 0.30277; t with 9 degrees of freedom is 2.26216
				mean, width = 0.55, width-2*2.26216*0.302765/math.Sqrt(10)
			}
			if c.Debates != 10 || c.Questions != 10 || math.Abs(c.Mean-mean) > 1e-12 || math.Abs(width) > 1e-5 {
				t.Errorf("a condition has the mean %g of its 10 debates, with the interval of a t test (off by %g): "+
					"got %+v", mean, width, c)
			}
		}
		out := s.Document().String()
		if !strings.Contains(out, "0.550") ||
			!strings.Contains(out, "the numbers that scores.csv gives the decisions") {
			t.Errorf("the table has the mean 0.550 and says where the numbers are from: got %s", out)
		}
	}
}

// TestScoresRefuses: scores of other debates, of other decisions, or of a part of the debates are errors.
func TestScoresRefuses(t *testing.T) {
	_, run := benchtest.Finished(t)
	whole := exportedWith(t, run, func(DecisionRow) string { return "0.5" })
	first, rest, _ := strings.Cut(whole, "\n")
	row, others, _ := strings.Cut(rest, "\n")
	decided := run.Outcomes[0].Transcript.Decision.Answer.Text
	one := func(text string) string { return first + "\n" + text + "\n" + others }
	for want, text := range map[string]string{
		"the file is empty":                  "",
		"without question and condition":     "id,COMET\n1,0.5\n",
		"0 columns are no columns of parley": "question,condition\nq,mad\n",
		`column 3 is called ""`:              "question,condition,\nq,mad,1\n",
		`column 4 is called "COMET"`:         "question,condition,COMET,COMET\nq,mad,1,1\n",
		"is a second one for":                whole + row + "\n",
		"no row has its scores":              first + "\n" + others,
		"are not of debates of this run":     whole + strings.Replace(row, "/1,", "/99,", 1) + "\n",
		`COMET is "much", which is no`:       one(strings.TrimSuffix(row, "0.5") + "much"),
		`COMET is "NaN", which is no`:        one(strings.TrimSuffix(row, "0.5") + "NaN"),
		`COMET is "", which is no`:           one(strings.TrimSuffix(row, "0.5")),
		"this run decided":                   one(strings.ReplaceAll(row, ","+decided+",", ",(Z),")),
		`repeat "x" is no number`:            one(strings.Replace(row, ",0,", ",x,", 1)),
		"wrong number of fields":             one("a,b"),
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := scoresIn(run.Outcomes, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", want, err, want)
			}
		})
	}
}

// FuzzScores reads any text as scores of a run: it is refused, or has numbers for each condition.
func FuzzScores(f *testing.F) {
	f.Add([]byte("question,condition,COMET\nq/1,mad,0.5\n"))
	f.Add([]byte("question,repeat,condition,decision,\"a\nb\"\nq/1,0,mad,(A),-1e9\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scoresIn([]trial.Outcome{{Question: "q/1", Condition: "mad", Score: task.Right,
			Transcript: debate.Transcript{Decision: debate.Decision{Answer: answer.Of("(A)")}}}}, text)
		if err != nil {
			return
		}
		for _, m := range s.Measures {
			if len(m.Conditions) != 1 || math.IsNaN(m.Conditions[0].Mean) || m.Conditions[0].Debates != 1 {
				t.Errorf("a number that was read has a mean of its one debate: got %+v", m)
			}
		}
	})
}
