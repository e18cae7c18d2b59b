package task

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/parquetfile"
	"github.com/parley-debate/parley/bench/task/rowfile"
)

// sign is how the files of a benchmark are told from others whose columns have the same names: data of one's own, and
// other benchmarks. Family.fits says what a row of the family may look like, and is enough where the family is named.
type sign struct {
	columns []string                         // that the family reads
	only    func(first row, rows []row) bool // what only the benchmark has, in rows that fit
	// alone says that a passage beside the question speaks against the benchmark, since the family would not ask it
	alone bool
}

// signs are those of all families but own.
var signs = map[string]sign{
	"bbh": {[]string{"input", "target"}, func(_ row, rows []row) bool {
		return some(rows, func(r row) bool {
			return strings.Contains(r.Text("input"), "Options:") && parenthesised.MatchString(trim(r.Text("target")))
		})
	}, true},
	"strategyqa": {[]string{"input", "target_scores", "question", "options", "answer"}, onlyStrategy, false},
	"math":       {[]string{"problem", "answer"}, onlyMath, true},
	"knights":    {[]string{"text_game", "text_solution"}, has("text_game", "text_solution"), false},
	"common-mt": {[]string{"source", "correct_reference", "incorrect_reference"},
		has("source", "correct_reference", "incorrect_reference"), false},
	"biography": {[]string{"person", "facts"}, has("person", "facts"), false},
	"chess": {[]string{"input", "target"}, func(_ row, rows []row) bool {
		return some(rows, func(r row) bool { return aGame.MatchString(trim(r.Text("input"))) })
	}, false},
	"ciar": {[]string{"question", "answer"}, has("question", "incorrect answer"), false},
	"musr": {[]string{"context", "narrative", "question", "choices", "answer", "answer_choice", "answer_index"},
		onlyMuSR, false},
	"squad2": {[]string{"context", "question", "answers", "answers.text", "is_impossible"}, onlySQuAD, false},
	"gpqa": {[]string{"Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"},
		has("Question", "Correct Answer", "Incorrect Answer 1"), false},
	"mmlu-pro": {[]string{"question", "options", "answer", "answer_index"}, func(_ row, rows []row) bool {
		return some(rows, func(r row) bool {
			return r.Has("answer_index") && letterAlone.MatchString(r.Text("answer")) &&
				position(r.Text("answer_index")) == position(r.Text("answer"))
		})
	}, true},
	"mmlu": {[]string{"question", "choices", "A", "B", "C", "D", "answer"}, onlyMMLU, true},
	"gsm8k": {[]string{"question", "answer"}, func(_ row, rows []row) bool {
		return some(rows, func(r row) bool { return strings.Contains(r.Text("answer"), "####") })
	}, true},
}

func trim(text string) string { return strings.TrimSpace(text) }

func some(rows []row, is func(r row) bool) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.Err == nil && is(r) })
}

func every(rows []row, is func(r row) bool) bool {
	return !some(rows, func(r row) bool { return !is(r) })
}

// has is the sign of columns that nothing else has.
func has(names ...string) func(row, []row) bool {
	return func(first row, _ []row) bool { return first.Has(names...) }
}

// onlyStrategy knows the two releases of StrategyQA by what they have beside the answer: BIG-bench's by the reasons in
// the target, Geva's by its facts and decompositions. Other data has answers true and false too (BoolQ).
func onlyStrategy(first row, rows []row) bool {
	if scores, ok := first.Value["target_scores"].(map[string]any); ok {
		_, yes := scores["Yes"]
		_, no := scores["No"]
		return len(scores) == 2 && yes && no && first.Has("target")
	}
	if some(rows, row.hasPassage) {
		return false
	}
	if _, truth := first.Value["answer"].(bool); truth {
		return first.Has("decomposition") || first.Has("facts") && (first.Has("qid") || first.Has("term"))
	}
	return first.Has("rationale")
}

var command = regexp.MustCompile(`\\[a-zA-Z]+`)

// onlyMath knows MATH by its levels and subjects, or a boxed solution; and mathematics like it by answers in LaTeX.
func onlyMath(first row, rows []row) bool {
	return first.Has("answer") && (first.Has("level") && (first.Has("subject") || first.Has("type")) ||
		some(rows, func(r row) bool {
			return strings.Contains(r.Text("solution"), `\boxed`) || command.MatchString(r.Text("answer"))
		}))
}

var murder = regexp.MustCompile(`(?i)most likely murderer|most likely place|given the story`)

// onlyMuSR knows MuSR by its narratives, or by the questions that it asks. Other data has contexts and choices too.
func onlyMuSR(first row, _ []row) bool {
	return first.Has("narrative", "answer_index") || murder.MatchString(first.Text("question"))
}

// onlySQuAD knows SQuAD by questions that cannot be answered, and by the offsets of answers. Others have lists of
// choices that are called answers.
func onlySQuAD(first row, rows []row) bool {
	if first.Has("is_impossible") || first.Has("answers.text", "answers.answer_start") {
		return true
	}
	return some(rows, func(r row) bool {
		switch answers := r.Value["answers"].(type) {
		case map[string]any:
			return rowOf(answers).Has("text", "answer_start")
		case []any:
			return slices.ContainsFunc(answers, func(v any) bool {
				object, _ := v.(map[string]any)
				return rowOf(object).Has("text", "answer_start")
			})
		}
		return false
	})
}

// onlyMMLU knows MMLU by its form without a header, or by subjects, four choices in every row, and answers that are all
// letters or all indices of JSON with a 0 among them: without one, they could be numbers from 1.
func onlyMMLU(first row, rows []row) bool {
	if first.Headless {
		return true
	}
	fours := every(rows, func(r row) bool { return len(mmluOptions(r)) == 4 })
	letters := every(rows, func(r row) bool { return letterAlone.MatchString(trim(r.Text("answer"))) })
	indices := every(rows, func(r row) bool { _, number := r.Value["answer"].(json.Number); return number }) &&
		some(rows, func(r row) bool { return r.Text("answer") == "0" })
	return first.Has("subject") && fours && (letters || indices)
}

// recogniseFamily returns the index of the family that the rows are known to belong to, -1 if there is none. Where the
// family is named, it is enough that they look like it and like none before it.
func recogniseFamily(m Mapping, first row, rows []row) int {
	passage := some(rows, row.hasPassage)
	known := slices.IndexFunc(families, func(f Family) bool {
		s := signs[f.Name]
		return f.fits(first) && !(s.alone && passage) && s.only(first, rows)
	})
	if m.Recorded { // by a Parley that knew no signs
		return slices.IndexFunc(families, func(f Family) bool { return f.fits(first) && f.readsAny(rows) })
	}
	if known >= 0 || m.Family == "" {
		return known
	}
	return slices.IndexFunc(families, func(f Family) bool { return f.fits(first) })
}

// hasPassage reports whether a row has a text in a column that is obviously a passage.
func (r row) hasPassage() bool {
	return slices.ContainsFunc(r.names(), func(name string) bool {
		return slices.Contains(roles[rolePassage], strings.ToLower(name)) && r.facts(name) != ""
	})
}

// unread returns the columns of the rows from which a family reads nothing, sorted.
func unread(rows []row, reads func(column string) bool) []string {
	seen := map[string]bool{}
	names := []string{}
	for _, r := range rows {
		for name := range r.Value {
			if !seen[name] && !reads(name) {
				names = append(names, name)
			}
			seen[name] = true
		}
	}
	slices.Sort(names)
	return names
}

// reads reports whether a public family reads a column.
func (f Family) reads(column string) bool {
	return column == rowfile.FieldFacts || slices.Contains(signs[f.Name].columns, column)
}

// refusedColumn is a value that a family reads and that its file has in no readable form.
type refusedColumn struct {
	column string
	parquetfile.Unreadable
}

func (c refusedColumn) Error() string { return fmt.Sprintf("the column %.40q %s", c.column, c.Reason) }

// unreadable refuses a row with such a value.
func (r row) unreadable(reads func(column string) bool) error {
	for _, name := range r.names() {
		if why, bad := r.Value[name].(parquetfile.Unreadable); bad && reads(name) {
			return refusedColumn{name, why}
		}
	}
	return nil
}

// wholeColumn returns the error if it is about the type of a column, which all rows have.
func wholeColumn(err error) error {
	if c, ok := err.(refusedColumn); ok && c.Column {
		return err
	}
	return nil
}
