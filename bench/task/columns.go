package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

// Columns says what the columns of a file hold that belongs to no public benchmark (the family own). A column is named
// as in the header of CSV or TSV, as the key of JSON objects, or as the column of Parquet. Columns that are not named
// are recognised where their names are obvious, see roles.
type Columns struct {
	Question string `yaml:"question,omitempty" json:"question,omitempty"`
	Answer   string `yaml:"answer,omitempty" json:"answer,omitempty"`
	// Choices name one column with a list, or a column for each choice.
	Choices ChoiceColumns `yaml:"choices,omitempty" json:"choices,omitempty"`
	// By is how an answer names the right choice, one of Ways; "" is the one that fits the rows.
	By string `yaml:"by,omitempty" json:"by,omitempty"`
	// Passage is the column of a text that is asked before the question, such as the article that it is about; "-" is
	// none, even if a column has an obvious name.
	Passage string `yaml:"passage,omitempty" json:"passage,omitempty"`
	// Kind is the column that says of which kind the answer of each row is, and Only the kind of the rows that are read
	// of a file that mixes them: see Mapping.Split.
	Kind string `yaml:"kind,omitempty" json:"kind,omitempty"`
	Only string `yaml:"only,omitempty" json:"only,omitempty"`
	// facts about the question, for protocols that show some; not every row needs them
	Facts string `yaml:"facts,omitempty" json:"facts,omitempty"`
}

// ChoiceColumns are the columns of the choices. In YAML, a single one needs no list.
type ChoiceColumns []string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (c *ChoiceColumns) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*c = ChoiceColumns{one}
		return nil
	}
	return unmarshal((*[]string)(c))
}

var _ yaml.InterfaceUnmarshaler = (*ChoiceColumns)(nil)

// String lists the columns as ParseMapping reads them; the result is "" if there are none.
func (c *Columns) String() string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, p := range []struct{ role, column string }{{"question", c.Question}, {"answer", c.Answer},
		{"choices", strings.Join(c.Choices, ",")}, {"by", c.By}, {"passage", c.Passage},
		{"facts", c.Facts}, {"kind", c.Kind}, {"only", c.Only}} {
		if p.column != "" {
			parts = append(parts, p.role+"="+p.column)
		}
	}
	return strings.Join(parts, ",")
}

// Mapping says how to read a file. The zero value reads the public benchmarks and, if a file is none of them, columns
// with obvious names. With a column or a rule, the file is of the family own.
type Mapping struct {
	Columns `yaml:",inline"`
	// Rule reads answers, see answer.Names; "" is the one that fits the answers. A rule that bears the name of a kind
	// of answers, such as number, is our reader of that kind.
	Rule   string `yaml:"rule,omitempty"`
	Family string `yaml:"-"` // the only family that the file may have; "" is any
	// Recorded says that the rule is that of a record, and means what it meant there.
	Recorded bool `yaml:"-"`
}

// own reports whether the file is read as the family own, whatever the names of its columns.
func (m Mapping) own() bool { return m.Family == FamilyOwn || m.Rule != "" || m.Columns.String() != "" }

// ParseMapping reads columns as a flag has them, such as "question=prompt,answer=gold,choices=A,B,C,D,by=letter", or
// the YAML file that the text names, which has the same keys and may have a rule.
func ParseMapping(text string) (m Mapping, err error) {
	if strings.HasSuffix(text, ".yaml") || strings.HasSuffix(text, ".yml") {
		content, err := strictyaml.ReadFile(text)
		if err == nil {
			err = strictyaml.Unmarshal(content, &m)
		}
		if err != nil {
			return m, fmt.Errorf("columns %q: %w", text, err)
		}
	} else if m.Columns, err = parseColumns(text); err != nil {
		return m, err
	}
	m.Family = FamilyOwn
	return m, m.Check()
}

// parseColumns reads pairs of a role and a column. What has no role belongs to the choices before it.
func parseColumns(text string) (c Columns, err error) {
	role := ""
	for _, part := range strings.Split(text, ",") {
		column := part
		if before, after, named := strings.Cut(part, "="); named {
			role, column = strings.TrimSpace(before), after
		} else if role != "choices" {
			return c, fmt.Errorf("columns: %q has no role; write them as question=NAME,answer=NAME", part)
		}
		column = strings.TrimSpace(column)
		to := map[string]*string{"question": &c.Question, "answer": &c.Answer, "by": &c.By, "passage": &c.Passage,
			"facts": &c.Facts, "kind": &c.Kind, "only": &c.Only}[role]
		switch {
		case column == "":
			return c, fmt.Errorf("columns: %q names no column", part)
		case role == "choices":
			c.Choices = append(c.Choices, column)
		case to == nil:
			return c, fmt.Errorf("columns: no role %q; there are question, answer, choices, by, passage, facts, kind "+
				"and only", role)
		case *to != "":
			return c, fmt.Errorf("columns: %s is given twice", role)
		default:
			*to = column
		}
	}
	return c, nil
}

// Check refuses a mapping that reads no file.
func (m Mapping) Check() error {
	if m.By != "" && !slices.Contains(Ways(), m.By) {
		return fmt.Errorf("by %q: an answer names its choice by %s", m.By, strings.Join(Ways(), ", "))
	}
	if slices.Contains(m.Choices, "") {
		return errors.New("choices: a column has no name")
	}
	if len(m.Choices) > maxOptions {
		return fmt.Errorf("choices: %d columns; at most %d are read", len(m.Choices), maxOptions)
	}
	var used []string
	for _, name := range append([]string{m.Question, m.Answer, m.Passage, m.Facts, m.Kind}, m.Choices...) {
		if name != "" && slices.Contains(used, name) {
			return fmt.Errorf("the column %.40q is named twice", name)
		}
		used = append(used, name)
	}
	if m.Only != "" && !slices.Contains(answer.Kinds(), answer.Kind(m.Only)) {
		return unknown.Name("kind of rows", m.Only, kindNames())
	}
	if m.Rule != "" {
		_, err := reader.Rule(m.Rule)
		return err
	}
	return nil
}

// roles are the names by which columns are recognised, whatever their case. Columns named by letters are choices too,
// see lettered.
var roles = map[string][]string{
	"question": {"question", "prompt", "input", "problem"},
	"answer":   {"answer", "gold", "target", "label", "solution", "answerkey", "answer_key"},
	"choices":  {"choices", "options"},
	"facts":    {rowfile.FieldFacts},
	rolePassage: {"passage", "passages", "context", "contexts", "article", "story", "paragraph", "paragraphs",
		"document", "excerpt", "narrative", "background", "dialogue", "transcript"},
}

// lesser are names that count only where no column has one of the roles: beside an answer, a reference is often a
// source.
var lesser = map[string][]string{
	"question": {"query", "instruction"},
	"answer": {"reference", "reference_answer", "gold_answer", "right_answer", "expected", "expected_answer",
		"expected_output", "ground_truth"},
}

const (
	rolePassage = "passage"
	noPassage   = "-"
)

// complete recognises the columns that are not named, by the names in a row. A record names the passage if it has one.
func (c Columns) complete(r row, recorded bool) (Columns, error) {
	var err error
	find := func(role, given string) string {
		if given != "" {
			return given
		}
		found, findErr := c.obvious(r, role, roles)
		if found == "" && findErr == nil && !recorded {
			found, findErr = c.obvious(r, role, lesser)
		}
		err = errors.Join(err, findErr)
		return found
	}
	c.Question = find("question", c.Question)
	c.Answer = find("answer", c.Answer)
	c.Facts = find("facts", c.Facts)
	if !recorded {
		c.Passage = find(rolePassage, c.Passage)
	}
	if len(c.Choices) == 0 {
		if list := find("choices", ""); list != "" {
			c.Choices = ChoiceColumns{list}
		} else {
			c.Choices = letteredColumns(r, recorded)
		}
		if slices.Contains(c.Choices, c.Answer) && !recorded {
			return c, fmt.Errorf("the column %q is named as the answer, but is one of the choices (%s); the answer "+
				"is the column that says which of them is right", c.Answer, strings.Join(c.Choices, ", "))
		}
	}
	switch {
	case err != nil:
		return c, err
	case c.Question == "":
		return c, errors.New("no column is obviously the question")
	case c.Answer == "":
		return c, errors.New("no column is obviously the answer")
	}
	return c, nil
}

// obvious returns the one column of a row that has one of the names of a role, "" if none has.
func (c Columns) obvious(r row, role string, names map[string][]string) (found string, err error) {
	for _, name := range r.names() {
		plain := name
		if role == "choices" {
			plain = strings.TrimSuffix(name, ".text") // Parquet's list of texts beside labels
		}
		plainly := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(plain))
		if !slices.Contains(names[role], plainly) || c.uses(name) {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("the columns %q and %q may both hold the %s", found, plain, role)
		}
		found = plain
	}
	return found, nil
}

// uses reports whether a column has a role.
func (c Columns) uses(column string) bool {
	return column != "" && slices.Contains(append([]string{c.Question, c.Answer, c.Passage, c.Facts, c.Kind},
		c.Choices...), column)
}

// letteredColumns returns the columns of a row that are named A, B and so on, nil if there is no B. Those of a record
// that names no choices have just these names.
func letteredColumns(r row, recorded bool) (columns ChoiceColumns) {
	for letter := 'A'; len(columns) < maxOptions; letter++ {
		name := string(letter)
		if names := r.names(); !recorded && !r.Has(name) {
			at := slices.IndexFunc(names, func(name string) bool { return lettered(name) == string(letter) })
			if at < 0 {
				break
			}
			name = names[at]
		}
		if !r.Has(name) {
			break
		}
		columns = append(columns, name)
	}
	if len(columns) < 2 {
		return nil
	}
	return columns
}

// lettered returns the letter of the choice that a column is named for, such as A for a, option_a or "Choice A"; "" if
// it is none.
func lettered(column string) string {
	name := strings.ToUpper(column)
	for _, word := range []string{"OPTION", "CHOICE"} {
		name = strings.TrimLeft(strings.TrimPrefix(name, word), " _-")
	}
	if len(name) != 1 || name < "A" || name > "Z" {
		return ""
	}
	return name
}
