package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/bench/record"
)

// ForkDirectory makes the directory of a run that begins with generations of another one. That one is only read, when
// the run begins.
func ForkDirectory(from, path string) (*Directory, error) {
	if _, err := os.Stat(filepath.Join(from, generationsFile)); err != nil {
		return nil, notRun(from, err)
	}
	d, err := OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	if d.header != nil || sameFile(from, path) {
		return nil, errors.Join(fmt.Errorf("run directory %q holds a run already; go on with it by --out %s without "+
			"--fork, or name a new one", path, path), d.Close())
	}
	d.from = from
	return d, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// Forked is how many intact generations the other directory has, how many of them this run can use where it asks for
// the same, and how many damaged parts there are between them.
func (d *Directory) Forked() (recorded, usable, damaged int) {
	return d.offered, len(d.replies), d.damaged
}

// inherit copies the generations that this run would compute as they were computed, with their headers. Their keys say
// by what they were asked for, and of what they were computed by only the model. What is damaged there is left there.
func (d *Directory) inherit(h Header) error {
	if d.from == "" {
		return nil
	}
	f := inheriting{Directory: d, wanted: h, copier: copier{to: d.generations},
		lost: firstHeader(filepath.Join(d.from, debatesFile))}
	_, _, err := record.Salvage(filepath.Join(d.from, generationsFile), f.take, func(record.Loss) error {
		d.damaged++
		return nil
	})
	return errors.Join(err, f.flush())
}

// inheriting is the copying of another run's generations.
type inheriting struct {
	*Directory
	copier
	wanted  Header
	lost    *Header // that of generations before which none is left
	applies bool    // the last header, to what is wanted
}

// take copies a record, if it applies.
func (f *inheriting) take(line []byte) error {
	var copied error
	err := visitor{header: func(h Header) {
		f.lost = nil
		if f.applies = h.computes(f.wanted); f.applies {
			copied = f.add(line)
		}
	}, generation: func(g Generation) error {
		copied = f.generation(g, line)
		return nil
	}}.visit(line)
	if errors.Is(err, record.ErrDamaged) {
		f.damaged++
		err = nil
	}
	return errors.Join(err, copied)
}

func (f *inheriting) generation(g Generation, line []byte) error {
	if f.lost != nil {
		if f.applies = f.lost.computes(f.wanted); f.applies {
			if err := f.addRecord(f.lost); err != nil {
				return err
			}
		}
		f.lost = nil
	}
	if f.offered++; !f.applies {
		return nil
	}
	f.replies[g.Reply.Key] = g.Reply
	return f.add(line)
}

// copier appends records to a journal, some at a time: each append waits for the disk.
type copier struct {
	to    *record.Journal
	lines []any
	bytes int
}

// Bounds of what is appended at a time.
const (
	batchRecords = 32
	batchBytes   = 1 << 20
)

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
