package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Marshal returns a value as JSON on one line. It leaves <, > and & unescaped, since texts of models are full of them.
func Marshal(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), nil
}

// maxFileBytes bounds a file with a single JSON value.
const maxFileBytes = 256 << 20

// ReadJSON reads a file with a single JSON value within the bounds of a record, since another program may have written
// it. If the file cannot be opened, the error is that of os.Open.
func ReadJSON(path string, value any) error {
	file, size, err := openToRead(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if size > maxFileBytes {
		return fmt.Errorf("%q: %d bytes, at most %d are read", path, size, maxFileBytes)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	if err == nil {
		_, err = objectsIn(text)
	}
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// WithoutTimes returns a record without its fields "ms" and "time", and without the other named fields, at any depth.
// What is left is equal in two runs of the same experiment on the same machine and build. Keys come back sorted.
func WithoutTimes(line []byte, others ...string) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("record: more than one JSON value in a line of %d bytes", len(line))
	}
	return Marshal(without(value, append(others, "ms", "time")))
}

func without(value any, names []string) any {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range names {
			delete(v, name)
		}
		for key, inner := range v {
			v[key] = without(inner, names)
		}
	case []any:
		for i, inner := range v {
			v[i] = without(inner, names)
		}
	}
	return value
}
