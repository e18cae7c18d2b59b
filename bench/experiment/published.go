package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
)

// Published are numbers of a paper as it prints them, except that percentages are shares here.
type Published struct {
	Model string `yaml:"model" json:"model"`
	From  string `yaml:"from" json:"from"` // table or figure
	Task  string `yaml:"task" json:"task"`
	// of Value; for Values the name of a sweep, or "" if they are of several conditions
	Condition string   `yaml:"condition,omitempty" json:"condition,omitempty"`
	Measure   string   `yaml:"measure,omitempty" json:"measure,omitempty"`     // "" is accuracy
	Value     *float64 `yaml:"value,omitempty" json:"value,omitempty"`         // of one condition
	Deviation *float64 `yaml:"deviation,omitempty" json:"deviation,omitempty"` // standard deviation over repeats
	// by the value of the swept setting, or by the name of the condition
	Values Pairs `yaml:"values,omitempty" json:"values,omitempty"`
}

func (p Published) check(e Experiment, points []Point) error {
	switch {
	case !slices.ContainsFunc(e.Tasks, func(t Task) bool { return t.Name == p.Task }):
		return fmt.Errorf("no task %q", p.Task)
	case (p.Value == nil) == (len(p.Values) == 0):
		return fmt.Errorf("%s, %s: give either a value or the values of a sweep", p.From, p.Condition)
	case p.Measure != "" && !analysis.IsMeasure(p.Measure):
		return settingError{"measure", fmt.Errorf("no measure %q; there are %s", p.Measure,
			strings.Join(analysis.MeasureNames(), ", "))}
	case p.Value != nil && !slices.Contains(append(conditionNames(points), controlNames...), p.Condition):
		return fmt.Errorf("no condition %q; there are %s", p.Condition, strings.Join(conditionNames(points), ", "))
	}
	for _, item := range p.Values {
		if p.at(item, points) == "" {
			return fmt.Errorf("no condition %s; there are %s", strings.TrimSpace(p.Condition+" "+item.Name),
				strings.Join(conditionNames(points), ", "))
		}
		if _, ok := number(item.Value); !ok {
			return fmt.Errorf("%s %s: %v is not a number", p.Condition, item.Name, item.Value)
		}
	}
	return nil
}

// fitting returns the published numbers whose tasks and conditions the experiment has.
func (e Experiment) fitting() (fitting []Published) {
	points, err := e.Points()
	for _, p := range e.Published {
		p.Values = slices.DeleteFunc(slices.Clone(p.Values), func(item Pair) bool { return p.at(item, points) == "" })
		if err == nil && p.check(e, points) == nil {
			fitting = append(fitting, p)
		}
	}
	return fitting
}

// at returns the condition that an item of Values belongs to, "" if there is none.
func (p Published) at(item Pair, points []Point) string {
	if p.Condition == "" && slices.Contains(append(conditionNames(points), controlNames...), item.Name) {
		return item.Name
	}
	for _, point := range points {
		if point.Series == p.Condition && len(point.At) == 1 && point.At[0].Value == item.Name {
			return point.Condition
		}
	}
	return ""
}

// Number is one published number of one condition on one task.
type Number struct {
	Model     string   `json:"model"`
	From      string   `json:"from"`
	Task      string   `json:"task"`
	Condition string   `json:"condition"`
	Measure   string   `json:"measure"`
	Value     float64  `json:"value"`
	Deviation *float64 `json:"deviation,omitempty"`
}

// Numbers lists the published numbers one by one.
func (e Experiment) Numbers() (numbers []Number) {
	points, err := e.Points()
	if err != nil {
		return nil // cannot be: the experiment was checked when it was read
	}
	for _, p := range e.Published {
		n := Number{Model: p.Model, From: p.From, Task: p.Task, Condition: p.Condition, Measure: p.Measure,
			Deviation: p.Deviation}
		if n.Measure == "" {
			n.Measure = analysis.MeasureAccuracy
		}
		if p.Value != nil {
			n.Value = *p.Value
			numbers = append(numbers, n)
		}
		for _, item := range p.Values {
			n.Condition = p.at(item, points)
			n.Value, _ = number(item.Value)
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// number returns a number of YAML as a float64.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case uint64:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}
