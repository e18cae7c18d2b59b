package report

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
)

// failing is a run of which every so manieth debate could not be held.
func failing(t *testing.T, run rundir.Run, every int) rundir.Run {
	t.Helper()
	for i := range run.Outcomes {
		if o := &run.Outcomes[i]; i%every == 0 {
			o.Transcript, o.Score, o.Error = debate.Transcript{Case: o.Case()}, task.Failed, "too long "+hostile
		}
	}
	failed, err := rundir.NewRun(run.Header, run.Outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return failed
}

// TestFailures: the page counts debates that could not be held, says why, and gives its script lists where there is
// nothing in them.
func TestFailures(t *testing.T) {
	run := failing(t, small(t, 3, 3), 1)
	page := written(t, run, Options{})
	data := dataOf(t, page).JSON
	if !strings.Contains(data, `"agents":[]`) || regexp.MustCompile(`"(agents|names|rounds)":null`).MatchString(data) {
		t.Errorf("%.600s, want agents, names and rounds to be lists", data)
	}
	if !strings.Contains(page, "Failed debates: ") || !strings.Contains(page,
		"failed: debates that could not be held; no accuracy counts them") {
		t.Error("the page does not say what failed")
	}
	made := conditionsTable(study{Run: run})
	for _, line := range made.Records[1:] {
		of := func(name string) string {
			for i, field := range made.Records[0] {
				if field == name {
					return line[i]
				}
			}
			t.Fatalf("the table has a column %s: got %v", name, made.Records[0])
			return ""
		}
		if of("mark") != kindGuess && (of("failed") != "12" || of("n") != "0" || of("accuracy") != "" ||
			of("low") != "" || of("unparsed") != "0" || of("unparsed_share") != "") {
			t.Errorf("a condition whose 12 debates failed has no accuracy, and 0 unread: got %v", line)
		}
	}
	some := conditionsTable(study{Run: failing(t, small(t, 3, 3), 3)})
	if !strings.Contains(some.String(), "FAILED") && !strings.Contains(some.String(), "failed") {
		t.Errorf("the table has a column of failures: got\n%s", some.String())
	}
	if none := conditionsTable(study{Run: small(t, 3, 3)}); strings.Contains(strings.ToLower(none.String()),
		"failed") {
		t.Errorf("without failures there is no column of them: got\n%s", none.String())
	}
}

// TestPanicCostsOneTable: a table or figure that fails, or panics, is named with why, and the report has the others.
func TestPanicCostsOneTable(t *testing.T) {
	tables, figures := sectionTables, sectionFigures
	t.Cleanup(func() { sectionTables, sectionFigures = tables, figures })
	sectionTables = slices.Clone(tables)
	sectionTables[0].tables = func(study) []table.Table { panic("no table") }
	sectionFigures = append([]func(study) ([]chart.Figure, error){
		func(study) ([]chart.Figure, error) { return nil, errors.New("no data") },
		func(study) ([]chart.Figure, error) { panic("no figure") },
	}, figures...)
	page := written(t, small(t, 3, 3), Options{})
	for _, want := range []string{"What could not be computed", "internal error: no table", "no data",
		"internal error: no figure", "<svg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestDetailsStandAsInTheReport: what --details prints are the tables of the page in their order, all but those that a
// run shows above them.
func TestDetailsStandAsInTheReport(t *testing.T) {
	run := small(t, 3, 3)
	c, err := runContents(study{Run: run}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, shown := Details(run.Comparison).String(), 0
	for _, made := range c.Sections[0].Tables[1:] {
		_, rest, found := strings.Cut(text, "\n"+made.Title+"\n")
		if above := made.Question == contrasts || made.Question == readings; found == above {
			t.Errorf("%q of the question %q: behind the tables before it is %v, want %v", made.Title, made.Question,
				found, !above)
		}
		if found {
			text, shown = rest, shown+1
		}
	}
	if shown < 5 {
		t.Errorf("only %d tables were compared, want at least 5", shown)
	}
}

// TestGoOnIsSaidOnce: the command that ran says itself how to go on; the page and the terminal's report say it, too.
func TestGoOnIsSaidOnce(t *testing.T) {
	run := small(t, 3, 3)
	run.Finished, run.Resume = false, "parley compare --out here"
	c, err := runContents(study{Run: run}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for shown, want := range map[string]int{c.verdict(false).String(): 0, c.verdict(true).String(): 1,
		c.terminal(true).String(): 1, c.text(): 1} {
		if got := strings.Count(shown, run.Resume); got != want {
			t.Errorf("the command stands %d times, want %d:\n%.600s", got, want, shown)
		}
	}
}
