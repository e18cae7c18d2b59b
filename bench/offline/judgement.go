package offline

import (
	"fmt"
	"path/filepath"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Judgement is what a judge says of a run's decisions, and how often it is right.
type Judgement struct {
	Version    int                  `json:"v"`
	Model      inference.ModelInfo  `json:"model"` // the judge
	Blind      bool                 `json:"blind,omitempty"`
	Labels     *rundir.LogFile      `json:"labels,omitempty"` // nil: compared with the recorded scores
	Answers    int                  `json:"answers"`          // different ones that were judged
	Unread     int                  `json:"unread,omitempty"` // verdicts that say neither yes nor no, which count as no
	Agreement  stat.Judged          `json:"agreement"`        // over different answers of which it is known
	Conditions []ConditionJudgement `json:"conditions"`       // in the order of the run
}

// JudgementVersion is the version of judge.json.
const JudgementVersion = 1

// ConditionJudgement is about the debates that did not fail under one condition.
type ConditionJudgement struct {
	Condition string        `json:"condition"`
	Debates   int           `json:"debates"`
	Undecided int           `json:"undecided"` // they count as wrong, and are not judged
	Yes       int           `json:"yes"`       // decisions that the judge calls right
	Accuracy  float64       `json:"accuracy"`  // by the judge, over questions
	Interval  stat.Interval `json:"interval"`  // 95 %, see stat.Accuracy
	Labelled  int           `json:"labelled"`  // decisions of which it is known whether they are right
	Right     int           `json:"right"`     // of these
	// Corrected is Accuracy without the judge's errors, see stat.Judged; nil where they cannot be corrected.
	Corrected         *float64       `json:"corrected,omitempty"`
	CorrectedInterval *stat.Interval `json:"corrected_interval,omitempty"` // 95 %
}

// under sums up the debates of a condition, once the agreement is known.
func (j Judgement) under(name string, debates []judged, verdicts map[string]answer.Answer,
	truth map[string]bool) ConditionJudgement {
	c := ConditionJudgement{Condition: name, Debates: len(debates)}
	var asked []stat.Asked
	var clusters []string
	at := make(map[string]int) // in asked, by question
	for _, d := range debates {
		i, known := at[d.Question]
		if !known {
			i = len(asked)
			at[d.Question], asked, clusters = i, append(asked, stat.Asked{}), append(clusters, d.Cluster)
		}
		asked[i].Times++
		if d.prompt == "" {
			c.Undecided++
			continue
		}
		if verdicts[d.prompt].Text == answerYes {
			c.Yes++
			asked[i].Right++
		}
		if right, known := truth[d.prompt]; known {
			if c.Labelled++; right {
				c.Right++
			}
		}
	}
	drawn := 0
	c.Accuracy, c.Interval, drawn = analysis.AccuracyIn(asked, clusters)
	if decided := c.Debates - c.Undecided; decided > 0 && j.Agreement.Correctable() == nil {
		// Repeats of a question count once, and so do questions of a cluster; what is undecided is wrong whatever the
		// judge's errors.
		n := min(decided, drawn)
		theta, i, possible := j.Agreement.Corrected(stat.Share(c.Yes, decided), n, analysis.Level)
		if share := stat.Share(decided, c.Debates); possible {
			theta *= share
			i = i.Times(share)
			c.Corrected, c.CorrectedInterval = &theta, &i
		}
	}
	return c
}

// judgementFile is what judgements are called in a run directory.
const judgementFile = "judge.json"

// CheckJudgement refuses a run directory in which Save would take the place of a file that it has not written.
func CheckJudgement(directory string) error { return rundir.CheckJSON(directory, judgementFile, "v") }

// Save writes judge.json into a run directory.
func (j Judgement) Save(directory string) error { return rundir.WriteJSON(directory, judgementFile, j) }

// Table has a row for each condition.
func (j Judgement) Table() table.Table {
	between := func(i stat.Interval) string { return table.Between("%.3f", i.Low, i.High) }
	t := table.New([]table.Column[ConditionJudgement]{
		table.Words("condition", func(c ConditionJudgement) string { return c.Condition }),
		table.Counts("debates", func(c ConditionJudgement) int { return c.Debates }),
		table.Counts("undecided", func(c ConditionJudgement) int { return c.Undecided }),
		table.Decimals("judged right", func(c ConditionJudgement) *float64 { return &c.Accuracy }),
		table.Right("95 % interval", func(c ConditionJudgement) string { return between(c.Interval) }),
		table.Words("known right", func(c ConditionJudgement) string {
			return fmt.Sprintf("%d of %d", c.Right, c.Labelled)
		}),
		table.Decimals("corrected", func(c ConditionJudgement) *float64 { return c.Corrected }),
		table.Right("95 % interval", func(c ConditionJudgement) string {
			if c.CorrectedInterval == nil {
				return ""
			}
			return between(*c.CorrectedInterval)
		}),
	}, j.Conditions)
	t.Title = "Decisions judged by a model"
	t.Caption = j.caption()
	return t
}

// caption says who judged, how often that agrees with what is known, and what was corrected.
func (j Judgement) caption() string {
	shown := "with the task's answer before it"
	if j.Blind {
		shown = "without the task's answer"
	}
	text := fmt.Sprintf("%s (%s) judged %s, %s. ", j.Model.Name, j.Model.About(),
		wording.Count(j.Answers, "different answer"), shown)
	if j.Unread > 0 {
		text += fmt.Sprintf("%s neither yes nor no, which counts as no. ", wording.Count(j.Unread, "verdict")+" said")
	}
	a := j.Agreement
	known := "the recorded scores"
	if j.Labels != nil {
		known = "the labels of " + filepath.Base(j.Labels.Path)
	}
	text += fmt.Sprintf("Compared with %s, it is right about %d of %d: it says yes of %d of %d right answers and of "+
		"%d of %d wrong ones", known, a.Same(), a.N(), a.RightYes, a.Rights(), a.WrongYes, a.Wrongs())
	if kappa, ok := a.Kappa(); ok {
		text += "; Cohen's kappa " + table.Number("%.3f", kappa)
	}
	if err := a.Correctable(); err != nil {
		return text + fmt.Sprintf(". Its errors cannot be corrected: %v.", err)
	}
	return text + ". Corrected: Rogan and Gladen's estimate from these shares, with the interval of Lee et al. " +
		"(arXiv 2511.21140). It takes the judge to err alike under all conditions; – where it cannot, as it says yes " +
		"more often, or more rarely, than of all these answers."
}

// Document is the table with its title and its caption.
func (j Judgement) Document() table.Document { return j.Table().Titled("") }
