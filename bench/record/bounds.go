package record

import (
	"bytes"
	"errors"
	"fmt"
)

// Bounds on what a journal may hold. A journal is hostile until parsed, and a small file can expand into a large one:
// zstd unpacks kilobytes into gigabytes, and each pair of braces becomes a struct in memory. Append keeps to the same
// bounds, so whatever it accepts can be read.
const (
	// of one frame
	maxLinesBytes = 64 << 20                          // before compression
	maxFrameBytes = maxLinesBytes + maxLinesBytes>>10 // text that does not compress grows by 3 bytes per 128 KiB

	// of one record
	maxObjects = 200_000   // null counts as one; a debate of 100 agents and 100 rounds has about 40,000
	maxValues  = 4_000_000 // in its lists and objects
	maxDepth   = 64

	// of all records of a journal: a base, and so many more for each byte of the file
	freeBytes      = 128 << 20 // before compression
	bytesPerByte   = 2000      // agents that repeat one word for ever reach a third of it
	objectsPerByte = 4         // beyond maxObjects; keys and hashes do not compress
)

// ErrTooLarge means that Append has refused records that could not be read again. Nothing was written.
var ErrTooLarge = errors.New("too much to be read again")

// errExpands means that the records of a journal are far larger than its file.
var errExpands = errors.New("the journal expands too far")

// extent is the size of a journal so far.
type extent struct {
	file    int64 // bytes
	lines   int64 // bytes before compression
	objects int64
}

// with returns the extent after one more frame, with an error if it exceeds the bounds.
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
		return e, fmt.Errorf("%w: its first %d bytes hold records of %d bytes; at most %d, and %d for each byte of "+
			"the file, are read", errExpands, e.file, e.lines, freeBytes, bytesPerByte)
	case e.objects > maxObjects+objectsPerByte*e.file:
		return e, fmt.Errorf("%w: its first %d bytes hold %d objects; at most %d, and %d for each byte of the file, "+
			"are read", errExpands, e.file, e.objects, maxObjects, objectsPerByte)
	}
	return e, nil
}

// objectsIn counts the objects of a JSON value and refuses a value that exceeds the bounds of a record. It counts null
// as an object, because a list of pointers allocates for both. It does not check the syntax.
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

// endOfString returns the index of the quote that closes the string whose opening quote is at from; the length of the
// line if none does.
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
