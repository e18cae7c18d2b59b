package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// Bounds on what is read. The largest public file, SQuAD's training set, has 42 MB and 130,319 questions.
const (
	maxFileBytes     = 256 << 20
	maxQuestionBytes = 1 << 20
	maxOptions       = 26
)

// Problem is what is wrong with a row. A refused row cannot be asked or scored; any other is kept and only reported.
type Problem struct {
	Place   string `json:"place"` // such as "line 3"
	Reason  string `json:"reason"`
	Refused bool   `json:"refused"`
}

func (p Problem) String() string { return p.Place + ": " + p.Reason }

// Report says what a file holds: its family, the questions that can be asked, and every problem.
type Report struct {
	Family   Family
	Task     Task
	Problems []Problem
	Own      *OwnData // of the family own, else nil
	// Unread are the columns of a public family's file from which nothing is read, so that nothing is left out without
	// a word.
	Unread    []string
	Separator string // what separates the columns of CSV, such as commas; "" for other formats
}

// Load reads a task file of one of the Families, which it recognises by the content. It refuses a file with a bad row;
// the error names the file, the row and what is wrong.
func Load(path string) (Task, error) { return Mapping{}.Load(path) }

// Load reads a task file by a mapping.
func (m Mapping) Load(path string) (Task, error) {
	r, err := m.Inspect(path)
	if err != nil {
		return Task{}, err
	}
	return r.usable(path)
}

// usable returns the task, with an error if a row is refused.
func (r Report) usable(name string) (Task, error) {
	refused := slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return !p.Refused })
	switch {
	case len(refused) > 1:
		return Task{}, fmt.Errorf("task %q: %s (%d rows are bad; parley data lists them)", name, refused[0],
			len(refused))
	case len(refused) == 1:
		return Task{}, fmt.Errorf("task %q: %s", name, refused[0])
	}
	return r.Task, nil
}

// Inspect reads as much of a task file as can be read. An error means that nothing can.
func Inspect(path string) (Report, error) { return Mapping{}.Inspect(path) }

// Inspect reads as much of a task file as can be read by a mapping.
func (m Mapping) Inspect(path string) (Report, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Report{}, fmt.Errorf("task %q: %w", path, err)
	case info.IsDir():
		return Report{}, fmt.Errorf("task %q: is a directory; name a file in it", path)
	case info.Size() == 0:
		return Report{}, fmt.Errorf("task %q: is empty; copy or download it again", path)
	case info.Size() > maxFileBytes:
		return Report{}, fmt.Errorf("task %q: %d bytes, at most %d are read", path, info.Size(), maxFileBytes)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Report{}, fmt.Errorf("task %q: %w", path, err)
	}
	r, err := parse(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), content, m)
	if err != nil {
		return Report{}, fmt.Errorf("task %q: %w", path, err)
	}
	r.Task.Source = path
	r.tellLess(path)
	return r, nil
}

// onePart matches the name of one file of a data set in several as Hugging Face names them, with or without the hash of
// a version; namedPart matches it where it is called a part, or its number is as wide as that of the last.
var (
	onePart   = regexp.MustCompile(`-([0-9]{5})-of-([0-9]{5})(?:-[0-9a-f]{16})?(?:\.[a-zA-Z0-9]+)+$`)
	namedPart = regexp.MustCompile(`(?i)(?:(?:^|[^a-z])(?:part|shard|chunk|split|file)[-_. ]*\d+|` +
		`(?:^|[-_. ])0\d+)[-_. ]*of[-_. ]*(\d+)(?:\D[^.]*)?(?:\.[a-z0-9]+)+$`)
)

// tellLess says, in the source and in the problems, what is not asked: the other parts of a data set, and images.
func (r *Report) tellLess(path string) {
	if part := onePart.FindStringSubmatch(filepath.Base(path)); part != nil && part[2] != "00001" {
		no, _ := strconv.Atoi(part[1])
		of, _ := strconv.Atoi(part[2])
		r.tell("file", fmt.Sprintf("part %d of %d of its data set, without the others", no+1, of))
	} else if part := namedPart.FindStringSubmatch(filepath.Base(path)); part != nil { // counted from 0 or from 1
		if of, err := strconv.Atoi(part[1]); err == nil && of > 1 {
			r.tell("file", fmt.Sprintf("one of %d parts of its data set, without the others", of))
		}
	}
	if shown := slices.DeleteFunc(slices.Clone(r.Task.Questions), func(q Question) bool {
		return !image.MatchString(q.Text)
	}); len(shown) > 0 {
		r.tell(shown[0].ID, fmt.Sprintf("%d of %d questions show an image, which is not sent", len(shown),
			len(r.Task.Questions)))
	}
}

// tell adds a note about the whole file, which everybody sees who runs it.
func (r *Report) tell(place, note string) {
	r.Task.Source += ", " + note
	r.Problems = append(r.Problems, Problem{place, note, false})
}

// image matches what stands for an image in the text of a question.
var image = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`<\|?(?:image|vision)(?:[ _-]?(?:\d+|pad|start|placeholder|token))?\|?>`, `<img\s[^>]*src=`,
	`\[(?:img|image|pic|picture|photo)(?:[ _-]?\d+)?(?::[^\]]*)?\]`, `\[(?:img|image|photo|picture):? of [^\]]*\]`,
	`data:image/[a-z+.-]+[;,]`, `!\[[^\]]*\]\([^)]`, `\\includegraphics\b`,
}, "|"))

func parse(name string, content []byte, m Mapping) (Report, error) {
	list, separator, err := rowfile.Read(content, m.own())
	switch {
	case err != nil:
		return Report{}, err
	case len(list) == 0:
		return Report{}, errors.New("has no questions")
	case len(list) > rowfile.MaxRows:
		return Report{}, fmt.Errorf("has %d rows; at most %d are read", len(list), rowfile.MaxRows)
	}
	rows := make([]row, len(list))
	for i, r := range list {
		rows[i] = row{r}
		if err := rowfile.TooWide(len(r.Value)); err != nil {
			return Report{}, fmt.Errorf("%s %w", r.Place, err)
		}
	}
	family, own, err := familyOf(rows, m)
	if err != nil {
		return Report{}, err
	}
	reads := family.reads
	if own != nil {
		reads, rows = own.reads, own.rows
		if own.Only != "" {
			name += "-" + own.Only
		}
	}
	if err := wholeColumn(rows[0].unreadable(reads)); err != nil {
		return Report{}, err
	}
	sum := sha256.Sum256(content)
	r := Report{Family: family, Task: Task{Name: name, Family: family.Name, Rule: family.Rule, Measure: family.Measure,
		Hash: hex.EncodeToString(sum[:])}}
	r.Separator = separator
	if own != nil {
		columns := own.recorded()
		r.Own, r.Task.Columns = &own.OwnData, &columns
	} else {
		r.Unread = unread(rows, reads)
	}
	r.read(rows, reads)
	if own != nil {
		r.notes(own, rows)
	}
	if r.Task.Extract, err = reader.Rule(cmp.Or(extractorNames[family.Rule], family.Rule)); err != nil {
		return Report{}, err
	}
	r.Task.Guess = r.Task.Chance()
	return r, nil
}

// extractorNames are the rules of Task.Extract for families whose questions have an Extract of their own: the replies
// of such a task are read as they are where no question is known.
var extractorNames = map[string]string{"among": "raw", "roles": "raw"}

// read makes questions of rows.
func (r *Report) read(rows []row, reads func(column string) bool) {
	seen := map[string]Question{}
	for _, row := range rows {
		err := row.unreadable(reads)
		var q Question
		if err == nil {
			q, err = row.question(r.Family)
		}
		if err != nil {
			r.Problems = append(r.Problems, Problem{row.Place, err.Error(), true})
			continue
		}
		q.ID = fmt.Sprintf("%s/%d", r.Task.Name, row.Number)
		for _, reason := range doubts(q, seen) {
			r.Problems = append(r.Problems, Problem{row.Place, reason, false})
		}
		seen[q.asks()] = q
		r.Task.Questions = append(r.Task.Questions, q)
	}
}

// notes reports rows of one's own data that have no passage where others have one.
func (r *Report) notes(own *ownFile, rows []row) {
	for _, row := range rows {
		if own.Passage != "" && own.Passage != noPassage && row.Err == nil && row.facts(own.Passage) == "" {
			r.Problems = append(r.Problems, Problem{row.Place, "has no passage in " + own.Passage, false})
		}
	}
}

// row is one item of a task file, before its family is known.
type row struct{ rowfile.Row }

// rowOf returns a row with these fields.
func rowOf(value map[string]any) row { return row{rowfile.Row{Value: value}} }

// question makes a question of a row and checks what all families require.
func (r row) question(f Family) (Question, error) {
	if r.Err != nil {
		return Question{}, r.Err
	}
	q, err := f.read(r)
	switch {
	case err != nil:
		return Question{}, err
	case len(q.Text) > maxQuestionBytes:
		return Question{}, fmt.Errorf("the question has %d bytes; at most %d are read", len(q.Text), maxQuestionBytes)
	case !utf8.ValidString(q.Text + q.Target):
		return Question{}, errors.New("is not UTF-8")
	}
	q.Row = r.Value
	if f.Name != FamilyOwn && q.Facts == "" { // own reads them from the column of its mapping
		q.Facts = r.facts(rowfile.FieldFacts)
	}
	return q, nil
}

// facts are the facts in a field, which has a text or a list of texts, or "" if there are none.
func (r row) facts(field string) string {
	if list := r.List(field); list != nil {
		return strings.Join(list, " ")
	}
	return strings.TrimSpace(r.Text(field))
}

// sameRight reports whether two questions have the same right answers, in any order.
func sameRight(a, b Question) bool {
	sorted := func(q Question) []string {
		return slices.Sorted(slices.Values(append(slices.Clone(q.Accepted), q.Truth.Text)))
	}
	return slices.Equal(slices.Compact(sorted(a)), slices.Compact(sorted(b)))
}

// doubts returns what may be wrong with a question that can be asked. seen has the earlier questions by what they ask.
func doubts(q Question, seen map[string]Question) (reasons []string) {
	if first, ok := seen[q.asks()]; ok {
		reason := "asks what " + first.ID + " asks"
		switch {
		case !slices.Equal(first.Options, q.Options):
			reason += ", with its options in another order"
		case !sameRight(first, q):
			reason += fmt.Sprintf(", with another answer: %.40q, there %.40q", q.Target, first.Target)
		}
		reasons = append(reasons, reason)
	}
	for i, option := range q.Options {
		if first := slices.Index(q.Options, option); first < i {
			reasons = append(reasons, fmt.Sprintf("options %c and %c are both %.40q", 'A'+first, 'A'+i, option))
		}
	}
	return reasons
}

// Rows reads questions from a JSON list of rows of a family. It refuses a list with a bad row.
func Rows(name, family string, list []byte) (Task, error) {
	return Mapping{Family: family}.Rows(name, list)
}

// Rows reads questions from a JSON list of rows of the mapping's family.
func (m Mapping) Rows(name string, list []byte) (Task, error) {
	r, err := parse(name, list, m)
	switch {
	case err != nil:
		return Task{}, fmt.Errorf("task %s: %w", name, err)
	case r.Family.Name != m.Family:
		return Task{}, fmt.Errorf("task %s: its rows belong to the family %s, not %s", name, r.Family.Name, m.Family)
	}
	r.Task.Source = "rows of the experiment"
	return r.usable(name)
}
