package samples

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
)

// named is how many samples with another score are named.
const named = 20

// readAgain reads the replies by one of our answer rules, in place of what the harness read, and scores them by the
// targets of the logs. It says how many scores change, and which.
func readAgain(samples []Sample, rule string) (again []Sample, says []string, err error) {
	questions, err := questionsOf(samples, rule)
	if err != nil {
		return nil, nil, err
	}
	again = slices.Clone(samples)
	var changed []string
	for i := range again {
		one := &again[i]
		q := questions.of[one.Question]
		if !one.Scored || one.Reply == "" {
			continue
		}
		was, read := one.Score, debate.ReadReply(importer.Said(one.Reply), questions.task.Reader(q))
		one.Answer, one.Score = read.Text, 0
		if !read.Parsed {
			one.Answer = ""
		}
		if questions.task.Score(q, read) == task.Right {
			one.Score = 1
		}
		if one.Score != was {
			changed = append(changed, fmt.Sprintf("%.40s by %s from %g to %g: read %s, and the log %s", one.Question,
				one.System, was, one.Score, said(one.Answer), said(samples[i].Answer)))
		}
	}
	says = append(says, fmt.Sprintf("read again by the rule %s: %d of %s have another score", rule, len(changed),
		wording.Count(len(again), "sample")))
	if len(changed) > named {
		changed = append(changed[:named], fmt.Sprintf("and %d more", len(changed)-named))
	}
	return again, append(says, changed...), nil
}

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return fmt.Sprintf("%.60q", text)
}

// asked are the questions of samples as a task.
type asked struct {
	task task.Task
	of   map[string]task.Question // by id
}

// questionsOf makes a task of the questions, whose right answers are the targets of the logs.
func questionsOf(samples []Sample, rule string) (asked, error) {
	type row struct {
		Question string   `json:"question"`
		Answer   string   `json:"answer"`
		Choices  []string `json:"choices,omitempty"`
	}
	var rows []row
	var ids []string
	seen := map[string]bool{}
	for _, one := range samples {
		if seen[one.Question] {
			continue
		}
		if one.Target == "" {
			return asked{}, fmt.Errorf("%s: the log does not say what is right, so that no reply can be scored again",
				one.Place)
		}
		seen[one.Question], ids = true, append(ids, one.Question)
		rows = append(rows, row{cmp.Or(strings.TrimSpace(one.Text), one.Question), one.Target, one.Options})
	}
	list, err := json.Marshal(rows)
	if err != nil {
		return asked{}, err
	}
	t, err := task.Mapping{Family: task.FamilyOwn, Rule: rule}.Rows("samples", list)
	if err != nil {
		return asked{}, err
	}
	if len(t.Questions) != len(ids) {
		return asked{}, fmt.Errorf("%d of %d questions can be asked again", len(t.Questions), len(ids))
	}
	a := asked{t, make(map[string]task.Question, len(ids))}
	for i, id := range ids {
		a.of[id] = t.Questions[i]
	}
	return a, nil
}
