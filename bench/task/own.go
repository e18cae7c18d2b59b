package task

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// FamilyOwn is the name of the family of files that belong to no public benchmark.
const FamilyOwn = "own"

// OwnData says how a file of the family own was read.
type OwnData struct {
	Recognised bool     `json:"recognised"` // at least one column, by its name
	Unread     []string `json:"unread"`     // columns of the rows that nothing is read from
	Why        string   `json:"why"`        // why the answers have their rule
}

// ownFile is a file of the family own: the columns, the rule, and how answers name choices.
type ownFile struct {
	Columns
	OwnData
	rule    string
	asked   string        // the rule that the mapping names; "" if the answers tell it
	record  bool          // the mapping is that of a record
	several bool          // rows can have several right answers
	rows    []row         // those that are read: all, or those of one kind
	dropped ChoiceColumns // those that rows of this kind do not have
}

// newOwnFile completes a mapping by the rows of a file, the first of which that can be read is first.
func newOwnFile(m Mapping, rows []row, first row) (*ownFile, error) {
	o := &ownFile{rule: m.Rule, asked: m.Rule, record: m.Recorded}
	var err error
	if o.Columns, err = m.Columns.complete(rowOfNames(rows), m.Recorded); err != nil {
		advice := "name the columns with --columns question=NAME,answer=NAME,passage=NAME"
		if len(first.names()) == 1 {
			advice = "a task needs the right answer of each question; parley debate asks a question without one"
		}
		return nil, fmt.Errorf("%w: %s has %s; %s", err, first.Place, first.nameList(), advice)
	}
	if m.Passage == "" && !some(rows, func(r row) bool { return r.facts(o.Passage) != "" }) {
		o.Passage = "" // a column without a text
	}
	if err := o.checkColumns(rows, first); err != nil {
		return nil, err
	}
	if rows, err = o.ofKind(m, rows); err != nil {
		return nil, err
	}
	o.Recognised = o.Question != m.Question || o.Answer != m.Answer || !slices.Equal(o.recorded().Choices, m.Choices)
	o.Unread = unread(rows, o.reads)
	if len(o.Choices) == 0 && o.By != "" {
		return nil, errors.New("by has no effect without choices")
	}
	if o.By == "" && len(o.Choices) > 0 {
		if o.By, err = o.way(rows); err != nil {
			return nil, err
		}
	}
	o.several = some(rows, func(r row) bool { return len(o.Choices) == 0 && len(r.answers(o.Answer)) > 1 })
	return o, o.chooseRule(m, rows)
}

// chooseRule finds the rule that reads answers: the one that is asked for, or the one that fits them.
func (o *ownFile) chooseRule(m Mapping, rows []row) (err error) {
	switch o.Why = "as asked for"; {
	case o.rule == "":
		o.rule, o.Why, err = o.ruleFor(rows)
	case !m.Recorded:
		if o.rule = ruleNamed(o.rule); o.rule == answer.Reader {
			o.rule, _, err = o.ruleFor(rows)
		}
	}
	if m.Only != "" && m.Rule == "" {
		o.Why = "the rows are of this kind"
	}
	if err != nil {
		return err
	}
	if len(o.Choices) == 0 && answer.KindOf(o.rule) == answer.KindName && answer.IsReader(o.rule) {
		return fmt.Errorf("the rule %s reads which of the choices is named, and there are none", o.rule)
	}
	_, err = reader.Rule(o.rule)
	return err
}

// ruleNamed returns the rule that somebody asks for by the name of a kind of answers, or by that of the paper's rule
// for the kind: our newest reader of it. Other names stay as they are.
func ruleNamed(name string) string {
	switch kind := answer.Kind(name); {
	case name == "span":
		return answer.KindWords.Reader()
	case slices.Contains(answer.Kinds(), kind):
		return kind.Reader()
	}
	return answer.Resolve(name, "")
}

// checkColumns refuses a column that no row has.
func (o *ownFile) checkColumns(rows []row, first row) error {
	for _, name := range append([]string{o.Question, o.Answer, o.Passage, o.Facts}, o.Choices...) {
		if name == "" || name == noPassage {
			continue // no facts, no passage
		}
		if !slices.ContainsFunc(rows, func(r row) bool { return r.Has(name) || r.Has(name+".text") }) {
			return fmt.Errorf("no row has the column %.40q; %s has %s", name, first.Place, first.nameList())
		}
	}
	return nil
}

// reads reports whether something is read from a column.
func (o *ownFile) reads(column string) bool {
	list := strings.TrimSuffix(strings.TrimSuffix(column, ".text"), ".label")
	return o.recorded().uses(column) && column != noPassage || len(o.Choices) == 1 && o.Choices[0] == list
}

// recorded are the columns by which the same is read again.
func (o *ownFile) recorded() Columns {
	c := o.Columns
	if c.Choices == nil {
		c.Choices = o.dropped
	}
	return c
}

// family returns the file's own family.
func (o *ownFile) family() Family {
	f := familyNamed(FamilyOwn)
	f.Rule, f.read = o.rule, o.question
	switch {
	case o.several:
		f.Measure = "any"
	case answer.KindOf(o.rule) == answer.KindMath:
		f.Measure = "math"
	}
	return f
}

// question implements Family.read.
func (o *ownFile) question(r row) (q Question, err error) {
	i, err := o.item(r)
	if err != nil {
		return q, err
	}
	if o.Passage != "" {
		if i.question, err = r.withPassage(o.Passage, i.question); err != nil {
			return q, err
		}
	}
	if len(o.Choices) > 0 {
		right := i.namedOption(o.By)
		if right < 0 {
			return q, fmt.Errorf("the answer %.40q is none of the %d choices by %s", i.answer, len(i.options),
				cmp.Or(o.By, "letter, text, index from 0 or number from 1"))
		}
		if q, err = choiceQuestion(i.question, i.options, right); err != nil {
			return q, err
		}
	} else {
		q = Question{Text: i.question, Target: i.answer, Accepted: i.accepted, Spans: i.accepted}
		if m := parenthesised.FindString(i.answer); m != "" && !strings.Contains(i.question, m) && !i.namesListed() {
			return q, fmt.Errorf("the answer is %s, but the question has no option %s", m, m)
		}
	}
	if o.Facts != "" {
		q.Facts = r.facts(o.Facts)
	}
	return o.withTruth(q)
}

// readsBack refuses a question of which a right answer has more than the reader makes of it, or is read otherwise where
// a reply states it: no reply could be right, or a wrong one would be. Of several in words, one that is read will do,
// since none of the others makes a wrong reply right.
func (q Question) readsBack(rule string) error {
	right := []string{q.Target}
	if len(q.Accepted) > 0 {
		right = q.Spans
	}
	var unread error
	for _, text := range right {
		err := reader.Whole(rule, text, q.About())
		if (err == nil) == (answer.KindOf(rule) == answer.KindWords) {
			unread = err
			break
		}
		unread = cmp.Or(unread, err)
	}
	if unread != nil {
		unread = fmt.Errorf("%w; correct it, or choose another rule with --rule", unread)
	}
	return unread
}

// withPassage returns a question after the passage of its row, which may be a list of paragraphs.
func (r row) withPassage(column, question string) (string, error) {
	if column == noPassage {
		return question, nil
	}
	switch v := r.Value[column].(type) {
	case nil:
		return question, nil
	case []any:
		if len(v) > 0 && r.List(column) == nil {
			return "", fmt.Errorf("the passage in %.40q is a list of other things than texts", column)
		}
		return strings.TrimSpace(strings.Join(append(r.List(column), question), "\n\n")), nil
	case string, json.Number:
		return strings.TrimSpace(strings.TrimSpace(r.Text(column)) + "\n\n" + question), nil
	}
	return "", fmt.Errorf("the passage in %.40q is no text; passage=NAME among the columns names another column, and "+
		"passage=%s none", column, noPassage)
}

// withTruth reads the target by the rule. A boxed target of mathematics becomes what is in the box, and that of a
// reader of names is the text of a choice.
func (o *ownFile) withTruth(q Question) (Question, error) {
	if o.several && q.Accepted == nil {
		q.Accepted, q.Spans = []string{q.Target}, []string{q.Target}
	}
	if answer.IsReader(o.rule) && answer.KindOf(o.rule) == answer.KindName {
		q.Target = q.Options[q.Target[1]-'A']
	}
	if err := q.read(o.rule); err != nil {
		return q, fmt.Errorf("%w; choose another with --rule", err)
	}
	if !o.record {
		if err := q.readsBack(o.rule); err != nil {
			return q, err
		}
	}
	if !o.several && answer.KindOf(o.rule) == answer.KindMath {
		q.Target = q.Truth.Text
	}
	return q, nil
}

// rowOfNames returns a row that has the names of all columns.
func rowOfNames(rows []row) row {
	all := rowOf(map[string]any{})
	for _, r := range rows {
		for name := range r.Value {
			all.Value[name] = nil
		}
	}
	return all
}

// names returns the names of the columns, sorted.
func (r row) names() []string { return slices.Sorted(maps.Keys(r.Value)) }

// nameList is the beginning of the names, for errors.
func (r row) nameList() string { return fmt.Sprintf("%.200s", strings.Join(r.names(), ", ")) }

// Ways lists how an answer can name a choice: by its letter or label, by its text, by its index from 0, by its number
// from 1.
func Ways() []string { return []string{"letter", "text", "index", "number"} }

var letterAlone = regexp.MustCompile(`^\(?([A-Za-z])[).:]?$`)

// optionLike returns the index of the only option that has the answer's text but for capitals, or behind a label; -1 if
// there is none, or several.
func (i item) optionLike() int {
	at := -1
	for k, option := range i.options {
		m := ownLabel.FindStringSubmatch(option)
		if strings.EqualFold(option, i.answer) || m != nil && strings.EqualFold(m[2], i.answer) {
			if at >= 0 {
				return -1
			}
			at = k
		}
	}
	return at
}

// letterFirst matches the letter of a choice, alone or with a text behind it.
var letterFirst = regexp.MustCompile(`^\(?([A-Za-z])(?:[).:]?$|[).:]+\s+(\S.*)$)`)

// optionNamed returns the index of the option that an answer names by its letter, alone or with the option's text, or
// -1.
func optionNamed(answer string, options []string) int {
	m := letterFirst.FindStringSubmatch(reader.Narrow(answer))
	if m == nil {
		return -1
	}
	at := position(strings.ToUpper(m[1]))
	same := func(i int) bool { return strings.EqualFold(strings.Trim(m[2], " ."), strings.Trim(options[i], " .")) }
	if at < 0 || at >= len(options) || m[2] != "" && !same(at) {
		return -1
	}
	return at
}

// namesListed reports whether the answer names one of the options that the question's text lists.
func (i item) namesListed() bool {
	_, options := reader.KindOfQuestion(i.question)
	return i.all(func(text string) bool { return optionNamed(text, options) >= 0 })
}

// namedOption returns the index of the choice that the answer names in one of the Ways, -1 if it names none. Labels are
// the names of their choices, so numbers count as nothing else there.
func (i item) namedOption(way string) int {
	at := -1
	switch number, err := strconv.Atoi(i.answer); {
	case way == "text" && count(i.options, i.answer) == 1:
		return slices.Index(i.options, i.answer)
	case way == "text":
		return i.optionLike()
	case way == "letter" && i.labels != nil:
		if at = slices.Index(i.labels, i.answer); at < 0 {
			at = slices.IndexFunc(i.labels, func(l string) bool { return strings.Trim(i.answer, "().: ") == l })
		}
	case way == "letter":
		at = optionNamed(i.answer, i.options)
	case way == "index" && err == nil && i.labels == nil:
		at = number
	case way == "number" && err == nil && i.labels == nil:
		at = number - 1
	}
	if at >= len(i.options) {
		return -1
	}
	return max(-1, at)
}

// way returns the way in which the answers of most rows name a choice. Several that fit equally many rows must name the
// same choices; the result is "" if none fits any row.
func (o *ownFile) way(rows []row) (string, error) {
	c := wayCount{fits: make([]int, len(Ways())), differ: make(map[[2]int]error)}
	for _, r := range rows {
		if i, err := o.item(r); r.Err == nil && err == nil {
			c.add(r, i)
		}
	}
	return c.best()
}

// wayCount counts for each of the Ways how many rows it fits.
type wayCount struct {
	fits   []int
	differ map[[2]int]error // for two ways, the first row in which they name different choices
}

func (c wayCount) add(r row, i item) {
	ways := Ways()
	at := make([]int, len(ways))
	for w, way := range ways {
		if at[w] = i.namedOption(way); at[w] < 0 {
			continue
		}
		c.fits[w]++
		for v := range w {
			if at[v] < 0 || at[v] == at[w] || c.differ[[2]int{v, w}] != nil {
				continue
			}
			c.differ[[2]int{v, w}] = fmt.Errorf("%s: the answer %.40q is choice %s by %s and %s by %s: say which with "+
				"--columns by=%s or --columns by=%s", r.Place, i.answer, answer.OptionName(at[v]), ways[v],
				answer.OptionName(at[w]), way, ways[v], way)
		}
	}
}

func (c wayCount) best() (string, error) {
	most := slices.Max(c.fits)
	if most == 0 {
		return "", nil
	}
	for w := range c.fits {
		for v := range w {
			if err := c.differ[[2]int{v, w}]; c.fits[v] == most && c.fits[w] == most && err != nil {
				return "", err
			}
		}
	}
	return Ways()[slices.Index(c.fits, most)], nil
}

var parenthesised = regexp.MustCompile(`^\([A-Z]\)$`)

// form is how answers of a kind look.
type form struct {
	kind answer.Kind
	why  string
	fits func(text string) bool // nil: the answer names an option that the question lists
}

func (f form) fit(i item) bool {
	return f.fits == nil && i.namesListed() || f.fits != nil && i.all(f.fits)
}

// forms tell the kind of an answer; the first that fits counts.
var forms = []form{
	{answer.KindChoice, "all answers are letters in parentheses", parenthesised.MatchString},
	{answer.KindChoice, "all answers are letters of options that their questions list", nil},
	{answer.KindNumber, "all answers are numbers", reader.IsNumber},
	{answer.KindQuantity, "all answers are numbers, percentages or fractions", reader.IsQuantity},
	{answer.KindMath, "all answers are boxed", func(text string) bool { return answer.Math(text).Parsed }},
	{answer.KindYesNo, "all answers are yes or no", reader.IsYesNo},
	{answer.KindWords, "the answers are words", func(string) bool { return true }},
}

// ruleFor chooses the kind of answers by the form of all of them, and says why. A form that most answers have and some
// have not is refused with the first of these, since one of them would make words of all numbers.
func (o *ownFile) ruleFor(rows []row) (rule, why string, err error) {
	if len(o.Choices) > 0 {
		return answer.KindChoice.Reader(), "there are choices", nil
	}
	fits, others, n := make([]int, len(forms)), make([]string, len(forms)), 0
	for _, r := range rows {
		i, err := o.item(r)
		if r.Err != nil || err != nil {
			continue
		}
		n++
		for k, f := range forms {
			if f.fit(i) {
				fits[k]++
			} else if others[k] == "" {
				others[k] = fmt.Sprintf("%s has %.40q", r.Place, i.answer)
			}
		}
	}
	if n == 0 {
		return answer.KindWords.Reader(), "no row has an answer that tells their kind", nil
	}
	best := slices.Index(fits, n)
	if most := slices.Index(fits, slices.Max(fits[:len(forms)-1])); best == len(forms)-1 && 2*fits[most] > n {
		return "", "", fmt.Errorf("%d of %d %s, but %s: correct it, or say with --rule how answers are read, such as "+
			"%s (which refuses the others) or %s", fits[most], n, strings.TrimPrefix(forms[most].why, "all "),
			others[most], forms[most].kind, forms[best].kind)
	}
	return forms[best].kind.Reader(), forms[best].why, nil
}
