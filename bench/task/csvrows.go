package task

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mmluColumns are the columns of MMLU's released files, which have no header.
var mmluColumns = []string{"question", "A", "B", "C", "D", "answer"}

// headless reports whether the first record of a CSV file is MMLU's first question: six columns that end in a letter A
// to D. A header that ends in the columns A to D is none.
func headless(record []string) bool {
	isHeader := twice(record) == "" && !slices.ContainsFunc(mmluColumns[1:5], func(name string) bool {
		return !slices.Contains(record, name)
	})
	return len(record) == len(mmluColumns) && len(record[5]) == 1 && record[5] >= "A" && record[5] <= "D" && !isHeader
}

// csvRows reads CSV with a header, or MMLU's without one. If the first line has more tabs than commas, the columns are
// separated by tabs.
func csvRows(content []byte, headed bool) (rows []row, err error) {
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = -1
	line, _, _ := bytes.Cut(content, []byte("\n"))
	if bytes.Count(line, []byte("\t")) > bytes.Count(line, []byte(",")) {
		reader.Comma = '\t'
		if n := bytes.Count(content, []byte("\t")); n > maxValues {
			return nil, fmt.Errorf("has more than %d values, at most %d are read", n, maxValues)
		}
	}
	var header []string
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && len(header) == 1:
			return nil, fmt.Errorf("is neither JSON, JSON lines, CSV nor parquet: begins with %.20q", header[0])
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("CSV: %w", err)
		}
		if header == nil {
			header = trimmed(record)
			if headed || !headless(record) {
				if name := twice(header); name != "" {
					return nil, fmt.Errorf("CSV: two columns are called %.40q", name)
				}
				continue
			}
			header = mmluColumns
		}
		rows = append(rows, csvRow(reader, len(rows)+1, header, record))
	}
}

// trimmed returns the names of a header without blanks around them.
func trimmed(header []string) (names []string) {
	for _, name := range header {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// csvRow makes a row of a record; a record with another number of columns is a bad row.
func csvRow(reader *csv.Reader, number int, header, record []string) row {
	line, _ := reader.FieldPos(0)
	r := row{number: number, place: fmt.Sprintf("row %d (line %d)", number, line), value: map[string]any{}}
	if len(record) != len(header) {
		r.err = fmt.Errorf("has %d columns, the header has %d", len(record), len(header))
		return r
	}
	for i, name := range header {
		r.value[name] = record[i]
	}
	return r
}
