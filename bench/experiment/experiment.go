// Package experiment describes experiments as files: which tasks, which conditions, how often, and what the paper
// reports. The experiments of the papers are embedded in the program; users write theirs in the same words.
//
// Lifecycle: Load reads an Experiment, Small reduces it to its miniature, Questions finds its task files, and Prepare
// turns each task into a TaskRun for a model, which goes through bench.Compare into a run directory of its own.
package experiment

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/bench/task"
	"parley/bench/trial"
	"parley/bounds"
	"parley/inference"
	"parley/strictyaml"
)

// Experiment is one, as its file has it.
type Experiment struct {
	Name    string `yaml:"name" json:"name"`
	Source  string `yaml:"source,omitempty" json:"source,omitempty"`   // the table or figure that it reproduces
	Meaning string `yaml:"meaning,omitempty" json:"meaning,omitempty"` // what it asks, in a sentence
	// where it differs from its source, and what the source leaves open
	Notes      []string    `yaml:"notes,omitempty" json:"notes,omitempty"`
	Tasks      []Task      `yaml:"tasks" json:"tasks"`
	Conditions []Condition `yaml:"conditions" json:"conditions"`
	// the condition that others are compared with; the first if it is not named
	Reference string `yaml:"reference,omitempty" json:"reference,omitempty"`
	// conditions around the reference that need no debate; true unless it is said
	Controls *bool `yaml:"controls,omitempty" json:"controls,omitempty"`
	// of each condition on each question, with other seeds; 0 is 1
	Repeats int `yaml:"repeats,omitempty" json:"repeats,omitempty"`
	// of the run and of the choice of questions; 0 is 1
	Seed     uint64   `yaml:"seed,omitempty" json:"seed,omitempty"`
	Sampling Sampling `yaml:"sampling,omitempty" json:"sampling"`
	// of one reply; 0 is 256 for the embedded model, else 1024
	MaxTokens int         `yaml:"max-tokens,omitempty" json:"max_tokens,omitempty"`
	Published []Published `yaml:"published,omitempty" json:"published,omitempty"`
	Small     *Small      `yaml:"small,omitempty" json:"small,omitempty"`

	text []byte // of the file it was read from
	dir  string // of that file: where files that it names are looked for first
}

// Sampling is how replies are drawn.
type Sampling struct {
	Temperature *float32 `yaml:"temperature,omitempty" json:"temperature,omitempty"` // 1 unless it is said
	TopK        int      `yaml:"top-k,omitempty" json:"top_k,omitempty"`
	TopP        float32  `yaml:"top-p,omitempty" json:"top_p,omitempty"`
	MinP        float32  `yaml:"min-p,omitempty" json:"min_p,omitempty"`
}

func (s Sampling) sampling() inference.Sampling {
	out := inference.Sampling{Temperature: 1, TopK: s.TopK, TopP: s.TopP, MinP: s.MinP}
	if s.Temperature != nil {
		out.Temperature = *s.Temperature
	}
	return out
}

// Small is what a miniature has in the place of the whole: it ends in about a minute on the embedded model and shows
// that everything works.
type Small struct {
	Tasks     []Task `yaml:"tasks" json:"tasks"`
	Repeats   int    `yaml:"repeats,omitempty" json:"repeats,omitempty"`
	MaxTokens int    `yaml:"max-tokens,omitempty" json:"max_tokens,omitempty"`
}

// Miniature is the experiment with what its file says under small.
func (e Experiment) Miniature() (Experiment, error) {
	if e.Small == nil {
		return e, fmt.Errorf("experiment %s has no miniature: add tasks with a few questions under small", e.Name)
	}
	e.Tasks, e.Repeats, e.MaxTokens = e.Small.Tasks, e.Small.Repeats, e.Small.MaxTokens
	e.Conditions = slices.Clone(e.Conditions)
	for i, c := range e.Conditions {
		if c.Small != nil {
			c.Set, c.Sweep, c.Small = c.Set.with(c.Small.Set), c.Sweep.with(c.Small.Sweep), nil
			e.Conditions[i] = c
		}
	}
	e.Small, e.text = nil, nil // lines of the file are not those of the miniature
	e.Published = e.fitting()
	return e, e.check()
}

//go:embed experiments/*.yaml
var files embed.FS

// fileOf is the file of an experiment in the program.
func fileOf(name string) string { return "experiments/" + name + ".yaml" }

// List is every experiment in the program, by name.
func List() (all []Experiment) {
	names, err := fs.Glob(files, "experiments/*.yaml")
	if err != nil {
		panic(err) // embedded
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		e, err := Parse(text)
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		if fileOf(e.Name) != name {
			panic(fmt.Errorf("%s: the experiment in it is called %s", name, e.Name))
		}
		all = append(all, e)
	}
	return all
}

// Load finds an experiment in the program by its name, or reads one from a path that ends in .yaml or .yml.
func Load(name string) (Experiment, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return read(name)
	}
	if text, err := files.ReadFile(fileOf(name)); err == nil {
		return Parse(text)
	}
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("no experiment %q; there are %s, or name a .yaml file", name,
		strings.Join(names, ", "))
}

func read(path string) (Experiment, error) {
	text, err := strictyaml.ReadFile(path)
	if err != nil {
		return Experiment{}, fmt.Errorf("experiment: %w", err)
	}
	e, err := parse(text, filepath.Dir(path))
	if err != nil {
		return e, fmt.Errorf("experiment %q: %w", path, err)
	}
	return e, nil
}

// Parse reads an experiment. Whatever is unknown, contradictory or missing is refused, with the line and a mark under
// it.
func Parse(text []byte) (Experiment, error) { return parse(text, "") }

func parse(text []byte, dir string) (Experiment, error) {
	e := Experiment{text: text, dir: dir}
	if err := strictyaml.Unmarshal(text, &e); err != nil {
		return e, err
	}
	return e, e.check()
}

// names of experiments, tasks and conditions are those of files and columns too.
var wellNamed = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.+-]{0,79}$`)

// check composes all that can be composed without a model.
func (e Experiment) check() error {
	switch {
	case !wellNamed.MatchString(e.Name):
		return e.at("name", fmt.Errorf("name %q: a name consists of letters, digits and _.+-", e.Name))
	case len(e.Tasks) == 0:
		return errors.New("tasks are missing: they say what is asked")
	case len(e.Conditions) == 0:
		return errors.New("conditions are missing: they say who is asked, and how")
	}
	if err := e.checkNumbers(); err != nil {
		return err
	}
	for i, t := range e.Tasks {
		if err := t.check(); err != nil {
			return e.at(fmt.Sprintf("tasks[%d]", i), err)
		}
		if slices.ContainsFunc(e.Tasks[:i], func(other Task) bool { return other.Name == t.Name }) {
			return e.at(fmt.Sprintf("tasks[%d].name", i), fmt.Errorf("two tasks have the name %s", t.Name))
		}
	}
	for i, c := range e.Conditions {
		if c.Small != nil && e.Small == nil {
			return e.at(fmt.Sprintf("conditions[%d].small", i),
				errors.New("there is no miniature: the experiment has nothing under small"))
		}
	}
	points, err := e.Points()
	if err != nil {
		return err
	}
	if e.Reference != "" && !slices.ContainsFunc(points, func(p Point) bool { return p.Condition == e.Reference }) {
		return e.at("reference", fmt.Errorf("the reference %s is not a condition; there are %s", e.Reference,
			strings.Join(conditionNames(points), ", ")))
	}
	for i, t := range e.Tasks {
		if err := t.checkWording(points, e.controlled()); err != nil {
			return e.at(fmt.Sprintf("tasks[%d].prompts", i), err)
		}
	}
	for i, p := range e.Published {
		if err := p.check(e, points); err != nil {
			return e.at(fmt.Sprintf("published[%d]%s", i, pathOf(err)), err)
		}
	}
	return nil
}

// controlled reports whether there are controls around the reference.
func (e Experiment) controlled() bool { return e.Controls == nil || *e.Controls }

// checkNumbers refuses what is out of its range. What is not given is 0.
func (e Experiment) checkNumbers() error {
	for _, n := range []struct {
		at    string
		value int
		in    bounds.Range
	}{
		{"repeats", e.Repeats, trial.RepeatsRange}, {"max-tokens", e.MaxTokens, inference.MaxTokensRange},
		{"small.repeats", e.small().Repeats, trial.RepeatsRange}, {"small.max-tokens", e.small().MaxTokens,
			inference.MaxTokensRange},
	} {
		if err := bounds.Check(n.at, n.value, n.in.OrZero()); err != nil {
			return e.at(n.at, err)
		}
	}
	if err := e.Sampling.sampling().Validate(); err != nil {
		return e.at("sampling", err)
	}
	return nil
}

// small is what the file says of a miniature.
func (e Experiment) small() Small {
	if e.Small == nil {
		return Small{}
	}
	return *e.Small
}

// at adds the line of the file that an error is about, with a mark under it.
func (e Experiment) at(path string, err error) error {
	at, pathErr := yaml.PathString("$." + path)
	if pathErr != nil || e.text == nil {
		return err
	}
	marked, pathErr := at.AnnotateSource(e.text, false)
	if pathErr != nil {
		return err
	}
	return fmt.Errorf("%w\n%s", err, marked)
}

// YAML is the experiment as a file for any directory; Parse reads it. Protocols that were files beside it are named by
// their whole paths.
func (e Experiment) YAML() ([]byte, error) {
	e.Conditions = slices.Clone(e.Conditions)
	for i, c := range e.Conditions {
		if path := beside(e.dir, c.Protocol); path != c.Protocol {
			whole, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			e.Conditions[i].Protocol = whole
		}
	}
	return yaml.MarshalWithOptions(e, yaml.Indent(2), yaml.IndentSequence(true))
}

// Text is that of the file, with its comments; nil of what was made of one.
func (e Experiment) Text() []byte { return e.text }

// beside is a file that an experiment names, looked for beside it first.
func beside(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) || !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return name
	}
	if path := filepath.Join(dir, name); exists(path) {
		return path
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Changes are what a command line says otherwise than a file.
type Changes struct {
	Only      []string // tasks; none are all
	Questions int      // of a task, at most; 0 is as many as the file says
	Repeats   int      // 0 is the file's
	Seed      uint64   // the same
}

// With is the experiment with some changes.
func (e Experiment) With(c Changes) (Experiment, error) {
	if err := bounds.Check("questions", c.Questions, task.QuestionsRange.OrZero()); err != nil {
		return e, err
	}
	e.Repeats, e.Seed = cmp.Or(c.Repeats, e.Repeats), cmp.Or(c.Seed, e.Seed, 1)
	e.Tasks = slices.Clone(e.Tasks)
	for i := range e.Tasks {
		if t := &e.Tasks[i]; c.Questions > 0 && (t.Questions == 0 || t.Questions > c.Questions) {
			t.Questions = c.Questions
		}
	}
	if len(c.Only) == 0 {
		return e, e.check()
	}
	var kept []Task
	for _, name := range c.Only {
		i := slices.IndexFunc(e.Tasks, func(t Task) bool { return t.Name == name })
		if i < 0 {
			return e, fmt.Errorf("experiment %s has no task %s", e.Name, name)
		}
		kept = append(kept, e.Tasks[i])
	}
	e.Tasks, e.text = kept, nil
	e.Published = e.fitting()
	return e, e.check()
}
