package serving

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"io"
	"os"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/internal/platform"
)

// An index file says where a journal has its replies, so that a start need not read it: a line and zeros, and then an
// entry of six little-endian numbers for each reply, in their order: the name, the four of its mark, and the CRC-64 of
// these. It is written behind the journal, and not synced: an entry that is torn, or is not of this journal, ends what
// counts of it, and the journal is read from there on.
const (
	indexFile  = "replies.index"
	indexTitle = "index of replies, version 1\n"
	entryBytes = 6 * 8
)

// knownReplies is how many replies are found, at least the latest half of them. Each takes 24 bytes of memory, and what
// a map takes beside them.
const knownReplies = 2 << 20

// nameOf is a key in an index. The reply that is found tells whether the key is another one of the same name.
func nameOf(key string) uint64 {
	sum := sha256.Sum256([]byte(key))
	return binary.LittleEndian.Uint64(sum[:])
}

// places are where the latest replies are, by names. The older half goes when the younger one is full.
type places struct {
	most         int
	young, older map[uint64]record.Place
}

func (p *places) put(name uint64, at record.Place) {
	if _, there := p.young[name]; p.young == nil || !there && len(p.young) >= p.most/2 {
		p.older, p.young = p.young, make(map[uint64]record.Place)
	}
	p.young[name] = at
}

func (p *places) get(name uint64) (at record.Place, ok bool) {
	if at, ok = p.young[name]; !ok {
		at, ok = p.older[name]
	}
	return at, ok
}

func (p *places) remove(name uint64) {
	delete(p.young, name)
	delete(p.older, name)
}

// index is an index file that is open.
type index struct {
	file *os.File
	end  int64 // of its entries
}

// openIndex opens an index file, or makes one. It refuses a file that is none.
func openIndex(path string) (*index, error) {
	file, err := platform.OpenOwn(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	x := &index{file, entryBytes}
	if err := x.begin(); err != nil {
		file.Close()
		return nil, err
	}
	return x, nil
}

// begin checks the beginning of the file, or writes it.
func (x *index) begin() error {
	title := make([]byte, entryBytes)
	copy(title, indexTitle)
	info, err := x.file.Stat()
	if err != nil {
		return err
	}
	there := make([]byte, entryBytes)
	n, _ := io.ReadFull(x.file, there)
	switch {
	case !info.Mode().IsRegular(), platform.Links(x.file) > 1, !bytes.HasPrefix(title, there[:n]):
		return fmt.Errorf("%s is no index of ours, and stays as it is: remove it", x.file.Name())
	case n == entryBytes:
		return nil
	}
	_, err = x.file.WriteAt(title, 0)
	return err
}

var crc = crc64.MakeTable(crc64.ECMA)

// add writes an entry behind the others.
func (x *index) add(name uint64, m record.Mark) error {
	entry := make([]byte, 0, entryBytes)
	for _, n := range [...]uint64{name, uint64(m.Offset), m.Sum, uint64(m.Lines), uint64(m.Objects)} {
		entry = binary.LittleEndian.AppendUint64(entry, n)
	}
	_, err := x.file.WriteAt(binary.LittleEndian.AppendUint64(entry, crc64.Checksum(entry, crc)), x.end)
	x.end += entryBytes
	return err
}

// read passes on the latest entries, at most so many, up to one that is torn or in no order, and returns the mark of
// the last: new entries follow that one.
func (x *index) read(most int, f func(name uint64, at record.Place)) (last record.Mark, err error) {
	info, err := x.file.Stat()
	if err != nil {
		return last, err
	}
	x.end += max(0, (info.Size()-x.end)/entryBytes-int64(most)) * entryBytes
	in := bufio.NewReaderSize(io.NewSectionReader(x.file, x.end, info.Size()-x.end), 1<<16)
	for entry := make([]byte, entryBytes); ; x.end += entryBytes {
		if _, err := io.ReadFull(in, entry); err != nil {
			break
		}
		name, m, whole := parseEntry(entry)
		if !whole || m.Offset < last.Offset {
			break
		}
		f(name, m.Place)
		last = m
	}
	if last == (record.Mark{}) {
		return last, x.clear()
	}
	return last, x.file.Truncate(x.end)
}

func parseEntry(entry []byte) (name uint64, m record.Mark, whole bool) {
	var n [entryBytes / 8]uint64
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(entry[8*i:])
	}
	m = record.Mark{Place: record.Place{Offset: int64(n[1]), Sum: n[2]}, Lines: int64(n[3]), Objects: int64(n[4])}
	whole = n[5] == crc64.Checksum(entry[:entryBytes-8], crc) && min(m.Offset, m.Lines, m.Objects) >= 0
	return n[0], m, whole
}

// clear removes all entries.
func (x *index) clear() error {
	x.end = entryBytes
	return x.file.Truncate(x.end)
}
