package rowfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MMLUColumns are the columns of MMLU's released files, which have no header.
var MMLUColumns = []string{"question", "A", "B", "C", "D", "answer"}

// headless reports whether the first record of a CSV file is MMLU's first question: six columns that end in a letter A
// to D. A header that ends in the columns A to D is none.
func headless(record []string) bool {
	isHeader := Twice(record) == "" && !slices.ContainsFunc(MMLUColumns[1:5], func(name string) bool {
		return !slices.Contains(record, name)
	})
	return len(record) == len(MMLUColumns) && len(record[5]) == 1 && record[5] >= "A" && record[5] <= "D" && !isHeader
}

// delimiters are what separates columns, with their names. The first of those that are most frequent in the first line
// is taken.
var delimiters = []struct {
	mark byte
	name string
}{{',', "commas"}, {'\t', "tabs"}, {';', "semicolons"}, {'|', "bars (|)"}}

// delimiter returns what separates the columns of a file, and the rest of the file after a line such as sep=; in which
// a spreadsheet says it. A first line with the form of MMLU's is separated by commas, whatever the question has.
func delimiter(content []byte) (mark byte, name string, rest []byte) {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	if said, ok := bytes.CutPrefix(line, []byte("sep=")); ok && len(said) == 1 {
		line, content = said, rest
	} else if first, err := csv.NewReader(bytes.NewReader(line)).Read(); err == nil && headless(first) {
		line = nil
	}
	best := delimiters[0]
	for most, d := 0, 0; d < len(delimiters); d++ {
		if n := separators(line, delimiters[d].mark); n > most {
			most, best = n, delimiters[d]
		}
	}
	return best.mark, best.name, content
}

// csvRows reads CSV with a header, or MMLU's without one, and says what separates its columns.
func csvRows(content []byte, headed bool) (rows []Row, separator string, err error) {
	mark, separator, content := delimiter(content)
	if n := bytes.Count(content, []byte{mark}); mark != ',' && n > maxValues {
		return nil, "", fmt.Errorf("has more than %d values, at most %d are read", n, maxValues)
	}
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord, reader.Comma = -1, rune(mark)
	rows, err = recordRows(reader, headed)
	return rows, separator, err
}

// recordRows makes rows of records.
func recordRows(reader *csv.Reader, headed bool) (rows []Row, err error) {
	var header []string
	bare := false
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && len(header) == 1:
			return nil, fmt.Errorf("is neither JSON, JSON lines, CSV nor parquet: begins with %.20q; CSV needs a "+
				"column of questions and one of their right answers", header[0])
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("CSV: %w", err)
		}
		if header == nil {
			if err := TooWide(len(record)); err != nil {
				return nil, fmt.Errorf("CSV: the header %w", err)
			}
			header = trimNames(record)
			if headed || !headless(record) {
				if name := Twice(header); name != "" {
					return nil, fmt.Errorf("CSV: two columns are called %.40q", name)
				}
				continue
			}
			header, bare = MMLUColumns, true
		}
		rows = append(rows, csvRow(reader, len(rows)+1, header, record))
		rows[len(rows)-1].Headless = bare
	}
}

// trimNames returns the names of a header without blanks around them.
func trimNames(header []string) (names []string) {
	for _, name := range header {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// csvRow makes a row of a record; a record with another number of columns is a bad row.
func csvRow(reader *csv.Reader, number int, header, record []string) Row {
	line, _ := reader.FieldPos(0)
	r := Row{Number: number, Place: fmt.Sprintf("row %d (line %d)", number, line), Value: map[string]any{}}
	if len(record) != len(header) {
		r.Err = fmt.Errorf("has %d columns, the header has %d", len(record), len(header))
		return r
	}
	for i, name := range header {
		r.Value[name] = record[i]
	}
	return r
}
