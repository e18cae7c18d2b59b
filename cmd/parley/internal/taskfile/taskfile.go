// Package taskfile describes task files for people: what they hold, how they are read, and what is wrong with them.
package taskfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate/answer"
)

// dataFile describes a task file.
type dataFile struct {
	Path      string         `json:"path"`
	Family    string         `json:"family,omitempty"`
	Questions int            `json:"questions"`
	Kind      answer.Kind    `json:"kind,omitempty"` // of the answers
	Rule      string         `json:"rule,omitempty"`
	Measure   string         `json:"measure,omitempty"`
	Guess     float64        `json:"guess"`
	Sample    int            `json:"sample"` // for a margin of 5 points at 95 %
	Hash      string         `json:"sha256,omitempty"`
	First     string         `json:"first,omitempty"`
	Right     string         `json:"right,omitempty"`  // the answer to the first question
	Unread    []string       `json:"unread,omitempty"` // columns of public benchmarks, as Own has those of other files
	Separator string         `json:"separator,omitempty"`
	Columns   *task.Columns  `json:"columns,omitempty"` // of the family own, as are Own and Preview
	Own       *task.OwnData  `json:"own,omitempty"`
	Preview   []previewed    `json:"preview,omitempty"` // the first questions
	Problems  []task.Problem `json:"problems"`
	Error     string         `json:"error,omitempty"` // why nothing can be read
}

// previewed is a question as it is asked, with the right answer.
type previewed struct {
	Text  string `json:"text"`
	Right string `json:"right"`
}

// mostPreviewed is how many questions of one's own data are shown.
const mostPreviewed = 3

// Check describes every file, and then fails if some cannot be used.
func Check(out io.Writer, paths []string, m task.Mapping, asJSON bool) error {
	files, err := dataFiles(paths)
	if err != nil {
		return exit.Input(err)
	}
	bad := 0
	for _, path := range files {
		parts, kinds, err := m.Split(path)
		if err != nil {
			return exit.Input(err)
		}
		if kinds != "" && !asJSON {
			_ = terminal.Printf(out, "%s: questions of several kinds, each a task of its own for parley run --on: %s\n",
				path, kinds)
		}
		whole := true
		for _, part := range parts {
			f, usable := describe(path, part)
			whole = whole && usable
			if !asJSON {
				_ = terminal.Printf(out, "%s", f)
			} else if err := json.NewEncoder(out).Encode(f); err != nil {
				return err
			}
		}
		if !whole {
			bad++
		}
	}
	if bad > 0 {
		return exit.Input(fmt.Errorf("%d of %d files cannot be used", bad, len(files)))
	}
	return nil
}

// dataFiles are the named files, and the files below the named directories that have an extension of task files.
func dataFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("task %q: %w", path, err)
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(".json.jsonl.csv.tsv.parquet.",
				filepath.Ext(p)+".") && filepath.Ext(p) != "" {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("task %q: the directory has no files that end in .json, .jsonl, .csv, .tsv or "+
				".parquet", path)
		}
	}
	return files, nil
}

// describe reads a file. It is usable if every row is a question.
func describe(path string, m task.Mapping) (f dataFile, usable bool) {
	f = dataFile{Path: path, Problems: []task.Problem{}}
	r, err := m.Inspect(path)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil { // without the path, which is printed anyway
			err = inner
		}
		f.Error = err.Error()
		return f, false
	}
	t := r.Task
	f.Kind = t.Kind()
	f.Family, f.Questions, f.Rule, f.Measure, f.Guess, f.Hash = t.Family, len(t.Questions), t.Rule, t.Measure, t.Guess,
		t.Hash
	f.Sample = task.SampleSize(len(t.Questions), 0.05, 0.95)
	if len(t.Questions) > 0 {
		f.First, f.Right = terminal.Beginning(t.Questions[0].Text), terminal.Beginning(t.Questions[0].Target)
	}
	f.Unread, f.Separator = r.Unread, r.Separator
	if f.Columns, f.Own = t.Columns, r.Own; r.Own != nil {
		for _, q := range t.Questions[:min(mostPreviewed, len(t.Questions))] {
			f.Preview = append(f.Preview, previewed{excerpt(q.Text), q.Target})
		}
	}
	usable = len(t.Questions) > 0
	for _, p := range r.Problems {
		f.Problems = append(f.Problems, p)
		usable = usable && !p.Refused
	}
	return f, usable
}

// excerpt is a text without the middle, if it is long; choices stand at the end.
func excerpt(text string) string {
	const head, tail = 1200, 400
	letters := []rune(text)
	left := len(letters) - head - tail
	if left <= 0 {
		return text
	}
	return fmt.Sprintf("%s … (%s) … %s", string(letters[:head]), wording.Count(left, "more letter"),
		string(letters[head+left:]))
}

// ownLines says how a file of one's own was read, and shows its first questions.
func (f dataFile) ownLines() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  columns %s", f.Columns)
	if f.Own.Recognised {
		b.WriteString(", recognised by name")
	}
	if len(f.Own.Unread) > 0 {
		fmt.Fprintf(&b, "; not read: %s", terminal.Beginning(strings.Join(f.Own.Unread, ", ")))
	}
	fmt.Fprintf(&b, "\n  answers are of the kind %s and read by the rule %s: %s\n", f.Kind, f.Rule, f.Own.Why)
	for i, q := range f.Preview {
		fmt.Fprintf(&b, "  %d. %s\n     right: %s\n", i+1, strings.ReplaceAll(q.Text, "\n", "\n     "),
			terminal.Beginning(q.Right))
	}
	return b.String()
}

// String is a paragraph for people.
func (f dataFile) String() string {
	if f.Error != "" {
		return fmt.Sprintf("%s: %s\n", f.Path, f.Error)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, kind %s, rule %s, measure %s, guess %.1f %%, sample %d\n", f.Path, f.Family,
		wording.Count(f.Questions, "question"), f.Kind, f.Rule, f.Measure, 100*f.Guess, f.Sample)
	if f.Separator != "" && f.Separator != "commas" {
		fmt.Fprintf(&b, "  columns are separated by %s\n", f.Separator)
	}
	if f.Own != nil {
		b.WriteString(f.ownLines())
	} else if f.First != "" {
		fmt.Fprintf(&b, "  %s\n     right: %s\n", f.First, f.Right)
	}
	if f.Own == nil && len(f.Unread) > 0 {
		fmt.Fprintf(&b, "  not read: %s\n", terminal.Beginning(strings.Join(f.Unread, ", ")))
	}
	for _, p := range f.Problems {
		kind := "note"
		if p.Refused {
			kind = "refused"
		}
		fmt.Fprintf(&b, "  %s: %s\n", kind, p)
	}
	return b.String()
}
