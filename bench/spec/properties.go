package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
)

// Class is what a property of a header means for a run that is resumed.
type Class string

// The classes.
const (
	Identity Class = "identity" // a run that is resumed must equal it
	Extent   Class = "extent"   // may differ: the run becomes wider, or narrower where that is asked for
	Neither  Class = "-"        // differs freely, and is told where runs are compared
)

// Property is one thing that a header says, by the name by which people know it.
type Property struct {
	Name  string
	Class Class
	Value any // comparable, as people read it; or Unlisted
}

// Unlisted is a value that is too long to be read: it is for comparisons alone.
type Unlisted string

// columnsRead lists what was read from which columns of a file; nil is a file of a public benchmark.
func columnsRead(c *task.Columns) []Property {
	if c == nil {
		c = &task.Columns{}
	}
	return []Property{
		{"column of the question", Identity, cmp.Or(c.Question, "the family's")},
		{"column of the answer", Identity, cmp.Or(c.Answer, "the family's")},
		{"columns of the choices", Identity, cmp.Or(strings.Join(c.Choices, ","), "none")},
		{"naming of choices", Identity, cmp.Or(c.By, "none")},
		{"column of the passage", Identity, cmp.Or(c.Passage, "none")},
		{"column of the kinds", Identity, cmp.Or(c.Kind, "none")},
		{"kind of rows", Identity, cmp.Or(c.Only, "all")},
		{"column of the facts", Identity, cmp.Or(c.Facts, "none")},
	}
}

// sampled lists how tokens are drawn, but for the seed: that of a run is its own.
func sampled(s inference.Sampling) (list []Property) {
	for _, p := range inference.Parameters() {
		list = append(list, Property{p.Title, Identity, p.Value(s)})
	}
	return append(list, Property{"logit bias", Identity, recorded(s.Bias)},
		Property{"end ignored", Identity, s.IgnoreEnd})
}

func listed(texts []string) string { return strings.Join(texts, ", ") }

// quoted lists texts that may have commas and spaces of their own.
func quoted(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", texts)
}

// recorded is a list of structures as a header has it: plain texts and numbers.
func recorded[T any](list []T) string {
	if len(list) == 0 {
		return "none"
	}
	text, _ := json.Marshal(list)
	return string(text)
}
