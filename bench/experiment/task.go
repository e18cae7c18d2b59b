package experiment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/bench/task"
	"parley/bounds"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/protocol"
)

// Task is where questions come from: a file of a family of benchmarks, a generator, or rows in the experiment itself.
type Task struct {
	Name   string `yaml:"name" json:"name"`
	Family string `yaml:"family,omitempty" json:"family,omitempty"` // one that parley data lists
	// its name, or a pattern such as *test*.jsonl, somewhere below the data directories
	File      string           `yaml:"file,omitempty" json:"file,omitempty"`
	Generated int              `yaml:"generated,omitempty" json:"generated,omitempty"`
	Objects   int              `yaml:"objects,omitempty" json:"objects,omitempty"` // in generated puzzles: 3, 5 or 7
	Rows      []map[string]any `yaml:"rows,omitempty" json:"rows,omitempty"`       // as a file of the family has them

	// at most so many, drawn with the seed; 0 is all
	Questions int `yaml:"questions,omitempty" json:"questions,omitempty"`
	// as many as an accuracy within this margin at 95 % needs
	Margin float64 `yaml:"margin,omitempty" json:"margin,omitempty"`
	// the questions with these numbers, from 1
	IDs []int `yaml:"ids,omitempty" json:"ids,omitempty"`

	Instruction string `yaml:"instruction,omitempty" json:"instruction,omitempty"` // before every question
	// by which answers are read, in the place of the family's
	Rule string `yaml:"rule,omitempty" json:"rule,omitempty"`
	// by form of debate: the wording of conditions that name none
	Prompts map[string]string `yaml:"prompts,omitempty" json:"prompts,omitempty"`
}

func (t Task) check() error {
	ways := 0
	for _, given := range []bool{t.File != "", t.Generated != 0, len(t.Rows) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case !wellNamed.MatchString(t.Name):
		return fmt.Errorf("name %q: a name consists of letters, digits and _.+-", t.Name)
	case ways != 1:
		return fmt.Errorf("task %s: give one of file, generated and rows", t.Name)
	case t.Generated < 0:
		return fmt.Errorf("task %s: generated %d: it cannot be negative", t.Name, t.Generated)
	case t.Family != "" && t.Generated != 0:
		return fmt.Errorf("task %s: generated puzzles have no family", t.Name)
	case t.Objects != 0 && t.Generated == 0:
		return fmt.Errorf("task %s: objects is a setting of generated puzzles only", t.Name)
	case t.Family == "" && t.Generated == 0:
		return fmt.Errorf("task %s: name the family, so that no other file of the same name is read; parley data "+
			"lists the families", t.Name)
	case t.Family != "" && !slices.ContainsFunc(task.Families(),
		func(f task.Family) bool { return f.Name == t.Family }):
		return fmt.Errorf("task %s: no family %q; parley data lists them", t.Name, t.Family)
	}
	if err := cmp.Or(
		bounds.Check("questions", t.Questions, task.QuestionsRange.OrZero()), bounds.Check("margin", t.Margin,
			bounds.From(0.001, 0.5).OrZero()),
		bounds.Check("generated", t.Generated, task.PuzzlesRange.OrZero()), bounds.Check("objects", t.Objects,
			task.ObjectsRange.OrZero()),
	); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	return t.checkReading()
}

// Data is where task files are.
type Data struct {
	Directories []string          // looked through with all that is in them
	Files       map[string]string // by the name of the task, where a user says which
}

// ErrMissing is the error of task files that are not there.
var ErrMissing = errors.New("task files are missing")

// load reads the questions of a task.
func (t Task) load(d Data, seed uint64) (task.Task, error) {
	questions, err := t.questions(d, seed)
	if err != nil {
		return task.Task{}, err
	}
	questions.Name = t.Name
	if questions, err = t.readBy(t.instructed(questions)); err != nil {
		return task.Task{}, err
	}
	if len(t.IDs) > 0 {
		if questions, err = questions.Pick(t.IDs); err != nil {
			return task.Task{}, err
		}
	}
	if t.Margin > 0 {
		questions = questions.Subset(task.SampleSize(len(questions.Questions), t.Margin, 0.95), seed)
	}
	return questions.Subset(t.Questions, seed), nil
}

func (t Task) questions(d Data, seed uint64) (task.Task, error) {
	switch {
	case t.Generated > 0:
		return task.Generate(cmp.Or(t.Objects, 3), t.Generated, seed)
	case len(t.Rows) > 0:
		text, err := json.Marshal(t.Rows)
		if err != nil {
			return task.Task{}, fmt.Errorf("task %s: %w", t.Name, err)
		}
		return task.Rows(t.Name, t.Family, text)
	}
	path, err := t.find(d)
	if err != nil {
		return task.Task{}, err
	}
	return task.Load(path)
}

// instructed has the instruction before every question.
func (t Task) instructed(questions task.Task) task.Task {
	if t.Instruction == "" {
		return questions
	}
	questions.Source += fmt.Sprintf(", instruction %q", t.Instruction)
	questions.Questions = slices.Clone(questions.Questions)
	for i := range questions.Questions {
		questions.Questions[i].Text = t.Instruction + "\n\n" + questions.Questions[i].Text
	}
	return questions
}

// readBy is a task whose answers are read by the rule, if one is given: that of a source which reads all its data sets
// alike.
func (t Task) readBy(questions task.Task) (task.Task, error) {
	if t.Rule == "" {
		return questions, nil
	}
	extract, err := answer.Named(t.Rule)
	if err != nil {
		return task.Task{}, fmt.Errorf("task %s: %w", t.Name, err)
	}
	questions.Rule, questions.Extract, questions.Questions = t.Rule, extract, slices.Clone(questions.Questions)
	for i := range questions.Questions {
		q := &questions.Questions[i]
		if q.Truth = extract(q.Target); !q.Truth.Parsed {
			return task.Task{}, fmt.Errorf("task %s: the rule %s reads no answer from the target %.40q of question %s",
				t.Name, t.Rule, q.Target, q.ID)
		}
	}
	return questions, nil
}

// checkReading says what is wrong with the rule of a task.
func (t Task) checkReading() error {
	if t.Rule == "" {
		return nil
	}
	if _, err := answer.Named(t.Rule); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	for _, f := range task.Families() {
		if f.Name == t.Family && !task.ByTarget(f.Measure) {
			return fmt.Errorf("task %s: the family %s does not score by equality alone and needs its own rule %s",
				t.Name, f.Name, f.Rule)
		}
	}
	return nil
}

// worded is a protocol in the wording that a task has for its form, unless it names its own.
func (t Task) worded(p protocol.Protocol) protocol.Protocol {
	if p.Prompts == "" {
		p.Prompts = t.Prompts[p.Form]
	}
	return p
}

// checkWording composes all conditions in the wording of a task; controls are societies.
func (t Task) checkWording(points []Point, controls bool) error {
	if controls {
		points = append(slices.Clone(points), Point{Condition: "controls",
			Protocol: protocol.Protocol{Settings: debate.Settings{Form: "society"}}})
	}
	for _, form := range slices.Sorted(maps.Keys(t.Prompts)) {
		used := false
		for _, p := range points {
			if p.Protocol.Form != form || p.Protocol.Prompts != "" {
				continue
			}
			used = true
			if _, err := t.worded(p.Protocol).Compose(debate.Asking{}); err != nil {
				return fmt.Errorf("task %s, %s: %w", t.Name, p.Condition, err)
			}
		}
		if !used {
			return fmt.Errorf("task %s: no condition has the form %s, whose prompts are given", t.Name, form)
		}
	}
	return nil
}

// find looks for the file of a task.
func (t Task) find(d Data) (string, error) {
	if path, ok := d.Files[t.Name]; ok {
		return path, nil
	}
	var found []string
	for _, dir := range d.Directories {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // what cannot be looked into has no file
			}
			if matched, err := filepath.Match(t.File, entry.Name()); err != nil || !matched {
				return err
			}
			if slices.ContainsFunc(found, func(other string) bool { return sameFile(path, other) }) {
				return nil // below two of the directories
			}
			if r, err := task.Inspect(path); err == nil && r.Family.Name == t.Family {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("task %s: file %q: %w", t.Name, t.File, err)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%w: %s: no file %s of the family %s below %s; it can be had from %s; name its "+
			"directory with --data, or the file with --task %s=FILE",
			ErrMissing, t.Name, t.File, t.Family, strings.Join(d.Directories, ", "), t.where(), t.Name)
	}
	return "", fmt.Errorf("task %s: %d files match %s of the family %s: %s; choose one with --task %s=FILE", t.Name,
		len(found), t.File, t.Family, strings.Join(found, ", "), t.Name)
}

func sameFile(path, other string) bool {
	a, err := os.Stat(path)
	b, otherErr := os.Stat(other)
	return err == nil && otherErr == nil && os.SameFile(a, b)
}

// where the public files are.
func (t Task) where() string {
	i := slices.IndexFunc(task.Families(), func(f task.Family) bool { return f.Name == t.Family })
	return task.Families()[i].Where
}
