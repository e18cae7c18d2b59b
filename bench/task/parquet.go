package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetRows reads columns by their paths, without the levels that only make a list (list, element, item, array):
// "choices.list.element" is the list "choices", and "answers.text.list.element" is "answers.text". The library panics
// on some damaged files, which becomes an error here.
func parquetRows(content []byte) (rows []row, err error) {
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, fmt.Errorf("parquet: damaged: %v", p)
		}
	}()
	if err := checkFooter(content); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if err := checkPages(file, content); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	columns := file.Schema().Columns()
	lists := make([]bool, len(columns))
	for i, path := range columns {
		leaf, _ := file.Schema().Lookup(path...)
		lists[i] = leaf.MaxRepetitionLevel > 0
	}
	left := maxUnpackedBytes
	for _, group := range file.RowGroups() {
		if rows, err = groupRows(rows, group, columns, lists, &left); err != nil {
			return nil, fmt.Errorf("parquet: row %d: %w", len(rows)+1, err)
		}
	}
	return rows, nil
}

// groupRows appends the rows of a group. left is the number of bytes of text that may still be read: a file can repeat
// a text of its dictionary at the cost of a few bits.
func groupRows(rows []row, group parquet.RowGroup, columns [][]string, lists []bool, left *int) ([]row, error) {
	reader := group.Rows()
	defer reader.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(buffer)
		for _, values := range buffer[:n] {
			for _, v := range values {
				if v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray {
					*left -= len(v.ByteArray())
				}
			}
			if *left < 0 {
				return rows, fmt.Errorf("more than %d bytes of text", maxUnpackedBytes)
			}
			number := len(rows) + 1
			rows = append(rows, row{number: number, place: fmt.Sprint("row ", number),
				value: parquetValues(values, columns, lists)})
		}
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return rows, err
		case n == 0:
			return rows, io.ErrNoProgress
		}
	}
}

// parquetValues returns the fields of a row; a null in a list of its own is an empty list.
func parquetValues(values parquet.Row, columns [][]string, lists []bool) map[string]any {
	out := map[string]any{}
	for _, v := range values {
		path := slices.DeleteFunc(slices.Clone(columns[v.Column()]), func(level string) bool {
			return slices.Contains([]string{"list", "element", "item", "array"}, level)
		})
		name := strings.Join(path, ".")
		switch {
		case !lists[v.Column()]:
			out[name] = parquetValue(v)
		case v.IsNull() && out[name] == nil:
			out[name] = []any{}
		case !v.IsNull():
			list, _ := out[name].([]any)
			out[name] = append(list, parquetValue(v))
		}
	}
	return out
}

func parquetValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	case v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return json.Number(v.String())
}
