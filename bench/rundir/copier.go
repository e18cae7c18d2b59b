package rundir

import (
	"bytes"
	"encoding/json"

	"github.com/parley-debate/parley/bench/record"
)

// copier appends records to a journal in batches, because each append waits for the disk. Its owner calls flush at the
// end.
type copier struct {
	to    *record.Journal
	lines []any
	bytes int
}

// Bounds of a batch: whichever is reached first ends it.
const (
	batchRecords = 32
	batchBytes   = 1 << 20
)

// add appends a copy of a line, which its reader may overwrite.
func (c *copier) add(line []byte) error {
	c.lines = append(c.lines, json.RawMessage(bytes.Clone(line)))
	if c.bytes += len(line); len(c.lines) < batchRecords && c.bytes < batchBytes {
		return nil
	}
	return c.flush()
}

func (c *copier) addRecord(r any) error {
	line, err := record.Marshal(r)
	if err != nil {
		return err
	}
	return c.add(line)
}

func (c *copier) flush() (err error) {
	if len(c.lines) > 0 {
		err = c.to.Append(c.lines...)
	}
	c.lines, c.bytes = nil, 0
	return err
}
