package task

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// Family is a public benchmark whose files can be read.
type Family struct {
	Name   string `json:"name"`
	Format string `json:"format"` // the fields of a row
	// answer rule, see reader.Rule; "among" and "roles" depend on the question, which then has Extract
	Rule    string `json:"rule"`
	Measure string `json:"measure"` // when an answer is right, see Meaning
	Where   string `json:"where"`   // where the public files are
	Licence string `json:"licence"`

	fits func(r row) bool // whether a row is of this family, by the names of its fields
	read func(r row) (Question, error)
}

// Families lists the families. A file belongs to the first one that its signs tell, so a family with few field names
// comes after those that have more. The last one is own, for files that belong to no other.
func Families() []Family { return slices.Clone(families) }

var families = []Family{
	{"bbh", "JSON: examples of input with options and target (X)", "choice", "equal",
		"github.com/suzgunmirac/BIG-Bench-Hard, bbh/", "MIT",
		func(r row) bool { return r.Has("input") && !r.Has("target_scores") && !fitsChess(r) }, readBBH},
	{"strategyqa", "JSON: examples of input and target_scores; or rows of question, options Yes and No, answer; or " +
		"rows of question and answer true or false", "solution-letter", "equal",
		"github.com/google/BIG-bench, strategyqa; github.com/eladsegal/strategyqa", "Apache-2.0, MIT", fitsStrategy,
		readStrategy},
	{"math", "rows of problem and answer in LaTeX", "math", "math",
		"github.com/openai/prm800k, math_splits/test.jsonl (MATH-500)", "MIT",
		func(r row) bool { return r.Has("problem") }, readMath},
	{"knights", "rows of text_game and text_solution", "roles", "roles",
		"github.com/haolun-wu/ControlMAD, groundtruth/", "none stated", func(r row) bool { return r.Has("text_game") },
		readKnights},
	{"common-mt", "rows of source, correct_reference and incorrect_reference", "raw", "lexical",
		"github.com/Skytliang/Multi-Agents-Debate, data/CommonMT/", "GPL-3.0",
		func(r row) bool { return r.Has("source", "correct_reference") }, readTranslation},
	{"biography", "JSON: an object of names, each with a text of facts, one a line; or rows of person and facts", "raw",
		"facts", "github.com/composable-models/llm_multiagent_debate, biography/article.json", "none stated",
		func(r row) bool { return r.Has("person", "facts") }, readBiography},
	{"ciar", "JSON: list of question and accepted answers", "quantity", "any",
		"github.com/Skytliang/Multi-Agents-Debate, data/CounterintuitiveQA/CIAR.json", "GPL-3.0",
		func(r row) bool { return r.Has("question", "incorrect answer") }, readCIAR},
	{"chess", "JSON: examples of input, moves and a square, and target, the squares where its piece may go", "square",
		"any", "github.com/google/BIG-bench, chess_state_tracking/synthetic_short/task.json", "Apache-2.0", fitsChess,
		readChess},
	{"musr", "rows or list of context (or narrative), question, choices, answer", "among", "contained",
		"github.com/Zayne-sprague/MuSR, datasets/murder_mystery.json", "MIT",
		func(r row) bool { return (r.Has("context") || r.Has("narrative")) && r.Has("choices") }, readMuSR},
	{"squad2", "rows of context, question, answers, is_impossible; or the nested release", "span", "squad",
		"rajpurkar.github.io/SQuAD-explorer, dev-v2.0.json", "CC BY-SA 4.0", fitsSQuAD, readSQuAD},
	{"gpqa", "CSV with Question, Correct Answer and Incorrect Answer 1 to 3", "gpqa", "equal",
		"github.com/idavidrein/gpqa, dataset.zip (not to be shown in plain text)", "CC BY 4.0",
		func(r row) bool { return r.Has("Question", "Correct Answer") }, readGPQA},
	{"mmlu-pro", "rows of question, options (up to ten), answer, answer_index", "mmlu-pro", "equal",
		"huggingface.co/datasets/TIGER-Lab/MMLU-Pro", "MIT",
		func(r row) bool { return r.Has("question", "options", "answer") }, readPro},
	{"mmlu", "rows of question, choices (or A to D), answer; also CSV without a header", "letter", "equal",
		"github.com/hendrycks/test", "MIT", fitsMMLU, readMMLU},
	{"gsm8k", "rows of question and answer, which ends in #### and a number", "number", "equal",
		"github.com/openai/grade-school-math, test.jsonl", "MIT",
		func(r row) bool { return r.Has("question", "answer") }, readGSM},
	{FamilyOwn, "your own rows of a question and an answer, with or without choices; name the columns, or use " +
		"obvious names", "by data", "equal", "files of your own", "yours", func(row) bool { return false }, nil},
}

// Kind returns the kind of answers that the family's questions want.
func (f Family) Kind() answer.Kind { return answer.KindOf(f.Rule) }

// Kind returns the kind of answers that the task's questions want.
func (t Task) Kind() answer.Kind { return answer.KindOf(t.Rule) }

// ReadBy returns the task with another answer rule, which reads replies and right answers. The rule reader is the
// newest of our own for the task's kind. A family whose answers only its own rule reads, such as the roles of players,
// keeps that. Guess becomes that of the questions that there are, so a part of a file is taken afterwards.
func (t Task) ReadBy(rule string) (Task, error) {
	if rule = answer.Resolve(rule, t.Kind()); t.Rule == "roles" && rule == answer.KindText.Reader() {
		return t, nil
	}
	extract, err := reader.Rule(rule)
	if err != nil {
		return t, fmt.Errorf("task %s: %w", t.Name, err)
	}
	t.Rule, t.Extract, t.Questions = rule, extract, slices.Clone(t.Questions)
	for i := range t.Questions {
		q := &t.Questions[i]
		q.Extract = nil
		if err := q.read(rule); err != nil {
			return t, fmt.Errorf("task %s: question %s: %w", t.Name, q.ID, err)
		}
	}
	t.Measure = measureWith(t.Measure, rule)
	t.Guess = t.Chance()
	return t, nil
}

// About is what a reader knows of a question.
func (q Question) About() answer.Question { return answer.Question{Text: q.Text, Options: q.Options} }

// read reads the right answers of a question by a rule.
func (q *Question) read(rule string) error {
	targets := q.Accepted
	switch {
	case len(q.Spans) > 0 && answer.IsReader(rule):
		targets = q.Spans
	case len(targets) == 0:
		targets = []string{q.Target}
	}
	accepted := make([]string, len(targets))
	for i, text := range targets {
		a, err := reader.ReadTarget(rule, text, q.About())
		if err != nil {
			return err
		}
		if !a.Parsed || a.Text == "" {
			return fmt.Errorf("the rule %s reads nothing from the answer %.40q", rule, text)
		}
		accepted[i] = a.Text
	}
	if q.Truth = answer.Of(accepted[0]); len(q.Accepted) > 0 { // several are right, and the target lists them
		q.Accepted = accepted
	}
	return nil
}

// familyNamed returns a family that is in the list.
func familyNamed(name string) Family {
	return families[slices.IndexFunc(families, func(f Family) bool { return f.Name == name })]
}

// familyOf finds the family of a file, by its first row that can be read. own is nil for public benchmarks.
func familyOf(rows []row, m Mapping) (f Family, own *ownFile, err error) {
	at := slices.IndexFunc(rows, func(r row) bool { return r.Err == nil })
	if at < 0 {
		return f, nil, fmt.Errorf("%s: %w", rows[0].Place, rows[0].Err)
	}
	first := rows[at]
	if m.own() {
		if own, err = newOwnFile(m, rows, first); err != nil {
			return f, nil, err
		}
		return own.family(), own, nil
	}
	i := recogniseFamily(m, first, rows)
	if i >= 0 && (m.Family != "" || !signs[families[i].Name].alone || families[i].readsAny(rows)) {
		return families[i], nil, nil
	}
	own, err = newOwnFile(m, rows, first)
	switch {
	case errors.As(err, new(mixed)):
		return f, nil, err
	case err == nil && (i < 0 || own.family().readsAny(rows)):
		return own.family(), own, nil
	case i >= 0:
		return families[i], nil, nil
	}
	return f, nil, fmt.Errorf("belongs to no known family (parley data lists them), and %w", err)
}

// readsAny reports whether a row of a file is a question of the family.
func (f Family) readsAny(rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool { _, err := r.question(f); return err == nil })
}

// Asking says how the questions of a family are to be put, where the prompts of their kind of answers are not enough.
// The zero value is for all families whose questions say everything.
type Asking struct {
	Prompts     string `json:"prompts,omitempty"`     // a set of prompts; "": plain, in the form of the kind
	Instruction string `json:"instruction,omitempty"` // to put before every question
}

// askings are those of the families that need something.
var askings = map[string]Asking{
	"common-mt": {Prompts: "translate"}, // its questions are sentences in Chinese, and say nothing of translation
	"squad2": {Instruction: "Answer from the text. If the text does not answer the question, the answer is " +
		"unknown."},
}

// Asking returns how the questions of the family are to be put.
func (f Family) Asking() Asking { return askings[f.Name] }

// Asking returns how the task's questions are to be put.
func (t Task) Asking() Asking { return askings[t.Family] }

// WithInstruction returns the task with an instruction before every question, and itself if that is "".
func (t Task) WithInstruction(instruction string) Task {
	if instruction == "" {
		return t
	}
	t.Source += fmt.Sprintf(", instruction %q", instruction)
	t.Questions = slices.Clone(t.Questions)
	for i := range t.Questions {
		t.Questions[i].Text = instruction + "\n\n" + t.Questions[i].Text
	}
	return t
}
