// Package parquetfile reads the rows of a Parquet file as the values that JSON would have: texts, numbers with their
// digits, truth values and lists. What has no such value stays Unreadable with its reason, so that a file is refused
// only if somebody needs the column.
//
// What holds: files come from strangers. Sizes, counts and nesting are bounded before room is made for them, and what
// the library believes of a file is checked first.
package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Magic is how a Parquet file begins.
const Magic = "PAR1"

// Unreadable is a value that is not read, with the reason. Column says that this holds for the whole column, because of
// its type.
type Unreadable struct {
	Reason string
	Column bool
}

// Columns returns the names of a file's columns, those of groups and lists as one. Only the footer is read.
func Columns(in io.ReaderAt, bytes int64) (names []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			names, err = nil, damageError(p)
		}
	}()
	file, err := openFile(in, bytes, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	for _, column := range file.Schema().Fields() {
		names = append(names, column.Name())
	}
	return names, nil
}

// openFile opens a file whose footer is within its bounds.
func openFile(in io.ReaderAt, bytes int64, o ...parquet.FileOption) (*parquet.File, error) {
	if err := checkFooter(in, bytes); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	file, err := parquet.OpenFile(in, bytes, o...)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return file, nil
}

func damageError(panicked any) error { return fmt.Errorf("parquet: damaged: %v", panicked) }

// Rows returns the rows of a file, of which it may have at most most. Columns are named by their paths, without the
// levels that only make a list (list, element, item, array): "choices.list.element" is the list "choices", and
// "answers.text.list.element" is "answers.text". The library panics on some damaged files, which becomes an error here.
func Rows(content []byte, most int64) (rows []map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, damageError(p)
		}
	}()
	file, err := openFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	if err := checkPages(file, content, most); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	leaves, err := leavesOf(file.Metadata().Schema)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if n := len(file.Schema().Columns()); n != len(leaves) {
		return nil, fmt.Errorf("parquet: damaged: %d columns, of which %d are described", n, len(leaves))
	}
	r := reader{leaves: leaves, left: budget{bytes: maxUnpackedBytes, values: maxParquetValues}}
	for _, group := range file.RowGroups() {
		if err = r.group(group); err != nil {
			return nil, fmt.Errorf("parquet: row %d: %w", len(r.rows)+1, err)
		}
	}
	return r.rows, nil
}

// reader collects the rows of a file.
type reader struct {
	leaves []leaf
	rows   []map[string]any
	left   budget
}

// budget is what may still be read: a file can repeat a text of its dictionary at the cost of a few bits.
type budget struct{ bytes, values int }

// spend takes the size of a value.
func (b *budget) spend(v parquet.Value) error {
	if v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray {
		text := v.ByteArray()
		b.bytes -= len(text)
		b.values -= bytes.Count(text, []byte(",")) // as many values may be in a text of JSON
	}
	if b.bytes < 0 || b.values < 0 {
		return fmt.Errorf("more than %d bytes of text", maxUnpackedBytes)
	}
	return nil
}

// group appends the rows of a group.
func (r *reader) group(group parquet.RowGroup) error {
	in := group.Rows()
	defer in.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := in.ReadRows(buffer)
		for _, values := range buffer[:n] {
			if err := r.row(values); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n == 0:
			return io.ErrNoProgress
		}
	}
}

// row appends a row. A null in the place of a list is an empty list.
func (r *reader) row(values parquet.Row) error {
	out := make(map[string]any, len(r.leaves))
	for _, v := range values {
		if err := r.left.spend(v); err != nil {
			return err
		}
		l := r.leaves[v.Column()]
		switch {
		case l.refused != "":
			out[l.name] = Unreadable{l.refused, true}
		case l.repeated == 0:
			out[l.name] = l.value(v)
		default:
			list, _ := out[l.name].([]any)
			if v.DefinitionLevel() >= l.elements {
				list = append(list, l.value(v))
			} else if list == nil {
				list = []any{}
			}
			out[l.name] = list
		}
	}
	r.rows = append(r.rows, out)
	return nil
}
