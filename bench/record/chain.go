package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// Version is the version of the records that this program reads and writes; every record has it in its field v.
const Version = 2

// unchained is the previous version, whose records have no hash. Only Salvage reads it.
const unchained = 1

// ErrVersion means that a journal needs another version of this program.
var ErrVersion = errors.New("another version of journals")

// chain is the hash of the last record: SHA-256 over the hash of the record before it (32 zero bytes for the first
// record) and the record's own content.
//
// A record that was changed, removed, added or moved therefore breaks the chain at its place or at the next record.
// Removing the last records does not break it. The hash has no key: it reveals damage and careless edits, but not a
// forger who computes all hashes again.
type chain [sha256.Size]byte

// A line is the content of a record, a JSON object, with the hash as its last field:
//
//	{"v":2,"kind":"outcome",...,"chain":"<64 hexadecimal digits>"}
//
// The hash covers the line without that field, but with its closing brace. link and unlink work on bytes and never
// decode the object, so Read passes on exactly the JSON that Append was given.
const (
	linkField = `,"chain":"`
	linkBytes = len(linkField) + 2*sha256.Size + len(`"}`)
)

// after returns the chain after one more record.
func (c chain) after(content []byte) (next chain) {
	sum := sha256.New()
	sum.Write(c[:])
	sum.Write(content)
	sum.Sum(next[:0])
	return next
}

// FirstHash is the chain of the first record of a journal, in hex, by its line without that.
func FirstHash(line []byte) string {
	first := chain{}.after(line)
	return hex.EncodeToString(first[:])
}

// link appends the line of a record to lines and moves the chain forward. The content must be a JSON object with at
// least one field. Append works on a copy of the chain and keeps it only if the lines were written.
func (c *chain) link(lines, content []byte) ([]byte, error) {
	if len(content) < len(`{"a":1}`) || content[0] != '{' {
		return nil, errors.New("is not a JSON object")
	}
	*c = c.after(content)
	lines = append(append(lines, content[:len(content)-1]...), linkField...)
	return append(hex.AppendEncode(lines, c[:]), "\"}\n"...), nil
}

// unlink is the reverse of link. It overwrites the beginning of the hash with the closing brace, so the caller must not
// use line afterwards. ok is false if the line does not end in a hash; content is then the whole line.
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

// versionOf reads the version from the first field of a line without decoding the line; the result is 0 if there is
// none.
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

// Check refuses a record of another version, or of a kind that its journal does not have. Readers of a journal call it
// for each record, so that a record of a newer program is an error and is not skipped.
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
		return fmt.Errorf("%w: its records have version %d, without hashes that would show changes, and this "+
			"program reads version %d; parley repair converts them unchecked and keeps the old file", ErrVersion,
			version, Version)
	}
	return fmt.Errorf("%w: a record has version %d, and this program reads version %d; read it with the program "+
		"that wrote it", ErrVersion, version, Version)
}
