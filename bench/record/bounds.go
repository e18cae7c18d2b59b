package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A journal is hostile until parsed, and small files can mean much: zstd makes gigabytes of kilobytes, and each pair of
// braces becomes a struct. Append keeps to the same bounds, so that what it accepts can be read.
const (
	maxLinesBytes = 64 << 20 // of a frame, before compression
	// what does not compress grows by 3 bytes a block of 128 KiB, and the ends
	maxFrameBytes = maxLinesBytes + maxLinesBytes>>10

	maxObjects = 200_000   // of a record, null included; a debate of 100 agents and 100 rounds has about 40,000
	maxValues  = 4_000_000 // of a record, in its lists and objects
	maxDepth   = 64

	freeBytes = 128 << 20 // of a journal, before compression
	// and so many more for each byte of the file: agents that repeat one word for ever come to a third of it
	bytesPerByte   = 2000
	objectsPerByte = 4 // of a journal, beside those of one record: keys and hashes do not compress
)

// errTooMuch is that of a journal that as a whole becomes far larger than it is.
var errTooMuch = errors.New("too much")

// extent is how large a journal is.
type extent struct {
	file    int64 // bytes
	lines   int64 // bytes before compression
	objects int64
}

// with is the extent after one more frame, if that is within bounds.
func (e extent) with(frame int, lines []byte) (extent, error) {
	e.file += int64(frame)
	e.lines += int64(len(lines))
	for line := range bytes.Lines(lines) {
		objects, err := objectsIn(line)
		if err != nil {
			return e, err
		}
		e.objects += int64(objects)
	}
	switch {
	case e.lines > freeBytes+bytesPerByte*e.file:
		return e, fmt.Errorf("%w: the %d bytes so far expand to %d; at most %d, and %d for each byte, are read",
			errTooMuch, e.file, e.lines, freeBytes, bytesPerByte)
	case e.objects > maxObjects+objectsPerByte*e.file:
		return e, fmt.Errorf("%w: the %d bytes so far hold %d objects; at most %d, and %d for each byte, are read",
			errTooMuch, e.file, e.objects, maxObjects, objectsPerByte)
	}
	return e, nil
}

// objectsIn counts the objects of a JSON value, null included, which can be one; it refuses what would become far
// larger than it is. It does not check anything else.
func objectsIn(line []byte) (objects int, err error) {
	depth, values := 0, 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i = endOfString(line, i)
		case '{':
			objects++
			depth++
		case '[':
			values++
			depth++
		case '}', ']':
			depth--
		case ',':
			values++
		case 'n':
			objects++
		}
		if depth > maxDepth {
			return objects, fmt.Errorf("a record nests deeper than %d", maxDepth)
		}
	}
	if objects > maxObjects || values > maxValues {
		return objects, fmt.Errorf("a record has %d objects and %d values, at most %d and %d are read", objects, values,
			maxObjects, maxValues)
	}
	return objects, nil
}

// endOfString is where the string that begins at from ends, or the text does.
func endOfString(line []byte, from int) int {
	for i := from + 1; i < len(line); i++ {
		quote := bytes.IndexByte(line[i:], '"')
		if quote < 0 {
			return len(line)
		}
		escapes := 0
		for i += quote; line[i-1-escapes] == '\\'; {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return len(line)
}

// maxFileBytes bounds a file with one JSON value.
const maxFileBytes = 256 << 20

// ReadJSON reads a file with one JSON value that has the bounds of a record: what another program may have written. An
// error of the file is that of os.Open.
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
