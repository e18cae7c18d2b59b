package parquetfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// leaf is a column as the schema describes it.
type leaf struct {
	name     string
	repeated int // levels of lists around it
	elements int // definition level from which on the innermost list has an element
	refused  string
	convert  converter
}

// value converts a value of the column; null is nil.
func (l leaf) value(v parquet.Value) any {
	if v.IsNull() {
		return nil
	}
	value, err := l.convert(v)
	if err != nil {
		return Unreadable{Reason: err.Error()}
	}
	return value
}

// level is a group of the schema around a column.
type level struct {
	name     string
	repeated bool
	refused  string // what the group is, if its parts mean nothing alone
	children int    // that are still to come
	defined  int    // definition level of what is in it
	elements int
	lists    int
}

// leavesOf walks over the schema, which lists all nodes depth first, and returns its leaves in the order of the
// columns.
func leavesOf(schema []format.SchemaElement) (leaves []leaf, err error) {
	if len(schema) == 0 {
		return nil, errors.New("damaged: no schema")
	}
	open := []level{{children: int(schema[0].NumChildren.V)}}
	for i := range schema[1:] {
		e := &schema[i+1]
		for open[len(open)-1].children == 0 {
			if open = open[:len(open)-1]; len(open) == 0 {
				return nil, errors.New("damaged: the schema has nodes that belong to none")
			}
		}
		open[len(open)-1].children--
		at := within(open[len(open)-1], e)
		if e.NumChildren.V > 0 {
			at.children = int(e.NumChildren.V)
			open = append(open, at)
			continue
		}
		l := leaf{name: nameOf(append(open[1:len(open):len(open)], at)), repeated: at.lists, elements: at.elements,
			refused: at.refused}
		if l.convert, err = converterOf(e); err != nil && l.refused == "" {
			l.refused = err.Error()
		}
		if l.repeated > 1 && l.refused == "" {
			l.refused = "is a list of lists, which is not read"
		}
		if slices.ContainsFunc(leaves, func(other leaf) bool { return other.name == l.name }) {
			return nil, fmt.Errorf("two columns are called %.40q", l.name)
		}
		leaves = append(leaves, l)
	}
	return leaves, nil
}

// within returns the level of a node in a group.
func within(outer level, e *format.SchemaElement) level {
	at := level{name: e.Name, defined: outer.defined, elements: outer.elements, lists: outer.lists,
		refused: outer.refused}
	switch e.RepetitionType.V {
	case format.Optional:
		at.defined++
	case format.Repeated:
		at.defined++
		at.repeated, at.lists, at.elements = true, outer.lists+1, at.defined
	}
	switch _, variant := e.LogicalType.Value.(*format.VariantType); {
	case variant:
		at.refused = "is of the type VARIANT, which is not read"
	case e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map || e.ConvertedType.V == deprecated.MapKeyValue):
		at.refused = "is of the type MAP, which is not read"
	}
	return at
}

// nameOf joins the names on a path without the levels that only make a list. The first is the column itself, whatever
// its name.
func nameOf(path []level) string {
	var names []string
	for i, at := range path {
		if i == 0 || !slices.Contains([]string{"list", "element", "item", "array"}, at.name) {
			names = append(names, at.name)
		}
	}
	return strings.Join(names, ".")
}
