package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// Version is that of the records that this program writes and reads, their field v.
const Version = 2

// unchained is the version before it, whose records have no hash. Salvage alone reads them.
const unchained = 1

// ErrVersion is the error of a journal that another version of this program reads.
var ErrVersion = errors.New("another version of journals")

// chain is the hash of the last record: SHA-256 over the hash of the record before it (32 zero bytes before the first)
// and its own content.
type chain [sha256.Size]byte

// A record ends with its hash, which is no part of its content.
const (
	linkField = `,"chain":"`
	linkBytes = len(linkField) + 2*sha256.Size + len(`"}`)
)

func (c chain) after(content []byte) (next chain) {
	sum := sha256.New()
	sum.Write(c[:])
	sum.Write(content)
	sum.Sum(next[:0])
	return next
}

// link appends a record, which has to be a JSON object with a field, to lines, with the hash that follows from the one
// before it.
func (c *chain) link(lines, content []byte) ([]byte, error) {
	if len(content) < len(`{"a":1}`) || content[0] != '{' {
		return nil, errors.New("is not a JSON object")
	}
	*c = c.after(content)
	lines = append(append(lines, content[:len(content)-1]...), linkField...)
	return append(hex.AppendEncode(lines, c[:]), "\"}\n"...), nil
}

// unlink takes a record apart, in place. ok is false if it has no hash.
func unlink(line []byte) (content []byte, hash chain, ok bool) {
	at := len(line) - linkBytes
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(linkField)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return line, hash, false
	}
	digits := line[at+len(linkField) : len(line)-len(`"}`)]
	if n, err := hex.Decode(hash[:], digits); err != nil || n != len(hash) {
		return line, hash, false
	}
	line[at] = '}'
	return line[:at+1], hash, true
}

// versionOf is what a record says of itself first of all; 0 if it is no record.
func versionOf(line []byte) int {
	number, ok := bytes.CutPrefix(line, []byte(`{"v":`))
	if !ok {
		return 0
	}
	end := bytes.IndexAny(number[:min(len(number), 10)], ",}")
	version, err := strconv.Atoi(string(number[:max(0, end)]))
	if err != nil {
		return 0
	}
	return version
}

// Check refuses a record of another version, or of a kind that its journal does not have.
func Check(version int, kind string, kinds ...string) error {
	if version != Version {
		return wrongVersion(version)
	}
	for _, known := range kinds {
		if kind == known {
			return nil
		}
	}
	return fmt.Errorf("%w: a record has the kind %q, and this program knows %q; a newer program may have written it",
		ErrVersion, kind, kinds)
}

func wrongVersion(version int) error {
	if version == unchained {
		return fmt.Errorf("%w: its records have version %d, without hashes that would show changes, and this program reads version %d; parley repair converts them unchecked and keeps the old file", ErrVersion, version, Version)
	}
	return fmt.Errorf("%w: a record has version %d, and this program reads version %d; read it with the program that wrote it", ErrVersion, version, Version)
}
