// Package rowfile reads files of rows: JSON, JSON lines, CSV, TSV and Parquet, which it recognises by their content. It
// finds the rows in the forms in which benchmarks are released, and does not know what a row asks.
package rowfile

import (
	"bytes"
	"fmt"

	"github.com/parley-debate/parley/bench/parquetfile"
	"github.com/parley-debate/parley/internal/plaintext"
)

// Bounds on what is read. The largest public file, SQuAD's training set, has 130,319 questions.
const (
	MaxRows    = 1_000_000 // rows of a file; the caller refuses more
	maxValues  = 8_000_000
	maxColumns = 10_000
)

// TooWide refuses more columns than a file of questions has.
func TooWide(columns int) error {
	if columns > maxColumns {
		return fmt.Errorf("has %d columns; at most %d are read", columns, maxColumns)
	}
	return nil
}

// Read reads JSON, JSON lines, CSV, TSV or Parquet, which it recognises by the content and never by the name of the
// file. headed says that CSV has a header; else it is recognised. separator is the name of what separates the columns
// of CSV, "" for other formats. An error is about the file as a whole; errors of single rows are in the rows.
func Read(content []byte, headed bool) (rows []Row, separator string, err error) {
	if bytes.HasPrefix(content, []byte(parquetfile.Magic)) {
		rows, err = parquetRows(content)
		return rows, "", err
	}
	if err := otherFormat(content); err != nil {
		return nil, "", err
	}
	if content, err = plaintext.Of(content); err != nil {
		return nil, "", err
	}
	if bytes.IndexByte(content, '\n') < 0 { // lines of old Macs, and of spreadsheets that write for them
		content = bytes.ReplaceAll(content, []byte("\r"), []byte("\n"))
	}
	if n := separators(content, ','); n > maxValues {
		return nil, "", fmt.Errorf("has more than %d values, at most %d are read", n, maxValues)
	}
	trimmed := bytes.TrimSpace(content)
	switch {
	case bytes.HasPrefix(trimmed, []byte("[")):
		rows, err = listRows(trimmed)
		return rows, "", err
	case bytes.HasPrefix(trimmed, []byte("{")):
		rows, ok, err := objectRows(trimmed)
		if !ok && err == nil {
			rows = lineRows(content)
		}
		return rows, "", err
	}
	return csvRows(content, headed)
}

func parquetRows(content []byte) (rows []Row, err error) {
	values, err := parquetfile.Rows(content, MaxRows)
	for i, value := range values {
		rows = append(rows, Row{Number: i + 1, Place: fmt.Sprint("row ", i+1), Value: value})
	}
	return rows, err
}

// otherFormats are files that are no text, by how they begin.
var otherFormats = map[string]string{
	"PARE": "an encrypted Parquet file", "GGUF": "a model (GGUF)",
	"PK\x03\x04": "a zip archive, as spreadsheets (.xlsx) are",
	"\x1f\x8b":   "compressed by gzip", "\x28\xb5\x2f\xfd": "compressed by zstd", "BZh": "compressed by bzip2",
	"\xfd7zXZ": "compressed by xz", "ARROW1": "an Arrow (Feather) file", "ORC": "an ORC file",
	"Obj\x01": "an Avro file", "SQLite format 3": "an SQLite database", "%PDF": "a PDF file",
	"\x89HDF": "an HDF5 file", "\xff\xff\xff\xff": "an Arrow stream",
}

// otherFormat refuses a file of another format by its name. A text may begin with the same letters, but has no zero
// byte.
func otherFormat(content []byte) error {
	for magic, name := range otherFormats {
		if bytes.HasPrefix(content, []byte(magic)) && bytes.IndexByte(content[:min(len(content), 4096)], 0) >= 0 {
			return fmt.Errorf("is %s: questions are read from JSON, JSON lines, CSV and Parquet", name)
		}
	}
	return nil
}

// separators counts the separators outside quotes, which bounds the number of values in JSON or CSV. A value of two
// bytes in the file takes dozens in memory, so the count is checked before anything is decoded.
func separators(content []byte, separator byte) (n int) {
	quoted := false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			n++
		}
	}
	return n
}
