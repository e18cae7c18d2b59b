// Package experiment reads files that describe experiments: which tasks, which conditions, how often, and which numbers
// a paper reports. The experiments of the papers are embedded in the program; users write theirs with the same fields.
//
// Lifecycle: Load reads an Experiment, Miniature reduces it to its small version, Questions reads its task files, and
// Prepare turns each task into a TaskRun for a model, which goes through bench.Compare into a run directory of its own.
// An experiment that no file describes is that of a Standard, which only Prepare and EachModel are for.
//
// What holds: an Experiment was checked when it was read, so its conditions compose without a model. Whatever a file
// says is obeyed or refused with its line.
package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/unknown"
)

// Experiment is one experiment as its file describes it.
type Experiment struct {
	Name string `yaml:"name" json:"name"`
	// the table or figure that it reproduces
	Source string `yaml:"source,omitempty" json:"source,omitempty"`
	// the question that it answers
	Meaning string `yaml:"meaning,omitempty" json:"meaning,omitempty"`
	// how it differs from its source, and what the source leaves open
	Notes      []string    `yaml:"notes,omitempty" json:"notes,omitempty"`
	Tasks      []Task      `yaml:"tasks" json:"tasks"`
	Conditions []Condition `yaml:"conditions" json:"conditions"`
	// the models of teams by their roles, such as strong and weak; "" is left to who runs the experiment
	Models map[string]string `yaml:"models,omitempty" json:"models,omitempty"`
	// the condition that others are compared with; "" is the first
	Reference string `yaml:"reference,omitempty" json:"reference,omitempty"`
	// whether controls of the reference are added, see trial.Controls; nil is true
	Controls *bool `yaml:"controls,omitempty" json:"controls,omitempty"`
	// whether the reference is drawn again where there is one repeat, see trial.DrawnAgain
	Again bool `yaml:"again,omitempty" json:"again,omitempty"`
	// what conditions may generate, in lengths of one answer; none is whatever they do
	Budgets []int `yaml:"budgets,omitempty,flow" json:"budgets,omitempty"`
	// how often each condition is held on each question, with other seeds; 0 is 1
	Repeats    int `yaml:"repeats,omitempty" json:"repeats,omitempty"`
	spec.Tests `yaml:",inline"`
	// of the run and of the draw of questions; 0 is 1
	Seed     uint64           `yaml:"seed,omitempty" json:"seed,omitempty"`
	Sampling inference.Chosen `yaml:"sampling,omitempty" json:"sampling"`
	// the most tokens of one reply; 0 is 256 for the embedded model, else 1024
	MaxTokens int `yaml:"max-tokens,omitempty" json:"max_tokens,omitempty"`
	// who sees the reasoning in replies: one of debate.ReasoningModes; "" is debate.HideReasoning
	Reasoning string `yaml:"reasoning,omitempty" json:"reasoning,omitempty"`
	// whether replies end at the stop texts of their prompts; nil is true
	Stop *bool `yaml:"stop,omitempty" json:"stop,omitempty"`
	// whether agents are asked for the answer alone where a reply states none, debate.Asking.Closing; nil is false with
	// a source, whose program does not, and otherwise true, as in a comparison
	Closing *bool `yaml:"closing,omitempty" json:"closing,omitempty"`
	// whether it is measured how probable each answer is to an agent around each of its messages
	Beliefs   bool        `yaml:"beliefs,omitempty" json:"beliefs,omitempty"`
	Published []Published `yaml:"published,omitempty" json:"published,omitempty"`
	Small     *Small      `yaml:"small,omitempty" json:"small,omitempty"`

	resampled []string // parameters of the sampling that were changed after reading

	standard *Standard // the debate that Standard.Experiment varies; nil for an experiment of a file

	text []byte // of the file, for errors that show a line; nil once the experiment differs from it
	dir  string // of the file: the first place to look for files that it names
}

// samplingOf is how replies of an experiment of a source are drawn: at temperature 1 where nothing else is chosen.
func samplingOf(c inference.Chosen) inference.Sampling {
	return c.In(inference.Sampling{Temperature: 1})
}

// Small replaces parts of an experiment in its miniature, which takes about a minute on the embedded model and shows
// that everything works.
type Small struct {
	Tasks     []Task `yaml:"tasks" json:"tasks"`
	Budgets   []int  `yaml:"budgets,omitempty,flow" json:"budgets,omitempty"`
	Repeats   int    `yaml:"repeats,omitempty" json:"repeats,omitempty"`
	MaxTokens int    `yaml:"max-tokens,omitempty" json:"max_tokens,omitempty"`
}

// Miniature returns the experiment with the tasks, numbers and settings that its file gives under small. Roles without
// a model are played by the model of the run. Lengths, prompts and memories under small are those of the embedded
// model; for another one, those of the experiment stay.
func (e Experiment) Miniature(embedded bool) (Experiment, error) {
	if e.Small == nil {
		return e, fmt.Errorf("experiment %s has no miniature: add tasks with a few questions under small", e.Name)
	}
	e.Tasks, e.Repeats = e.Small.Tasks, e.Small.Repeats
	if e.Small.Budgets != nil {
		e.Budgets = e.Small.Budgets
	}
	if embedded {
		e.MaxTokens = e.Small.MaxTokens
	}
	e.Conditions = slices.Clone(e.Conditions)
	for i, c := range e.Conditions {
		if c.Small != nil {
			small := c.Small.Set
			if !embedded {
				small = small.without("prompts", "memory")
			}
			c.Set, c.Sweep, c.Small = c.Set.with(small), c.Sweep.with(c.Small.Sweep), nil
		}
		e.Conditions[i] = c.renameModels(e.cast)
	}
	e.Models, e.Small, e.text = nil, nil, nil // lines of the file are not those of the miniature
	e.Contrasts = e.fittingContrasts()        // first: published numbers may be of them
	e.Published = e.fitting()
	return e, e.check()
}

// Changes are what a command line changes in an experiment. The zero value changes nothing.
type Changes struct {
	Only      []string // the tasks to keep; none keeps all
	Questions int      // the most questions of a task
	Repeats   int
	Seed      uint64
	Models    map[string]string // by role; they replace those of the experiment
	Contrasts []string          // further ones
	Budgets   []int             // instead of the experiment's
	Methods   []string          // the conditions to keep beside the reference; usualMethods are those not optional
	MaxTokens int
	Sampling  inference.Chosen
	Reasoning string   // one of debate.ReasoningModes; "" leaves it
	Beliefs   bool     // whether beliefs are measured; false leaves it
	Controls  *bool    // whether controls of the reference are added; nil leaves it
	Set       []string // NAME=VALUE: settings of all conditions that read them; agents only of those with several
}

// With returns the experiment with some changes.
func (e Experiment) With(c Changes) (Experiment, error) {
	if err := bounds.Check("questions", c.Questions, task.QuestionsRange.OrZero()); err != nil {
		return e, err
	}
	e, err := e.withMethods(c.Methods)
	if err != nil {
		return e, err
	}
	if e.Models, err = e.modelsWith(c.Models); err != nil {
		return e, err
	}
	e.Repeats, e.Seed = cmp.Or(c.Repeats, e.Repeats), cmp.Or(c.Seed, e.Seed, 1)
	if e, err = e.applyChanges(c); err != nil {
		return e, err
	}
	if e, err = e.withBudgets(c.Budgets); err != nil {
		return e, err
	}
	e.Tasks = slices.Clone(e.Tasks)
	if len(c.Contrasts) > 0 {
		e.Contrasts, e.text = slices.Concat(e.Contrasts, c.Contrasts), nil
	}
	for i := range e.Tasks {
		if t := &e.Tasks[i]; c.Questions > 0 && (t.Questions == 0 || t.Questions > c.Questions) {
			t.Questions = c.Questions
		}
	}
	if len(c.Only) == 0 {
		return e, e.check()
	}
	var kept []Task
	var names []string
	for _, t := range e.Tasks {
		names = append(names, t.Name)
	}
	for _, name := range c.Only {
		i := slices.IndexFunc(e.Tasks, func(t Task) bool { return t.Name == name })
		if i < 0 {
			return e, fmt.Errorf("experiment %s: %w", e.Name, unknown.Name("task", name, names))
		}
		kept = append(kept, e.Tasks[i])
	}
	e.Tasks, e.text = kept, nil
	e.Contrasts = e.fittingContrasts() // first: published numbers may be of them
	e.Published = e.fitting()
	return e, e.check()
}
