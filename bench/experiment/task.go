package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/unknown"
)

// Task says where questions come from: a benchmark file, the generator of puzzles, or rows in the experiment itself.
type Task struct {
	Name   string `yaml:"name" json:"name"`
	Family string `yaml:"family,omitempty" json:"family,omitempty"` // see task.Families
	// the name of a file below the data directories, or a pattern such as *test*.jsonl
	File      string `yaml:"file,omitempty" json:"file,omitempty"`
	Generated int    `yaml:"generated,omitempty" json:"generated,omitempty"` // number of puzzles to generate
	Objects   int    `yaml:"objects,omitempty" json:"objects,omitempty"`     // in a puzzle: 3, 5 or 7; 0 is 3
	// puzzles of knights instead
	Knights *Knights `yaml:"knights,omitempty" json:"knights,omitempty"`
	// sums of products, or moves of chess pieces, instead of puzzles, as Du et al. ask them
	Arithmetic bool `yaml:"arithmetic,omitempty" json:"arithmetic,omitempty"`
	Chess      bool `yaml:"chess,omitempty" json:"chess,omitempty"`
	// as in a file of the family
	Rows []map[string]any `yaml:"rows,omitempty" json:"rows,omitempty"`
	// of the family own: what the columns hold; those with obvious names need not be named
	Columns *task.Columns `yaml:"columns,omitempty" json:"columns,omitempty"`

	// the most questions, drawn with the seed; 0 is all
	Questions int `yaml:"questions,omitempty" json:"questions,omitempty"`
	// if not 0: draw as many questions as an accuracy within this margin at 95 % confidence needs
	Margin float64 `yaml:"margin,omitempty" json:"margin,omitempty"`
	// field of the rows whose values are clusters of questions, see task.Task.ClusterBy
	Cluster string `yaml:"cluster,omitempty" json:"cluster,omitempty"`
	// field of the rows whose values are groups, of which the results are told apart, see task.Task.GroupBy
	Group string `yaml:"group,omitempty" json:"group,omitempty"`
	// the numbers of the only questions to ask, from 1
	IDs IDs `yaml:"ids,omitempty" json:"ids,omitempty"`

	// precedes every question
	Instruction string `yaml:"instruction,omitempty" json:"instruction,omitempty"`
	// the answer rule that replaces the family's; of the family own, its rule
	Rule string `yaml:"rule,omitempty" json:"rule,omitempty"`
	// by form of debate: the prompt set of conditions that name none
	Prompts map[string]string `yaml:"prompts,omitempty" json:"prompts,omitempty"`
}

// IDs are the numbers of questions: in a file a list, or a range such as 1..100.
type IDs []int

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (n *IDs) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal((*[]int)(n)) == nil {
		return nil
	}
	if err := unmarshal(&text); err != nil {
		return err
	}
	from, to, err := wholeRange(text)
	if err != nil {
		return fmt.Errorf("ids %q: a list of numbers, such as [1, 5], or a range, such as 1..100", text)
	}
	for i := from; i <= to; i++ {
		*n = append(*n, i)
	}
	return nil
}

// Knights describes generated puzzles of knights, knaves and spies.
type Knights struct {
	Players int  `yaml:"players" json:"players"`
	Spies   *int `yaml:"spies,omitempty" json:"spies,omitempty"` // 1 if not given
	Hints   int  `yaml:"hints,omitempty" json:"hints,omitempty"` // of the game manager, beside the number of spies
}

// form returns the form of the puzzles. Where the number of spies is not given, there is one; 0 is none.
func (k Knights) form() puzzle.Form {
	f := puzzle.Form{Players: k.Players, Spies: 1, Hints: k.Hints}
	if k.Spies != nil {
		f.Spies = *k.Spies
	}
	return f
}

// check refuses contradictory fields and numbers out of their ranges before any file is opened.
func (t Task) check() error {
	if err := cmp.Or(t.checkOrigin(), t.checkGenerated()); err != nil {
		return err
	}
	if err := cmp.Or(
		bounds.Check("questions", t.Questions, task.QuestionsRange.OrZero()),
		bounds.Check("margin", t.Margin, bounds.From(0.001, 0.5).OrZero()),
		bounds.Check("generated", t.Generated, task.PuzzlesRange.OrZero()),
		bounds.Check("objects", t.Objects, task.ObjectsRange.OrZero()),
	); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	if t.Knights != nil {
		if err := t.Knights.form().Check(); err != nil {
			return fmt.Errorf("task %s, knights: %w", t.Name, err)
		}
	}
	if err := t.mapping().Check(); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	return t.checkRule()
}

// checkOrigin refuses a task that does not say, in exactly one way, where its questions come from.
func (t Task) checkOrigin() error {
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
	case t.Columns != nil && t.Family != task.FamilyOwn:
		return fmt.Errorf("task %s: columns describes data of the family %s only", t.Name, task.FamilyOwn)
	case t.Family == "" && t.Generated == 0:
		return fmt.Errorf("task %s: name the family, so that no other file of the same name is read; parley data "+
			"lists the families", t.Name)
	case t.Family != "" && !slices.Contains(familyNames(), t.Family):
		return fmt.Errorf("task %s: %w", t.Name, unknown.Name("family", t.Family, familyNames(),
			"which parley data describes"))
	}
	return nil
}

// checkGenerated refuses settings of the generators for other questions, or for another generator.
func (t Task) checkGenerated() error {
	switch {
	case t.Objects != 0 && t.Generated == 0:
		return fmt.Errorf("task %s: objects is a setting of generated puzzles only", t.Name)
	case t.Arithmetic && (t.Generated == 0 || t.Objects != 0 || t.Knights != nil):
		return fmt.Errorf("task %s: arithmetic describes generated sums, which have neither objects nor knights",
			t.Name)
	case t.Chess && (t.Generated == 0 || t.Objects != 0 || t.Knights != nil || t.Arithmetic || t.Rule != ""):
		return fmt.Errorf("task %s: chess describes generated games, which have neither objects, knights nor sums, "+
			"and whose answers only the rule square reads", t.Name)
	case t.Knights != nil && (t.Generated == 0 || t.Objects != 0):
		return fmt.Errorf("task %s: knights describes generated puzzles, which have no objects", t.Name)
	}
	return nil
}

func familyNames() (names []string) {
	for _, f := range task.Families() {
		names = append(names, f.Name)
	}
	return names
}

// mapping says how the file or the rows are read.
func (t Task) mapping() (m task.Mapping) {
	m.Family = t.Family
	if t.Family == task.FamilyOwn {
		m.Rule = t.Rule
	}
	if t.Columns != nil {
		m.Columns = *t.Columns
	}
	return m
}

// Data says where task files are.
type Data struct {
	Directories []string          // searched with all directories below them
	Files       map[string]string // by the name of the task; such a file is not searched for
}

// load reads the questions of a task.
func (t Task) load(d Data, seed uint64) (task.Task, error) {
	questions, err := t.questions(d, seed)
	if err != nil {
		return task.Task{}, err
	}
	questions.Name = t.Name
	if questions, err = t.withRule(questions.WithInstruction(t.Instruction)); err != nil {
		return task.Task{}, err
	}
	if t.Cluster != "" {
		if questions, err = questions.ClusterBy(t.Cluster); err != nil {
			return task.Task{}, err
		}
	}
	if t.Group != "" {
		if questions, err = questions.GroupBy(t.Group); err != nil {
			return task.Task{}, err
		}
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

// questions generates or reads the questions. Generated ones depend on the seed alone, so that every model of an
// experiment gets the same.
func (t Task) questions(d Data, seed uint64) (task.Task, error) {
	switch {
	case t.Knights != nil:
		return task.GenerateKnights(t.Knights.form(), t.Generated, seed)
	case t.Chess:
		return task.GenerateChess(t.Generated, seed)
	case t.Arithmetic:
		return task.GenerateArithmetic(t.Generated, seed)
	case t.Generated > 0:
		return task.Generate(cmp.Or(t.Objects, 3), t.Generated, seed)
	case len(t.Rows) > 0:
		text, err := json.Marshal(t.Rows)
		if err != nil {
			return task.Task{}, fmt.Errorf("task %s: %w", t.Name, err)
		}
		return t.mapping().Rows(t.Name, text)
	}
	path, err := t.find(d)
	if err != nil {
		return task.Task{}, err
	}
	questions, err := t.mapping().Load(path)
	if named, _ := filepath.Match(t.File, filepath.Base(path)); !named { // given by hand
		questions.Replaces = t.File
	}
	return questions, err
}

// withRule replaces the answer rule of a task, if the file gives one: a source may read all its data sets alike.
func (t Task) withRule(questions task.Task) (task.Task, error) {
	if t.Rule == "" || t.Family == task.FamilyOwn { // whose rows were read by it already
		return questions, nil
	}
	return questions.ReadBy(t.Rule)
}

// checkRule refuses an answer rule that does not exist or that the measure of the family cannot score.
func (t Task) checkRule() error {
	if t.Rule == "" {
		return nil
	}
	if _, err := reader.Rule(t.Rule); err != nil {
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

// applyWording gives a protocol that names no prompts those that the task has for its form.
func (t Task) applyWording(p protocol.Protocol) protocol.Protocol {
	if p.Prompts() == "" {
		p.Settings = p.With("prompts", t.Prompts[p.Form])
	}
	return p
}

// checkWording composes the conditions that take their prompts from the task. Controls, which are societies, do so too.
func (t Task) checkWording(points []Point, controls bool) error {
	if controls {
		points = append(slices.Clone(points), Point{Condition: "controls",
			Protocol: protocol.Protocol{Settings: debate.Settings{Form: society.FormName}}})
	}
	for _, form := range slices.Sorted(maps.Keys(t.Prompts)) {
		used := false
		for _, p := range points {
			if p.Protocol.Form != form || p.Protocol.Prompts() != "" {
				continue
			}
			used = true
			if _, err := t.applyWording(p.Protocol).Compose(debate.Asking{}); err != nil {
				return fmt.Errorf("task %s, %s: %w", t.Name, p.Condition, err)
			}
		}
		if !used {
			return fmt.Errorf("task %s: no condition has the form %s, whose prompts are given", t.Name, form)
		}
	}
	return nil
}

// find searches for the file of a task, and refuses a choice between several. A file of exactly that name in one of the
// directories comes before those further below. Files that are readable but of another family do not count.
func (t Task) find(d Data) (string, error) {
	if path, ok := d.Files[t.Name]; ok {
		return path, nil
	}
	var found []string
	add := func(path string) {
		if slices.ContainsFunc(found, func(other string) bool { return sameFile(path, other) }) {
			return // found already, below another of the directories
		}
		if r, err := t.mapping().Inspect(path); err == nil && r.Family.Name == t.Family {
			found = append(found, path)
		}
	}
	for _, dir := range d.Directories {
		if path := filepath.Join(dir, t.File); isFile(path) {
			add(path)
		}
	}
	below := d.Directories
	if len(found) > 0 {
		below = nil
	}
	for _, dir := range below {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // skip what cannot be read
			}
			if matched, err := filepath.Match(t.File, entry.Name()); err != nil || !matched {
				return err
			}
			add(path)
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
		return "", missing{t.Name, t.File, t.Family, t.where()}
	}
	return "", fmt.Errorf("task %s: %d files match %s of the family %s: %s; choose one with --task %s=FILE", t.Name,
		len(found), t.File, t.Family, strings.Join(found, ", "), t.Name)
}

// sameFile reports whether two paths lead to one file.
func sameFile(path, other string) bool {
	a, err := os.Stat(path)
	b, otherErr := os.Stat(other)
	return err == nil && otherErr == nil && os.SameFile(a, b)
}

// where says where the public files of the family are, and how Parley downloads the one of the task. A file that Parley
// does not download may be another one with such rows, such as that of GSM-Hard.
func (t Task) where() string {
	i := slices.IndexFunc(task.Families(), func(f task.Family) bool { return f.Name == t.Family })
	where, form := task.Families()[i].Where, ""
	all, _ := task.AllPublished() // a test reads the table
	for _, p := range all {
		if p.Family != t.Family {
			continue
		}
		if matched, _ := filepath.Match(t.File, p.File); matched {
			return where + ", and parley data pull " + p.Name + " downloads it"
		}
		form = "rows in the form of those at "
	}
	return form + where
}
