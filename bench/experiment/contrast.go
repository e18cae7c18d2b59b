package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/trial"
)

// checkContrasts refuses contrasts that no run of the experiment can test.
func (e Experiment) checkContrasts(points []Point) error {
	for i, text := range e.Contrasts {
		if err := e.checkContrast(text, points); err != nil {
			return e.at(fmt.Sprintf("contrasts[%d]", i), err)
		}
	}
	return nil
}

// checkContrast refuses a contrast of conditions or tasks that do not exist. Which controls the reference has is known
// only when a run is composed, so that all that can be added are accepted here.
func (e Experiment) checkContrast(text string, points []Point) error {
	text, tasks := contrast.OnTasks(text)
	for _, name := range tasks {
		if !slices.ContainsFunc(e.Tasks, func(t Task) bool { return t.Name == name }) {
			return fmt.Errorf("contrast %q: no task %q", text, name)
		}
	}
	_, err := contrast.Read([]string{text}, e.contrasted(points))
	return err
}

// contrasted returns the names of the conditions that contrasts can have.
func (e Experiment) contrasted(points []Point) []string {
	conditions := conditionNames(points)
	if e.hasControls() {
		for _, name := range trial.ControlNames() {
			conditions = with(conditions, name)
		}
	}
	return conditions
}

// findContrast returns one of the experiment's contrasts as a published number names it, with the tasks that the number
// is of: one on which the contrast is tested, or all of these, over which it is averaged.
func (e Experiment) findContrast(text string, points []Point) (k contrast.Contrast, tasks []string, err error) {
	conditions := e.contrasted(points)
	named, tasks := contrast.OnTasks(text)
	read, err := contrast.Read([]string{named}, conditions)
	switch {
	case err != nil:
		return k, nil, err
	case len(read) != 1:
		return k, nil, fmt.Errorf("contrast %q: a published number is of one contrast, not of %d", text, len(read))
	}
	for _, of := range e.ContrastsByTasks() {
		list, _ := contrast.Read([]string{of.Text}, conditions) // checkContrasts tells what is wrong with them
		on := slices.Equal(tasks, of.Tasks) || len(tasks) == 1 && slices.Contains(of.Tasks, tasks[0])
		if on && slices.ContainsFunc(list, func(c contrast.Contrast) bool { return c.Name == read[0].Name }) {
			return read[0], tasks, nil
		}
	}
	return k, nil, fmt.Errorf("contrast %q is not among the contrasts, on one of their tasks or on all: %s", text,
		strings.Join(e.Contrasts, "; "))
}

// with returns a list that has a name.
func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// fittingContrasts returns the contrasts whose conditions the experiment has, each on those of its tasks that it has.
func (e Experiment) fittingContrasts() (fitting []string) {
	points, err := e.Points()
	for _, text := range e.Contrasts {
		if named, tasks := contrast.OnTasks(text); tasks != nil {
			tasks = slices.DeleteFunc(tasks, func(name string) bool {
				return !slices.ContainsFunc(e.Tasks, func(t Task) bool { return t.Name == name })
			})
			text = named + " on " + strings.Join(tasks, ", ")
		}
		if err == nil && e.checkContrast(text, points) == nil {
			fitting = append(fitting, text)
		}
	}
	return fitting
}

// contrastsOn lists the contrasts of a task.
func (e Experiment) contrastsOn(task string) (list []string) {
	for _, c := range e.ContrastsByTasks() {
		if slices.Contains(c.Tasks, task) {
			list = append(list, c.Text)
		}
	}
	return list
}

// ContrastTasks is a contrast, or several if it has stars, and the tasks that it is tested on.
type ContrastTasks struct {
	Text  string
	Tasks []string
}

// ContrastsByTasks lists the contrasts with their tasks.
func (e Experiment) ContrastsByTasks() (list []ContrastTasks) {
	for _, text := range e.Contrasts {
		c := ContrastTasks{}
		if c.Text, c.Tasks = contrast.OnTasks(text); c.Tasks == nil {
			for _, t := range e.Tasks {
				c.Tasks = append(c.Tasks, t.Name)
			}
		}
		list = append(list, c)
	}
	return list
}
