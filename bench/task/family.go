package task

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Family is a public benchmark whose files can be read.
type Family struct {
	Name   string `json:"name"`
	Format string `json:"format"` // what a row has
	// how answers are read: see answer.Named; "among" and "roles" depend on the question
	Rule    string `json:"rule"`
	Measure string `json:"measure"` // when an answer is right, see Meaning
	Where   string `json:"where"`   // where the public files are
	Licence string `json:"licence"`

	fits func(r row) bool // by the names in a row
	read func(r row) (Question, error)
}

// Families lists them. A file belongs to the first that its first readable row fits.
func Families() []Family { return slices.Clone(families) }

var families = []Family{
	{"bbh", "JSON: examples of input with options and target (X)", "choice", "equal",
		"github.com/suzgunmirac/BIG-Bench-Hard, bbh/", "MIT",
		func(r row) bool { return r.has("input") && !r.has("target_scores") }, readBBH},
	{"strategyqa", "JSON: examples of input and target_scores; or rows of question, options Yes and No, answer; or " +
		"question and true or false", "solution-letter", "equal",
		"github.com/google/BIG-bench, strategyqa; github.com/eladsegal/strategyqa", "Apache-2.0, MIT", fitsStrategy,
		readStrategy},
	{"math", "rows of problem and answer in LaTeX", "math", "math",
		"github.com/openai/prm800k, math_splits/test.jsonl (MATH-500)", "MIT",
		func(r row) bool { return r.has("problem") }, readMath},
	{"knights", "rows of text_game and text_solution", "roles", "roles",
		"github.com/haolun-wu/ControlMAD, groundtruth/", "none stated", func(r row) bool { return r.has("text_game") },
		readKnights},
	{"common-mt", "rows of source, correct_reference and incorrect_reference", "raw", "lexical",
		"github.com/Skytliang/Multi-Agents-Debate, data/CommonMT/", "GPL-3.0",
		func(r row) bool { return r.has("source", "correct_reference") }, readTranslation},
	{"ciar", "JSON: list of question and accepted answers", "quantity", "any",
		"github.com/Skytliang/Multi-Agents-Debate, data/CounterintuitiveQA/CIAR.json", "GPL-3.0",
		func(r row) bool { return r.has("question", "incorrect answer") }, readCIAR},
	{"musr", "rows or list of context (or narrative), question, choices, answer", "among", "contained",
		"github.com/Zayne-sprague/MuSR, datasets/murder_mystery.json", "MIT",
		func(r row) bool { return (r.has("context") || r.has("narrative")) && r.has("choices") }, readMuSR},
	{"squad2", "rows of context, question, answers, is_impossible; or the nested release", "span", "squad",
		"rajpurkar.github.io/SQuAD-explorer, dev-v2.0.json", "CC BY-SA 4.0", fitsSQuAD, readSQuAD},
	{"gpqa", "CSV with Question, Correct Answer and Incorrect Answer 1 to 3", "gpqa", "equal",
		"github.com/idavidrein/gpqa, dataset.zip (not to be shown in plain text)", "CC BY 4.0",
		func(r row) bool { return r.has("Question", "Correct Answer") }, readGPQA},
	{"mmlu-pro", "rows of question, options (up to ten), answer, answer_index", "mmlu-pro", "equal",
		"huggingface.co/datasets/TIGER-Lab/MMLU-Pro", "MIT",
		func(r row) bool { return r.has("question", "options", "answer") }, readPro},
	{"mmlu", "rows of question, choices (or A to D), answer; CSV without a header too", "letter", "equal",
		"github.com/hendrycks/test", "MIT", fitsMMLU, readMMLU},
	{"gsm8k", "rows of question and answer, which ends in #### and a number", "number", "equal",
		"github.com/openai/grade-school-math, test.jsonl", "MIT",
		func(r row) bool { return r.has("question", "answer") }, readGSM},
}

// familyOf guesses by the first row that can be read.
func familyOf(rows []row) (Family, error) {
	at := slices.IndexFunc(rows, func(r row) bool { return r.err == nil })
	if at < 0 {
		return Family{}, fmt.Errorf("%s: %w", rows[0].place, rows[0].err)
	}
	if i := slices.IndexFunc(families, func(f Family) bool { return f.fits(rows[at]) }); i >= 0 {
		return families[i], nil
	}
	names := slices.Sorted(maps.Keys(rows[at].value))
	return Family{}, fmt.Errorf("belongs to no known family (parley data lists them): %s has %.200s",
		rows[at].place, strings.Join(names, ", "))
}
