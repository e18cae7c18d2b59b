package task

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// FamilyOwn is the name of the family of files that belong to no public benchmark.
const FamilyOwn = "own"

// OwnData says how a file of the family own was read.
type OwnData struct {
	Recognised bool     `json:"recognised"` // at least one column, by its name
	Unread     []string `json:"unread"`     // columns of the first row that nothing is read from
	Why        string   `json:"why"`        // why the answers have their rule
}

// ownFile is a file of the family own: the columns, the rule, and how answers name choices.
type ownFile struct {
	Columns
	OwnData
	rule string
}

// newOwnFile completes a mapping by the rows of a file, the first of which that can be read is first.
func newOwnFile(m Mapping, rows []row, first row) (*ownFile, error) {
	o := &ownFile{rule: m.Rule, OwnData: OwnData{Unread: []string{}}}
	var err error
	if o.Columns, err = m.Columns.complete(first); err != nil {
		return nil, fmt.Errorf("%w: %s has %s; name the columns with --columns question=NAME,answer=NAME", err,
			first.place, first.listed())
	}
	if err := o.checkColumns(rows, first); err != nil {
		return nil, err
	}
	o.Recognised = o.Question != m.Question || o.Answer != m.Answer || !slices.Equal(o.Choices, m.Choices)
	for _, name := range first.names() {
		if !o.reads(name) {
			o.Unread = append(o.Unread, name)
		}
	}
	if len(o.Choices) == 0 && o.By != "" {
		return nil, errors.New("by has no effect without choices")
	}
	if o.By == "" && len(o.Choices) > 0 {
		if o.By, err = o.way(rows); err != nil {
			return nil, err
		}
	}
	switch o.Why = "as asked for"; {
	case o.rule == "":
		o.rule, o.Why = o.ruleFor(rows)
	case !m.Recorded:
		if o.rule = ruleNamed(o.rule); o.rule == answer.Reader {
			o.rule, _ = o.ruleFor(rows)
		}
	}
	if len(o.Choices) == 0 && answer.KindOf(o.rule) == answer.KindName && answer.IsReader(o.rule) {
		return nil, fmt.Errorf("the rule %s reads which of the choices is named, and there are none", o.rule)
	}
	_, err = answer.Named(o.rule)
	return o, err
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
	for _, name := range append([]string{o.Question, o.Answer, o.Facts}, o.Choices...) {
		if name == "" {
			continue // no facts
		}
		if !slices.ContainsFunc(rows, func(r row) bool { return r.has(name) || r.has(name+".text") }) {
			return fmt.Errorf("no row has the column %.40q; %s has %s", name, first.place, first.listed())
		}
	}
	return nil
}

// reads reports whether something is read from a column.
func (o *ownFile) reads(column string) bool {
	list := strings.TrimSuffix(strings.TrimSuffix(column, ".text"), ".label")
	return o.uses(column) || len(o.Choices) == 1 && o.Choices[0] == list
}

// family returns the file's own family.
func (o *ownFile) family() Family {
	f := familyNamed(FamilyOwn)
	f.Rule, f.read = o.rule, o.question
	if answer.KindOf(o.rule) == answer.KindMath {
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
	if len(o.Choices) > 0 {
		right := i.choice(o.By)
		if right < 0 {
			return q, fmt.Errorf("the answer %.40q is none of the %d choices by %s", i.answer, len(i.options),
				cmp.Or(o.By, "letter, text, index from 0 or number from 1"))
		}
		if q, err = choice(i.question, i.options, right); err != nil {
			return q, err
		}
	} else {
		q = Question{Text: i.question, Target: i.answer}
		if m := parenthesised.FindString(i.answer); m != "" && !strings.Contains(i.question, m) {
			return q, fmt.Errorf("the answer is %s, but the question has no option %s", m, m)
		}
	}
	if o.Facts != "" {
		q.Facts = r.facts(o.Facts)
	}
	return o.withTruth(q)
}

// withTruth reads the target by the rule. A boxed target of mathematics becomes what is in the box, and that of a
// reader of names is the text of a choice.
func (o *ownFile) withTruth(q Question) (Question, error) {
	if answer.IsReader(o.rule) && answer.KindOf(o.rule) == answer.KindName {
		q.Target = q.Options[q.Target[1]-'A']
	}
	if err := q.read(o.rule); err != nil {
		return q, fmt.Errorf("%w; choose another with --rule", err)
	}
	if answer.KindOf(o.rule) == answer.KindMath {
		q.Target = q.Truth.Text
	}
	return q, nil
}

// names returns the names of the columns, sorted.
func (r row) names() []string { return slices.Sorted(maps.Keys(r.value)) }

// listed is the beginning of the names, for errors.
func (r row) listed() string { return fmt.Sprintf("%.200s", strings.Join(r.names(), ", ")) }

// Ways lists how an answer can name a choice: by its letter or label, by its text, by its index from 0, by its number
// from 1.
func Ways() []string { return []string{"letter", "text", "index", "number"} }

var letterAlone = regexp.MustCompile(`^\(?([A-Za-z])[).:]?$`)

// choice returns the index of the choice that the answer names in one of the Ways, -1 if it names none. Labels are the
// names of their choices, so numbers count as nothing else there.
func (i item) choice(way string) int {
	at := -1
	switch number, err := strconv.Atoi(i.answer); {
	case way == "text" && count(i.options, i.answer) == 1:
		return slices.Index(i.options, i.answer)
	case way == "letter" && i.labels != nil:
		return slices.Index(i.labels, i.answer)
	case way == "letter":
		if m := letterAlone.FindStringSubmatch(i.answer); m != nil {
			at = position(strings.ToUpper(m[1]))
		}
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
// same choices; "" if none fits any row.
func (o *ownFile) way(rows []row) (string, error) {
	c := wayCount{fits: make([]int, len(Ways())), differ: make(map[[2]int]error)}
	for _, r := range rows {
		if i, err := o.item(r); r.err == nil && err == nil {
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
		if at[w] = i.choice(way); at[w] < 0 {
			continue
		}
		c.fits[w]++
		for v := range w {
			if at[v] < 0 || at[v] == at[w] || c.differ[[2]int{v, w}] != nil {
				continue
			}
			c.differ[[2]int{v, w}] = fmt.Errorf("%s: the answer %.40q is choice %s by %s and %s by %s: say which with "+
				"by=%s or by=%s among the columns", r.place, i.answer, letter(at[v]), ways[v], letter(at[w]), way,
				ways[v], way)
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

var (
	parenthesised = regexp.MustCompile(`^\([A-Z]\)$`)
	// a number, percentage or fraction alone, as answer.Quantity reads them
	quantityAlone = regexp.MustCompile(`^-?\$?[0-9][0-9,]*(\.[0-9]+)? ?%?$|^-?[0-9]+ ?/ ?[0-9]+$`)
)

// ruleFor chooses the kind of answers by the form of all of them, and says why.
func (o *ownFile) ruleFor(rows []row) (rule, why string) {
	if len(o.Choices) > 0 {
		return answer.KindChoice.Reader(), "there are choices"
	}
	type form struct {
		kind answer.Kind
		why  string
		fits func(text string) bool
	}
	forms := []form{
		{answer.KindChoice, "all answers are letters in parentheses", parenthesised.MatchString},
		{answer.KindNumber, "all answers are numbers", gold.MatchString},
		{answer.KindQuantity, "all answers are numbers, percentages or fractions", quantityAlone.MatchString},
		{answer.KindMath, "all answers are boxed", func(text string) bool { return answer.Math(text).Parsed }},
		{answer.KindYesNo, "all answers are yes or no", yesOrNo.MatchString},
		{answer.KindWords, "the answers are words", func(string) bool { return true }},
	}
	for _, r := range rows {
		if i, err := o.item(r); r.err == nil && err == nil {
			forms = slices.DeleteFunc(forms, func(f form) bool { return !f.fits(i.answer) })
		}
	}
	return forms[0].kind.Reader(), forms[0].why
}

var yesOrNo = regexp.MustCompile(`(?i)^(?:yes|no|true|false)$`)
