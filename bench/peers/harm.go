package peers

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/bench/table"
)

// Harm is how well the first round tells which agents will conform to their harm: give up a right answer for a wrong
// one that another agent gave first. That it can be predicted is a finding of Not All Flips Are Conformity (arXiv
// 2606.00820), whose predictors and model were not at hand: the design is ours. Agents count whose first answer
// somebody contests; whether it is right is not known to the regression. It is logistic, with errors by question.
type Harm struct {
	N         int `json:"n"`         // contested agents that answered twice
	Harmed    int `json:"harmed"`    // of them
	Questions int `json:"questions"` // with such agents

	// AUC is of predictions for each question by a fit to the questions of other folds; nil with Why.
	AUC          *float64                 `json:"auc,omitempty"`
	Coefficients []regression.Coefficient `json:"coefficients,omitempty"` // of all questions
	LeftOut      []string                 `json:"left_out,omitempty"`     // what is constant or follows from the rest
	Why          string                   `json:"not_predicted,omitempty"`
}

// harmPredictors are what the first round tells of an agent.
var harmPredictors = []string{
	"against",    // share of the others that gave the most frequent answer against its own
	"support",    // share of the others that gave its own answer
	"difference", // share of pairs of agents in the team whose answers differ
	"likelihood", // mean log-likelihood of a token of its reply
	"confidence", // that it states, from 0 to 1; 0.5 if it states none
}

// Limits of the prediction: folds of questions, and how many agents have to be harmed, and not to be, for each
// coefficient to have some to learn from.
const (
	harmFolds = 5
	leastHarm = 20
)

// HarmOf predicts the agents of one condition; the result is nil if nobody's answer is contested, or it is not known
// which answers are right.
func HarmOf(debates []relation.Debate) *Harm {
	if !marked(debates) {
		return nil
	}
	d, questions := regression.Data{Names: harmPredictors}, []string(nil)
	for _, o := range debates {
		rows, harmed := contestedRows(o)
		d.Rows, d.Outcome = append(d.Rows, rows...), append(d.Outcome, harmed...)
		for range rows {
			questions = append(questions, o.Question)
		}
	}
	if len(d.Rows) == 0 {
		return nil
	}
	h, different := &Harm{N: len(d.Rows)}, make(map[string]bool)
	for i, y := range d.Outcome {
		h.Harmed += int(y)
		different[questions[i]] = true
	}
	h.Questions = len(different)
	if err := h.predict(d, questions); err != nil {
		h.Why = err.Error()
	}
	return h
}

func (h *Harm) predict(d regression.Data, questions []string) error {
	if min(h.Harmed, h.N-h.Harmed) < leastHarm {
		return fmt.Errorf("of %d contested agents %d were harmed: at least %d, and as many others, are needed", h.N,
			h.Harmed, leastHarm)
	}
	kept, leftOut, err := d.Independent()
	h.LeftOut = leftOut
	if err != nil {
		return err
	}
	if len(kept.Names) == 0 {
		return errors.New("the first round is the same for all agents")
	}
	odds, err := regression.LogisticFolds(kept, questions, harmFolds)
	if err != nil {
		return err
	}
	fit, err := regression.Logistic(kept, questions)
	if err != nil {
		return err
	}
	if area, known := regression.AUC(odds, d.Outcome); known {
		h.AUC, h.Coefficients = &area, fit.Coefficients
	}
	return nil
}

// contestedRows are the predictors of each contested agent of a debate, and whether it was harmed, 1 or 0.
func contestedRows(o relation.Debate) (rows [][]float64, harmed []float64) {
	var first []int
	for _, a := range o.Agents {
		first = append(first, a.First.ID)
	}
	same, known := agreement.PairAgreement(first)
	if !known {
		return nil, nil
	}
	for i, agent := range o.Agents {
		if agent.Times < 2 || !agent.First.Read() {
			continue
		}
		counts, most := make(map[int]int), 0
		for j, other := range first {
			if j != i && other != agreement.Unparsed {
				counts[other]++
				if other != first[i] {
					most = max(most, counts[other])
				}
			}
		}
		if most == 0 {
			continue
		}
		others := float64(len(o.Agents) - 1)
		t := o.Debate.Agents()[i].First
		row := []float64{float64(most) / others, float64(counts[first[i]]) / others, 1 - same, 0, 0.5}
		if t.Reply.Tokens > 0 && !t.Reply.Unscored {
			row[3] = t.Reply.LogProb / float64(t.Reply.Tokens)
		}
		if t.Confidence != nil {
			row[4] = *t.Confidence
		}
		rows = append(rows, row)
		harmed = append(harmed, stat.One[float64](agent.First.Right && !agent.Last.Right && counts[agent.Last.ID] > 0))
	}
	return rows, harmed
}

// HarmTable says how well harm is predicted, and by what. Conditions with too few harmed agents are left out.
func HarmTable(conditions []Measures) table.Table {
	rows := keepConditions(conditions, func(c Measures) bool { return c.Harm != nil && c.Harm.AUC != nil })
	columns := []table.Column[Measures]{
		table.Words("condition", func(c Measures) string { return c.Condition }),
		table.Counts("contested agents", func(c Measures) int { return c.Harm.N }),
		table.Ratios("harmed", "", func(c Measures) (int, int) { return c.Harm.Harmed, c.Harm.N }),
		table.Counts("questions", func(c Measures) int { return c.Harm.Questions }),
		table.Decimals("AUC", func(c Measures) *float64 { return c.Harm.AUC }),
	}
	for _, name := range harmPredictors {
		columns = append(columns, table.Column[Measures]{Name: name,
			Text: func(c Measures) string {
				if k := c.Harm.coefficient(name); k != nil {
					return fmt.Sprintf("%.3f%s", k.Estimate, k.Stars())
				}
				return table.Absent
			},
			Values: func(c Measures) []any {
				if k := c.Harm.coefficient(name); k != nil {
					return []any{k.Estimate}
				}
				return nil
			}})
	}
	t := table.New(columns, rows)
	t.Title = "Harmful conformity, predicted from the first round"
	t.Caption = fmt.Sprintf("Contested: agents some of whose peers first gave another answer. Harmed: those that gave "+
		"up a right answer for a wrong one of a peer. AUC: how well a logistic regression tells them from the others, "+
		"for each question by a fit to other questions (%d folds); 0.5 is chance. Its coefficients, of all questions, "+
		"are the changes in log-odds for: against, the share of peers with the most frequent answer against the "+
		"agent's; support, the share with its own; difference, the share of pairs in the team that differ; "+
		"likelihood, of a token of its reply; confidence, that it states. Those that do not vary or follow from the "+
		"rest are left out. *, **, ***: p below 0.05, 0.01, 0.001, by question. After arXiv 2606.00820; the "+
		"predictors are ours. At least %d agents have to be harmed.", harmFolds, leastHarm)
	return t
}

// coefficient is that of a predictor, nil if it was left out.
func (h *Harm) coefficient(name string) *regression.Coefficient {
	i := slices.IndexFunc(h.Coefficients, func(c regression.Coefficient) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &h.Coefficients[i]
}
