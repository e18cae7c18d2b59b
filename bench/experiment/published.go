package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/unknown"
)

// Published are numbers of a paper as it prints them, except that percentages are shares here.
type Published struct {
	Model string `yaml:"model" json:"model"`
	From  string `yaml:"from" json:"from"` // table or figure
	// "" of a Fit, which is over all tasks
	Task string `yaml:"task,omitempty" json:"task,omitempty"`
	// of Value: a condition, or the mean of a group as (A, B) or of a sweep as NAME/SETTING=*; for Values the name of a
	// sweep, or "" if they are of several conditions
	Condition string `yaml:"condition,omitempty" json:"condition,omitempty"`
	// of Value: one of the experiment's contrasts, in the place of Task, Condition and Measure
	Contrast string `yaml:"contrast,omitempty" json:"contrast,omitempty"`
	Measure  string `yaml:"measure,omitempty" json:"measure,omitempty"` // "" is accuracy
	// of one condition
	Value *float64 `yaml:"value,omitempty" json:"value,omitempty"`
	// standard deviation over repeats
	Deviation *float64 `yaml:"deviation,omitempty" json:"deviation,omitempty"`
	// by the value of the swept setting, or by the name of the condition
	Values Pairs `yaml:"values,omitempty" json:"values,omitempty"`
	// a regression over debates of all conditions and tasks, in the place of the fields above from Task on
	Fit *Fit `yaml:"fit,omitempty" json:"fit,omitempty"`
}

// Fit is a regression over debates as a paper prints it.
type Fit struct {
	// the name of one of roles.FitOutcomes
	Outcome  string  `yaml:"outcome" json:"outcome"`
	N        int     `yaml:"n" json:"n"` // debates
	R2       float64 `yaml:"r2" json:"r2"`
	Adjusted float64 `yaml:"r2-adjusted" json:"r2_adjusted"`
	// by predictor, one of roles.PredictorNames or const: the estimate and its standard error
	Coefficients Pairs `yaml:"coefficients" json:"coefficients"`
}

// check refuses what no table of regressions shows.
func (f Fit) check() error {
	switch outcomes := fitOutcomes(); {
	case !slices.Contains(outcomes, f.Outcome):
		return settingError{"fit.outcome", unknown.Name("outcome of a fit", f.Outcome, outcomes)}
	case f.N < 1 || len(f.Coefficients) == 0:
		return fmt.Errorf("a fit needs coefficients and the number n of its debates, at least 1, not %d", f.N)
	case !(f.R2 >= 0 && f.R2 <= 1) || !(f.Adjusted <= f.R2):
		return fmt.Errorf("the R² of a fit is from 0 to 1, and adjusted at most as large: %g, %g", f.R2, f.Adjusted)
	}
	for _, c := range f.Coefficients {
		if predictors := append([]string{regression.Constant}, roles.PredictorNames...); !slices.Contains(predictors,
			c.Name) {
			return settingError{"fit.coefficients", unknown.Name("predictor", c.Name, predictors)}
		}
		if _, ok := coefficient(c); !ok {
			return settingError{"fit.coefficients",
				fmt.Errorf("%s: %v is not [ESTIMATE, STANDARD ERROR], whose error is above 0", c.Name, c.Value)}
		}
	}
	return nil
}

// coefficient reads a predictor with its estimate and standard error.
func coefficient(p Pair) (c regression.Coefficient, ok bool) {
	list, _ := p.Value.([]any)
	if len(list) != 2 {
		return c, false
	}
	estimate, isNumber := number(list[0])
	deviation, also := number(list[1])
	return regression.Coefficient{Name: p.Name, Estimate: estimate, Error: deviation},
		isNumber && also && deviation > 0 && !math.IsInf(deviation, 0) && !math.IsNaN(estimate) &&
			!math.IsInf(estimate, 0)
}

// fitOutcomes returns the names of what regressions explain.
func fitOutcomes() (names []string) {
	for _, o := range roles.FitOutcomes {
		names = append(names, o.Name)
	}
	return names
}

// numbers counts what is printed: an estimate and an error for each predictor, and three for the fit.
func (f Fit) numbers() int { return 2*len(f.Coefficients) + 3 }

// Fits returns the published regressions.
func (e Experiment) Fits() (fits []roles.Printed) {
	for _, p := range e.Published {
		if p.Fit == nil {
			continue
		}
		printed := roles.Printed{Model: p.Model, From: p.From, Outcome: p.Fit.Outcome, N: p.Fit.N, R2: p.Fit.R2,
			Adjusted: p.Fit.Adjusted}
		for _, pair := range p.Fit.Coefficients {
			c, _ := coefficient(pair) // was checked
			printed.Coefficients = append(printed.Coefficients, c)
		}
		fits = append(fits, printed)
	}
	return fits
}

// check refuses a number that would never stand beside one of ours: without a task, condition or measure of the
// experiment.
func (p Published) check(e Experiment, points []Point) error {
	if p.Fit != nil {
		if p.Task+p.Condition+p.Measure != "" || p.Value != nil || p.Deviation != nil || p.Values != nil {
			return fmt.Errorf("%s: a fit is over all tasks and conditions: leave out task, condition, measure, value, "+
				"deviation and values", p.From)
		}
		return p.Fit.check()
	}
	if p.Contrast != "" {
		return p.checkContrast(e, points)
	}
	switch {
	case !slices.ContainsFunc(e.Tasks, func(t Task) bool { return t.Name == p.Task }):
		return fmt.Errorf("no task %q", p.Task)
	case (p.Value == nil) == (len(p.Values) == 0):
		return fmt.Errorf("%s, %s: give either a value or the values of a sweep", p.From, p.Condition)
	case p.Measure != "" && !analysis.IsMeasure(p.Measure):
		return settingError{"measure", fmt.Errorf("no measure %q; there are %s", p.Measure,
			strings.Join(analysis.MeasureNames(), ", "))}
	case p.Value != nil && MeanOf(p.Condition, points) == nil &&
		!slices.Contains(append(conditionNames(points), trial.ControlNames()...), p.Condition):
		return fmt.Errorf("no condition %q; there are %s", p.Condition, strings.Join(conditionNames(points), ", "))
	}
	return p.checkValues(points)
}

// checkContrast refuses a number of a contrast that the experiment does not have.
func (p Published) checkContrast(e Experiment, points []Point) error {
	if p.Task+p.Condition+p.Measure != "" || p.Value == nil || p.Values != nil {
		return fmt.Errorf("%s: a number of a contrast has a value, and neither task, condition, measure nor values",
			p.From)
	}
	_, _, err := e.findContrast(p.Contrast, points)
	return err
}

// checkValues refuses values of a sweep that stand beside no condition or are no numbers.
func (p Published) checkValues(points []Point) error {
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

// MeanOf returns the conditions whose mean a name is: (A, B) is that of these conditions, and NAME/SETTING=* that of
// all that sweep NAME over the setting alone. It returns nil for any other name.
func MeanOf(name string, points []Point) (conditions []string) {
	if group, err := contrast.Group(name); err == nil && len(group) > 1 {
		known := conditionNames(points)
		if slices.ContainsFunc(group, func(c string) bool { return !slices.Contains(known, c) }) {
			return nil
		}
		return group
	}
	series, starred := strings.CutSuffix(name, "=*")
	if !starred {
		return nil
	}
	for _, p := range points {
		if len(p.At) == 1 && series == p.Series+"/"+p.At[0].Setting {
			conditions = append(conditions, p.Condition)
		}
	}
	return conditions
}

// at returns the condition that an item of Values belongs to, "" if there is none.
func (p Published) at(item Pair, points []Point) string {
	if p.Condition == "" && slices.Contains(append(conditionNames(points), trial.ControlNames()...), item.Name) {
		return item.Name
	}
	for _, point := range points {
		if point.Series == p.Condition && len(point.At) == 1 && point.At[0].Value == item.Name {
			return point.Condition
		}
	}
	return ""
}

// Number is one published number, of one condition on one task or of a contrast.
type Number struct {
	Model     string   `json:"model"`
	From      string   `json:"from"`
	Task      string   `json:"task"`               // of an average over tasks all of them, as a list
	Condition string   `json:"condition"`          // or the sides of a contrast, without its measure
	Contrast  string   `json:"contrast,omitempty"` // its name, "" of a condition
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
		if p.Fit != nil {
			continue
		}
		n := Number{Model: p.Model, From: p.From, Task: p.Task, Condition: p.Condition, Measure: p.Measure,
			Deviation: p.Deviation}
		if n.Measure == "" {
			n.Measure = analysis.MeasureAccuracy
		}
		if p.Contrast != "" {
			k, tasks, _ := e.findContrast(p.Contrast, points) // was checked
			first, second := k.Sides()
			n.Task, n.Contrast, n.Condition = strings.Join(tasks, ", "), k.Name, first+" - "+second
			n.Measure = cmp.Or(k.Measure, n.Measure)
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
